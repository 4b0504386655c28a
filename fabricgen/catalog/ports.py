"""Breakout modes as catalog files write them, and names of the ports that a cage turns into and of their profiles."""

from __future__ import annotations

import re

from fabricgen.catalog.records import Cage, Mode, ModePort, NumberedPort

_OTHERS = r"(?:\[\d+G(?:,\d+G)*\])?"
_PART = re.compile(rf"([1-9]\d{{0,2}})x([1-9]\d{{0,3}})G{_OTHERS}(?:\(([1-9]\d{{0,2}})\))?{_OTHERS}")


def parse_mode(text: str, lane_count: int) -> tuple[ModePort, ...] | str:
    """Read a breakout mode such as ``2x400G(8)`` or ``2x200G(4)+4x100G(4)``: its ports in lane order, or what is wrong.

    Parts are ``NxSPEED[alternatives](lanes used by the part)``; some vendors write the alternatives last. They are
    checked and not kept. A part without ``(n)`` uses all lanes of the cage; 0 lanes: not known.

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


_PROFILE = re.compile(r"PROFILE_(?P<gbps>\d+)G_(?P<lanes>\d+)_\w+?(?:_(?P<medium>COPPER|OPTICAL))?")


def named_for(cage: Cage, mode: Mode) -> Mode:
    """The mode with its alias patterns filled in: ``{i}`` is the cage's front-panel number, ``{c}`` its name."""
    aliases = (alias.replace("{i}", str(cage.index)).replace("{c}", cage.name) for alias in mode.aliases)
    return Mode(mode.text, mode.ports, tuple(aliases))


def numbered_port(cage: Cage, name: str) -> NumberedPort | None:
    """The port of that name that the maker's software numbers in advance; None where it numbers none."""
    return next((port for port in cage.numbered if f"{cage.name}/{port.suffix}" == name), None)


def profile_lanes(name: str) -> int:
    """Serdes lanes of a port profile; 0 for a name of another form."""
    match = _PROFILE.fullmatch(name)
    return int(match["lanes"]) if match else 0


def profile_fec(name: str) -> str:
    """FEC of a port profile, in the words of every other port: ``rs``, ``fc`` or ``none``.

    Source:
        facebook/fboss 14ec47ec, fboss/agent/switch_config.thrift, PortProfileID: RS528, RS544 and RS544X2N are
        Reed-Solomon codes, CL74 is the firecode of IEEE 802.3 clause 74.
    """
    return "rs" if "_RS5" in name else "fc" if "_CL74" in name else "none"


def port_profile(
    profiles: dict[int, str], port: NumberedPort, speed_gbps: int, lanes: int, *, copper: bool
) -> int | None:
    """Number of the profile that runs a port at a speed over a medium; None if the maker has none.

    Source:
        facebook/fboss 14ec47ec, fboss/agent/switch_config.thrift, PortProfileID: speed, lanes, modulation, FEC and
        medium are spelt in the name; a name without medium holds for both.
    """
    medium = "COPPER" if copper else "OPTICAL"
    for number in port.profiles:
        match = _PROFILE.fullmatch(profiles.get(number, ""))
        if match is None or match["medium"] not in (None, medium):
            continue
        if (int(match["gbps"]), int(match["lanes"])) == (speed_gbps, lanes):
            return number
    return None
