"""Faults planted in a switch: the check that has to find each, and the platforms whose answers show it."""

from __future__ import annotations

from collections.abc import Callable

from tests.unit.state.answers import WRITERS
from tests.unit.state.bench import Bench

PLATFORMS = tuple(platform for platform in WRITERS if platform != "ubuntu")

Fault = Callable[[Bench], str]
"""Spoils a device and returns where the fault has to be found."""
GONE = None


def change(table: str, value: object, *path: int | str, at: int | str = 0) -> Fault:
    """Return a fault: the entry of a table at a key or number, or what ``path`` leads to in it, is changed or gone."""

    def spoil(bench: Bench) -> str:
        entries = getattr(bench, table)
        key = [*entries][at] if isinstance(at, int) else at
        place, last = entries, key
        for step in path:
            place, last = place[last], step
        if value is GONE:
            del place[last]
        else:
            place[last] = value(place[last]) if callable(value) else value
        return str(key)

    return spoil


def add(number: int) -> Callable[[int], int]:
    return lambda old: old + number


def swap_port(bench: Bench) -> str:
    """The right device, the wrong port of it."""
    port, (device, _) = next((port, end) for port, end in bench.neighbors.items() if end[0].startswith("spine"))
    bench.neighbors[port] = (device, "Ethernet999")
    return port


def run_other_release(bench: Bench) -> str:
    bench.version = "201911"
    return "software"


lose_next_hop = change("routes", lambda ports: ports[1:])
dim_lane, darken_laser = change("optics", -13.2, "rx", 2), change("optics", ["-inf"] * 4, "tx")
overheat = change("optics", 81.5, "degrees")
ALL, LINUX, SONIC, EOS = PLATFORMS, ("frr", "cumulus_nvue"), ("sonic",), ("eos",)
BUT_FBOSS = tuple(platform for platform in PLATFORMS if platform != "fboss")
FAULTS: list[tuple[str, Fault, tuple[str, ...]]] = [
    ("sessions", change("sessions", lambda old: (old[0], "Active", old[2])), ALL),
    ("sessions", change("sessions", lambda old: (old[0] + 1, *old[1:])), ALL),
    ("sessions", change("sessions", (64999, "Established", 1), at="192.0.2.1"), ALL),
    ("sessions", change("sessions", GONE), ALL),
    ("prefixes", change("sessions", lambda old: (*old[:2], old[2] - 1)), ALL),
    ("bfd", change("bfd", "down"), BUT_FBOSS),
    ("next hops", lose_next_hop, ALL),
    ("next hops", change("routes", GONE), ALL),
    ("cables", change("neighbors", GONE, at=5), ALL),
    ("cables", swap_port, ALL),
    ("cables", change("neighbors", ("toaster", "eth0"), at="Ethernet512"), ALL),
    ("ports", change("ports", False, 0), ALL),
    ("ports", change("ports", lambda speed: speed // 2, 1), ALL),
    ("ports", change("ports", 1500, 3), BUT_FBOSS),
    ("ports", change("ports", "fc", 2), BUT_FBOSS),
    ("pfc", change("pauses", add(1), 0), (*SONIC, *EOS, "cumulus_nvue", "fboss")),
    ("watchdog", change("watchdogs", "N/A", 0), SONIC),
    ("watchdog", change("watchdogs", ["stormed", 3, 2]), (*SONIC, *EOS)),
    ("watchdog", change("watchdogs", ["operational", 3, 3]), (*SONIC, *EOS)),
    ("watchdog", change("watchdogs", lambda old: [old[0], 0, 0]), (*SONIC, *EOS)),
    ("errors", change("errors", add(12)), ALL),
    ("errors", change("errors", 0), ALL),
    ("drops", change("drops", add(1), 3), (*SONIC, *EOS, "fboss")),
    ("fec", change("uncorrected", add(3)), ALL),
    ("optics", dim_lane, BUT_FBOSS),
    ("optics", darken_laser, BUT_FBOSS),
    ("optics", overheat, ALL),
    ("optics", change("optics", 2.9, "volts"), ALL),
    ("ecn", change("marks", add(1), 1), (*SONIC, *EOS)),
    ("ecn", change("marks", []), (*SONIC, *EOS)),
    ("software", run_other_release, (*SONIC, "cumulus_nvue")),
]
