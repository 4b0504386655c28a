"""Rules on marking thresholds: whether they can be bytes, and where PFC pauses first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from fabricgen.analysis.port_groups import SwitchKind
from fabricgen.checks.model import Finding, IntentView, PlanView, find_unknown, rule
from fabricgen.checks.rules.buffers import name_excepted
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.diagnostics.words import and_list, counted
from fabricgen.intent.lossless import EcnValues
from fabricgen.intent.topology import Links
from fabricgen.plan.model.contract import EcnThresholds, MarkingBound
from fabricgen.plan.model.topology import Tier

ECN = ("lossless", "ecn")


@rule(
    "FG-QOS-030",
    "Marking starts after PFC may pause",
    severity=Severity.WARNING,
    why="With every port congested the ingress threshold is reached first: senders are paused before they see a mark. "
    "The bound is alpha B' / (n (1 + alpha p)): alpha of a lossless priority group, B' what the queues of one memory "
    "share, n its ports, p lossless priorities. Example: alpha 1, 64,784,478 bytes, 64 ports, two priorities: 337,419.",
    fix="Use lower thresholds, or accept it knowingly: the bound is the worst case.",
    source="Zhu et al., SIGCOMM 2015, section 4: t_ECN < alpha B' / (n (1 + alpha p))",
)
def check_ecn_bound(view: PlanView) -> Iterator[Finding]:
    """Kmin is below the bound at which every ingress could pause."""
    for kind, bound, ecn in _bounded(view):
        if ecn.kmin_bytes > bound.bound_bytes:
            yield _find(
                view,
                kind,
                ecn,
                f"marks from {ecn.kmin_bytes} bytes; with {bound.ports} ports congested PFC may pause from "
                f"{bound.bound_bytes} ({bound.arithmetic})",
                f"use a kmin_bytes below {bound.bound_bytes}, or ecn: computed, to mark before any pause",
            )


def _find(view: PlanView, kind: SwitchKind, ecn: EcnThresholds, fault: str, hint: str) -> Finding:
    """Return a finding about thresholds of a kind of switch."""
    path = view.intent.lossless.marking_for(kind.tier.name, ecn.speed_gbps)[1]
    message = f"{name_excepted(view, kind) or kind.tier.model} at {ecn.speed_gbps}G {fault}"
    return Finding(message, path, hint=hint, related=(Related("the model", ("tiers", kind.tier.name, "model")),))


def _bounded(view: PlanView) -> Iterator[tuple[SwitchKind, MarkingBound, EcnThresholds]]:
    """Thresholds of every kind of switch whose pool is known, each with the bound that its ports leave."""
    for kind in view.reserved:
        if kind.tier.bound:
            yield from ((kind, kind.tier.bound, ecn) for ecn in kind.tier.ecn)


_APART_MAX = 2


@rule(
    "FG-QOS-157",
    "Hops of one path that mark far apart",
    severity=Severity.WARNING,
    why="A sender slows down for the first queue that marks. Where one hop begins at less than half of another's fill, "
    "in bytes and in time, it marks alone: flows through it get less than flows past it, and the other's thresholds "
    "mean nothing. Makers' figures for one speed lie up to 16 times apart.",
    fix="State one Kmin for both tiers, or waive this for a hop that is meant to mark first.",
    source="Zhu et al., SIGCOMM 2015, section 3: a packet marked at any switch makes the receiver send a CNP",
)
def check_marking_apart(view: PlanView) -> Iterator[Finding]:
    """No queue begins to mark at more than twice another's fill, in bytes and in time."""
    kinds = view.plan.exceptions.kinds
    marks = [(tier, ecn) for tier in (*(kind.tier for kind in view.reserved), *kinds) for ecn in tier.ecn]
    for (above, late), (tier, early) in sorted(permutations(marks, 2), key=lambda pair: -_apart(*pair))[:1]:
        apart = _apart((above, late), (tier, early))
        if apart > _APART_MAX:
            places = [_box_place(view, each) for each in (tier, above)]
            models = [("tiers", each.name, "model") for each in (tier, above)]
            yield Finding(
                f"{tier.name} {tier.model} marks from {early.kmin_bytes} bytes at {early.speed_gbps}G, {above.name} "
                f"{above.model} from {late.kmin_bytes} at {late.speed_gbps}G: {apart:.1f} times apart",
                next(filter(None, places), ()) or view.intent.lossless.marking_for(above.name, late.speed_gbps)[1],
                hint=f"use ecn: {{kmin_bytes: {early.kmin_bytes}, kmax_bytes: {early.kmax_bytes}, pmax_pct: "
                f"{early.pmax_pct}}} for both",
                related=tuple(Related("a model", each or alone) for each, alone in zip(places, models, strict=True)),
            )


