"""Figures of a plan that papers and guides publish of a fabric: the summary, and counts of one unit, pod and switch.

Names are those of ``fabricgen show INVENTORY summary --format json`` with dots for levels (``by_tier.leaf``), and

* ``unit.gpus``, ``pod.gpus``, ``pod.hosts``, ``unit.leaf``, ``pod.spine``: what the first unit and pod have;
* ``leaf.down``, ``leaf.up``, ``spine.down_gbps``: ports of the first switch of a tier, and the rate of one;
* ``leaf.up_spare``: uplinks of that switch that may fail while the rest carries what the ports down bring;
* ``host.nics``, ``host.nic_gbps``: rails of a host, and the rate of all ports of one NIC;
* ``host.nvlink_hosts``: hosts that one NVLink switch fabric can join;
* ``tiers``, ``links.host-leaf``: how many tiers of switches there are, and the medium of cables;
* ``lossless.mode``, ``lossless.classes``, ``lossless.watchdog_ms``: the contract;
* ``collectives.qps``: queue pairs of a connection.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from fabricgen.analysis.capacity import summarize
from fabricgen.catalog import Catalog
from fabricgen.device.lower import Lowering
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import Coordinates, DeviceId
from fabricgen.tables.scale_up import find_scale_up

Figure = int | float | str
"""A count, a ratio, or both sides of a ratio as ``16:15``."""


def list_facts(plan: FabricPlan, catalog: Catalog | None) -> dict[str, Figure]:
    """Return every figure of a plan by its name.

    Args:
        plan: A plan without exceptions.
        catalog: The models of its intent.
    """
    scale_up = {name: each._asdict() for name, each in find_scale_up(plan, catalog).items()}
    summary = asdict(summarize(plan, 0)) | {"scale_up": scale_up}
    return dict([*_flatten(summary), *_parts(plan), *_switches(plan), *_hosts(plan), *_everywhere(plan)])


def _flatten(tree: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Figure]]:
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{above}{name}.")
        elif value is not None:
            yield above + name, value


def _parts(plan: FabricPlan) -> Iterator[tuple[str, Figure]]:
    """Yield what the first unit and the first pod have; spare hosts do not count."""
    hosts = [host for host in plan.all_hosts() if host.host < plan.hosts[host.group].per_unit]
    for part, units in (("unit", 1), ("pod", None)):
        inside = [host for host in hosts if not (host.where.zone or host.where.pod or (units and host.where.unit))]
        yield f"{part}.hosts", len(inside)
        yield f"{part}.gpus", sum(plan.hosts[host.group].gpus for host in inside)
        for tier in plan.tiers:
            of_first = tier.counts._replace(zone=1, pod=1, unit=units or tier.counts.unit)
            yield f"{part}.{tier.name}", tier._replace(counts=of_first).size


def _switches(plan: FabricPlan) -> Iterator[tuple[str, Figure]]:
    """Yield the ports of the first switch of each tier, by side."""
    lowering = Lowering(plan)
    for tier in plan.tiers:
        shapes = [port.shape for port in lowering.lower_switch(DeviceId(tier.number, Coordinates())).ports]
        for side in ("down", "up"):
            rates = [shape.speed_gbps for shape in shapes if shape.side == side]
            if rates:
                yield f"{tier.name}.{side}", len(rates)
                yield f"{tier.name}.{side}_gbps", max(rates)
        both = [sum(shape.speed_gbps for shape in shapes if shape.side == side) for side in ("up", "down")]
        if all(both):
            yield f"{tier.name}.up_of_down", float(Fraction(*both))
            yield f"{tier.name}.up_spare", (both[0] - both[1]) // plan.links[tier.number + 1].speed_gbps


def _hosts(plan: FabricPlan) -> Iterator[tuple[str, Figure]]:
    group = plan.hosts[0]
    yield "host.gpus", group.gpus
    yield "host.nics", len(group.rails)
    yield "host.nic_gbps", group.nic_ports * group.link.speed_gbps
    yield "host.nvlink_gpus", group.gpus * group.nvlink_hosts
    yield "host.nvlink_hosts", group.nvlink_hosts


def _everywhere(plan: FabricPlan) -> Iterator[tuple[str, Figure]]:
    """Yield what is the same on every device."""
    yield "tiers", len(plan.tiers)
    names = ("host", *(tier.name for tier in plan.tiers))
    for lower, upper, links in zip(names, names[1:], plan.links, strict=False):
        yield f"links.{lower}-{upper}", links.media
    yield "lossless.mode", plan.contract.mode
    yield "lossless.classes", len(plan.contract.lossless)
    yield "lossless.watchdog_ms", plan.watchdog.detection_ms
    yield "collectives.qps", plan.collectives.qps_per_connection
