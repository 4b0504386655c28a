"""Records of observed state, the same for every platform.

``state_readers`` of a platform gives the function that makes records of the answer to each state reading. What an
answer does not say is None or empty, and is not judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from fabricgen.diagnostics.words import ranges


class BgpSession(NamedTuple):
    """A BGP session.

    Attributes:
        neighbor: Address of the neighbor, or own port where the link has no addresses.
        state: State in the daemon's word, in lower case; ``established`` where it is up.
        asn: AS number that is configured for the neighbor; ``local_asn`` is the device's own towards it.
        received: Prefixes accepted from it, by family: ``ipv4``, ``ipv6``.
    """

    neighbor: str
    state: str
    asn: int | None = None
    local_asn: int | None = None
    received: Mapping[str, int] = {}


class Bfd(NamedTuple):
    """A BFD session: address of the neighbor, own port where the answer names it, state in lower case."""

    neighbor: str
    port: str
    state: str


class LldpNeighbor(NamedTuple):
    """A neighbor that LLDP reports on a port.

    Attributes:
        device: Name that it gives itself; empty if it gives none.
        peer_port: Identifier of its port; ``description`` is what it says of that port.
        chassis: Its own identifier, often a MAC address.
    """

    port: str
    device: str
    peer_port: str
    description: str = ""
    chassis: str = ""


class InstalledRoute(NamedTuple):
    """A route of BGP in the forwarding table; ``ports`` are those of its next hops that forward, or their addresses."""

    prefix: str
    ports: tuple[str, ...]


class PortState(NamedTuple):
    """Operation of a port.

    Attributes:
        up: Packets pass; ``admin_up`` if it is switched on.
        speed_gbps: Speed in operation, Gb/s.
        fec: Forward error correction in operation; a word of the catalog.
        optic: Transceiver or cable; ``none`` where the cage is empty.
    """

    port: str
    up: bool | None = None
    admin_up: bool | None = None
    speed_gbps: float | None = None
    fec: str = ""
    mtu_bytes: int | None = None
    optic: str = ""


class Counter(NamedTuple):
    """A counter of a port, or of one of its priorities, queues or traffic classes.

    Attributes:
        name: One of ``COUNTERS``.
        priority: Priority, which is the number of its queue as well; None where the counter is the port's.
    """

    port: str
    name: str
    value: int
    priority: int | None = None


class Module(NamedTuple):
    """A port whose transceiver or cable answered, whatever it measures."""

    port: str


class Level(NamedTuple):
    """A quantity that a transceiver measures, with the thresholds at which the transceiver itself raises an alarm.

    Attributes:
        name: One of ``LEVELS``.
        value: Value now, dBm for powers, degrees Celsius, volts, mA; minus infinity where there is no light.
        low: Threshold below which it raises an alarm; ``high`` the one above. None where it shows none.
        lane: Lane of its medium, from 1; None where the quantity is the whole transceiver's.
        alarm: Alarm that it raises itself, ``low``, ``high`` or ``none``, of a device that does not show thresholds.
    """

    port: str
    name: str
    value: float
    low: float | None = None
    high: float | None = None
    lane: int | None = None
    alarm: str = ""


RX_POWER, TX_POWER, BIAS, TEMPERATURE, VOLTAGE = (
    "receive power",
    "transmit power",
    "laser bias",
    "temperature",
    "supply voltage",
)
LEVELS = {RX_POWER: "dBm", TX_POWER: "dBm", BIAS: "mA", TEMPERATURE: "°C", VOLTAGE: "V"}
"""Names of levels, with their units."""


class RdmaDevice(NamedTuple):
    """An RDMA device: its port, which may be empty, its name, and its state, ``active`` where it is up."""

    port: str
    name: str
    state: str


PFC_RECEIVED, PFC_SENT, ERRORS, DROPS, MARKED, UNCORRECTED = (
    "PFC frames received",
    "PFC frames sent",
    "errors",
    "packets dropped",
    "packets marked",
    "codewords that FEC could not correct",
)
MARKED_RECEIVED, CNP_SENT, CNP_HANDLED, CNP_IGNORED, PAUSE_STORMS, DROPPED_BYTES = (
    "marked packets received",
    "CNPs sent",
    "CNPs acted on",
    "CNPs ignored",
    "storms of its own pauses that a NIC ended",
    "bytes dropped",
)
COUNTERS = (
    *(PFC_RECEIVED, PFC_SENT, ERRORS, DROPS, MARKED, UNCORRECTED),
    *(MARKED_RECEIVED, CNP_SENT, CNP_HANDLED, CNP_IGNORED, PAUSE_STORMS, DROPPED_BYTES),
)
"""Names of counters; drops and marks are those of queues."""
UNCHANGED = "changes nothing"
"""Value of the setting ``next reboot`` of an output that runs as it is saved."""


class ActiveSetting(NamedTuple):
    """A setting that is in effect.

    Attributes:
        at: Port, or the file of ours that sets it.
        name: One of ``SETTINGS``, or the path in that file; of code points, with their priority.
        value: Value as text; numbers as ``name_numbers`` writes them.
    """

    at: str
    name: str
    value: str


def name_numbers(numbers: Iterable[int]) -> str:
    """Return numbers as a list with ranges, such as ``0-2,4``; ``none`` for none."""
    return ranges(set(numbers), ",") or "none"


TRUST, PAUSED, CODE_POINTS, CM_TOS = "trust", "PFC priorities", "code points of priority", "traffic class of RDMA CM"
CNP_DSCP, CNP_PRIORITY, NOTIFIES, REACTS = (
    "code point of CNPs",
    "priority of CNPs",
    "priorities that send CNPs",
    "priorities that slow down",
)
FIRMWARE = "firmware"
SETTINGS = (TRUST, PAUSED, CODE_POINTS, CM_TOS, CNP_DSCP, CNP_PRIORITY, NOTIFIES, REACTS, FIRMWARE)
"""Names of settings of NIC ports; DCQCN runs on the priorities that send CNPs, and slow down for them."""


class QueueWatchdog(NamedTuple):
    """PFC watchdog of a queue: ``operational``, ``stormed`` or ``off``, and how many storms began and ended."""

    port: str
    priority: int
    state: str
    detected: int
    restored: int


class Storms(NamedTuple):
    """Storms that PFC watchdogs counted, of a device that lists only queues which had one.

    Attributes:
        queues: Those queues; their state is empty, because nothing says whether the watchdog of another queue runs.
    """

    queues: tuple[QueueWatchdog, ...]


class System(NamedTuple):
    """Software of a device, and seconds since it started; None where the answer does not say."""

    version: str
    uptime_s: float | None = None


Observation = (
    BgpSession
    | Bfd
    | LldpNeighbor
    | InstalledRoute
    | PortState
    | Counter
    | Module
    | Level
    | RdmaDevice
    | ActiveSetting
    | QueueWatchdog
    | Storms
    | System
)
Reader = Callable[[bytes], list[Observation]]
"""Reads the answer to one command; raises ``MisreadError`` where it is not of the expected form, ``LackingError`` where
it says that the device does not have what is read."""
Readers = Mapping[str, Reader]
