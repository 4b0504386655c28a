"""Faults planted in a switch: the check that has to find each, and the platforms whose answers show it."""

from __future__ import annotations

from collections.abc import Callable

from tests.unit.state.answers import WRITERS
from tests.unit.state.bench import Bench

PLATFORMS = tuple(platform for platform in WRITERS if platform != "ubuntu")

Fault = Callable[[Bench], str]
"""Spoils a switch and returns where the fault has to be found."""


def drop_session(bench: Bench) -> str:
    neighbor, (asn, _, count) = next(iter(bench.sessions.items()))
    bench.sessions[neighbor] = (asn, "Active", count)
    return neighbor


def change_as(bench: Bench) -> str:
    neighbor, (asn, state, count) = next(iter(bench.sessions.items()))
    bench.sessions[neighbor] = (asn + 1, state, count)
    return neighbor


def add_session(bench: Bench) -> str:
    bench.sessions["192.0.2.1"] = (64999, "Established", 1)
    return "192.0.2.1"


def lose_session(bench: Bench) -> str:
    neighbor = next(iter(bench.sessions))
    del bench.sessions[neighbor]
    return neighbor


def accept_less(bench: Bench) -> str:
    neighbor, (asn, state, count) = next(iter(bench.sessions.items()))
    bench.sessions[neighbor] = (asn, state, count - 1)
    return neighbor


def lose_bfd(bench: Bench) -> str:
    neighbor = next(iter(bench.bfd))
    bench.bfd[neighbor] = "down"
    return neighbor


def lose_next_hop(bench: Bench) -> str:
    prefix = next(iter(bench.routes))
    bench.routes[prefix] = bench.routes[prefix][1:]
    return prefix


def lose_route(bench: Bench) -> str:
    prefix = next(iter(bench.routes))
    del bench.routes[prefix]
    return prefix


def pull_cable(bench: Bench) -> str:
    port = list(bench.neighbors)[5]
    del bench.neighbors[port]
    return port


def swap_port(bench: Bench) -> str:
    """The right device, the wrong port of it."""
    port, (device, _) = next((port, end) for port, end in bench.neighbors.items() if end[0].startswith("spine"))
    bench.neighbors[port] = (device, "Ethernet999")
    return port


def plug_into_spare(bench: Bench) -> str:
    bench.neighbors["Ethernet512"] = ("toaster", "eth0")
    return "Ethernet512"


def take_port_down(bench: Bench) -> str:
    port = next(iter(bench.ports))
    bench.ports[port][0] = False
    return port


def halve_speed(bench: Bench) -> str:
    port = next(iter(bench.ports))
    bench.ports[port][1] //= 2
    return port


def shrink_mtu(bench: Bench) -> str:
    port = next(iter(bench.ports))
    bench.ports[port][3] = 1500
    return port


def change_fec(bench: Bench) -> str:
    port = next(iter(bench.ports))
    bench.ports[port][2] = "fc"
    return port


def pause_lossy(bench: Bench) -> str:
    port = next(iter(bench.pauses))
    bench.pauses[port][0] += 1
    return port


def stop_watchdog(bench: Bench) -> str:
    port = next(iter(bench.watchdogs))
    bench.watchdogs[port][0] = "N/A"
    return port


def storm(bench: Bench) -> str:
    port = next(iter(bench.watchdogs))
    bench.watchdogs[port] = ["stormed", 3, 2]
    return port


def storm_once(bench: Bench) -> str:
    port = next(iter(bench.watchdogs))
    bench.watchdogs[port] = ["operational", 3, 3]
    return port


def forget_storms(bench: Bench) -> str:
    port = next(iter(bench.watchdogs))
    bench.watchdogs[port][1:] = [0, 0]
    return port


def new_errors(bench: Bench) -> str:
    port = next(iter(bench.errors))
    bench.errors[port] += 12
    return port


def drop_lossless(bench: Bench) -> str:
    port = next(iter(bench.drops))
    bench.drops[port][3] += 1
    return port


def lose_codewords(bench: Bench) -> str:
    port = next(iter(bench.uncorrected))
    bench.uncorrected[port] += 3
    return port


def dim_lane(bench: Bench) -> str:
    port = next(iter(bench.optics))
    bench.optics[port]["rx"][2] = -13.2
    return port


def darken_laser(bench: Bench) -> str:
    port = next(iter(bench.optics))
    bench.optics[port]["tx"] = ["-inf"] * 4
    return port


def overheat(bench: Bench) -> str:
    port = next(iter(bench.optics))
    bench.optics[port]["degrees"] = 81.5
    return port


def drop_voltage(bench: Bench) -> str:
    port = next(iter(bench.optics))
    bench.optics[port]["volts"] = 2.9
    return port


def lose_mark_counters(bench: Bench) -> str:
    port = next(iter(bench.marks))
    bench.marks[port] = []
    return port


def mark_lossy(bench: Bench) -> str:
    port = next(iter(bench.marks))
    bench.marks[port][1] += 1
    return port


def clear_counters(bench: Bench) -> str:
    port = next(iter(bench.errors))
    bench.errors[port] = 0
    return port


def run_other_release(bench: Bench) -> str:
    bench.version = "201911"
    return "software"


ALL, LINUX, SONIC, EOS = PLATFORMS, ("frr", "cumulus_nvue"), ("sonic",), ("eos",)
BUT_FBOSS = tuple(platform for platform in PLATFORMS if platform != "fboss")
FAULTS: list[tuple[str, Fault, tuple[str, ...]]] = [
    ("sessions", drop_session, ALL),
    ("sessions", change_as, ALL),
    ("sessions", add_session, ALL),
    ("sessions", lose_session, ALL),
    ("prefixes", accept_less, ALL),
    ("bfd", lose_bfd, BUT_FBOSS),
    ("next hops", lose_next_hop, ALL),
    ("next hops", lose_route, ALL),
    ("cables", pull_cable, ALL),
    ("cables", swap_port, ALL),
    ("cables", plug_into_spare, ALL),
    ("ports", take_port_down, ALL),
    ("ports", halve_speed, ALL),
    ("ports", shrink_mtu, BUT_FBOSS),
    ("ports", change_fec, BUT_FBOSS),
    ("pfc", pause_lossy, (*SONIC, *EOS, "cumulus_nvue", "fboss")),
    ("watchdog", stop_watchdog, SONIC),
    ("watchdog", storm, (*SONIC, *EOS)),
    ("watchdog", storm_once, (*SONIC, *EOS)),
    ("watchdog", forget_storms, (*SONIC, *EOS)),
    ("errors", new_errors, ALL),
    ("errors", clear_counters, ALL),
    ("drops", drop_lossless, (*SONIC, *EOS, "fboss")),
    ("fec", lose_codewords, ALL),
    ("optics", dim_lane, BUT_FBOSS),
    ("optics", darken_laser, BUT_FBOSS),
    ("optics", overheat, ALL),
    ("optics", drop_voltage, ALL),
    ("ecn", mark_lossy, (*SONIC, *EOS)),
    ("ecn", lose_mark_counters, (*SONIC, *EOS)),
    ("software", run_other_release, (*SONIC, "cumulus_nvue")),
]
