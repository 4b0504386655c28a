"""startup.yaml and ``nv config show`` to a tree: NVUE's object model, values as texts.

The file is a list of ``header``, ``set`` and ``unset``; the header says which box saved it, which is no configuration.
A leaf without a value is an empty object there and here.

Source:
    Cumulus Linux user guide, NVUE Object Model, *Configure NVUE from a YAML file*.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from fabricgen.platforms.reading.reader import ReadFault, Tree, read_document
from fabricgen.platforms.reading.yaml_text import list_yaml, quote_text

FILE = "startup.yaml"
_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
_ITEMS = ("header", "set", "unset")
_TELLING = ("interface", "qos", "router", "system", "vrf")


def read(text: str) -> Tree:
    """Read the objects that are set; raises ReadFault for YAML that is no NVUE file."""
    data = read_document(text)
    if not isinstance(data, list):
        raise ReadFault("it is not a list of header, set and unset: this is no NVUE configuration")
    sets = []
    for item in data:
        if not isinstance(item, dict) or not set(item) <= set(_ITEMS):
            raise ReadFault("its items are not header, set and unset: this is no NVUE configuration")
        if "set" in item:
            sets.append(item["set"])
    if len(sets) != 1:
        raise ReadFault("an NVUE configuration has one set")
    return _texts(sets[0])


def write(tree: Tree) -> str:
    """Write the objects that are set; a text of digits is a number, as NVUE itself writes numbers."""
    return "".join(f"{line}\n" for line in ("- set:", *list_yaml(tree, 4, _scalar)))


def _scalar(value: object) -> str:
    text = str(value)
    return text if _NUMBER.fullmatch(text) else quote_text(text)


def hostname(tree: Tree) -> str:
    """The name the configuration gives its device; empty if it gives none."""
    system = tree.get("system", {})
    return str(system.get("hostname", "")) if isinstance(system, dict) else ""


def unpack(text: str) -> dict[str, str]:
    """The configuration by file name, if a text of unknown origin is one."""
    head = text[:4000]
    told = any(f"\n    {key}:" in text or f"\n  {key}:" in text for key in _TELLING)
    return {FILE: text} if told and ("- set:" in head or "- header:" in head) else {}


def locate(text: str, steps: Sequence[str]) -> int:
    """Line of the text where what stands at a path begins; of a path that is not there, of what is left of it."""
    lines = text.split("\n")
    at = next((number for number, line in enumerate(lines) if line.startswith("- set:")), -1)
    found = 0
    for step in steps:
        below = _find(lines, at, step)
        if below is None:
            break
        at, found = below, below + 1
    return found


def _find(lines: Sequence[str], parent: int, step: str) -> int | None:
    """The line where a key of an object begins: among the lines right below it, or on the object's own line."""
    wanted = (f"{step}:", f"'{step}':", f'"{step}":')
    if parent >= 0 and any(f"{{{word}" in lines[parent] or f", {word}" in lines[parent] for word in wanted):
        return parent
    depth, level = (_indent(lines[parent]) if parent >= 0 else -1), -1
    for number in range(parent + 1, len(lines)):
        words, indent = lines[number].strip(), _indent(lines[number])
        if not words:
            continue
        if indent <= depth:
            return None
        level = indent if level < 0 else level
        if indent == level and words.startswith(wanted):
            return number
    return None


def _indent(line: str) -> int:
    """Return how far a line is indented."""
    return len(line) - len(line.lstrip())


def _texts(value: object) -> Tree:
    """A mapping with texts for values."""
    if not isinstance(value, dict):
        raise ReadFault("an object of NVUE is a mapping")
    found: Tree = {}
    for key, below in value.items():
        found[str(key)] = _texts(below) if isinstance(below, dict) else str(getattr(below, "raw", below))
    return found
