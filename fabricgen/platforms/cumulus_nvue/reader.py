"""startup.yaml and ``nv config show`` to a tree: NVUE's object model in its normal form, values as texts.

The file is a list of ``header``, ``set`` and ``unset``; the header says which box and release saved it, which is no
configuration. A leaf without a value is an empty object there and here. What is unset after it was set is not set; what
is unset otherwise is an object of NVUE's own, and is kept as an object ``unset`` of the tree.

Source:
    Cumulus Linux user guide, NVUE Object Model, *Configure NVUE from a YAML file*.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fabricgen.platforms.cumulus_nvue.normal_form import SPELLED, expand, normalise
from fabricgen.platforms.reading.reader import ReadFault, Tree, read_document
from fabricgen.platforms.reading.yaml_text import list_yaml, quote_text

_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
_KEY_END = re.compile(r":(?:\s|$)")
_RELEASE = re.compile(r"([0-9]{1,4})\.([0-9]{1,4})")
UNSET = "unset"
_ITEMS = ("header", "set", UNSET)


def read(text: str) -> Tree:
    """Read the objects that are set or unset; raises ReadFault for YAML that is no NVUE file."""
    data = read_document(text)
    if not isinstance(data, list):
        raise ReadFault("it is not a list of header, set and unset: this is no NVUE configuration")
    sides: list[tuple[str, Tree]] = []
    version: tuple[int, ...] = SPELLED
    for item in data:
        if not isinstance(item, dict) or not set(item) <= set(_ITEMS):
            raise ReadFault("its items are not header, set and unset: this is no NVUE configuration")
        version = _version(item.get("header")) or version
        sides += [(word, item[word]) for word in item if word != "header"]
    words = [word for word, _ in sides]
    if words.count("set") != 1 or words.count(UNSET) > 1 or not all(isinstance(each, dict) for _, each in sides):
        raise ReadFault("an NVUE configuration has one set, of objects, and at most one unset")
    found = {word: normalise(objects, version) for word, objects in sides}
    rest = _unset(found["set"], found.get(UNSET, {}), takes=words[-1] == UNSET)
    return found["set"] | ({UNSET: rest} if rest else {})


def _unset(tree: Tree, gone: Tree, *, takes: bool) -> Tree:
    """Return the objects that a tree does not have; those that it has are taken out of it where asked."""
    rest: Tree = {}
    for key, below in gone.items():
        found = tree.get(key)
        if below and isinstance(below, dict) and isinstance(found, dict):
            if left := _unset(found, below, takes=takes):
                rest[key] = left
        elif key not in tree:
            rest[key] = below
        elif takes:
            del tree[key]
    return rest


def write(tree: Tree) -> str:
    """Write the objects that are set or unset; a text of digits is a number, as NVUE itself writes numbers."""
    sides = {"set": {key: below for key, below in tree.items() if key != UNSET}, UNSET: tree.get(UNSET, {})}
    lines = [(f"- {side}:", *list_yaml(below, 4, _scalar)) for side, below in sides.items() if below or side != UNSET]
    return "".join(f"{line}\n" for part in lines for line in part)


def _scalar(value: object) -> str:
    text = str(value)
    return text if _NUMBER.fullmatch(text) else quote_text(text)


def locate(text: str, steps: Sequence[str]) -> int:
    """Line of the text where what stands at a path begins; of a path that is not there, of what is left of it."""
    # The value of a key that begins with "? " stands as deep as those of others.
    lines = re.sub(r"(?m)^( *): ", r"\1  ", text).split("\n")
    at = next((number for number, line in enumerate(lines) if line.startswith("- set:")), -1)
    depth, found = _descend(lines, at, tuple(steps), "")
    return found + 1 if depth else 0


def _descend(lines: Sequence[str], at: int, steps: tuple[str, ...], parent: str) -> tuple[int, int]:
    """Return how many steps of a path are found below a line, and the line of the last; keys may share names."""
    best = 0, at
    for below in _find(lines, at, steps[0], parent) if steps else ():
        depth, found = _descend(lines, below, steps[1:], steps[0])
        if depth + 1 > best[0]:
            best = depth + 1, found
    return best


def _find(lines: Sequence[str], parent: int, step: str, above: str) -> Iterator[int]:
    """Yield lines where keys of an object begin that have a name: right below it, or on the object's own line."""
    wanted = (f"{step}:", f"'{step}':", f'"{step}":')
    if parent >= 0 and any(f"{{{word}" in lines[parent] or f", {word}" in lines[parent] for word in wanted):
        yield parent
        return
    depth, level = (_indent(lines[parent]) if parent >= 0 else -1), -1
    for number in range(parent + 1, len(lines)):
        words, indent = lines[number].strip(), _indent(lines[number])
        if not words:
            continue
        if indent <= depth:
            return
        level = indent if level < 0 else level
        key = _KEY_END.split(words.removeprefix("? "), maxsplit=1)[0].strip("'\"")
        if indent == level and step in expand(key, above):
            yield number


def _indent(line: str) -> int:
    """Return how far a line is indented."""
    return len(line) - len(line.lstrip())


def _version(header: object) -> tuple[int, ...]:
    """Return the release that a header names; nothing if it names none."""
    found = _RELEASE.search(str(header.get("version", ""))) if isinstance(header, dict) else None
    return (int(found[1]), int(found[2])) if found else ()
