"""Judges what a snippet adds to frr.conf: commands by FRR's own lists of each mode, and the names that they use.

A command that no release has is an error where its first word is unknown in the mode, or a later one is a misspelt word
of it; commands that vtysh does not list (deprecated ones) may begin with any known word, hence all else is a warning.

Source:
    commands.txt; FRRouting/frr, vtysh/vtysh.c: a command that its mode does not have is looked for in the modes around.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from fabricgen.diagnostics.commands import show_words
from fabricgen.diagnostics.words import and_list, or_list
from fabricgen.platforms.commands.grammar import Grammar, Match
from fabricgen.platforms.commands.lines import begins, judge_lines, judge_names, meant, rules, split_lines
from fabricgen.platforms.commands.modes import find_mode, leaves
from fabricgen.platforms.commands.snippets import Claim, Fault, Kind, Laid, Line

TOP, OTHER = "top", "other"
_LITERAL = re.compile(r"[a-z][A-Za-z0-9-]*")
"""Words of a pattern that are no values."""
_ENTERING = (
    (TOP, re.compile(r"router bgp\b"), "bgp"),
    (TOP, re.compile(r"interface \S"), "interface"),
    (TOP, re.compile(r"vrf \S+$"), "vrf"),
    (TOP, re.compile(r"route-map \S+ (?:permit|deny) \d+$"), "route-map"),
    (TOP, re.compile(r"(bfd|segment-routing)$"), ""),
    (TOP, re.compile(r"(key chain) \S"), ""),
    (TOP, re.compile(r"(nexthop-group) \S"), ""),
    (TOP, re.compile(r"(line) vty"), ""),
    (TOP, re.compile(r"(router|pbr-map|rpki|mpls ldp|l2vpn|pseudowire)\b"), OTHER),
    ("bgp", re.compile(r"address-family (ipv[46])(?: unicast)?$"), "bgp {} unicast"),
    ("bgp", re.compile(r"address-family (ipv[46] (?:multicast|labeled-unicast|vpn)|l2vpn evpn)$"), "bgp {}"),
    ("bgp", re.compile(r"address-family |vnc (?:defaults|nve-group|l2-group)|vrf-policy |bmp targets|segment-"), OTHER),
    ("bfd", re.compile(r"(profile|peer) "), "bfd {}"),
    ("segment-routing", re.compile(r"srv6$"), "srv6"),
    ("segment-routing", re.compile(r"traffic-eng"), OTHER),
    ("srv6", re.compile(r"locators|encapsulation|formats"), OTHER),
)
"""Mode, the command that leaves it for one inside, and that one's name: ``{}`` is the first group, empty all of it."""
_DEFINES = rules(
    (
        ("route map", r"route-map NAME (?:permit|deny)"),
        ("prefix list", r"ip prefix-list NAME"),
        ("IPv6 prefix list", r"ipv6 prefix-list NAME"),
        ("community list", r"(?:bgp|ip) community-list (?:standard |expanded )?NAME"),
        ("large-community list", r"(?:bgp|ip) large-community-list (?:standard |expanded )?NAME"),
        ("extcommunity list", r"(?:bgp|ip) extcommunity-list (?:standard |expanded )?NAME"),
        ("AS-path list", r"(?:bgp|ip) as-path access-list NAME"),
        ("access list", r"(?:ip )?access-list NAME"),
        ("IPv6 access list", r"ipv6 access-list NAME"),
        ("VRF", r"vrf NAME"),
        ("BFD profile", r"profile NAME"),
        ("peer group", r"neighbor NAME peer-group$"),
        ("peer group", r"neighbor NAME interface .*peer-group \S+$"),
    )
)
_USES = rules(
    (
        ("route map", r"^(?:neighbor|redistribute|network|aggregate-address|ip|ipv6|import)\b.* route-map NAME"),
        ("route map", r"^call NAME"),
        ("prefix list", r"^match ip (?:address|next-hop|route-source) prefix-list NAME"),
        ("IPv6 prefix list", r"^match ipv6 (?:address|next-hop) prefix-list NAME"),
        ("prefix list of either family", r"^neighbor \S+ prefix-list NAME"),
        ("community list", r"^(?:match community|set comm-list) NAME"),
        ("large-community list", r"^(?:match large-community|set large-comm-list) NAME"),
        ("extcommunity list", r"^match extcommunity NAME"),
        ("AS-path list", r"^(?:match as-path|neighbor \S+ filter-list) NAME"),
        ("VRF", r"^router bgp \d+ vrf NAME"),
        ("BFD profile", r"^neighbor \S+ bfd profile NAME"),
        ("peer group", r"^neighbor \S+ (?:interface )?(?:v6only )?peer-group NAME"),
        ("peer group", r"^bgp listen range \S+ peer-group NAME"),
    )
)


