"""Commands that FRR has, by mode: a line that stands in a mode without it, FRR took in none.

Source:
    commands.txt; FRRouting/frr, vtysh/vtysh.c: a command that its mode does not have is looked for in the modes around.
    FRRouting/frr, vtysh/vtysh_main.c: ``-C`` reads a configuration without a daemon and names every line it does not
    know.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from fabricgen.platforms.families.vtysh.patterns import Grammar

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


class Commands(NamedTuple):
    """Commands of every mode.

    Attributes:
        modes: Commands by mode.
        bgp_words: First words of commands below a router, in an address family too.
    """

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
    """Return whether some release has a command at the top of a configuration, or below a router.

    Args:
        line: The command; as FRR takes them, its first word may be cut short.
        in_router: Below ``router bgp``, in an address family too.
        whole: Every word of it has to be right, not only the first one.
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
