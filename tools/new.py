"""Write the first files of something new: python -m tools.new check|nic|platform NAME [--room ROOM] [--area AREA].

Behind `make new-check`, `make new-nic` and `make new-platform`. What is there already is never replaced.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from fabricgen.diagnostics.registry import RETIRED
from fabricgen.platforms.manifest.capabilities import fields_of
from fabricgen.platforms.manifest.load import written_value

FILL_IN = "FILL IN"
"""Marks each place that needs a text; `tests/meta/test_filled_in.py` fails while it does."""
FILLED_IN = "tests/meta/test_filled_in.py"
UNDERSTOOD = 900
"""Numbers of codes from here on mean: understood, not implemented."""
_CODE = re.compile(r'"FG-([A-Z]{3})-(\d{3})"')
_HEAD = '''"""Rules on {words}."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, rule
'''
_RULE = '''

@rule(
    "{code}",
    "{fill}: what is wrong, in five words",
    why="{fill}: effect on traffic or on the operator without this check",
    fix="{fill}: what to write instead",
    source="{fill}: a public document",
)
def check_{name}(view: IntentView) -> Iterator[Finding]:
    """{fill}: the rule, as a sentence that holds for every sound fabric."""
    if view.intent.fabric == "{fill}":
        yield Finding("{fill}: actual and allowed value", ("fabric",), hint="{fill}: the key and value that fix it")
'''
_CASE = """\
# {fill}: pieces of an intent, laid over that of tests/cases, that pass and that fail at the marked line
pass: |
  fabric: sound
fail:
  - |
    fabric: faulty  # E: {code}
"""
_NIC = """\
# {fill}: maker and name of the card, its cages
id: {name}
source: "{fill}: the public document that the values below are from"
family: "{fill}: a folder of templates/nic; of another family the card is known, and hosts.nic refuses it"
vendor: "{fill}: the maker, as other files of this folder spell it"
ports: 1
lanes: {{400G: 4}}
mtu_max_bytes: 9000
pci_vendor: "{fill}: four hexadecimal digits behind 0x"
pci_device: "{fill}: four hexadecimal digits behind 0x"
"""
_MANIFEST = """\
# {fill}: the software and the files it reads. Reasons and sources: NOTES.md.
platform: {name}
kind: switch
target: "{fill}: the release that the templates are for"

capabilities:
{capabilities}
outputs:
  - path: etc/{name}.conf
    format: text
    mode: "0600"
    parts:
      - {{template: {name}.conf.j2, scope: device}}
"""
_CLASS = '''"""{fill}: the software and its files, how they are changed, how traffic is moved away."""

from __future__ import annotations

from fabricgen.platforms.platform import Platform


class {camel}(Platform):
    """{fill}: a switch with it; what it does otherwise than Platform is a method here."""


