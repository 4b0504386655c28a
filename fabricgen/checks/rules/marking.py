"""Rules on marking thresholds, once per tier at the reserved maximum."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.analysis.port_groups import SwitchKind
from fabricgen.checks.model import Finding, IntentView, PlanView, rule
from fabricgen.checks.rules.excepted_switches import name_excepted
from fabricgen.diagnostics import Nearest, Related, Severity, instead, set_to
from fabricgen.intent.lossless import EcnChoice, EcnValues
from fabricgen.plan.model.contract import EcnThresholds, MarkingBound

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
        tier, box = kind.tier, name_excepted(view, kind) or kind.tier.model
        if ecn.kmin_bytes > bound.bound_bytes:
            yield Finding(
                f"{box} at {ecn.speed_gbps}G marks from {ecn.kmin_bytes} bytes; with {bound.ports} ports "
                f"congested PFC may pause from {bound.bound_bytes} ({bound.arithmetic})",
                view.intent.lossless.marking_for(tier.name, ecn.speed_gbps)[1],
                hint=f"use a kmin_bytes below {bound.bound_bytes}, or ecn: computed, to mark before any pause",
                fixes=set_to(view.intent.lossless.marking_for(tier.name, ecn.speed_gbps)[1], "computed", hinted=True),
                related=(Related("the model", ("tiers", tier.name, "model")),),
            )


def _bounded(view: PlanView) -> Iterator[tuple[SwitchKind, MarkingBound, EcnThresholds]]:
    """Thresholds of every kind of switch whose pool is known, each with the bound that its ports leave."""
    for kind in view.reserved:
        if kind.tier.bound:
            yield from ((kind, kind.tier.bound, ecn) for ecn in kind.tier.ecn)


@rule(
    "FG-QOS-032",
    "PFC always pauses before every packet is marked",
    why="A priority group is paused at alpha times the free part of the pool. Alone in the pool that is "
    "alpha B' / (1 + alpha) beside what it has for itself, B' the shared part of one memory; a queue never grows "
    "longer, so a Kmax at or above it is never reached and marking never gets past a fraction of Pmax. Example: "
    "alpha 1, 64,784,478 bytes and 18,796 of its own: 32,411,035.",
    fix="Use a kmax_bytes below it; `fabricgen show INVENTORY qos` has the figure of every tier.",
    source="Choudhury and Hahne, IEEE/ACM Transactions on Networking 6 (2), 1998; Zhu et al., SIGCOMM 2015, section 4",
)
def check_below_pause(view: PlanView) -> Iterator[Finding]:
    """Kmax is below the fill at which PFC pauses even a priority group that is alone."""
    for kind, bound, ecn in _bounded(view):
        tier, box = kind.tier, name_excepted(view, kind) or kind.tier.model
        if ecn.kmax_bytes >= bound.alone_bytes:
            yield Finding(
                f"{box} at {ecn.speed_gbps}G marks every packet from {ecn.kmax_bytes} bytes; PFC pauses "
                f"from {bound.alone_bytes} at the latest ({bound.alone_arithmetic})",
                view.intent.lossless.marking_for(tier.name, ecn.speed_gbps)[1],
                hint=f"use a kmax_bytes below {bound.alone_bytes}, best below {bound.bound_bytes}, or ecn: computed",
                fixes=set_to(view.intent.lossless.marking_for(tier.name, ecn.speed_gbps)[1], "computed", hinted=True),
                related=(Related("the model", ("tiers", tier.name, "model")),),
            )


@rule(
    "FG-QOS-033",
    "Marking for a tier or speed that does not exist",
    why="It would be written nowhere, and the queues it was meant for would mark by computed thresholds.",
    fix="Use the name of a tier, or the speed of a link.",
    source="docs/intent.md, lossless",
)
def check_keys_exist(view: IntentView) -> Iterator[Finding]:
    """Every key of a per-tier or per-speed statement is a tier or a speed of the fabric."""
    ecn = view.intent.lossless.ecn
    tiers = sorted(view.intent.tiers)
    speeds = [f"{speed}G" for speed in sorted({link.speed for link in view.intent.links.values()})]
    nearest = Nearest()
    stated = ecn if isinstance(ecn, dict) else {}
    for key in sorted(stated):
        if key not in (*tiers, *speeds):
            near = nearest.find(key, [*tiers, *speeds])
            yield Finding(
                f"{key!r} is neither a tier nor a speed of the fabric",
                (*ECN, key),
                hint=f"did you mean {near}?" if near else f"use one of {', '.join([*tiers, *speeds])}",
                fixes=instead((*ECN, key), near, _plain(stated[key])) if near else (),
                on_key=True,
            )


def _plain(choice: EcnChoice) -> object:
    """A statement as it is written."""
    return choice.model_dump() if isinstance(choice, EcnValues) else choice
