"""Pairs of addresses that are tried, and pairs of NICs of one rail, which is what ``analyze failures`` counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fabricgen.lab.failures.names import Attached
from fabricgen.lab.failures.prediction import Pair

Ends = tuple[object, object]


def count_pairs(before: Mapping[Pair, bool], now: Mapping[Pair, bool]) -> tuple[int, int]:
    """Return the ordered pairs of NICs of one rail that are cut off, and those of which only a part is.

    Args:
        before: Whether packets arrived without the failure, by pair of addresses.
        now: The same with the failure.
    """
    met: dict[Ends, list[bool]] = {}
    for (a, b), arrived in before.items():
        if arrived and a.links[0].rail == b.links[0].rail:
            met.setdefault((_nic(a), _nic(b)), []).append(now[a, b])
    cut = sum(not any(found) for found in met.values())
    return cut, sum(any(found) and not all(found) for found in met.values())


def _nic(attached: Attached) -> object:
    """Return which NIC an address belongs to."""
    link = attached.links[0]
    return link.host, link.rail


def list_pairs(attached: Sequence[Attached]) -> list[Pair]:
    """Return every ordered pair of addresses of different hosts, one family and one plane."""
    return [
        (a, b)
        for a in attached
        for b in attached
        if a.links[0].host != b.links[0].host and a.plane == b.plane and is_six(a) == is_six(b)
    ]


def is_six(attached: Attached) -> bool:
    """Return whether an address is of IPv6."""
    return ":" in attached.nic.place.address


def choose_family(attached: Sequence[Attached]) -> list[Attached]:
    """Return the addresses of one family: IPv4 where there is one."""
    four = [each for each in attached if not is_six(each)]
    return four or list(attached)
