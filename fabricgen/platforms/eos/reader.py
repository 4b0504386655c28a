"""startup-config and ``show running-config`` to a tree of sections, things and what is set of them, and back to text.

The words that name a thing are the key, those that set it the value, so that another value is a change of one path.
``no`` before a command is its value, ``default`` before it sets nothing. Order, indentation and ``!`` lines mean
nothing; of a map of code points each code point is a path of its own, however EOS groups them.

Source:
    Arista EOS User Manual 4.36, Command-Line Interface; aristanetworks/avd eos_cli_config_gen, which prints every
    command written here.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator
from functools import lru_cache
from itertools import zip_longest
from typing import Any, NamedTuple

from fabricgen.platforms.reading.reader import DEPTH_MAX, ReadFault, Tree, refuse_long, write_plainly

ROUTING, WIDE_ROUTING = "ip routing", "ip routing ipv6 interfaces"
"""IPv4 routing, and the command that takes its place and routes over ports without IPv4 addresses too."""
_DIRECTED = re.compile(r"(neighbor \S+ (?:route-map|prefix-list)) (in|out)")
_DSCP_LINE = re.compile(r"qos map dscp ([0-9]{1,2}) to traffic-class")
_INDENT = 3
_LEAVER = "vrf instance MGMT"
"""Command that leaves an interface: without it, lines of a refused one would go to the one before (NOTES.md)."""
YES, NO = "yes", "no"
_SECTION = re.compile(
    r"(interface|route-map|router|qos profile|ip(?:v6)? prefix-list|vrf instance|management|aaa group server"
    r"|address-family|uc-tx-queue|tx-queue|mc-tx-queue|ssl profile|transport|vrf|ip access-list|class-map|policy-map"
    r"|vlan|monitor|daemon|event-handler|platform|maintenance|unit|profile|load-balance|port(?!-channel)|control-plane|banner)\b"
)
"""Beginnings of commands that open a section even where nothing stands below them."""
_TEXT = re.compile(r"banner \S+$|code(?: unit \S+)?$|comment$")
"""Commands with lines of prose below them, up to one that ends it."""
_TEXT_END = "EOF"
_NUMBERED = re.compile(r"(router bgp) (\S+)")
_SPELLINGS = (
    (re.compile(r"^(neighbor \S+ )peer-group\b"), r"\1peer group"),
    (re.compile(r"^(qos map traffic-class [\d ]+ to )uc-tx-queue\b"), r"\1tx-queue"),
    (re.compile(r"^(port-channel load-balance trident udf eth-type )ip(v[46])"), r"\1IP\2"),
)
"""Words of other releases and boards for the same command: Batfish, 4.22.3M; User Manual, Quality of Service."""
_UNICAST = "uc-tx-queue "
"""Word of XGS boards for a queue that others call ``tx-queue``."""
_AS_NUMBERS = re.compile(
    r"router bgp |neighbor .*?\b(?:remote-as|local-as) |bgp (?:listen range .* remote-as|confederation \w+) "
    r"|(?:\d+ )?match as-range |set (?:as-path \w+|(?:ext|large-)?community) |ip (?:ext|large-)?community-list "
    r"|rd |route-target "
)
"""Beginnings of commands behind which AS numbers stand, in whichever notation."""
_SINGLE = re.compile(
    r"hostname|mtu|speed|description|ip address|vrf|service-profile|channel-group|switchport (?:access vlan|mode)"
    r"|mac-address|lacp (?:system-id|port-id range|timer)|router-id|maximum-paths|name|clock timezone|logging trap"
    r"|service routing protocols model|number|seq \d+|match community|set local-preference|qos trust"
    r"|neighbor \S+ (?:remote-as|peer group|update-source|route-map (?:in|out)|ttl|description|password|local-as)"
    r"|neighbor interface \S+|qos map \S+ \d+ to \S+|priority-flow-control priority \d+"
    r"|priority-flow-control pause watchdog \S+.*|bandwidth (?:guaranteed(?: percent)?|percent)"
    r"|random-detect ecn|arp aging timeout.*|mac address-table aging-time|ipv6 nd cache expire|lldp (?:timer|hold-time)"
    r"|ip load-sharing \S+|snmp-server (?:contact|location)|ip virtual-router mac-address"
    r"|ptp (?:domain|mode|priority[12]|role|message-type \w+ dscp|[a-z-]+ interval)"
)
"""Keys that are rendered and of which EOS holds one value: a new one takes the place of the old."""
_DSCP = re.compile(r"qos map dscp ([\d ]+) to traffic-class (\d+)")
_WHOLE = re.compile(r"neighbor \S+ peer group|ip address (?:\S+ secondary|virtual .+)")
"""Commands that are names as a whole, although their first words are those of a setting."""
_NAMING = tuple(
    re.compile(f"({name}){value}")
    for name, value in (
        (r"banner \S+", r" (\S.*)"),
        (r"neighbor \S+ (?:route-map|prefix-list)", r" (\S+) (in|out)"),
        (
            r"neighbor \S+ missing-policy .* direction \w+ action|neighbor \S+ peer group|router bgp"
            r"|(?:logging|ip tacacs) vrf \S+ source-interface|ntp local-interface vrf \S+|snmp-server community \S+"
            r"|priority-flow-control (?:priority \d+|pause watchdog (?:default )?[\w-]+)",
            r" (\S+)",
        ),
        (
            r"arp aging timeout(?: default)?|mac address-table aging-time|ipv6 nd cache expire"
            r"|qos map [\w-]+ \d+ to [\w-]+|ip load-sharing \S+",
            r" (\d+)",
        ),
        (
            r"redistribute [\w-]+|ip(?:v6)? attached-host route export|radius-server host \S+(?: vrf \S+)?"
            r"|(?:ntp server|ip name-server|logging)(?: vrf \S+)?(?: host)? [\d.:a-f]+",
            r"(?: (.+))?",
        ),
        (r"link tracking group \S+", r" (upstream|downstream)"),
        (r"tacacs-server host \S+(?: vrf \S+)?", r" (key .+)"),
        (r"random-detect ecn", r" (minimum-threshold .+)"),
        (
            r"neighbor interface \S+|neighbor \S+ bfd interval|neighbor \S+ [\w-]+|seq \d+|set [\w-]+"
            r"|match \w+(?: address [\w-]+)?|ip virtual-router mac-address|channel-group|spanning-tree portfast"
            r"|lacp (?:system-id|port-id range|timer(?: multiplier)?)|switchport (?:access vlan|mode)|recovery delay"
            r"|storm-control [\w-]+|enable (?:secret|password)|(?:tacacs|radius)-server key"
            r"|aaa (?:root|\S+ \S+ default)|username \S+(?: ssh-key(?: secondary)?)?|snmp-server (?:contact|location)"
            r"|qos trust|bandwidth (?:guaranteed(?: percent)?|percent)|error-correction encoding|mtu|speed|description"
            r"|ip address|ip load-sharing \S+ fields ip(?:v6)?|lldp management-address vrf|lldp [\w-]+|maximum-paths"
            r"|router-id|service-profile|hostname|name|clock timezone|service routing protocols model|logging trap|port"
            r"|provider|mac-address|ssl profile|vrf|certificate|trust certificate|interval"
            r"|ptp (?:domain|mode|priority[12]|role|message-type \w+ dscp|[a-z-]+ interval)",
            r" (.+)",
        ),
    )
)
"""Commands whose last words set something: what they name, and the group that is the value, if not yes.