class Commands(NamedTuple):
    """Commands of every mode, and the releases they were listed by; a grammar's marks have a bit for each.

    Attributes:
        words: Words of all commands that are no values.
    """

    releases: tuple[str, ...]
    modes: dict[str, Grammar]
    bgp_words: frozenset[str]
    words: frozenset[str]


@cache
def load_commands() -> Commands:
    """Read commands.txt."""
    text = files("fabricgen.platforms.families.vtysh").joinpath("commands.txt").read_text(encoding="utf-8")
    releases: tuple[str, ...] = ()
    names: list[str] = []
    by_mode: dict[str, list[tuple[str, int]]] = {}
    marks, modes = 0, [""]
    for line in text.split("\n"):
        if line.startswith("releases "):
            releases = tuple(line.split()[1:])
        elif line.startswith("modes "):
            names = line[6:].split(", ")
        elif line.startswith("@ "):
            _, bits, *numbers = line.split()
            marks = sum(1 << at for at, bit in enumerate(bits) if bit == "x")
            modes = [names[int(number)] for number in numbers]
        elif line and line[0] != "#":
            for mode in modes:
                by_mode.setdefault(mode, []).append((line, marks))
    return _as_commands(releases, by_mode)


def _as_commands(releases: tuple[str, ...], by_mode: Mapping[str, Sequence[tuple[str, int]]]) -> Commands:
    found = {mode: Grammar(commands) for mode, commands in by_mode.items()}
    below = [grammar.first_words for mode, grammar in found.items() if mode.startswith("bgp")]
    words = {word for commands in by_mode.values() for line, _ in commands for word in _LITERAL.findall(line)}
    return Commands(releases, found, frozenset().union(*below), frozenset(words))


def has_command(line: str, *, in_router: bool, whole: bool) -> bool:
    """Return whether some release has a command at the top of a configuration, or below a router.

    Args:
        line: The command; as FRR takes them, its first word may be cut short.
        in_router: Below ``router bgp``, in an address family too.
        whole: Every word of it has to be right, not only the first one.
    """
    commands = load_commands()
    top = commands.modes[TOP]
    if whole:
        return bool(top.match(line.split()).marks)
    words = commands.bgp_words if in_router else top.first_words
    return any(word.startswith(line.removeprefix("no ").split()[0]) for word in words)


def has_removal(sections: Sequence[str], line: str) -> bool:
    """Return whether some release has a command in some sections; also where their commands are not known."""
    stack = [TOP]
    for section in sections:
        _enter(stack, section)
    commands = load_commands()
    return stack[-1] not in commands.modes or bool(commands.modes[stack[-1]].match(line.split()).marks)


def judge_snippet(laid: Laid) -> Iterator[Fault | Claim]:
    """Judge what a snippet adds to frr.conf."""
    lines = list(split_lines(laid.text, "!#"))
    stack = _last_modes(laid.before)
    yield from judge_lines(lines, lambda line, hinted: _judge_line(stack, line, laid.routing, hinted))
    yield from judge_names(lines, laid, _DEFINES, _USES)


def _last_modes(text: str) -> list[str]:
    """The modes in which a rendered file ends: its last section may be left open."""
    lines = list(split_lines(text, "!#"))
    start = next((at for at in range(len(lines) - 1, -1, -1) if lines[at].depth == 0), 0)
    stack = [TOP]
    for line in lines[start:]:
        _judge_line(stack, line, "", hinted=False)
    return stack


def _judge_line(stack: list[str], line: Line, routing: str, hinted: bool) -> Fault | None:
    """Judge a line in the innermost of some modes, else in those around it, and leave the stack as the line does."""
    if leaves(stack, line.text, ("end", "exit", "quit")):
        return None
    commands = load_commands()
    found = find_mode(stack, commands.modes, line.words)
    if found.taken:
        _enter(stack, line.text)
        return _unequal(commands, found.match.marks, line, routing)
    if stack[-1] not in commands.modes:
        told = _told(commands, line)
        message = f"no FRR commands of the mode below {stack[-2]} are known: {told[:60]!r} is not judged"
        return Fault(Kind.UNKNOWN, line.number, line.columns[0], message, "check it on a device")
    return _refused(commands, found.mode, line, found.match, hinted)


