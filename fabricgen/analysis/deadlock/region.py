"""The part of a fabric that decides the ways to a destination: the switches above its leafs, or all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter

from fabricgen.plan.model.cabling import up_links
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId
from fabricgen.plan.model.links import FabricLink

Pair = tuple[DeviceId, DeviceId]
"""Two switches with links between them, the lower first."""


@dataclass(slots=True)
class Region:
    """Switches with the links between them.

    Attributes:
        above: Switches above each, in the order of its uplinks.
        below: Switches below each.
        links: Parallel links of each pair.
        asns: AS number of each switch.
        drained: Pairs of which every link, or one of the switches, is drained.
    """

    above: dict[DeviceId, list[DeviceId]] = field(default_factory=dict)
    below: dict[DeviceId, list[DeviceId]] = field(default_factory=dict)
    links: dict[Pair, list[FabricLink]] = field(default_factory=dict)
    asns: dict[DeviceId, int] = field(default_factory=dict)
    drained: set[Pair] = field(default_factory=set)

    def neighbours(self, device: DeviceId) -> list[DeviceId]:
        """Return the switches next to one."""
        return [*self.above[device], *self.below[device]]


def build_region(plan: FabricPlan, leafs: Iterable[DeviceId]) -> Region:
    """Return some leafs with every switch above them.

    Args:
        plan: The plan.
        leafs: Leafs; all of the fabric give the whole fabric.
    """
    region = Region()
    level = list(dict.fromkeys(leafs))
    for device in level:
        _enter(plan, region, device)
    while level:
        found: dict[DeviceId, None] = {}
        for device in level:
            for upper, parallel in groupby(up_links(plan, device), key=attrgetter("upper_end")):
                found[upper] = None
                if upper not in region.asns:
                    _enter(plan, region, upper)
                links = region.links.setdefault((device, upper), [])
                if not links:
                    region.above[device].append(upper)
                    region.below[upper].append(device)
                links += parallel
        level = list(found)
    if plan.exceptions.switches or plan.exceptions.links:
        region.drained = {pair for pair, links in region.links.items() if _is_drained(plan, pair, links)}
    return region


def split(region: Region) -> list[frozenset[DeviceId]]:
    """Return the parts of a region between which there is no way."""
    found: list[frozenset[DeviceId]] = []
    known: set[DeviceId] = set()
    for first in region.asns:
        if first not in known:
            part, waiting = {first}, [first]
            while waiting:
                others = [each for each in region.neighbours(waiting.pop()) if each not in part]
                part.update(others)
                waiting += others
            known |= part
            found.append(frozenset(part))
    return found


def upper_switches(plan: FabricPlan, devices: set[DeviceId]) -> set[DeviceId]:
    """Return the switches of the tier above that some switches have links to."""
    return {link.upper_end for device in devices for link in up_links(plan, device)}


def _enter(plan: FabricPlan, region: Region, device: DeviceId) -> None:
    region.above.setdefault(device, [])
    region.below.setdefault(device, [])
    region.asns[device] = plan.asn_of(device)


def _is_drained(plan: FabricPlan, pair: Pair, links: Iterable[FabricLink]) -> bool:
    known = plan.exceptions
    ends = (known.of(device) for device in pair)
    found = (known.links.get(link.id) for link in links)
    return any(end is not None and end.state == "drained" for end in ends) or all(
        change is not None and change.state == "drained" for change in found
    )
