"""Judges what a snippet adds to startup-config: first words of commands per mode, and the names that commands use.

No public grammar of EOS is whole. A first word that no source has in the mode is an error; of what follows, a word that
no source has anywhere and that is nearly one is an error as well; all else that no source shows is a warning.

Source:
    words.json, written by tools/write-eos-words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from fabricgen.diagnostics.commands import show_words
from fabricgen.diagnostics.words import or_list
from fabricgen.platforms.commands.grammar import Grammar, Match
from fabricgen.platforms.commands.lines import begins, judge_lines, judge_names, meant, rules, split_lines
from fabricgen.platforms.commands.modes import find_mode, leaves
from fabricgen.platforms.commands.snippets import Claim, Fault, Kind, Laid, Line
from fabricgen.platforms.eos.numbers import BOUNDS
from fabricgen.platforms.eos.ports import Ports
from fabricgen.platforms.reading.reader import number_of

TOP = ""
COVERED = 10
"""First words of a mode from which on the sources are taken to show it whole."""
_NEGATIONS = ("no", "default")
_INTERFACES = (
    *("Ethernet", "Management", "Loopback", "Port-Channel", "Vlan", "Vxlan", "Tunnel", "Dps", "Recirc-Channel"),
    *("Register", "Fabric", "Switch", "UnconnectedEthernet", "Null", "defaults", "profile"),
)
"""Types of interfaces; the EOS User Manual, chapters on ports, port channels, VLANs, VXLAN and tunnels."""
_VLANS = re.compile(r"^vlan ([\d,-]+)$", re.MULTILINE)
_DEFINES = rules(
    (
        ("QoS profile", r"qos profile NAME"),
        ("route map", r"route-map NAME"),
        ("prefix list", r"ip prefix-list NAME"),
        ("IPv6 prefix list", r"ipv6 prefix-list NAME"),
        ("access list", r"ip access-list (?:standard )?NAME"),
        ("IPv6 access list", r"ipv6 access-list (?:standard )?NAME"),
        ("community list", r"ip community-list (?:regexp )?NAME"),
        ("AS-path list", r"ip as-path access-list NAME"),
        ("VRF", r"vrf instance NAME"),
        ("class map", r"class-map type \S+ \S+ NAME"),
        ("policy map", r"policy-map type \S+ NAME"),
        ("policy map", r"policy-map NAME$"),
        ("peer group", r"neighbor NAME peer group$"),
        ("SSL profile", r"ssl profile NAME"),
        ("port channel", r"interface Port-Channel(\d+)$"),
    )
)
_USES = rules(
    (
        ("QoS profile", r"^service-profile NAME"),
        ("route map", r"^(?:neighbor|redistribute|network|aggregate-address|ip attached-host)\b.* route-map NAME"),
        ("prefix list", r"^match ip address prefix-list NAME"),
        ("IPv6 prefix list", r"^match ipv6 address prefix-list NAME"),
        ("prefix list of either family", r"^neighbor \S+ prefix-list NAME"),
        ("community list", r"^match community NAME"),
        ("AS-path list", r"^match as-path NAME"),
        ("access list", r"^ip access-group NAME"),
        ("IPv6 access list", r"^ipv6 access-group NAME"),
        ("VRF", r"^vrf ((?!instance )\S+)"),
        ("policy map", r"^service-policy (?:type \S+ )?(?:input|output) NAME"),
        ("policy map", r"^service-policy type qos input NAME"),
        ("peer group", r"^neighbor \S+ peer group NAME"),
        ("VLAN", r"^switchport (?:access|trunk native) vlan (\d+)$"),
        ("VLAN", r"^interface Vlan(\d+)$"),
        ("port channel", r"^channel-group (\d+)"),
    )
)


class Words(NamedTuple):
    """Commands of every mode by its path, and all words that are no values."""

    modes: dict[str, Grammar]
    all: frozenset[str]


@cache
def load_words() -> Words:
    """Read words.json."""
    data = json.loads(files("fabricgen.platforms.eos").joinpath("words.json").read_text(encoding="utf-8"))
    patterns = {mode: [line.replace(" ...", " *...") for line in lines] for mode, lines in data["modes"].items()}
    used = {word for lines in patterns.values() for line in lines for word in line.split()}
    modes = {mode: Grammar((line, 1) for line in lines) for mode, lines in patterns.items()}
    return Words(modes, frozenset(data["words"].split()) | used)


def judge_snippet(laid: Laid) -> Iterator[Fault | Claim]:
    """Judge what a snippet adds to a startup-config."""
    lines = list(split_lines(laid.text, "!#"))
    stack, ports = [TOP], Ports(laid.before)

    def judge(line: Line, hinted: bool) -> Fault | None:
        fault = _judge_line(stack, line, hinted) or _interface(line)
        return (ports.judge(line) or fault) if fault is None or fault.kind is Kind.UNKNOWN else fault

    yield from judge_lines(_commands(lines), judge, BOUNDS)
    yield from judge_names(lines, laid, _DEFINES, _USES, (("VLAN", str(number)) for number in _vlans(laid.after)))


def _vlans(text: str) -> set[int]:
    """Numbers of the VLANs that a configuration has; 1 is always there."""
    found = {1}
    for match in _VLANS.finditer(text):
        for part in match[1].split(","):
            low, _, high = part.partition("-")
            first, last = number_of(low), number_of(high or low)
            if first is not None and last is not None and last < 4095:
                found |= set(range(first, last + 1))
    return found


def _commands(lines: list[Line]) -> Iterator[Line]:
    """The lines outside banners."""
    banner = False
    for line in lines:
        if banner or line.words[0] == "banner":
            banner = line.text != "EOF"
        else:
            yield line


def _interface(line: Line) -> Fault | None:
    """A fault about an interface of a type that EOS does not have; types may be cut short."""
    if line.words[0] != "interface" or len(line.words) != 2:
        return None
    name = re.sub(r"[\d/.,$-]+$", "", line.words[1]).lower()
    known = {known.lower(): known for known in _INTERFACES}
    if any(each.startswith(name) for each in known):
        return None
    near = meant(name, known)
    hint = f"did you mean {known[near.removeprefix('did you mean ').rstrip('?')]}?" if near else ""
    message = f"EOS has no interface {line.words[1][:60]!r}"
    kind = Kind.NAME if near else Kind.UNKNOWN
    return Fault(kind, line.number, line.columns[1], message, hint or f"types are {', '.join(_INTERFACES)}")


def _judge_line(stack: list[str], line: Line, hinted: bool) -> Fault | None:
    """Judge a line in the innermost of some modes, else in those around it, and leave the stack as the line does."""
    if leaves(stack, line.text, ("end", "exit")):
        return None
    if line.depth == 0:
        del stack[1:]
    negated = line.words[0] in _NEGATIONS and len(line.words) > 1
    skipped = int(negated)
    if line.words[skipped].isdigit() and len(line.words) > skipped + 1:
        skipped += 1  # number of an entry
    words, known = line.words[skipped:], load_words()
    found = find_mode(stack, known.modes, words, cut_short=negated)
    if not found.taken:
        return _refused(known, found.mode, line, found.match, skipped, hinted)
    if not negated:
        _enter(known, stack, words)
    return None


def _enter(known: Words, stack: list[str], words: list[str]) -> None:
    """Enter the mode of a command, if it has one: its first word, or the first two."""
    head = f"{stack[-1]} > " if stack[-1] else ""
    for count in (2, 1):
        mode = head + " ".join(words[:count])
        if mode in known.modes:
            stack.append(mode)
            return


def _refused(known: Words, mode: str, line: Line, best: Match, skipped: int, hinted: bool) -> Fault:
    at = min(max(best.known, 0) + skipped, len(line.words) - 1)
    word, column, where = line.words[at], line.columns[at], f" in {mode}" if mode else ""
    told = show_words(line.words)
    first, hint = at == skipped, meant(word, best.words) if hinted else ""
    covered = mode in known.modes and len(known.modes[mode].first_words) >= COVERED
    is_short = begins(word, best.words)
    if first and not is_short and (covered or word not in known.all):
        message = f"EOS has no command {told[at][:60]!r}{where}"
        return Fault(
            Kind.COMMAND, line.number, column, message, hint or (_expected(known, best, word) if hinted else "")
        )
    if hint and not is_short and not best.values and word not in known.all:
        message = f"EOS has no command {' '.join(told[: at + 1])!r}{where}"
        return Fault(Kind.COMMAND, line.number, column, message, hint)
    message = f"no source shows {' '.join(told)[:60]!r}{where} as a command of EOS"
    return Fault(Kind.UNKNOWN, line.number, column, message, hint or "check it on a switch, or write it out in full")


def _expected(known: Words, best: Match, word: str) -> str:
    mode = next((name for name, grammar in known.modes.items() if word in grammar.first_words), "")
    return f"enter mode {mode} first" if mode else f"use {or_list(sorted(best.words[:8]))}"
