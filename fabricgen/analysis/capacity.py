"""Capacity of a fabric: GPUs, hosts, switches, oversubscription."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import product

from fabricgen.physics.capacity import reduced
from fabricgen.plan.model.cabling import missing_links
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import HostLinkId
from fabricgen.plan.model.topology import HostGroup, LinkGroup, Tier, UnitKind


def count_gpus(plan: FabricPlan) -> int:
    """GPUs of every host that exists, spares apart."""
    absent = sum(group.gpus for group, host in absent_hosts(plan) if host < group.per_unit)
    return sum(group.gpus * group.per_unit * units_with(plan, group) for group in plan.hosts) - absent


def units_with(plan: FabricPlan, group: HostGroup) -> int:
    """Return how many units have a group."""
    counts = plan.tiers[0].counts
    per_pod = sum(1 for unit in range(counts.unit) if group.in_unit(unit))
    return per_pod * counts.pod * counts.zone


def absent_hosts(plan: FabricPlan) -> list[tuple[HostGroup, int]]:
    """(group, number in unit) of every host the intent says is not there."""
    return [
        (plan.hosts[host.group], host.host)
        for host, exception in plan.exceptions.hosts.items()
        if exception.state == "absent"
    ]


def tier_oversubscription(
    plan: FabricPlan, tier: Tier, kind: UnitKind | None = None, *, spares: bool = False
) -> tuple[int, int] | None:
    """Downlink over uplink Gb/s of one fully populated device at current counts, in lowest terms; None on the top tier.

    Spare hosts are at work only while another is not; ``spares`` counts them as well. ``kind`` asks for leafs of units
    of a kind.

    Source:
        The usual definition, for example RFC 7938 section 3.2.
    """
    if tier.up is None:
        return None
    up = plan.links[tier.number + 1]
    down = plan.links[tier.number]
    if tier.number == 0:
        units = (unit for unit in range(tier.counts.unit) if kind is None or kind.in_kind(unit))
        leafs = product(units, range(tier.counts.group))
        gbps = max((_host_gbps(plan, unit, group, kind, spares) for unit, group in leafs), default=0)
    else:
        lower = plan.tiers[tier.number - 1]
        strides = down.ordinal.strides
        ports = down.per_pair
        for name, stride in zip(strides._fields, strides, strict=True):
            ports *= getattr(lower.counts, name) if stride else 1
        gbps = ports * down.speed_gbps
    return reduced(gbps, uplinks_of(up, kind) * up.speed_gbps)


def uplinks_of(links: LinkGroup, kind: UnitKind | None) -> int:
    """Return how many uplinks of a group a switch has, or a leaf of a kind."""
    return (kind.uplinks if kind else 0) or links.width * links.per_pair


def _host_gbps(plan: FabricPlan, unit: int, leaf_group: int, kind: UnitKind | None, spares: bool) -> int:
    """Return what the hosts of a unit can send to the first leaf of a rail group."""
    return sum(
        ((kind.per_unit(group) if kind else group.per_unit) + (group.backup_per_unit if spares else 0))
        * len(group.rails_on(leaf_group))
        * group.ports_per_leaf
        * group.link.speed_gbps
        for group in plan.hosts
        if group.in_unit(unit)
    )


def _with_spares(plan: FabricPlan) -> dict[str, str]:
    leaf = plan.tiers[0]
    ratio = tier_oversubscription(plan, leaf, spares=True)
    return {leaf.name: f"{ratio[0]}:{ratio[1]}"} if ratio and any(g.backup_per_unit for g in plan.hosts) else {}


@dataclass(frozen=True, slots=True)
class CapacitySummary:
    """Totals of a fabric."""

    fabric: str
    gpus: int
    hosts: int
    switches: int
    by_tier: dict[str, int]
    fabric_links: int
    host_links: int
    oversubscription: dict[str, float | None]
    ratios: dict[str, str | None]
    ratios_with_spares: dict[str, str]
    """Ratio of the leaf tier with its spare hosts at work too; empty where there are none."""
    exceptions: int
    exceptions_by_state: dict[str, int]


def summarize(plan: FabricPlan, exceptions: int) -> CapacitySummary:
    """Count everything, beside how many exceptions the intent lists."""
    ratios = {tier.name: tier_oversubscription(plan, tier) for tier in plan.tiers}
    leaf = plan.tiers[0]
    ratios |= {
        f"{leaf.name}.{kind.name}": tier_oversubscription(plan, leaf, kind) for kind in plan.kinds if not kind.is_absent
    }
    missing = Counter(isinstance(link, HostLinkId) for link in missing_links(plan))
    absent = Counter(device.tier for device, found in plan.exceptions.switches.items() if found.state == "absent")
    by_tier = {tier.name: tier.size - absent[tier.number] for tier in plan.tiers}
    hosts = {group.name: (group.per_unit + group.backup_per_unit) * units_with(plan, group) for group in plan.hosts}
    return CapacitySummary(
        fabric=plan.name,
        gpus=count_gpus(plan),
        hosts=sum(hosts.values()) - len(absent_hosts(plan)),
        switches=sum(by_tier.values()),
        by_tier=by_tier,
        fabric_links=sum(
            tier.size * link.width * link.per_pair for tier, link in zip(plan.tiers, plan.links[1:], strict=False)
        )
        - missing[False],
        host_links=sum(len(each.rails) * each.nic_ports * hosts[each.name] for each in plan.hosts) - missing[True],
        oversubscription={name: round(r[0] / r[1], 4) if r else None for name, r in ratios.items()},
        ratios={name: f"{r[0]}:{r[1]}" if r else None for name, r in ratios.items()},
        ratios_with_spares=_with_spares(plan),
        exceptions=exceptions,
        exceptions_by_state=_count_states(plan),
    )


def _count_states(plan: FabricPlan) -> dict[str, int]:
    """Return how many devices and links are in each state that is not the regular one."""
    irregular = (plan.exceptions.switches, plan.exceptions.hosts, plan.exceptions.links)
    return dict(Counter(found.state or "changed" for each in irregular for found in each.values() if found.reason))