def _box_place(view: PlanView, tier: Tier) -> IntentPath:
    """Place of the first exception that makes a switch the box of a tier; empty where that is the tier's own."""
    if all(tier is not kind for kind in view.plan.exceptions.kinds):
        return ()
    plan, name = view.plan, view.plan.box_name(tier)
    device = min(device for device in plan.exceptions.switches if plan.box_name(plan.tier_of(device)) == name)
    return (*view.exceptions_of([plan.device_name(device)])[0].path, "set")


def _apart(high: tuple[Tier, EcnThresholds], low: tuple[Tier, EcnThresholds]) -> float:
    """Return how many times the one fill is the other, in bytes or in time, whichever is less."""
    times = high[1].kmin_bytes / low[1].kmin_bytes
    return min(times, times * low[1].speed_gbps / high[1].speed_gbps)


@rule(
    "FG-QOS-032",
    "PFC always pauses before every packet is marked",
    why="A priority group is paused at alpha times the free part of the pool. Alone in the pool that is "
    "alpha B' / (1 + alpha) beside what it has for itself, B' the shared part of one memory; a queue never grows "
    "longer, so a Kmax at or above it, or above the buffer, is never reached and marking never gets past a fraction of "
    "Pmax. Example: alpha 1, 64,784,478 bytes and 18,796 of its own: 32,411,035.",
    fix="Write bytes, and a kmax_bytes below it; `fabricgen show INVENTORY qos` has the figure of every tier.",
    source="Choudhury and Hahne, IEEE/ACM Transactions on Networking 6 (2), 1998; Zhu et al., SIGCOMM 2015, section "
    "4; the ASIC's file in the catalog",
)
def check_below_pause(view: PlanView) -> Iterator[Finding]:
    """Kmax is below the fill at which PFC pauses even a group that is alone, and below the buffer."""
    for kind, bound, ecn in _bounded(view):
        if ecn.kmax_bytes >= bound.alone_bytes:
            yield _find(
                view,
                kind,
                ecn,
                f"marks every packet from {ecn.kmax_bytes} bytes; PFC pauses from {bound.alone_bytes} at the latest "
                f"({bound.alone_arithmetic})",
                f"use a kmax_bytes below {bound.alone_bytes}, best below {bound.bound_bytes}, or ecn: computed",
            )
    for tier in view.plan.tiers:
        asic = view.asic_of(tier)
        limit = (asic.buffer_bytes or 0) // (asic.itm or 1)
        for ecn in tier.ecn if limit and tier.bound is None else ():
            choice, path = view.intent.lossless.marking_for(tier.name, ecn.speed_gbps)
            if not isinstance(choice, EcnValues) or ecn.kmax_bytes < limit:
                continue
            memory = f"one of its {asic.itm} memories" if asic.itm and asic.itm > 1 else "its buffer"
            yield Finding(
                f"kmax_bytes {ecn.kmax_bytes} is not below the {limit} bytes that {memory} has on {tier.model}",
                (*path, "kmax_bytes"),
                hint=f"use a kmax_bytes far below {limit}, or ecn: computed",
                related=(Related("the model", ("tiers", tier.name, "model")),),
            )


@rule(
    "FG-QOS-933",
    "Marking probability that the ASIC is not given",
    why="The agent of the switch refuses the whole configuration: on an ASIC without probabilistic marking it takes "
    "100 percent alone.",
    fix="State thresholds with pmax_pct: 100; the ramp from kmin_bytes to kmax_bytes is steeper then.",
    source="facebook/fboss 14ec47ec, agent/ValidateStateUpdate.cpp, hasValidPortQueues; agent/hw/switch_asics, feature "
    "ECN_PROBABILISTIC_MARKING",
)
def check_probability(view: PlanView) -> Iterator[Finding]:
    """Queues mark with a probability that the platform takes on this ASIC."""
    for kind in view.reserved:
        spec, asic = view.switch(kind.tier.platform), kind.tier.buffers.asic.id
        asics = spec.switch.marks_by_chance if spec else None
        for ecn in () if asics is None or asic.startswith(asics) else kind.tier.ecn:
            if ecn.pmax_pct < 100:
                yield _find(
                    view,
                    kind,
                    ecn,
                    f"marks {ecn.pmax_pct} % at Kmax; {kind.tier.platform} takes 100 on {asic} alone",
                    "give kmin_bytes, kmax_bytes and pmax_pct: 100",
                )


