"""Breakout modes as catalog files write them."""

from __future__ import annotations

import re

from fabricgen.catalog.records import ModePort

_OTHERS = r"(?:\[\d+G(?:,\d+G)*\])?"
_PART = re.compile(rf"([1-9]\d{{0,2}})x([1-9]\d{{0,3}})G{_OTHERS}(?:\(([1-9]\d{{0,2}})\))?{_OTHERS}")


def parse_mode(text: str, lane_count: int) -> tuple[ModePort, ...] | str:
    """Read a breakout mode such as ``2x400G(8)`` or ``2x200G(4)+4x100G(4)``.

    Args:
        text: Parts joined by ``+``, each ``NxSPEED[alternatives](lanes used by the part)``; some vendors write the
            alternatives last. They are checked and not kept.
        lane_count: Lanes of the cage; a part without ``(n)`` uses all of them. 0: not known.

    Returns:
        One entry per logical port in lane order, or what is wrong with the text.

    Source:
        sonic-net/SONiC, doc/dynamic-port-breakout.
    """
    ports: list[ModePort] = []
    used = 0
    for part in text.split("+"):
        match = _PART.fullmatch(part)
        if match is None:
            return f"{part!r} is not of the form NxSPEEDG, NxSPEEDG[OTHERG,…] or NxSPEEDG(lanes)"
        count = int(match[1])
        lanes = int(match[3] or lane_count)
        if lanes % count:
            return f"{count} ports cannot share {lanes} lanes evenly"
        used += lanes
        ports.extend([ModePort(int(match[2]), lanes // count)] * count)
    if used > lane_count and lane_count:
        return f"it needs {used} lanes, the cage has {lane_count}"
    return tuple(ports)
