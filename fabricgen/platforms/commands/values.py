"""Values on lines of command-line snippets that no command line takes, whatever the command."""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import ip_interface
from typing import NamedTuple

from fabricgen.diagnostics.commands import show_words
from fabricgen.platforms.commands.grammar import fits
from fabricgen.platforms.commands.snippets import Fault, Kind, Line

FREE_TEXT = ("description", "remark", "banner", "message")
"""Words behind which anything may stand."""
_IPV4 = re.compile(r"\d+(?:\.\d+){3}(?:/\d+)?")
_IPV6 = re.compile(r"[0-9a-fA-F:]*::[0-9a-fA-F:.]*(?:/\d+)?")


class Bound(NamedTuple):
    """A number on a line: the pattern that has it as its first group, its range, and a hint."""

    pattern: re.Pattern[str]
    range: str
    hint: str


_NUMBERS = (
    Bound(re.compile(r"^vlan (\d+)$"), "(1-4094)", "a VLAN is 1 to 4094 (IEEE 802.1Q)"),
    Bound(re.compile(r"^router bgp (\d\S*)"), "ASNUM", "an AS number is 1 to 4294967295 (RFC 6793)"),
    Bound(re.compile(r"\bremote-as (\d\S*)"), "ASNUM", "an AS number is 1 to 4294967295 (RFC 6793)"),
)
"""Numbers that a standard bounds."""


def find_bad_value(line: Line, bounds: Iterable[Bound] = ()) -> Fault | None:
    """Return the first address, prefix or number of a line that is none or out of range; None if all are right.

    Args:
        line: The line.
        bounds: Numbers that the platform bounds, beside those that a standard does.
    """
    end = next((at for at, word in enumerate(line.words) if word in FREE_TEXT), len(line.words))
    for at, word in enumerate(line.words[:end]):
        if (_IPV4.fullmatch(word) or _IPV6.fullmatch(word)) and not _is_address(word):
            kind = "IPv6" if ":" in word else "IPv4"
            hint = f"write an {kind} address or prefix, such as {'2001:db8::1/64' if ':' in word else '192.0.2.1/24'}"
            told = show_words(line.words)[at][:60]
            return Fault(Kind.VALUE, line.number, line.columns[at], f"{told} is no {kind} address or prefix", hint)
    text = " ".join(line.words[:end])
    for pattern, label, hint in (*_NUMBERS, *bounds):
        match = pattern.search(text)
        if match and not fits(label, match[1]):
            at = text[: match.start(1)].count(" ")
            told = show_words(line.words)[at][:60]
            return Fault(Kind.VALUE, line.number, line.columns[at], f"{told} is out of range", hint)
    return None


def _is_address(word: str) -> bool:
    try:
        ip_interface(word)
    except ValueError:
        return False
    return True
