"""startup-config and ``show running-config`` to a tree: sections, things, and what is set of them.

The words that name a thing are the key, those that set it the value, so that another value is a change of one path.
``no`` and ``default`` before a command are its value. Order, indentation and ``!`` lines mean nothing; of a map of code
points each code point is a path of its own, however EOS groups them.

Source:
    Arista EOS User Manual 4.36, Command-Line Interface; aristanetworks/avd eos_cli_config_gen, which prints every
    command written here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from fabricgen.diagnostics.secrets import hide_secrets
from fabricgen.platforms.eos.facts import list_facts as list_facts
from fabricgen.platforms.eos.flooding import list_floods
from fabricgen.platforms.eos.writer import ROUTING, WIDE_ROUTING
from fabricgen.platforms.eos.writer import write as write
from fabricgen.platforms.reading.reader import DEPTH_MAX, ReadFault, Tree, locate_line, refuse_long, subtree

FILE = "startup-config"
YES, NO = "yes", "no"
_SIGNS = ("! device:", "! Command: show running-config", "! Startup-config", "transceiver qsfp default-mode")
_SECTION = re.compile(
    r"(interface|route-map|router|qos profile|ip(?:v6)? prefix-list|vrf instance|management|aaa group server"
    r"|address-family|uc-tx-queue|tx-queue|mc-tx-queue|ssl profile|transport|vrf|ip access-list|class-map|policy-map"
    r"|vlan|monitor|daemon|event-handler|platform|maintenance|unit|profile|load-balance|port|control-plane|banner)\b"
)
"""Beginnings of commands that open a section even where nothing stands below them."""
_DSCP = re.compile(r"qos map dscp ([\d ]+) to traffic-class (\d+)")
_NAMING = (
    (re.compile(r"(neighbor \S+ (?:route-map|prefix-list)) (\S+) (in|out)"), r"\1 \3", 2),
    (re.compile(r"(neighbor \S+ missing-policy .* direction \w+ action) (\S+)"), r"\1", 2),
    (re.compile(r"(neighbor interface \S+) (.+)"), r"\1", 2),
    (re.compile(r"(neighbor \S+ peer group)"), r"\1", 0),
    (re.compile(r"(neighbor \S+ peer group) (\S+)"), r"\1", 2),
    (re.compile(r"(neighbor \S+ (?:activate|bfd))"), r"\1", 0),
    (re.compile(r"(neighbor \S+ [\w-]+) (.+)"), r"\1", 2),
    (re.compile(r"(network|server|ip(?:v6)? virtual-router address|ipv6 address) (.+)"), r"\1 \2", 0),
    (re.compile(r"(ip address \S+ secondary)"), r"\1", 0),
    (re.compile(r"(redistribute [\w-]+|ip(?:v6)? attached-host route export)(?: (.+))?"), r"\1", 2),
    (re.compile(r"(ip virtual-router mac-address|lacp (?:system-id|port-id range|timer)) (.+)"), r"\1", 2),
    (re.compile(r"(channel-group|switchport (?:access vlan|mode)|spanning-tree portfast) (.+)"), r"\1", 2),
    (re.compile(r"(recovery delay) (.+)"), r"\1", 2),
    (re.compile(r"(arp aging timeout(?: default)?|mac address-table aging-time|ipv6 nd cache expire) (\d+)"), r"\1", 2),
    (re.compile(r"(storm-control [\w-]+) (.+)"), r"\1", 2),
    (re.compile(r"(link tracking group \S+) (upstream|downstream)"), r"\1", 2),
    (re.compile(r"(router bgp) (\S+)"), r"\1", 2),
    (re.compile(r"((?:permit|deny) .+)"), r"\1", 0),
    (re.compile(r"(seq \d+) (.+)"), r"\1", 2),
    (re.compile(r"(match \w+(?: address [\w-]+)?) (.+)"), r"\1", 2),
    (re.compile(r"(set [\w-]+) (.+)"), r"\1", 2),
    (re.compile(r"(ip community-list \S+) (.+)"), r"\1 \2", 0),
    (re.compile(r"(ip(?:v6)? route (?:vrf \S+ )?\S+) (.+)"), r"\1", 2),
    (re.compile(r"(enable (?:secret|password)|aaa root|(?:tacacs|radius)-server key) (.+)"), r"\1", 2),
    (re.compile(r"(radius-server host \S+(?: vrf \S+)?)(?: (.+))?"), r"\1", 2),
    (re.compile(r"(username \S+ ssh-key) (.+)"), r"\1", 2),
    (re.compile(r"(username \S+) (.+)"), r"\1", 2),
    (re.compile(r"(tacacs-server host \S+(?: vrf \S+)?) (key .+)"), r"\1", 2),
    (re.compile(r"((?:ntp server|ip name-server|logging)(?: vrf \S+)?(?: host)? [\d.:a-f]+)(?: (.+))?"), r"\1", 2),
    (re.compile(r"(logging vrf \S+ source-interface|ntp local-interface vrf \S+) (\S+)"), r"\1", 2),
    (re.compile(r"(ip tacacs vrf \S+ source-interface) (\S+)"), r"\1", 2),
    (re.compile(r"(snmp-server community \S+) (\S+)"), r"\1", 2),
    (re.compile(r"(snmp-server (?:contact|location)) (.+)"), r"\1", 2),
    (re.compile(r"(snmp-server vrf \S+)"), r"\1", 0),
    (re.compile(r"(qos map [\w-]+ \d+ to [\w-]+) (\d+)"), r"\1", 2),
    (re.compile(r"(priority-flow-control priority \d+) (\S+)"), r"\1", 2),
    (re.compile(r"(priority-flow-control pause watchdog (?:default )?[\w-]+) (\S+)"), r"\1", 2),
    (re.compile(r"(random-detect ecn) (minimum-threshold .+)"), r"\1", 2),
    (
        re.compile(
            r"(bandwidth (?:guaranteed )?percent|qos trust|error-correction encoding|mtu|speed|description) (.+)"
        ),
        r"\1",
        2,
    ),
    (re.compile(r"(ip load-sharing \S+ fields ip(?:v6)?) (.+)"), r"\1", 2),
    (re.compile(r"(ip load-sharing \S+) (\d+)"), r"\1", 2),
    (re.compile(r"(aaa \S+ \S+ default) (.+)"), r"\1", 2),
    (
        re.compile(
            r"(lldp management-address vrf|lldp [\w-]+|maximum-paths|router-id|service-profile|ip address) (.+)"
        ),
        r"\1",
        2,
    ),
    (
        re.compile(r"(hostname|name|clock timezone|service routing protocols model|logging trap|port|provider) (.+)"),
        r"\1",
        2,
    ),
    (re.compile(r"(ssl profile|vrf|certificate|trust certificate|interval) (.+)"), r"\1", 2),
)
"""Commands whose last words set something: pattern, the key, and the group that is the value (0 for yes)."""


class _Line(NamedTuple):
    """A command: where it stands, how deep, its words without ``no``, and whether it had one."""

    number: int
    depth: int
    command: str
    negated: bool


_SHARED = 16 * 1024
"""Commands whose names are kept: switches of one fabric have most of theirs in common."""


def read(text: str) -> Tree:
    """Read a configuration, whole or as a running switch shows it; raises ReadFault.

    A section that is entered again, as by a snippet behind the others, may set a value anew; the last one holds.
    """
    refuse_long(text)
    tree: Tree = {}
    open_sections: list[tuple[int, Tree, set[str]]] = [(-1, tree, set())]
    lines = list(_lines(text))
    for at, line in enumerate(lines):
        while open_sections[-1][0] >= line.depth:
            open_sections.pop()
        _, parent, told = open_sections[-1]
        has_below = at + 1 < len(lines) and lines[at + 1].depth > line.depth
        if has_below or (_SECTION.match(line.command) and not line.negated and _opens(line, parent)):
            key, value = _section(line.command)
            if len(open_sections) > DEPTH_MAX:
                raise ReadFault("sections are nested too deeply", line.number)
            below = subtree(parent, key, line.number)
            if value:
                below["number"] = value
            open_sections.append((line.depth, below, set()))
            continue
        _set(parent, line, told)
    return tree


def hostname(tree: Tree) -> str:
    """The name the configuration gives its device; empty if it gives none."""
    return str(tree.get("hostname", ""))


def judge(tree: Tree) -> Iterator[str]:
    """Yield what a configuration must not say though EOS would take it."""
    yield from list_floods(tree)


def unpack(text: str) -> dict[str, str]:
    """The configuration by file name, if a text of unknown origin is one."""
    head = text[:4000]
    is_eos = any(sign in head for sign in _SIGNS) or "\nservice routing protocols model " in text
    return {FILE: text} if is_eos and text.lstrip()[:1] not in ("{", "[") else {}


def locate(text: str, steps: Sequence[str]) -> int:
    """Line of the text that says what stands at a path; 0 if there is none."""
    return locate_line(text, steps)


def _lines(text: str) -> Iterator[_Line]:
    for number, raw in enumerate(text.split("\n"), 1):
        words = raw.strip()
        if not words or words.startswith(("!", "#")) or words in ("end", "exit"):
            continue
        negated = words.startswith(("no ", "default "))
        command = words.partition(" ")[2] if negated else words
        yield _Line(number, len(raw) - len(raw.lstrip()), command, negated)


def _opens(line: _Line, parent: Tree) -> bool:
    """Return whether a command without anything below it is still a section.

    At the top, and beside sections of its kind.
    """
    inner = ("uc-tx-queue", "tx-queue", "mc-tx-queue", "address-family")
    return line.command.startswith(inner) or (
        line.depth == 0 and line.command.startswith(("interface", "router", "vrf"))
    )


def _section(command: str) -> tuple[str, str]:
    """Key of a section, and the number that its command sets."""
    match = re.fullmatch(r"(router bgp) (\S+)", command)
    return (match[1], match[2]) if match else (command, "")


def _set(parent: Tree, line: _Line, told: set[str]) -> None:
    """Put a command into the section it stands in; ``told`` is what has been set since the section was entered."""
    match = _DSCP.fullmatch(line.command)
    if match:
        for code_point in match[1].split():
            parent[f"qos map dscp {code_point} to traffic-class"] = match[2]
        return
    key, value = _name(line.command)
    if key == WIDE_ROUTING and not line.negated:
        parent[ROUTING] = value
    if line.negated:
        parent[key if key != line.command else line.command] = NO
        return
    if key in told and parent[key] != value and parent[key] != NO:
        raise ReadFault(f"{_told(key)!r} is set twice, to different values", line.number)
    told.add(key)
    parent[key] = value


@lru_cache(maxsize=_SHARED)
def _name(command: str) -> tuple[str, str]:
    """Return the words of a command that name a thing, and what it is set to."""
    for pattern, name, group in _NAMING:
        found = pattern.fullmatch(command)
        if found:
            return found.expand(name), (found[group] or YES) if group else YES
    return command, YES


def _told(command: str) -> str:
    """A command as a message may quote it: what a device has of it may be a secret."""
    return hide_secrets(command)
