"""Next hops of every switch of a region towards a destination, in one state of failures.

A path-vector computation with the policies of the fabric: what came from above is marked, and marked routes neither
leave upwards nor are taken from below, unless the rules say otherwise; a path with the receiver's own AS number is
refused. Equal paths are all kept, as ECMP does, and any of them may be the one that is announced. ``forwarding``
chooses among cells of switches that are alike, where one equal path with the receiver's number refuses them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from fabricgen.analysis.deadlock.region import HostRail, Pair, Region
from fabricgen.analysis.deadlock.turns import ForwardingRules
from fabricgen.plan.model.identity import DeviceId


class FailureState(NamedTuple):
    """Failures: switches, every link between two switches, or every link of the destination to a leaf."""

    switches: frozenset[DeviceId] = frozenset()
    pairs: frozenset[Pair] = frozenset()
    leafs: frozenset[DeviceId] = frozenset()

    def works(self, one: DeviceId, other: DeviceId) -> bool:
        """Return whether packets get from one switch to another next to it."""
        return _pair(one, other) not in self.pairs and not (one in self.switches or other in self.switches)


class _Path(NamedTuple):
    """A path as it is compared and announced; ``marked`` if it came from above, ``over`` the next switch."""

    drained: bool
    asns: tuple[int, ...]
    marked: bool
    over: DeviceId


NextHops = Mapping[DeviceId, tuple[DeviceId, ...]]
"""Next switches by switch; one that delivers to the host itself, or drops, has none."""


def next_hops(region: Region, rules: ForwardingRules, destination: HostRail, state: FailureState) -> NextHops:
    """Return the next hops towards a destination; the route to the host is preferred to that to its block."""
    working = {leaf for leaf in destination.access if leaf not in state.leafs | state.switches}
    blocks = {leaf for leaf in destination.twins if leaf not in state.switches}
    found = dict(_spread(region, rules, blocks, state))
    if destination.has_route:
        found |= _spread(region, rules, working, state)
        found |= dict.fromkeys(working, ())
    return found


def _spread(region: Region, rules: ForwardingRules, owners: Iterable[DeviceId], state: FailureState) -> NextHops:
    """Return the next hops of every switch that has a route to some owners of a prefix, but for these themselves."""
    best: dict[DeviceId, tuple[_Path, ...]] = {leaf: (_Path(False, (), False, leaf),) for leaf in owners}
    own = set(best)
    waiting = dict.fromkeys(each for leaf in best for each in region.neighbours(leaf))
    turns = 0
    while waiting and turns <= 8 * len(region.asns) ** 2:
        turns += 1
        device = next(iter(waiting))
        del waiting[device]
        if device in own or device in state.switches:
            continue
        chosen = _choose(region, rules, device, best, state)
        if chosen != best.get(device, ()):
            best[device] = chosen
            waiting |= dict.fromkeys(region.neighbours(device))
    return {
        device: tuple(dict.fromkeys(path.over for path in paths))
        for device, paths in best.items()
        if paths and device not in own
    }


def _choose(
    region: Region,
    rules: ForwardingRules,
    device: DeviceId,
    best: Mapping[DeviceId, tuple[_Path, ...]],
    state: FailureState,
) -> tuple[_Path, ...]:
    """Return the best of the paths that a switch is offered and accepts."""
    number, loops = region.asns[device], device.tier in rules.own_number
    offers = (
        offer
        for other in region.neighbours(device)
        if state.works(device, other)
        for path in best.get(other, ())
        if (offer := _offer(region, rules, device, other, path)) is not None
    )
    accepted = tuple(dict.fromkeys(offer for offer in offers if loops or number not in offer.asns))
    first = min(((path.drained, len(path.asns)) for path in accepted), default=None)
    return tuple(path for path in accepted if (path.drained, len(path.asns)) == first)


def _offer(region: Region, rules: ForwardingRules, device: DeviceId, other: DeviceId, path: _Path) -> _Path | None:
    """Return a path of another switch as a switch gets it; None if it leads back, or a policy denies it."""
    above = other.tier > device.tier
    if path.over == device or (path.marked and not above):
        return None
    marked = path.marked or (above and device.tier not in rules.valleys)
    drained = path.drained or _pair(device, other) in region.drained
    return _Path(drained, (region.asns[other], *path.asns), marked, other)


def _pair(one: DeviceId, other: DeviceId) -> Pair:
    return (one, other) if one.tier < other.tier else (other, one)