@rule(
    "FG-QOS-033",
    "Key that names no tier, speed or parameter",
    why="It would be written nowhere and hold for nothing: queues would mark by computed thresholds, NICs keep their "
    "shipped values, and nothing be checked.",
    fix="Use the name of a tier, the speed of a link, or the firmware key of a parameter in lower case.",
    source="docs/intent.md, lossless; NVIDIA DOCA, DCQCN CC Parameters; the NIC family's manifest",
)
def check_keys_exist(view: IntentView) -> Iterator[Finding]:
    """Every key of a per-tier or per-speed statement is a tier or a speed of the fabric."""
    ecn = view.intent.lossless.ecn
    tiers = sorted(view.intent.tiers)
    speeds = [f"{speed}G" for speed in sorted({link.speed for link in view.intent.links.values()})]
    stated = ecn if isinstance(ecn, dict) else {}
    yield from find_unknown(stated, [*tiers, *speeds], ECN, "{name!r} is neither a tier nor a speed of the fabric")


_KILO = 1000


@rule(
    "FG-QOS-080",
    "Marking threshold below one frame",
    why="A queue that holds a single packet is above the threshold: senders are slowed down although nothing is "
    "congested. Thresholds are bytes; makers also write kilobytes, cells or segments.",
    fix="Write bytes: multiply kilobytes by 1000, cells by the cell of the ASIC.",
    source="Zhu et al., SIGCOMM 2015, section 4; RFC 3168 section 5 (marking tells of incipient congestion)",
    waivable=True,
)
def check_above_frame(view: IntentView) -> Iterator[Finding]:
    """No stated threshold is below one packet of the links whose queues it is for."""
    for choice, path, name, link in _stated(view):
        kmin, kmax = choice.kmin_bytes, choice.kmax_bytes
        in_bytes = _in_bytes(choice, link.mtu)
        top = kmax if kmax >= link.mtu else kmax * _KILO + 1
        for key, value in (("kmin_bytes", kmin), ("kmax_bytes", kmax)):
            if value < link.mtu:
                message = f"{key} {value} is below one packet of {link.mtu} bytes on {name}"
                hint = _mended(key, in_bytes, link.mtu, top)
                yield Finding(message, (*path, key), hint=hint, related=(Related("the MTU", ("links", name, "mtu")),))


def _stated(view: IntentView) -> Iterator[tuple[EcnValues, IntentPath, str, Links]]:
    """Yield thresholds that are stated, with the largest MTU of their links: all, those at a tier, or of a speed."""
    for choice, path in view.intent.lossless.marking_choices():
        key = path[2] if len(path) > 2 else ""
        named = sorted(view.intent.links.items())
        links = [(name, link) for name, link in named if not key or key in (*name.split("-"), f"{link.speed}G")]
        if isinstance(choice, EcnValues) and links:
            yield choice, path, *max(links, key=lambda item: item[1].mtu)


def _in_bytes(choice: EcnValues, packet_bytes: int) -> dict[str, int]:
    """The thresholds below one packet, taken for kilobytes."""
    values = {"kmin_bytes": choice.kmin_bytes, "kmax_bytes": choice.kmax_bytes}
    return {key: value * _KILO for key, value in values.items() if value < packet_bytes}


def _mended(key: str, in_bytes: dict[str, int], packet_bytes: int, top_bytes: int) -> str:
    """The values that were meant, if they are numbers of kilobytes, and what to use otherwise."""
    if packet_bytes <= in_bytes[key] < top_bytes:
        return f"if these are kilobytes, write {and_list(f'{name}: {each}' for name, each in in_bytes.items())}"
    return f"use a {key} of many packets, for example {16 * packet_bytes}, or ecn: computed"


@rule(
    "FG-QOS-082",
    "Marking that has no ramp",
    severity=Severity.WARNING,
    why="Between Kmin and Kmax lies less than one frame: marking jumps from nothing to every packet, pmax_pct never "
    "applies, and all senders slow down at once.",
    fix="Use a kmax_bytes of twice to four times kmin_bytes.",
    source="Zhu et al., SIGCOMM 2015, section 4 (RED-like marking); Floyd and Jacobson, IEEE/ACM Transactions on "
    "Networking 1 (4), 1993",
)
def check_ramp(view: IntentView) -> Iterator[Finding]:
    """Stated thresholds lie at least one packet apart."""
    for choice, path, name, link in _stated(view):
        apart = choice.kmax_bytes - choice.kmin_bytes
        if 0 < apart < link.mtu:
            yield Finding(
                f"kmax_bytes {choice.kmax_bytes} is {counted(apart, 'byte')} above kmin_bytes, "
                f"less than one packet of {link.mtu} on {name}",
                (*path, "kmax_bytes"),
                hint=f"use kmax_bytes: {max(2 * choice.kmin_bytes, choice.kmin_bytes + link.mtu)} or more",
                related=(Related("kmin_bytes", (*path, "kmin_bytes")),),
            )
