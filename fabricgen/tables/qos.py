"""Lossless behaviour of a fabric: classes, marking, hashing, timers across layers, and the NICs' side of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from fabricgen.catalog.fault_records import KnownFault
from fabricgen.diagnostics.words import and_list, ranges
from fabricgen.plan.model.contract import Contract, RoutingPolicy
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.topology import Tier
from fabricgen.platforms.manifest.spec import PlatformSpec, TierHash, find_hash, find_platform
from fabricgen.tables.sections import Row, Sections, pick
from fabricgen.tables.timers import list_order, list_timers, restarts_gracefully

PRIORITIES = range(8)
DSCP_SHIFT = 2
"""A traffic class as libraries and drivers take it is the whole octet of which the code point is the upper six bits
(RFC 2474 section 3)."""


def show_qos(plan: FabricPlan, platforms: Mapping[str, PlatformSpec], faults: Iterable[KnownFault]) -> Sections:
    """Everything that decides how traffic is marked, paused and spread, and what is known of the tiers' software."""
    contract = plan.contract
    graceful = restarts_gracefully(plan, platforms)
    specs = [platforms.get(tier.platform) for tier in plan.boxes]
    return Sections(
        plan.name,
        {
            "mode": [{"mode": contract.mode, "reason": contract.reason or None}],
            "congestion_control": [*_control_rows(plan, platforms)],
            "classes": [*_class_rows(contract)],
            "ecn": [
                row | {"marks_read": spec is not None and any(reading.state == "ecn" for reading in spec.collect)}
                for tier, spec in zip(plan.boxes, specs, strict=True)
                for row in list_marking(plan, tier)
            ],
            "hashing": [_hash_row(plan, tier, spec) for tier, spec in zip(plan.boxes, specs, strict=True)],
            "path_weights": list_weights(plan),
            "timers": list_timers(plan, platforms),
            **list_order(plan, graceful=graceful),
            "known_faults": [{"fault": each.id, **pick(each, "happens", "advice")} for each in faults],
            "nics": [*_nic_rows(plan)],
            "nic_dscp_map": [*_dscp_rows(contract)],
            "nic_dcqcn": [*_dcqcn_rows(plan)],
        },
    )


def _control_rows(plan: FabricPlan, platforms: Mapping[str, PlatformSpec]) -> Iterator[Row]:
    """Yield what slows senders down, and, where switches route adaptively, what the maker's own control would need."""
    adaptive = [tier.name for tier in plan.tiers if tier.routing.load_balancing == "adaptive"]
    for group in plan.hosts:
        nic = find_platform(platforms, group.nic_family, "nic") if adaptive else None
        yield {
            "hosts": group.name,
            "adaptive_tiers": adaptive,
            "control": "DCQCN" if _dcqcn_priorities(plan.contract) else "none",
            "makers_own_needs": nic.own_control or None if nic else None,
        }


def _class_rows(contract: Contract) -> Iterator[Row]:
    """Classes by priority with every code point that maps to them, unnamed code points included."""
    for cls in contract.classes:
        yield {
            "class": cls.name,
            "dscp": _code_points(contract, cls.priority),
            "priority": cls.priority,
            "queue": cls.priority,
            "priority_group": cls.priority_group,
            "lossless": cls.lossless,
            "pfc": cls.priority in contract.lossless,
            "scheduling": "strict" if cls.strict else "weighted",
            "weight_pct": None if cls.strict else cls.weight_pct,
        }


def list_marking(plan: FabricPlan, tier: Tier) -> Iterator[Row]:
    """Thresholds of a tier by speed, against where PFC may pause at the reserved maximum."""
    bound = tier.bound
    links = [plan.links[tier.number], *([plan.links[tier.number + 1]] if tier.up else [])]
    for ecn in tier.ecn:
        yield {
            "tier": plan.box_name(tier),
            "speed_gbps": ecn.speed_gbps,
            "links": sorted(link.name for link in links if link.speed_gbps == ecn.speed_gbps),
            "profile": ecn.name,
            **pick(ecn, "kmin_bytes", "kmax_bytes", "pmax_pct", "rule"),
            "pfc_may_pause_from_bytes": bound.bound_bytes if bound else None,
            "bound": bound.arithmetic if bound else None,
            "memories": bound.memories if bound else None,
            "pfc_pauses_alone_from_bytes": bound.alone_bytes if bound else None,
            "marks_first": ecn.kmin_bytes <= bound.bound_bytes if bound else None,
            "source": ecn.source,
        }