def _enter(stack: list[str], text: str) -> None:
    if text.startswith("exit"):
        del stack[max(1, len(stack) - 1) :]
        return
    for mode, pattern, name in _ENTERING:
        match = pattern.match(text) if mode == stack[-1] else None
        if match:
            group = match[1] if pattern.groups else ""
            stack.append(name.format(group) or group)
            return


def _unequal(commands: Commands, marks: int, line: Line, routing: str) -> Fault | None:
    """A warning about a command that not every release has: the target's, or those next to it."""
    if marks == (1 << len(commands.releases)) - 1:
        return None
    have = [name for at, name in enumerate(commands.releases) if marks >> at & 1]
    lack = [name for name in _next_to(commands.releases, routing) if name not in have]
    if not lack:
        return None
    message = f"FRR {and_list(lack)} does not have {_told(commands, line)[:60]!r}; FRR {and_list(have)} does"
    return Fault(Kind.UNKNOWN, line.number, line.columns[0], message, "check the FRR that the image has")


def _next_to(releases: tuple[str, ...], routing: str) -> tuple[str, ...]:
    """The listed releases that a release lies between; all of them if it is unknown."""
    number = _number(routing)
    below = [name for name in releases if _number(name) <= number][-1:] if routing else releases
    above = [name for name in releases if _number(name) >= number][:1] if routing else ()
    return tuple(dict.fromkeys((*below, *above)))


def _number(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split(".") if part.isdigit())


def _refused(commands: Commands, mode: str, line: Line, best: Match, hinted: bool) -> Fault:
    """A fault about a line that no release lists: an error if it can be none of those that vtysh does not list."""
    at = min(max(best.known, 0), len(line.words) - 1)
    word, column, where = line.words[at], line.columns[at], _where(mode)
    is_first = at == int(line.words[0] == "no")
    is_short = begins(word, best.words)
    told = show_words(line.words)
    hint = "" if is_short or not hinted else meant(word, best.words)
    if is_first and not is_short and not _is_hidden(commands, mode, word):
        message = f"FRR has no command {told[at][:60]!r}{where}"
        hint = _elsewhere(commands, word) or hint or _expected(best)
        return Fault(Kind.COMMAND, line.number, column, message, hint if hinted else "")
    tail = ": words are missing at the end"
    if best.known < len(line.words):
        if hint and not best.values:
            message = f"FRR has no command {' '.join(told[: at + 1])!r}{where}"
            return Fault(Kind.COMMAND, line.number, column, message, hint)
        if taken := _numbers(best, word):
            message = f"{told[at][:60]} is out of range{where}"
            return Fault(Kind.VALUE, line.number, column, message, f"it takes {taken}")
        tail = f" at {told[at][:60]!r}"
    message = f"FRR {', '.join(commands.releases)} do not list {' '.join(told)[:60]!r}{where}{tail}"
    return Fault(Kind.UNKNOWN, line.number, column, message, hint or (_expected(best) if hinted else ""))


def _where(mode: str) -> str:
    return "" if mode == TOP else f" in {mode}"


def _told(commands: Commands, line: Line) -> str:
    """A line as a message may quote it."""
    return " ".join(show_words(line.words))


def _numbers(best: Match, word: str) -> str:
    """The numbers that could stand in place of a number out of range; empty if something else could."""
    if not word.isdigit() or not all(label == "ASNUM" or label.startswith("(") for label in best.values):
        return ""
    return or_list("an AS number" if label == "ASNUM" else label.strip("()") for label in best.values)


def _elsewhere(commands: Commands, word: str) -> str:
    """A hint at the mode that has a command; empty if none has."""
    mode = next((name for name, grammar in commands.modes.items() if word in grammar.first_words), "")
    return f"enter mode {mode} first, with a line before this one" if mode else ""


def _is_hidden(commands: Commands, mode: str, word: str) -> bool:
    """Return whether a mode of BGP may have a command that it does not list, as it has those of address families."""
    return mode.startswith("bgp") and word in commands.bgp_words


def _expected(best: Match) -> str:
    """Return what could stand where a line is no command any more."""
    words = [*sorted(best.words[:8]), *(["a value"] if best.values else [])]
    return f"use {or_list(words)}" if words else "remove it and the rest of the line"