PLATFORM = {camel}()
'''
_TEMPLATE = """\
{{#
  One switch.
  Reads: device.hostname.
  Emits: {fill}: the whole file, or which part of it.
  Facts: {fill}: public documents of the syntax.
  Checked: {fill}: the parser, reader or machine that took the output.
#}}
hostname {{{{ device.hostname }}}}
"""
_NOTES = """\
# {name}

{fill}: target, sources, how it was verified.

## Decisions

| knob | what and why | source | verified |
|---|---|---|---|
| {fill} | {fill} | {fill} | {fill} |

## Dual-ToR

{fill}: what renders of bonds and shared subnets, or why nothing does.

## Capabilities

| name | value | why |
|---|---|---|
{rows}"""
_OVERLAY = """\
# The conformance fabric on {name}, which has no releases yet.
tiers:
  leaf: {{platform: {name}, release: }}
  spine: {{platform: {name}}}
  core: {{platform: {name}}}
"""

_MODEL = "tests/fabrics/conformance/catalog/switches/small_switch.yaml"
"""The switch of the conformance fabric; the platforms that run it are the end of its file."""
New = tuple[dict[str, str], list[str]]
"""Texts by path in the repository, and the tests to run: arguments of pytest."""


def main(arguments: list[str], root: Path, run: Callable[[list[str]], object] | None = None) -> int:
    """Write the files, name each, and run the tests that say what is still to be filled in.

    Returns:
        The exit code: 1, since something is left to fill in; 2 where nothing was written.
    """
    parser = argparse.ArgumentParser(prog="python -m tools.new", description=__doc__)
    parser.add_argument("kind", choices=("check", "nic", "platform"))
    parser.add_argument("name")
    parser.add_argument("--room", default="", help="check: module of fabricgen/checks/rules, there already or new")
    parser.add_argument("--area", default="", help="check: three letters of the code, where the module is new")
    words = parser.parse_args(arguments)
    try:
        if words.kind == "check":
            files, tests = new_check(root, words.name, words.room, words.area)
        else:
            files, tests = new_nic(words.name) if words.kind == "nic" else new_platform(root, words.name)
        _write(root, files)
    except ValueError as refused:
        print(refused, file=sys.stderr)
        return 2
    for file in files:
        print(f"wrote {file}")
    print(f"fill in what these tests name: pytest {' '.join(tests)}", flush=True)
    (run or _run_tests)(tests)
    return 1


def new_check(root: Path, name: str, room: str, area: str) -> New:
    """Return the function of a check with the next free code of its area, and its case.

    Args:
        root: The repository.
        name: The rule's name, without ``check_``.
        room: Module of ``fabricgen/checks/rules``; the rule's name if empty.
        area: Area of the code; that of most rules of the module if empty.

    Raises:
        ValueError: The name is none, is taken, or the area is not known.
    """
    _check_name(name)
    module = f"fabricgen/checks/rules/{_check_name(room or name)}.py"
    path = root / module
    text = path.read_text(encoding="utf-8") if path.exists() else _HEAD.format(words=(room or name).replace("_", " "))
    if f"def check_{name}(" in text:
        raise ValueError(f"{module} has a rule check_{name}")
    areas = Counter(found for found, _ in _CODE.findall(text))
    if not area and not areas:
        raise ValueError(f"{module} is new: name the area of its code, three letters such as those in docs/codes.md")
    code = _free_code(root, area.upper() or areas.most_common(1)[0][0])
    rule = _RULE.format(code=code, name=name, fill=FILL_IN)
    files = {
        module: text.rstrip("\n") + "\n" + rule,
        f"tests/cases/{code}.yaml": _CASE.format(code=code, fill=FILL_IN),
    }
    variant = code.lower().replace("-", "_")
    return files, [FILLED_IN, "tests/cases/test_cases.py", "-k", f"{variant} or {code} or filled"]


def new_nic(name: str) -> New:
    """Return the catalog file of a NIC of a family that has templates."""
    file = f"fabricgen/catalog/data/nics/{_check_name(name)}.yaml"
    tests = [FILLED_IN, "tests/unit/catalog/test_catalog_data.py", "-k", f"{name} or filled or every_shipped"]
    return {file: _NIC.format(name=name, fill=FILL_IN)}, tests


def new_platform(root: Path, name: str) -> New:
    """Return a manifest of nothing but answers, a class of defaults, one template, the notes, and a fabric with it."""
    folder = f"templates/switch/{_check_name(name)}"
    answers = {key: written_value(field, field.nothing) for key, field in fields_of("switch").items()}
    named = {value: [f"`{key}`" for key in answers if answers[key] == value] for value in answers.values()}
    rows = "".join(f"| {', '.join(keys)} | {value} | no template writes it yet |\n" for value, keys in named.items())
    capabilities = "".join(f"  {key}: {value}\n" for key, value in answers.items())
    files = {
        _MODEL: (root / _MODEL).read_text(encoding="utf-8") + f"  - {name}\n",
        f"{folder}/platform.yaml": _MANIFEST.format(name=name, capabilities=capabilities, fill=FILL_IN),
        f"fabricgen/platforms/{name}/__init__.py": _CLASS.format(camel=name.title().replace("_", ""), fill=FILL_IN),
        f"{folder}/{name}.conf.j2": _TEMPLATE.format(fill=FILL_IN),
        f"{folder}/NOTES.md": _NOTES.format(name=name, rows=rows, fill=FILL_IN),
        f"tests/fabrics/conformance/overlays/{name}.yaml": _OVERLAY.format(name=name),
    }
    tests = ["tests/unit/platforms/test_platform_shipped.py", "tests/meta/test_templates.py"]
    return files, [FILLED_IN, *tests, "-k", f"{name} or filled or template"]


def _check_name(name: str) -> str:
    """Return a name that can be a module's and a file's."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise ValueError(f"{name!r} is no name here: small letters, digits and underscores, a letter first")
    return name


def _free_code(root: Path, area: str) -> str:
    """The number behind the last one of an area that any module declares, or that has become another code."""
    texts = (file.read_text(encoding="utf-8") for file in (root / "fabricgen").rglob("*.py"))
    declared = {(found, int(number)) for text in texts for found, number in _CODE.findall(text)}
    numbers = [number for found, number in declared if found == area and number < UNDERSTOOD]
    if not numbers:
        raise ValueError(f"no code has the area {area!r}; docs/codes.md lists them")
    free = max(numbers) + 1
    while f"FG-{area}-{free:03}" in RETIRED:
        free += 1
    return f"FG-{area}-{free:03}"


def _write(root: Path, files: dict[str, str]) -> None:
    """Write new files, and files with something added at their end; none if one of another content is there."""
    for name, text in files.items():
        path = root / name
        if path.exists() and not text.startswith(path.read_text(encoding="utf-8")):
            raise ValueError(f"{name} exists; choose another name")
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def _run_tests(tests: list[str]) -> None:
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-n0", "--tb=short", *tests], check=False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], Path.cwd()))
