"""A switch as its own files describe it, in no platform's syntax: what an import infers an intent from.

A reader fills it in from the trees that comparisons read too; it parses no text. What the files do not say is left out
(0, or empty), never guessed. Identity and ports have fields of their own. Everything else is a setting, under the key
of the intent that would render it: what such a key is where it is left out is no business of a reader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from fabricgen.platforms.reading.reader import Tree

_OPENING = "@fabricgen-secret:"
"""Beginning of what a rendered file has in place of a secret: scheme and key of its reference follow, and a ``@``."""
Trees = Mapping[str, "Tree"]
"""Trees of the files of a device, by path on the device."""


class Spot(NamedTuple):
    """A place in a file of the device: its path, and steps of its tree. Lines are looked up when they are shown."""

    path: str
    steps: tuple[str, ...] = ()

    def below(self, *steps: str) -> Spot:
        """Return the place some steps further."""
        return Spot(self.path, (*self.steps, *steps))


@dataclass(frozen=True, slots=True)
class FoundPort:
    """A port of the front panel that is in use, or could be.

    Attributes:
        order: Number of its cage and of the port within it, by which ports are sorted.
        breakout: The mode of its cage, as the platform writes it; empty where that is not written.
        fec: As the platform writes it; empty where that is not written.
        mtu: IP MTU, bytes.
        addresses: With their prefix length, but for link-local ones.
        neighbor: Device and port at the other end, by a table of neighbors or the description; empty if neither says.
        cable_m: Length that its headroom is for, metres; 0 where only ``headroom_bytes`` says it.
        bond: Bond that it is a member of.
    """

    name: str
    spot: Spot
    order: tuple[int, int]
    is_up: bool
    speed_gbps: int = 0
    breakout: str = ""
    fec: str = ""
    mtu: int = 0
    addresses: tuple[str, ...] = ()
    description: str = ""
    neighbor: tuple[str, str] = ("", "")
    cable_m: float = 0
    bond: str = ""
    headroom_bytes: int = 0


@dataclass(frozen=True, slots=True)
class FoundSession:
    """A BGP session that is configured.

    Attributes:
        peer: Address of the neighbor, or the port that leads to it where the link has no addresses (``is_port``).
        asn: AS number that the neighbor must have; 0 for any other than the own one.
        group: Peer group.
    """

    peer: str
    spot: Spot
    asn: int = 0
    group: str = ""
    is_port: bool = False


@dataclass(frozen=True, slots=True)
class FoundSetting:
    """A value of a key of the intent, such as ``routing.timers.hold_s``, as the intent would have it.

    A secret is its reference, ``{"secret": "env:KEY"}``, where a file of ours has that; else the value ``None``: what a
    device keeps is never copied.
    """

    key: str
    value: Any
    spot: Spot


@dataclass(frozen=True, slots=True)
class FoundSwitch:
    """A switch.

    Attributes:
        model: Board as the platform names it; empty on platforms whose files do not tell boards apart.
        sku: Port profile of the board.
        loopbacks: Addresses without prefix length, IPv4 first.
        management: With its prefix length; ``gateway`` without.
        prefixes: Networks that its prefix and access lists name: pools are among them.
        prefix_limit: Prefixes of a neighbor at which a session is torn down.
        spots: Place of each field above by its name; fields that the files do not have are left out.
    """

    name: str
    platform: str
    spots: Mapping[str, Spot]
    model: str = ""
    sku: str = ""
    release: str = ""
    loopbacks: tuple[str, ...] = ()
    router_id: str = ""
    asn: int = 0
    management: str = ""
    gateway: str = ""
    prefixes: frozenset[str] = frozenset()
    ports: Sequence[FoundPort] = ()
    sessions: Sequence[FoundSession] = ()
    prefix_limit: int = 0
    settings: Sequence[FoundSetting] = ()


def secret_reference(text: str) -> dict[str, str] | None:
    """Return the reference that a rendered file has in place of a secret; None for a secret itself."""
    if not (text.startswith(_OPENING) and text.endswith("@")):
        return None
    return {"secret": text[len(_OPENING) : -1]}
