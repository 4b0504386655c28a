"""Commands that FRR has, by mode: a line that stands in a mode without it, FRR took in none.

A command is a pattern as FRR lists it: ``<a|b>`` is one of several, ``[a]`` may be left out, ``![a]`` may be left out
behind ``no`` only, ``{a|b}`` is one or more in any order, ``(1-9)`` a number, ``A...`` one word or more; a word in
capitals stands for a value, ``*`` for any word.

Source:
    commands.txt; FRRouting/frr, doc/developer/cli.rst.
    FRRouting/frr, vtysh/vtysh.c: a command that its mode does not have is looked for in the modes around.
    FRRouting/frr, vtysh/vtysh_main.c: ``-C`` reads a configuration without a daemon and names every line it does not
    know.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import NamedTuple

from fabricgen.platforms.reading.reader import number_of, parse_asn

_TOKEN = re.compile(r"[<>\[\]{}|]|\(-?\d+-\d+\)|\.\.\.|[A-Za-z0-9*][^\s<>\[\]{}|()]*?(?=\.\.\.|[\s<>\[\]{}|()]|$)|\S")
_RANGE = re.compile(r"\((-?\d+)-(\d+)\)")
_VALUE = re.compile(r"[A-Z][-_A-Z:0-9]*")
_NUMBER = re.compile(r"-?[0-9]{1,19}")
_ADDRESSES = ("A.B.C.D", "A.B.C.D/M", "X:X::X:X", "X:X::X:X/M", "X:X:X:X:X:X", "X:X:X:X:X:X/M")
_MAC = re.compile(r"[0-9a-fA-F]{1,2}(:[0-9a-fA-F]{1,2}){5}")
_OPENING, _ENDING = ("<", "[", "{"), ("|", ">", "]", "}")
_PROGRAM, _TIME_MAX_S = "vtysh", 60
_REFUSED = re.compile(r"^line (\d+): % ", re.MULTILINE)
TOP, OTHER = "top", "other"
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


class _Element(NamedTuple):
    """A part of a pattern: one of several words, kinds of values and patterns, which may be left out or repeated."""

    ways: tuple[str | tuple[_Element, ...], ...]
    is_optional: bool = False
    repeats: bool = False


class Grammar:
    """The commands of one mode; those of a first word are read when a line begins with it."""

    def __init__(self, commands: Iterable[str]) -> None:
        """Take over patterns."""
        self._by_word: dict[str, list[str]] = {}
        for text in commands:
            for plain in _without_no(text):
                first = plain.split()
                lead = first[1] if first[0] == "no" and len(first) > 1 else first[0]
                for word in re.findall(r"[\w-]+", lead) if lead[0] in "[<{" else (re.sub(r"[\[({<].*", "", lead),):
                    self._by_word.setdefault(word, []).append(plain)

    @property
    def first_words(self) -> frozenset[str]:
        """First words of all commands, without ``no``."""
        return frozenset(self._by_word)

    def has(self, words: list[str]) -> bool:
        """Return whether the words of a line are a command."""
        lead = words[1] if words[0] == "no" and len(words) > 1 else words[0]
        return any(len(words) in _ends(_parse(text), words, {0}) for text in self._by_word.get(lead, ()))


def _without_no(text: str) -> Iterable[str]:
    """A pattern as it is with ``no`` and without, where both are one pattern."""
    if text.startswith("[no] "):
        rest = text[5:]
        return (re.sub(r"!\[([^\[\]]*)\]", r"\1", rest), "no " + rest.replace("![", "["))
    return (text.replace("![", "["),)


@cache
def _parse(text: str) -> tuple[_Element, ...]:
    """Return the parts of a pattern."""
    return _read_sequence(_TOKEN.findall(text)[::-1])


def _read_sequence(tokens: list[str]) -> tuple[_Element, ...]:
    """Return the parts up to a sign that ends them, taken from the end of the tokens."""
    found: list[_Element] = []
    while tokens and tokens[-1] not in _ENDING:
        sign = tokens.pop()
        ways: list[str | tuple[_Element, ...]] = [sign]
        if sign in _OPENING:
            ways = [_read_sequence(tokens)]
            while tokens and tokens.pop() == "|":
                ways.append(_read_sequence(tokens))
        repeats = tokens[-1:] == ["..."]
        if repeats:
            tokens.pop()
        found.append(_Element(tuple(ways), sign == "[", repeats or sign == "{"))
    return tuple(found)


def _ends(pattern: tuple[_Element, ...], words: Sequence[str], starts: set[int]) -> set[int]:
    """Return the places in words to which a pattern may lead from some places."""
    for element in pattern:
        found: set[int] = set()
        fresh = starts
        while fresh:
            ends = {end for way in element.ways for end in _follow(way, words, fresh)}
            fresh = ends - found if element.repeats else set()
            found |= ends
        starts = found | starts if element.is_optional else found
    return starts


def _follow(way: str | tuple[_Element, ...], words: Sequence[str], starts: set[int]) -> set[int]:
    if not isinstance(way, str):
        return _ends(way, words, starts)
    left = ((at, words[at]) for at in starts if at < len(words))
    return {at + 1 for at, word in left if (fits(way, word) if _is_value(way) else way == word)}


@cache
def _is_value(label: str) -> bool:
    return label == "*" or label in _ADDRESSES or bool(_VALUE.fullmatch(label) or _RANGE.fullmatch(label))


def fits(label: str, word: str) -> bool:
    """Return whether a word is a value of a kind: an address, a number of a range, or anything at all."""
    limits = _RANGE.fullmatch(label)
    if limits:
        return bool(_NUMBER.fullmatch(word)) and int(limits[1]) <= int(word) <= int(limits[2])
    if label == "ASNUM":
        return parse_asn(word) is not None
    if label not in _ADDRESSES:
        return True
    text, slash, length = word.partition("/")
    if bool(slash) != label.endswith("/M"):
        return False
    if label.startswith("X:X:X"):
        return bool(_MAC.fullmatch(text))
    kind, longest = (IPv4Address, 32) if label[0] == "A" else (IPv6Address, 128)
    try:
        kind(text)
    except AddressValueError:
        return False
    return not slash or -1 < (-1 if (bits := number_of(length)) is None else bits) <= longest


class Commands(NamedTuple):
    """Commands of every mode, and first words of those below a router, in an address family too."""

    modes: dict[str, Grammar]
    bgp_words: frozenset[str]


@cache
def load_commands() -> Commands:
    """Read commands.txt."""
    text = files("fabricgen.platforms.families.vtysh").joinpath("commands.txt").read_text(encoding="utf-8")
    names: list[str] = []
    by_mode: dict[str, list[str]] = {}
    modes = [""]
    for line in text.split("\n"):
        if line.startswith("modes "):
            names = line[6:].split(", ")
        elif line.startswith("@ "):
            modes = [names[int(number)] for number in line.split()[2:]]
        elif line and line[0] != "#" and not line.startswith("releases "):
            for mode in modes:
                by_mode.setdefault(mode, []).append(line)
    found = {mode: Grammar(commands) for mode, commands in by_mode.items()}
    below = [grammar.first_words for mode, grammar in found.items() if mode.startswith("bgp")]
    return Commands(found, frozenset().union(*below))


def has_command(line: str, *, in_router: bool, whole: bool) -> bool:
    """Return whether some release has a command at the top of a configuration, or anywhere below a router.

    As FRR takes them, the first word may be cut short; of a ``whole`` one every word has to be right.
    """
    commands = load_commands()
    top = commands.modes[TOP]
    if whole:
        return top.has(line.split())
    words = commands.bgp_words if in_router else top.first_words
    return any(word.startswith(line.removeprefix("no ").split()[0]) for word in words)


def has_removal(sections: Sequence[str], line: str) -> bool:
    """Return whether some release has a command in some sections; also where their commands are not known."""
    mode = TOP
    for section in sections:
        mode = _enter(mode, section)
    modes = load_commands().modes
    return mode not in modes or modes[mode].has(line.split())


def _enter(mode: str, text: str) -> str:
    """The mode that a command leads to; the same one where it opens none."""
    for outer, pattern, name in _ENTERING:
        match = pattern.match(text) if outer == mode else None
        if match:
            group = match[1] if pattern.groups else ""
            return name.format(group) or group
    return mode


def find_refused_lines(text: str) -> list[int] | None:
    """Return the numbers of the lines that vtysh refuses, from 1; None where it is not installed or has no answer."""
    program = shutil.which(_PROGRAM)
    if program is None:
        return None
    command = [program, "-C", "-f", "/dev/stdin"]
    try:
        done = subprocess.run(  # noqa: S603 - reads what it is given
            command, input=text, capture_output=True, text=True, check=False, timeout=_TIME_MAX_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return [int(found[1]) for found in _REFUSED.finditer(done.stdout + done.stderr)]
