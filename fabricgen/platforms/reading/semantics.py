"""What a difference in one kind of file means: whose it is, what operators call it, what carrying it out disturbs.

Input: the YAML file that an output of a manifest names. Output: ``Semantics``, a frozen set of rules over the paths of
the trees a reader makes. Entry point: ``load_semantics``. templates/README.md describes the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import translate
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.fields import Fields
from fabricgen.platforms.manifest.platform_codes import BAD_VALUE, BROKEN_VIEW
from fabricgen.platforms.reading.reader import load_module
from fabricgen.source import load_data

DISRUPTIONS = ("hitless", "session reset", "port flap", "drain", "reboot")
"""What carrying out a change disturbs, from nothing to everything."""
OWNERS = ("fabricgen", "device", "operator")
"""Whose a value is: ours, the device's own (never compared), or somebody else's (reported apart)."""
ORDERS = ("ordered", "set", "words", "ranges")
"""What a list means: its order matters; it does not; a comma-separated text is one; so is a text with ranges (0-2)."""
SECRETS = ("true", "key")
"""Whether a value is one; ``key`` says it of the keys right below."""
COMPARE = ("typed", "text")
_TOP_OPTIONAL = ("reader", "patch", "snippets", "compare", "split", "managed", "shown", "rules", "data")
_RULE_OPTIONAL = (
    *("title", "unit", "owner", "secret", "default", "order", "counts", "patch", "local"),
    *("disruption", "disruption_add", "disruption_remove", "both_ends", "source"),
)
_INHERITED = ("title", "owner", "secret", "counts", "patch", "disruption", "both_ends", "local")


class Rule(NamedTuple):
    """What is said of one pattern of paths; empty where it says nothing.

    Attributes:
        steps: One pattern per step of the path, as in a shell: ``*``, ``?``, ``[…]``.
        values: What it says, by the key of the semantics file.
    """

    steps: tuple[str, ...]
    values: Mapping[str, str]


class Meaning:
    """Everything the rules say of one path of a tree.

    Meanings are asked for step by step from the root; each step is worked out once for all devices, and steps that
    match the same rules, such as the rows of a table, have one and the same meaning below. A rule holds for
    what it matches and for everything below, unless a longer one says otherwise; ``default``, ``order``, ``unit``,
    ``disruption_add`` and ``disruption_remove`` hold for the path itself.

    Attributes:
        values: What the rules say, by the key of the semantics file.
    """

    __slots__ = ("_active", "_alike", "_below", "_literal", "_wild", "values")

    def __init__(self, active: tuple[tuple[Rule, int], ...], inherited: Mapping[str, str]) -> None:
        """Take over the rules that may still match, with the number of steps they have matched."""
        self._active = active
        self._below: dict[str, Meaning] = {}
        self._alike: dict[tuple[str, ...], Meaning] = {}
        patterns = dict.fromkeys(rule.steps[depth] for rule, depth in active if depth < len(rule.steps))
        self._wild = tuple(pattern for pattern in patterns if any(sign in pattern for sign in "*?["))
        self._literal = frozenset(patterns)
        values = dict(inherited)
        for rule, depth in active:
            if depth == len(rule.steps):
                values.update(rule.values)
        self.values: Mapping[str, str] = values

    def child(self, step: str) -> Meaning:
        """The meaning of a path one step longer."""
        found = self._below.get(step)
        if found is None:
            wild = (pattern for pattern in self._wild if pattern != step and _matches(pattern, step))
            matching = (*((step,) if step in self._literal else ()), *wild)
            found = self._below[step] = self._alike.get(matching) or self._child_of(matching)
        return found

    def _child_of(self, patterns: tuple[str, ...]) -> Meaning:
        active = tuple(
            (rule, depth + 1)
            for rule, depth in self._active
            if depth < len(rule.steps) and rule.steps[depth] in patterns
        )
        inherited = {key: value for key, value in self.values.items() if key in _INHERITED}
        found = self._alike[patterns] = Meaning(active, inherited)
        return found

    def get(self, key: str) -> str:
        """What the rules say under a key; empty if nothing."""
        return self.values.get(key, "")

    @property
    def default(self) -> str | None:
        """What the device assumes where nothing is written; None if that is not known."""
        return self.values.get("default")

    @property
    def is_secret(self) -> bool:
        """Whether values here are never shown nor compared."""
        return self.values.get("secret") == "true"

    @property
    def hides_keys(self) -> bool:
        """Whether the keys right below are secrets themselves."""
        return self.values.get("secret") == "key"

    @property
    def takes_both_ends(self) -> bool:
        """Whether a session is down while only one of its ends has the value."""
        return self.values.get("both_ends") == "true"

    @property
    def is_local(self) -> bool:
        """Whether a value concerns one device only: no lossless contract, address, route or neighbour rests on it."""
        return self.values.get("local") == "true"

    @property
    def owner(self) -> str:
        """Whose the value is, see ``OWNERS``."""
        return self.values.get("owner", OWNERS[0])

    def patterns(self) -> Iterator[str]:
        """Every pattern of a step that a rule has."""
        return (step for rule, _ in self._active for step in rule.steps)

    def defaults(self) -> Iterator[tuple[str, str]]:
        """Keys right below that have a default, with it."""
        for rule, depth in self._active:
            if depth == len(rule.steps) - 1 and "default" in rule.values and rule.steps[-1].isidentifier():
                yield rule.steps[-1], rule.values["default"]


class Semantics(NamedTuple):
    """How files of one kind are compared and changed.

    Attributes:
        name: The file the semantics come from; empty for files compared by their ending alone.
        reader: Importable module, see ``reading.Reader``; empty for the generic one.
        patch: Importable module, see ``patching.Patcher``; empty if the file is replaced whole.
        snippets: Importable module, see ``judging.SnippetJudge``; empty if nothing judges what a snippet adds.
        as_text: Whether values of another type are equal if they are written alike.
        split: How deep a subtree that one side lacks is told apart into its parts.
        managed: Patterns of the first steps that fabricgen writes; what lies elsewhere is somebody else's.
        shown: Patterns of paths whose values are no secrets, see ``redaction``; what none of them names is not shown.
        root: Meaning of the empty path.
        data: What the patch module wants to know.
    """

    name: str
    reader: str
    patch: str
    snippets: str
    as_text: bool
    split: int
    managed: tuple[str, ...]
    shown: tuple[str, ...]
    root: Meaning
    data: Mapping[str, Any]

    def manages(self, step: str) -> bool:
        """Whether fabricgen writes below a first step."""
        return not self.managed or any(_matches(pattern, step) for pattern in self.managed)


PLAIN = Semantics("", "", "", "", False, 1, (), (), Meaning((), {}), {})
"""Semantics of a file that names none."""


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern))


def _matches(pattern: str, step: str) -> bool:
    return pattern in ("*", step) or (any(sign in pattern for sign in "*?[") and bool(_compiled(pattern).match(step)))


def load_semantics(root: Path, name: str, bag: Bag) -> Semantics | None:
    """Read the semantics of an output.

    Args:
        root: Template root.
        name: The output's semantics file, relative to it; empty for none.
        bag: Takes every fault of the file, at its line.

    Returns:
        The semantics; None if there is a fault.
    """
    if not name:
        return PLAIN
    document = load_data(root / name, bag)
    if document is None:
        return None
    found = Bag()
    data = document.data
    values = data if isinstance(data, dict) else {}
    fields = Fields(document, found, values)
    fields.check_keys((), _TOP_OPTIONAL)
    rules = tuple(_rule(item) for item in fields.items("rules")) if "rules" in values else ()
    split, extra = values.get("split", 1), values.get("data", {})
    if not isinstance(split, int) or not isinstance(extra, dict):
        fields.fault(BAD_VALUE, "split must be a whole number and data a mapping", "split")
    semantics = Semantics(
        name=name,
        reader=_module(fields, "reader"),
        patch=_module(fields, "patch"),
        snippets=_module(fields, "snippets"),
        as_text=(fields.word("compare", COMPARE) or COMPARE[0]) == "text",
        split=split if isinstance(split, int) else 1,
        managed=fields.texts("managed"),
        shown=fields.texts("shown"),
        root=Meaning(tuple((rule, 0) for rule in rules), {}),
        data=extra if isinstance(extra, dict) else {},
    )
    bag.extend(list(found))
    return None if found.has_errors else semantics


def _rule(item: Fields) -> Rule:
    item.check_keys(("path",), _RULE_OPTIONAL)
    steps = tuple((item.text("path") or "").split(" > "))
    values = {}
    for key in _RULE_OPTIONAL:
        text = item.plain(key)
        if text is not None:
            values[key] = text
    truth = ("true", "false")
    known = {"owner": OWNERS, "order": ORDERS, "secret": SECRETS, "both_ends": truth, "local": truth}
    for key, legal in known.items():
        if key in values and values[key] not in legal:
            item.fault(BAD_VALUE, f"{key} is {values[key]!r}; it must be one of {', '.join(legal)}", key)
    for key in ("disruption", "disruption_add", "disruption_remove"):
        if key in values and values[key] not in DISRUPTIONS:
            item.fault(BAD_VALUE, f"{key} is {values[key]!r}; it must be one of {', '.join(DISRUPTIONS)}", key)
    return Rule(steps, values)


def _module(fields: Fields, key: str) -> str:
    """The name of a module that can be imported."""
    name = fields.text(key) or ""
    if name:
        try:
            load_module(name)
        except Exception as error:
            fields.fault(BROKEN_VIEW, f"the {key} {name} cannot be imported: {type(error).__name__}: {error}", key)
    return name
