"""Names of the ports that a cage turns into, and of the profiles that the maker has for them."""

from __future__ import annotations

import re

from fabricgen.catalog.records import Cage, Mode, NumberedPort

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

    Args:
        profiles: Names by number, ``SwitchModel.port_profiles``.
        port: The port, which lists the numbers it can run.
        speed_gbps: Gb/s, decimal.
        lanes: Serdes lanes of the port.
        copper: Whether the cable is copper; else it is optical.

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