A third group is a word of the name behind the value.
"""
_SHARED = 16 * 1024
"""Commands whose names are kept: switches of one fabric have most of theirs in common."""


class Queue(str):
    """A queue by one name for all boards, which is written by the word that its file has.

    Attributes:
        written: The command that opens its section.
    """

    written: str

    def __new__(cls, command: str) -> Queue:
        """Take the command of a file."""
        queue = super().__new__(cls, command.removeprefix("uc-"))
        queue.written = command
        return queue


def write(tree: Tree) -> str:
    """Write a configuration; sections and lines in the order of the tree."""
    lines: list[str] = []
    # What a router refers to comes before it.
    for key, value in sorted(_grouped(tree).items(), key=lambda item: item[0] == "router bgp"):
        lines += _write_lines(key, value, 0)
        if key.startswith("interface ") and _LEAVER in tree:
            lines.append(_LEAVER)
    return "".join(f"{line}\n" for line in (*lines, "end"))


def _grouped(tree: Tree) -> Tree:
    """The tree with one command for all code points of a class."""
    classes: dict[str, list[int]] = {}
    for key, value in tree.items():
        if found := _DSCP_LINE.fullmatch(key):
            classes.setdefault(str(value), []).append(int(found[1]))
    result: Tree = {}
    for key, value in tree.items():
        points = classes.pop(str(value), []) if _DSCP_LINE.fullmatch(key) else None
        if points is None and not (key == ROUTING and WIDE_ROUTING in tree):
            result[key] = value
        elif points:
            result[f"qos map dscp {' '.join(map(str, sorted(points)))} to traffic-class"] = value
    return result


def _write_lines(key: str, value: Any, depth: int) -> Iterator[str]:
    blanks = " " * (_INDENT * depth)
    if not isinstance(value, dict):
        yield blanks + _command(key, str(value))
        return
    # The number of a section is part of the command that opens it.
    opening = key.written if isinstance(key, Queue) else key
    yield blanks + " ".join(filter(None, (opening, str(value.get("number", "")))))
    for name, below in sorted(value.items(), key=_place_in_section):
        if name != "number":
            yield from _write_lines(name, below, depth + 1)


def _place_in_section(item: tuple[str, Any]) -> int:
    """Return the place of a line in its section: a neighbor's group and AS number come before its other settings."""
    key, value = item
    if isinstance(value, dict):
        return 2
    return int(key.startswith("neighbor ") and not key.endswith((" peer group", " remote-as")))


def _command(key: str, value: str) -> str:
    if value == "yes":
        return key
    if "\n" in value or key.startswith("banner "):
        return f"{key}\n{value}\nEOF"
    if value == "no":
        return f"no {key}"
    directed = _DIRECTED.fullmatch(key)
    return f"{directed[1]} {value} {directed[2]}" if directed else f"{key} {value}"


