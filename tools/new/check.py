"""A new check: the function with the next free code of its area, and its case."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from tools.new.files import FILL_IN, FILLED_IN, Files, RefusedError, check_name

_RULES = "fabricgen/checks/rules"
_CODE = re.compile(r'"FG-([A-Z]{3})-(\d{3})"')
_UNDERSTOOD = 900
"""Numbers from here on mean: understood, not implemented."""
_HEAD = '''"""Rules on {words}."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, rule
'''
_RULE = '''

@rule(
    "{code}",
    "{fill}: what is wrong, in five words",
    why="{fill}: what happens to traffic or to the operator if nobody says so",
    fix="{fill}: what to write instead",
    source="{fill}: a public document",
)
def check_{name}(view: IntentView) -> Iterator[Finding]:
    """{fill}: the rule, as a sentence that holds for every sound fabric."""
    if view.intent.fabric == "{fill}":
        yield Finding("{fill}: actual and allowed value", ("fabric",), hint="{fill}: the key and value that mend it")
'''
_CASE = """\
# {fill}: pieces of an intent, laid over that of tests/cases, that pass and that fail at the marked line
pass: |
  fabric: sound
fail:
  - |
    fabric: faulty  # E: {code}
"""


def new_check(root: Path, name: str, room: str, area: str) -> tuple[Files, list[str]]:
    """Return the files of a new check, and the tests to run.

    Args:
        root: The repository.
        name: The rule's name, without ``check_``.
        room: Module of ``fabricgen/checks/rules``; the rule's name if empty.
        area: Area of the code; that of most rules of the module if empty.

    Raises:
        RefusedError: The name is none, is taken, or the area is not known.
    """
    check_name(name)
    module = f"{_RULES}/{check_name(room or name)}.py"
    path = root / module
    text = path.read_text(encoding="utf-8") if path.exists() else _HEAD.format(words=(room or name).replace("_", " "))
    if f"def check_{name}(" in text:
        raise RefusedError(f"{module} has a rule check_{name}")
    code = _free_code(root, area.upper() or _area_of(text, module))
    rule = _RULE.format(code=code, name=name, fill=FILL_IN)
    case = f"tests/cases/{code}.yaml"
    files = {module: text.rstrip("\n") + "\n" + rule, case: _CASE.format(code=code, fill=FILL_IN)}
    return files, [FILLED_IN, "tests/cases/test_cases.py", "-k", f"{_variant(code)} or {code} or filled"]


def _variant(code: str) -> str:
    """The beginning of the names of a case's documents."""
    return code.lower().replace("-", "_")


def _area_of(text: str, module: str) -> str:
    areas = Counter(area for area, _ in _CODE.findall(text))
    if not areas:
        raise RefusedError(f"{module} is new: name the area of its code, three letters such as those in docs/codes.md")
    return areas.most_common(1)[0][0]


def _free_code(root: Path, area: str) -> str:
    """The number behind the last one of an area that any module declares."""
    numbers = {
        int(number)
        for file in (root / "fabricgen").rglob("*.py")
        for found, number in _CODE.findall(file.read_text(encoding="utf-8"))
        if found == area and int(number) < _UNDERSTOOD
    }
    if not numbers:
        raise RefusedError(f"no code has the area {area!r}; docs/codes.md lists them")
    return f"FG-{area}-{max(numbers) + 1:03}"
