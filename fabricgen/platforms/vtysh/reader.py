"""frr.conf and ``show running-config`` to a tree: sections, things, and what is set of them.

What FRR changes on the way through a daemon is the order of lines and of sections, indentation, ``exit`` and ``!``
lines, numbers of list entries that were left out, and lines that say what is the default; the last is left to the
semantics. ``no`` before a command is its value, so that turning something off is a change of one path.

Source:
    FRR user guide, basic and vtysh; checked against FRR 8.4.4: a file loaded and read back gives the same tree.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.platforms.reading import ReadFault, Tree
from fabricgen.platforms.vtysh.grammar import (
    DIRECTED,
    INNER,
    LEAVING,
    LISTS,
    SECTION_WORDS,
    SECTIONS,
    name_length,
)

YES, NO = "yes", "no"
ASN, ACTION, GROUP, INTERFACE = "as-number", "action", "is a peer-group", "interface"
_PREAMBLE = ("Building configuration", "Current configuration")
_SIGNS = ("frr version", "frr defaults", "router bgp", "Current configuration:")
_COMMUNITY_KINDS = {
    "both": ("standard", "extended"),
    "all": ("standard", "extended", "large"),
    "": ("standard", "extended"),
}
_LIST_WORDS = {(first, second): length for first, second, length in LISTS}
_STEP = 5
_DATACENTER = (
    ("bgp ebgp-requires-policy", NO),
    ("bgp log-neighbor-changes", YES),
    ("bgp deterministic-med", YES),
    ("bgp default show-hostname", YES),
    ("bgp default show-nexthop-hostname", YES),
    ("timers bgp", "3 9"),
)
"""What ``frr defaults datacenter`` changes; bgpd/bgp_vty.c of FRRouting/frr, FRR_CFG_DEFAULT_BOOL and its kin."""


def read(text: str) -> Tree:
    """Read a configuration, whole or as a running daemon shows it."""
    return _Reading(text).tree


def locate(text: str, steps: Sequence[str]) -> int:
    """Line of the text that says what stands at a path; 0 if there is none."""
    reading = _Reading(text, numbered=True)
    wanted = tuple(steps)
    while wanted:
        for path, line in reading.lines:
            if path[: len(wanted)] == wanted:
                return line
        wanted = wanted[:-1]
    return 0


def hostname(tree: Tree) -> str:
    """The name the configuration gives its device; empty if it gives none."""
    return str(tree.get("hostname", ""))


def unpack(text: str) -> dict[str, str]:
    """The configuration by file name, if a text of unknown origin is one."""
    if text.lstrip()[:1] in ("{", "["):
        return {}
    head = text[:20000]
    return {"frr.conf": text} if any(f"\n{sign}" in head or head.startswith(sign) for sign in _SIGNS) else {}


class _Reading:
    """One text being read.

    Attributes:
        tree: What it says.
        lines: With ``numbered``, every path in the order of the text with its line.
    """

    def __init__(self, text: str, *, numbered: bool = False) -> None:
        """Read all of it."""
        self.tree: Tree = {}
        self.lines: list[tuple[tuple[str, ...], int]] = []
        self._numbered = numbered
        self._by_indent = "\n " in text
        self._open: list[tuple[int, Tree, tuple[str, ...]]] = []
        self._number = 0
        self._read(text)
        _complete(self.tree)

    def _read(self, text: str) -> None:
        last, leaves = "", False
        for self._number, raw in enumerate(text.split("\n"), 1):
            line = raw.strip()
            if not line or line[0] in "!#" or line.startswith(_PREAMBLE):
                continue
            if line in LEAVING:
                leaves = leaves or line == "exit"
                self._leave(line)
            else:
                self._take(line, len(raw) - len(raw.lstrip()))
            last = raw
        if _is_cut(text, last.strip(), last[:1] == " ", leaves):
            raise ReadFault(f"the text ends in the middle, behind {last.strip()[:60]!r}", self._number)

    def _leave(self, line: str) -> None:
        if line == "end":
            self._open.clear()
        elif not self._by_indent and self._open:
            self._open.pop()

    def _take(self, line: str, indent: int) -> None:
        opens = line.startswith(SECTIONS) or line in SECTION_WORDS
        if self._by_indent:
            while self._open and indent <= self._open[-1][0]:
                self._open.pop()
        elif opens:
            self._open.clear()
        _, node, path = self._open[-1] if self._open else (-1, self.tree, ())
        if not self._open and opens:
            self._enter(indent, node, path, _name_section(line))
        elif self._open and line.startswith(INNER):
            self._enter(indent, node, path, (line, "", ""))
        else:
            self._set(node, path, line)

    def _enter(self, indent: int, node: Tree, path: tuple[str, ...], section: tuple[str, str, str]) -> None:
        """Open a section: a key or two, and what its heading sets."""
        name, inner, value = section
        node, path = node.setdefault(name, {}), (*path, name)
        if inner:
            node, path = node.setdefault(inner, {}), (*path, inner)
        if value:
            key = ACTION if inner else ASN
            node[key] = value
        self._note(path)
        self._open.append((indent, node, path))

    def _set(self, node: Tree, path: tuple[str, ...], line: str) -> None:
        negative = line.startswith("no ")
        words = line[3:].split() if negative else line.split()
        if words[0] == "neighbor" and len(words) > 1:
            key = f"neighbor {words[1]}"
            node = node.setdefault(key, {})
            self._set_neighbor(node, (*path, key), words[2:], negative)
            return
        length = _LIST_WORDS.get((words[0], words[1] if len(words) > 1 else ""))
        if length and len(words) > length and not negative:
            self._set_entry(node, path, words, length)
            return
        length = name_length(words)
        self._put(node, path, " ".join(words[:length]), " ".join(words[length:]), negative)

    def _set_entry(self, node: Tree, path: tuple[str, ...], words: list[str], length: int) -> None:
        """An entry of a numbered list; one without a number gets the next multiple of five, as FRR does it."""
        key, rest = " ".join(words[:length]), words[length:]
        entries = node.setdefault(key, {})
        if rest[0] == "description":
            self._put(entries, (*path, key), "description", " ".join(rest[1:]), False)
            return
        if rest[0] == "seq":
            number, rest = rest[1], rest[2:]
        else:
            used = [int(name[4:]) for name in entries if name.startswith("seq ")]
            number = str((max(used, default=0) // _STEP + 1) * _STEP)
        self._put(entries, (*path, key), f"seq {number}", " ".join(rest), False)

    def _set_neighbor(self, node: Tree, path: tuple[str, ...], words: list[str], negative: bool) -> None:
        if words[:1] == ["interface"]:
            self._put(node, path, INTERFACE, "", negative)
            words = words[1:]
            if words[:1] == ["v6only"]:
                self._put(node, path, "interface v6only", "", negative)
                words = words[1:]
        if not words:
            return
        if words == ["peer-group"]:
            self._put(node, path, GROUP, "", negative)
        elif words[0] == "send-community":
            for kind in _COMMUNITY_KINDS.get(words[1] if len(words) > 1 else "", words[1:]):
                self._put(node, path, f"send-community {kind}", "", negative)
        elif words[0] in DIRECTED and len(words) > 2:
            self._put(node, path, f"{words[0]} {words[2]}", words[1], negative)
        else:
            length = name_length(words, of_neighbor=True)
            self._put(node, path, " ".join(words[:length]), " ".join(words[length:]), negative)

    def _put(self, node: Tree, path: tuple[str, ...], name: str, value: str, negative: bool) -> None:
        node[name] = NO if negative else value or YES
        if self._numbered:
            self._note((*path, name))

    def _note(self, path: tuple[str, ...]) -> None:
        if self._numbered:
            self.lines.append((path, self._number))


def _name_section(line: str) -> tuple[str, str, str]:
    """(key, key below it, value of the heading) of a section."""
    words = line.split()
    if line.startswith("route-map ") and len(words) == 4:
        return f"route-map {words[1]}", words[3], words[2]
    if line.startswith("router bgp ") and words[2:3] and words[2].replace(".", "").isdigit():
        return " ".join([*words[:2], *words[3:]]), "", words[2]
    return line, "", ""


def _is_cut(text: str, last: str, inside: bool, leaves: bool) -> bool:
    """Whether a text stops before its end: a daemon's ends with ``end``, any other leaves every section it enters."""
    if _PREAMBLE[1] in text[:200]:
        return last != "end"
    return bool(last) and leaves and inside and last not in LEAVING


def _complete(tree: Tree) -> None:
    """Put in what holds without being said, and take away sections that say nothing."""
    datacenter = tree.get("frr defaults") == "datacenter"
    for name in [name for name in tree if name.startswith("router bgp")]:
        section = tree[name]
        if datacenter:
            for command, value in _DATACENTER:
                section.setdefault(command, value)
        _say_implied(section)
    if tree.get("bfd") == {}:
        del tree["bfd"]


def _say_implied(section: Tree) -> None:
    """Activate what is active by default, and drop address families that say nothing."""
    if section.get("bgp default ipv4-unicast") != NO:
        family = section.setdefault("address-family ipv4 unicast", {})
        for name, neighbor in section.items():
            if name.startswith("neighbor ") and "peer-group" not in neighbor:
                family.setdefault(name, {}).setdefault("activate", YES)
    for name in [name for name, value in section.items() if value == {} and name.startswith("address-family ")]:
        del section[name]