def _hash_row(plan: FabricPlan, tier: Tier, platform: PlatformSpec | None) -> Row:
    """Header fields and algorithm of a tier's ECMP hash; tiers of different rank choose independently."""
    routing = tier.routing
    found = find_hash(platform, tier.number, routing.hash_rank, tier.buffers.asic.id)
    udf = routing.udf if "roce_dest_qp" in routing.hash_fields else None
    return {
        "tier": plan.box_name(tier),
        "platform": tier.platform,
        "fields": list(routing.hash_fields),
        "udf": f"UDP {udf.udp_port}, offset {udf.offset_bytes}, length {udf.length_bytes}" if udf else None,
        "rank": routing.hash_rank,
        "algorithm": found.algorithm or None,
        "seed": found.seed_shown or None,
        "decorrelated_by": _decorrelated_by(routing, found, platform),
        "load_balancing": routing.load_balancing,
        "max_paths": routing.max_paths,
    }


def list_weights(plan: FabricPlan) -> list[Row]:
    """Return whether next hops are weighted by the links behind them, why, and how finely each tier can."""
    return [
        {"tier": tier.name, "weighted": plan.weights.on, "why": plan.weights.why, "granularity": rule or None}
        for tier, rule in zip(plan.tiers, plan.weights.rules, strict=True)
    ]


def _decorrelated_by(routing: RoutingPolicy, found: TierHash, platform: PlatformSpec | None) -> str | None:
    """Return what tells a tier's hash from that of the leafs; None for the leafs themselves and where it is off."""
    if platform is None or not (routing.hash_rank or found.type_seed):
        return None
    means = [*(found.by_rank if routing.hash_rank else ()), *(["seed by device type"] if found.type_seed else [])]
    return and_list(means) or "nothing"


def _nic_rows(plan: FabricPlan) -> Iterator[Row]:
    """Yield what each group of hosts tells its NICs and its collective library; one value per priority where a list."""
    contract, cnp = plan.contract, plan.contract.by_name("cnp")
    data, credit = plan.collectives.data_dscp, plan.collectives.credit_dscp
    for group in plan.hosts:
        yield {
            "hosts": group.name,
            "nic": group.nic,
            "family": group.nic_family,
            "library": group.library or None,
            "pfc": [int(priority in contract.lossless) for priority in PRIORITIES],
            "dcqcn_priorities": _dcqcn_priorities(contract),
            "cnp_dscp": cnp.mark if cnp and cnp.dscp else None,
            "cnp_priority": cnp.priority if cnp and cnp.dscp else None,
            "data_dscp": data,
            "traffic_class": data << DSCP_SHIFT,
            "credit_dscp": credit if credit >= 0 else None,
            "credit_traffic_class": credit << DSCP_SHIFT if credit >= 0 else None,
            "qps_per_connection": plan.collectives.qps_per_connection,
        }


def _dscp_rows(contract: Contract) -> Iterator[Row]:
    for priority in PRIORITIES:
        points = _code_points(contract, priority)
        if points:
            yield {"priority": priority, "dscp": points}


def _dcqcn_rows(plan: FabricPlan) -> Iterator[Row]:
    """Parameters of the reaction and notification points, where any priority runs DCQCN."""
    for group in plan.hosts if _dcqcn_priorities(plan.contract) else ():
        for name, value in plan.collectives.at_rate(group.link.speed_gbps).dcqcn:
            yield {"hosts": group.name, "speed_gbps": group.link.speed_gbps, "parameter": name, "value": value}


def _dcqcn_priorities(contract: Contract) -> list[int]:
    """Priorities whose senders react to marks: those of the lossless classes, whether PFC guards them or not."""
    if contract.mode == "pfc_only":
        return []
    return sorted({cls.priority for cls in contract.classes if cls.lossless})


def _code_points(contract: Contract, priority: int) -> str:
    """Code points of a priority."""
    return ranges(dscp for dscp, mapped in enumerate(contract.priority_by_dscp) if mapped == priority)
