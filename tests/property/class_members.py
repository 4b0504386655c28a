"""Members of classes of symmetry, one by one: each link and each NIC has to be what its class says."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain

from fabricgen.analysis.cells import Partition
from fabricgen.analysis.fabric_load import FabricLoad
from fabricgen.plan.model.identity import DeviceId, FabricLinkId, HostId
from tests.property.explicit_fabric import Outcome, Port

Nic = tuple[HostId, int]
ZERO = Fraction(0)


def wrong_links(partition: Partition, found: FabricLoad, outcome: Outcome) -> Iterator[str]:
    """Yield each link that is in no class, or carries another load than those of its class do on average."""
    fabric = outcome.fabric
    ports = ((nic, port) for nic, some in fabric.ports.items() for port in some if outcome.works(port))
    counted = Counter[object]()
    for name, key in chain(
        ((name, _link_key(partition, outcome, name)) for name in outcome.links),
        ((port.id, _port_key(partition, nic, port)) for nic, port in ports),
    ):
        links = found.links.get(key)
        counted[key] += 1
        if links is None:
            yield f"{name} is in no class"
        elif (links.up / links.links, links.down / links.links) != (outcome.up[name], outcome.down[name]):
            yield f"{name} carries {outcome.up[name]}, {outcome.down[name]}, its class {links}"
    yield from (f"{key} has {counted[key]} links" for key, links in found.links.items() if counted[key] != links.links)


def wrong_receivers(partition: Partition, found: FabricLoad, outcome: Outcome) -> Iterator[str]:
    """Yield each NIC to which other parts of traffic arrive, or over other widths, than to its class."""
    fabric = outcome.fabric
    sizes = Counter(_nic_key(partition, nic) for nic in fabric.ports)
    parts: defaultdict[object, Counter[Fraction]] = defaultdict(Counter)
    widths: defaultdict[object, set[tuple[int, bool, int]]] = defaultdict(set)
    for key, received in found.received.items():
        for reach in received.pairs.values():
            parts[key][reach.arriving] += reach.pairs
        widths[key] = {(width.device.tier, width.upwards, width.links) for width in received.widths.values()}
    seen: defaultdict[Nic, set[tuple[int, bool, int]]] = defaultdict(set)
    for (host, rail, _, device, upwards), links in outcome.widths.items():
        seen[host, rail].add((device.tier, upwards, links))
    for nic in fabric.ports:
        key, (host, rail) = _nic_key(partition, nic), nic
        others = [other for other, number in fabric.ports if number == rail and other != host]
        own = Counter(outcome.arriving.get((other, host, rail), ZERO) for other in others)
        if {part: count * sizes[key] for part, count in own.items()} != parts[key]:
            yield f"to {nic} arrive {own}, to its class {parts[key]}"
        if seen[nic] != widths[key]:
            yield f"ways to {nic} have {seen[nic]}, those to its class {widths[key]}"


def _nic_key(partition: Partition, nic: Nic) -> tuple[object, ...]:
    host, rail = nic
    return partition.host_key(host), partition.rail_key(host.group, rail)


def _port_key(partition: Partition, nic: Nic, port: Port) -> tuple[object, ...]:
    return ("port", *_nic_key(partition, nic), partition.key(port.leaf))


def _link_key(partition: Partition, outcome: Outcome, name: FabricLinkId) -> tuple[object, ...]:
    ends: tuple[DeviceId, DeviceId] = outcome.fabric.ends[name]
    change = partition.plan.exceptions.links.get(name)
    return (*(partition.key(end) for end in ends), change is not None and change.state == "drained")