class _Line(NamedTuple):
    """A command: where it is, how deep, its words without ``no`` or ``default``, that word, and the text below it."""

    number: int
    depth: int
    command: str
    sign: str
    text: str = ""


def read(text: str) -> Tree:
    """Read a configuration, whole or as a running switch shows it; raises ReadFault.

    A section that is entered again, as by a snippet behind the others, may set a value anew; the last one holds.
    """
    return _EosText(text).tree


def _lines(text: str) -> Iterator[_Line]:
    rows = text.split("\n")
    ends = [number for number, row in enumerate(rows) if row.strip() == _TEXT_END]
    skip = 0
    for number, raw in enumerate(rows, 1):
        words = raw.strip()
        if number <= skip or not words or words.startswith(("!", "#")) or words in ("end", "exit", _TEXT_END):
            continue
        sign, _, command = words.partition(" ") if words.startswith(("no ", "default ")) else ("", "", words)
        below = ""
        if not sign and _TEXT.match(command):
            if (at := bisect(ends, number - 1)) == len(ends):
                raise ReadFault(f"the text of {command!r} has no line {_TEXT_END} at its end", number)
            skip = ends[at] + 1
            below = "\n".join(rows[number : skip - 1])
        yield _Line(number, len(raw) - len(raw.lstrip()), _spell(command), sign, below)


class _EosText:
    """One text being read.

    Attributes:
        tree: What it says.
    """

    def __init__(self, text: str) -> None:
        """Read all of it; raises ReadFault."""
        refuse_long(text)
        self.tree: Tree = {}
        opened: list[tuple[int, Tree, set[str]]] = [(-1, self.tree, set())]
        lines = list(_lines(text))
        for line, following in zip_longest(lines, lines[1:]):
            while opened[-1][0] >= line.depth:
                opened.pop()
            _, parent, done = opened[-1]
            has_below = following is not None and following.depth > line.depth
            if not line.sign and (has_below or (_SECTION.match(line.command) and _opens(line))):
                if len(opened) > DEPTH_MAX:
                    raise ReadFault("sections are nested too deeply", line.number)
                opened.append((line.depth, _enter(parent, line.command), set()))
            else:
                self._set(parent, line, done)

    def _set(self, parent: Tree, line: _Line, done: set[str]) -> None:
        """Put a command into its section; ``done`` is what has been set since the section was entered."""
        if match := _DSCP.fullmatch(line.command):
            for code_point in match[1].split():
                parent[f"qos map dscp {code_point} to traffic-class"] = match[2]
            return
        key, value = _name(line.command)
        if line.sign:
            _unset(parent, key if value == YES or _SINGLE.fullmatch(key) else line.command, line.sign)
            return
        if key == WIDE_ROUTING:
            parent[ROUTING] = value
        before = parent.get(key, NO)
        if isinstance(before, dict):
            # A command that is a section as well says no more than that there is one.
            key, value = line.command, YES
            if isinstance(parent.get(key), dict):
                return
        elif key in done and before not in (value, NO) and not _SINGLE.fullmatch(key):
            # It may be there more than once: each is a path of its own.
            parent[key if before == YES else f"{key} {before}"] = YES
            key, value = (line.command, YES) if before == YES else (key, value)
        done.add(key)
        parent[key] = line.text or value


def _enter(parent: Tree, command: str) -> Tree:
    """The section that a command opens, and the number that it sets."""
    match = _NUMBERED.fullmatch(command)
    key = match[1] if match else command
    below = parent.get(key)
    if not isinstance(below, dict):
        if below not in (None, YES, NO):
            parent[f"{key} {below}"] = YES
        below = parent[key] = {}
    if match:
        below["number"] = match[2]
    return below


def _unset(parent: Tree, key: str, sign: str) -> None:
    """Say that something is not set; ``default`` sets nothing, since what is there by default need not be written."""
    if sign == "default" or isinstance(parent.get(key), dict):
        parent.pop(key, None)
    else:
        parent[key] = NO


def _opens(line: _Line) -> bool:
    """Return whether a command without anything below it is still a section.

    At the top, and beside sections of its kind.
    """
    own = ("uc-tx-queue", "tx-queue", "mc-tx-queue", "address-family")
    return line.command.startswith(own) or (line.depth == 0 and line.command.startswith(("interface", "router", "vrf")))


def _spell(command: str) -> str:
    """A command in the words of current releases, with AS numbers in asplain: both are what is rendered."""
    for old, new in _SPELLINGS:
        command = old.sub(new, command)
    if "." in command and (found := _AS_NUMBERS.match(command)):
        command = found[0] + write_plainly(command[found.end() :])
    return Queue(command) if command.startswith(_UNICAST) else command


@lru_cache(maxsize=_SHARED)
def _name(command: str) -> tuple[str, str]:
    """Return the words of a command that name a thing, and what it is set to."""
    for pattern in () if _WHOLE.fullmatch(command) else _NAMING:
        if found := pattern.fullmatch(command):
            name, value, *last = found.groups()
            return " ".join((name, *last)), value or YES
    return command, YES
