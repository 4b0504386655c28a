"""Ethernet ports that lines of a snippet name, held against those of the box.

A startup-config that fabricgen writes has a block for every port of the box. A port is missing if its cage is, if the
cage has no port of its own number, or if it is beyond the lanes of a cage.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fabricgen.platforms.commands.snippets import Fault, Kind, Line
from fabricgen.platforms.commands.values import FREE_TEXT

LANES_MAX = 8
"""Most lanes of a cage (OSFP and QSFP-DD): EOS numbers ports of a cage by their first lane."""
_OWN = re.compile(r"^interface Ethernet(\d+)(/\d+)?$", re.MULTILINE)
_NAMED = re.compile(r"(?:Et|Eth|Ethernet)(\d[\d/,.-]*)", re.IGNORECASE)
_PORT = re.compile(r"(\d{1,5})(?:/(\d{1,5}))?(?:\.\d+)?")


class Ports:
    """Ports of a box by cage."""

    def __init__(self, text: str) -> None:
        """Read them from a startup-config."""
        self._split = {cage: bool(lane) for cage, lane in _OWN.findall(text)}

    def judge(self, line: Line) -> Fault | None:
        """Return a fault about the first port of a line that the box does not have; None if it has all."""
        end = next((at for at, word in enumerate(line.words) if word in FREE_TEXT), len(line.words))
        for at, word in enumerate(line.words[:end] if self._split else ()):
            lead = line.words[at - 1].lower() if at else ""
            named = _NAMED.fullmatch(word) or (lead == "ethernet" and re.fullmatch(r"(\d[\d/,.-]*)", word))
            for port in _ports(named[1]) if named else ():
                hint = self._refuse(*port)
                if hint:
                    shown = "/".join(part for part in port if part)
                    message = f"the switch has no port Ethernet{shown}"
                    return Fault(Kind.REFERENCE, line.number, line.columns[at], message, hint)
        return None

    def _refuse(self, cage: str, lane: str) -> str:
        """A hint where the box does not have a port; empty where it does."""
        if cage not in self._split:
            numbers = sorted(map(int, self._split))
            return f"use a port from {numbers[0]} to {numbers[-1]}"
        if self._split[cage] and not lane:
            return f"write Ethernet{cage}/1"
        if lane and not self._split[cage]:
            return f"write Ethernet{cage}"
        return f"use a port from {cage}/1 to {cage}/{LANES_MAX}" if lane and not 1 <= int(lane) <= LANES_MAX else ""


def _ports(text: str) -> Iterator[tuple[str, str]]:
    """Cage and lane of every port that a list of ranges ends at; an end of a range may leave out its cage."""
    for part in text.split(","):
        first, _, last = part.partition("-")
        found = _PORT.fullmatch(first)
        if found is None:
            continue
        cage, lane = found[1], found[2] or ""
        yield cage, lane
        end = _PORT.fullmatch(last)
        if end is not None:
            yield (end[1], end[2] or "") if end[2] or not lane else (cage, end[1])
