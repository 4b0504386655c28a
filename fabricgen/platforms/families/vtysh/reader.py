"""frr.conf and ``show running-config`` to a tree: sections, things, and what is set of them.

What FRR changes on the way through a daemon is the order of lines and of sections, indentation, ``exit`` and ``!``
lines, numbers of list entries that were left out, how AS numbers are written, and lines that say what is the default;
the last is left to the semantics. ``no`` before a command is its value, so that turning something off is a change of
one path.

FRR looks for a command in the mode that it is in, then in those around it, which leaves those inside. A line that none
of them takes is in no running configuration: it stands in a section of its own, under ``REFUSED``.

Source:
    FRR user guide, basic and vtysh; checked against FRR 8.4.4: a file loaded and read back gives the same tree.
    FRRouting/frr, lib/command.c, command_config_read_one_line: the modes around, and the one that is gone on in.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from fabricgen.diagnostics.secrets import hide_secrets
from fabricgen.platforms.families.vtysh import grammar
from fabricgen.platforms.reading.reader import (
    DEPTH_MAX,
    ReadFault,
    Tree,
    look_up,
    number_of,
    parse_asn,
    refuse_long,
    subtree,
    write_plainly,
)

YES, NO = "yes", "no"
APART = "no, unlike its peer group"
"""Activation of a neighbour that is off while that of its group is on; elsewhere off is what it is by itself."""
REFUSED = "unknown command"
"""Section of the lines that FRR takes in no mode."""
ASN, ACTION, GROUP, INTERFACE = "as-number", "action", "is a peer-group", "interface"
_PREAMBLE = ("Building configuration", "Current configuration")
_COMMUNITY_KINDS = {
    "both": ("standard", "extended"),
    "all": ("standard", "extended", "large"),
    "": ("standard", "extended"),
}
_LIST_WORDS = {(first, second): length for first, second, length in grammar.LISTS}
_NEIGHBOR = ("neighbor ", "no neighbor ")
_AS_LINES = (*grammar.AS_LINES, *(f"no {line}" for line in grammar.AS_LINES))
_ROUTER = "router bgp"
_IPV4 = "address-family ipv4 unicast"
"""Address family of what stands below a router and belongs into one."""
_STEP = 5
_DATACENTER = (
    ("bgp ebgp-requires-policy", NO),
    ("bgp log-neighbor-changes", YES),
    ("bgp deterministic-med", YES),
    ("bgp default show-hostname", YES),
    ("bgp default show-nexthop-hostname", YES),
    ("timers bgp", "3 9"),
)
"""Settings of ``frr defaults datacenter``; bgpd/bgp_vty.c of FRRouting/frr, FRR_CFG_DEFAULT_BOOL and its kin."""


def read(text: str) -> Tree:
    """Read a configuration, whole or as a running daemon shows it."""
    return _VtyshText(text).tree


def locate(text: str, steps: Sequence[str]) -> int:
    """Line of the text that says what stands at a path; 0 if there is none."""
    reading = _VtyshText(text, numbered=True)
    wanted = tuple(steps)
    while wanted:
        for path, line in reading.lines:
            if path[: len(wanted)] == wanted:
                return line
        wanted = wanted[:-1]
    return 0


class _VtyshText:
    """One text being read; with ``numbered``, ``lines`` has every path with its line, in the order of the text."""

    def __init__(self, text: str, *, numbered: bool = False) -> None:
        """Read all of it."""
        self.tree: Tree = {}
        self.lines: list[tuple[tuple[str, ...], int]] = []
        self._numbered = numbered
        self._by_indent = "\n " in text
        self._leaves, self._is_left, self._is_loose = False, True, False
        self._in_router = False
        self._open: list[tuple[int, Tree, tuple[str, ...]]] = []
        self._number = 0
        self._last: dict[tuple[str, ...], int] = {}
        refuse_long(text)
        self._read(text)
        _complete(self.tree)

    def _read(self, text: str) -> None:
        last = ""
        for self._number, raw in enumerate(text.split("\n"), 1):
            line = raw.strip()
            if not line or line[0] in "!#":
                continue
            last = raw
            if line.startswith(_NEIGHBOR):
                self._take_neighbor(line, len(raw) - len(raw.lstrip()))
            elif line in grammar.LEAVING:
                self._leave(line)
            elif not line.startswith(_PREAMBLE):
                self._take(line, len(raw) - len(raw.lstrip()))
        if self._is_cut(text, last.strip(), last[:1] == " "):
            raise ReadFault(f"the text ends in the middle, behind {hide_secrets(last)!r}", self._number)

    def _is_cut(self, text: str, last: str, inside: bool) -> bool:
        """Return whether a text stops before its end.

        A daemon's ends with ``end``; one that FRR or fabricgen wrote leaves every section it enters, as those that
        people write do not.
        """
        if _PREAMBLE[1] in text[:200]:
            return last != "end"
        is_written = "frr defaults" in self.tree or "frr version" in self.tree
        return is_written and self._leaves and not self._is_loose and inside and last not in grammar.LEAVING

    def _leave(self, line: str) -> None:
        if line == "exit":
            self._leaves, self._is_left = True, True
        if line == "end":
            self._open.clear()
        elif not self._by_indent and self._open:
            self._open.pop()

    def _take_neighbor(self, line: str, indent: int) -> None:
        """A line about a neighbour, of which there are more than of all others together."""
        node, path = self._section(indent)
        if not path:
            self._refuse(line)
            return
        negative = line[1] == "o"
        word, name, rest = (*(line[3:] if negative else line).split(" ", 2), "", "")[:3]
        key = f"{word} {name}"
        if len(path) == 1 and rest.split(" ", 1)[0] in grammar.FAMILY_SETTINGS:
            node, path = subtree(node, _IPV4, self._number), (*path, _IPV4)
        neighbor = subtree(node, key, self._number)
        settings = _settings(rest, negative)
        neighbor.update(settings)
        if self._numbered:
            for setting in settings:
                self._note((*path, key, setting))

    def _section(self, indent: int) -> tuple[Tree, tuple[str, ...]]:
        """The section a line belongs to, by its indentation where the text has any."""
        while self._by_indent and self._open and indent <= self._open[-1][0]:
            self._open.pop()
        return self._open[-1][1:] if self._open else (self.tree, ())

    def _take(self, line: str, indent: int) -> None:
        if line.split(" ", 1)[0] == "int":
            line = line.replace("int", "interface", 1)
        opens = grammar.opens_section(line)
        if opens and not self._by_indent:
            self._open.clear()
        section = self._find_section(line, indent, opens)
        if section is None:
            self._refuse(line)
            return
        node, path = section
        if not path and opens:
            self._enter(indent, node, path, _name_section(line))
        elif path and line.startswith(grammar.INNER):
            self._enter(indent, node, path, (line, "", ""))
        elif path or not self._in_router or _is_command(line, whole=self._by_indent and indent > 0):
            self._set(node, path, line)
        else:
            self._refuse(line)

    def _find_section(self, line: str, indent: int, opens: bool) -> tuple[Tree, tuple[str, ...]] | None:
        """Return the section that FRR sets a line in, which may be another than its own; None if there is none."""
        node, path = self._section(indent)
        if not (path and path[0].startswith(_ROUTER) and path[-1].startswith((_ROUTER, "address-family "))):
            return node, path
        if not _is_command(line, in_router=True):
            if not opens and not _is_command(line):
                return None
            # FRR leaves the router for the mode that has the command, and does not come back.
            self._open.clear()
            return self.tree, ()
        if len(path) == 1 and line.removeprefix("no ").startswith(grammar.FAMILY_WORDS):
            return subtree(node, _IPV4, self._number), (*path, _IPV4)
        return node, path

    def _refuse(self, line: str) -> None:
        """Put a line aside that FRR has in no mode around."""
        subtree(self.tree, REFUSED)[line] = YES
        self._note((REFUSED, line))

    def _enter(self, indent: int, node: Tree, path: tuple[str, ...], section: tuple[str, str, str]) -> None:
        """Open a section: a key or two, and what its heading sets."""
        if len(self._open) == DEPTH_MAX:
            raise ReadFault("sections are nested too deeply", self._number)
        if not path:
            self._is_loose |= not self._is_left
            self._is_left, self._in_router = False, section[0].startswith(_ROUTER)
        name, inner, value = section
        node, path = subtree(node, name, self._number), (*path, name)
        if inner:
            node, path = subtree(node, inner, self._number), (*path, inner)
        if value:
            key = ACTION if inner else ASN
            node[key] = value
        self._note(path)
        self._open.append((indent, node, path))

    def _set(self, node: Tree, path: tuple[str, ...], line: str) -> None:
        name, value, entry = _command(line)
        if entry:
            self._set_entry(node, path, name, entry)
            return
        if isinstance(node.get(name), dict) and value == NO:
            # A section or a list is taken away by its name, as the daemon does it.
            del node[name]
            return
        if isinstance(node.get(name), dict):
            raise ReadFault(f"{hide_secrets(name)!r} is a section and a setting", self._number)
        node[name] = value
        self._note((*path, name))

    def _set_entry(self, node: Tree, path: tuple[str, ...], name: str, entry: tuple[str, ...]) -> None:
        """An entry of a numbered list; one without a number gets the next multiple of five, as FRR does it."""
        entries = subtree(node, name, self._number)
        if entry[0] == "description":
            key, value = "description", entry[1:]
        else:
            last = self._last.get((*path, name), 0)
            numbered = entry[0] == "seq" and len(entry) > 1
            number = entry[1] if numbered else str((last // _STEP + 1) * _STEP)
            key, value = f"seq {number}", entry[2:] if numbered else entry
            self._last[*path, name] = max(last, number_of(number) or 0)
        entries[key] = " ".join(value)
        self._note((*path, name, key))

    def _note(self, path: tuple[str, ...]) -> None:
        if self._numbered:
            self.lines.append((path, self._number))


@lru_cache(maxsize=8192)
def _command(line: str) -> tuple[str, str, tuple[str, ...]]:
    """(name, value, entry of a numbered list) of a command; the entry is empty for any other command."""
    negative = line.startswith("no ")
    line = write_plainly(line) if line.startswith(_AS_LINES) else line
    words = line[3:].split() if negative else line.split()
    length = _LIST_WORDS.get((words[0], words[1] if len(words) > 1 else ""))
    if length and len(words) > length and not negative:
        return " ".join(words[:length]), "", tuple(words[length:])
    length = grammar.name_length(words)
    return " ".join(words[:length]), NO if negative else " ".join(words[length:]) or YES, ()


@lru_cache(maxsize=8192)
def _settings(rest: str, negative: bool) -> dict[str, str]:
    """Return what a line sets of a neighbour, by its words behind the neighbour's name."""
    words, found = rest.split(), {}
    if words and words[0] in grammar.AS_WORDS:
        words = write_plainly(rest).split()
    yes = NO if negative else YES
    if words[:1] == ["interface"]:
        found[INTERFACE] = yes
        words = words[1:]
        if words[:1] == ["v6only"]:
            found["interface v6only"] = yes
            words = words[1:]
    if words == ["peer-group"]:
        found[GROUP] = yes
    elif words[:1] == ["send-community"]:
        for kind in _COMMUNITY_KINDS.get("".join(words[1:2]), words[1:]):
            found[f"send-community {kind}"] = yes
    elif len(words) > 2 and words[0] in grammar.DIRECTED:
        found[f"{words[0]} {words[2]}"] = NO if negative else words[1]
    elif words:
        length = grammar.name_length(words, of_neighbor=True)
        found[" ".join(words[:length])] = NO if negative else " ".join(words[length:]) or YES
    return found


def _name_section(line: str) -> tuple[str, str, str]:
    """(key, key below it, value of the heading) of a section."""
    words = line.split()
    if line.startswith("route-map ") and len(words) == 4:
        return f"route-map {words[1]}", words[3], words[2]
    number = parse_asn(words[2]) if line.startswith("router bgp ") and words[2:] else None
    if number:
        # How numbers are printed is a matter of display.
        rest = words[3:-2] if words[-2:-1] == ["as-notation"] else words[3:]
        return " ".join([*words[:2], *rest]), "", str(number)
    return line, "", ""


def _is_command(line: str, *, in_router: bool = False, whole: bool = False) -> bool:
    """Return whether FRR has a command at the top, or below a router; by its first word, or as a whole."""
    lead = line.removeprefix("no ").split(" ", 1)[0]
    if not whole and lead in (grammar.ROUTER_WORDS if in_router else grammar.TOP_WORDS):
        return True
    # Reading what FRR writes needs none of its grammar.
    from fabricgen.platforms.families.vtysh.commands import has_command

    return has_command(line, in_router=in_router, whole=whole)


def _complete(tree: Tree) -> None:
    """Add the defaults that take effect, and remove sections without effect."""
    datacenter = tree.get("frr defaults") == "datacenter"
    for name in [name for name in tree if name.startswith(_ROUTER)]:
        section = tree[name]
        if not isinstance(section, dict):
            continue
        if datacenter:
            for command, value in _DATACENTER:
                section.setdefault(command, value)
        _write_implied(section)
    if tree.get("bfd") == {}:
        del tree["bfd"]


def _write_implied(section: Tree) -> None:
    """Activate neighbours that are active by default, and drop address families without effect."""
    if section.get("bgp default ipv4-unicast") != NO:
        family = subtree(section, _IPV4)
        for name, neighbor in section.items():
            if name.startswith("neighbor ") and "peer-group" not in neighbor:
                subtree(family, name).setdefault("activate", YES)
    for family in (value for name, value in section.items() if name.startswith("address-family ")):
        _write_apart(section, family)
    for name in [name for name, value in section.items() if value == {} and name.startswith("address-family ")]:
        del section[name]


def _write_apart(section: Tree, family: Tree) -> None:
    """Say of the members of a peer group whether they are active where that differs from the group."""
    for name in [name for name, value in family.items() if isinstance(value, dict) and "activate" in value]:
        group = look_up(family, f"neighbor {look_up(section, name).get('peer-group')}").get("activate")
        if group == YES and family[name]["activate"] == YES:
            del family[name]["activate"]
        elif group == YES:
            family[name]["activate"] = APART
        if not family[name]:
            del family[name]
