"""Rules on how the lossless contract is kept: its mode, DCQCN, credits, control traffic and watchdog times."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.beyond import NOTES
from fabricgen.checks.model import Finding, IntentView, find_unknown, further, rule
from fabricgen.checks.rules.platforms import platform_of, tier_platforms
from fabricgen.checks.rules.qos import CLASSES, classes_of
from fabricgen.diagnostics import Related, Severity
from fabricgen.intent.lossless import EcnValues
from fabricgen.platforms.manifest.spec import Parameter


@rule(
    "FG-QOS-009",
    "ECN thresholds out of order",
    why="With kmin at or above kmax there is no range in which marking can grow with the queue.",
    fix="Set kmin_bytes below kmax_bytes.",
    source="Zhu et al., SIGCOMM 2015, section 3.1; sonic-wred-profile.yang",
)
def check_ecn_order(view: IntentView) -> Iterator[Finding]:
    """Kmin is below Kmax."""
    for ecn, path in view.intent.lossless.marking_choices():
        if isinstance(ecn, EcnValues) and ecn.kmin_bytes >= ecn.kmax_bytes:
            message = f"kmin_bytes {ecn.kmin_bytes} is not below kmax_bytes {ecn.kmax_bytes}"
            related = (Related("kmax_bytes", (*path, "kmax_bytes")),)
            yield Finding(message, (*path, "kmin_bytes"), hint=f"use less than {ecn.kmax_bytes}", related=related)


@rule(
    "FG-QOS-010",
    "Congestion control switched off without a reason",
    why="PFC alone spreads congestion; the next reader must know what takes its place.",
    fix="Add lossless.reason.",
    source="Gangidi et al., SIGCOMM 2024, section 6",
)
def check_mode_has_reason(view: IntentView) -> Iterator[Finding]:
    """A mode other than dcqcn says why."""
    lossless = view.intent.lossless
    if lossless.mode != "dcqcn" and not lossless.reason:
        yield Finding(
            f"mode is {lossless.mode}, but no reason is given", ("lossless", "mode"), hint='add reason: "…" beside mode'
        )


@rule(
    "FG-QOS-011",
    "Congestion marking without PFC",
    severity=Severity.WARNING,
    why="ECN slows senders only after a round trip; a burst within it is dropped, and RoCE recovers slowly.",
    fix="Use mode: dcqcn, unless the NICs recover from loss selectively.",
    source="Zhu et al., SIGCOMM 2015, section 2",
)
def check_ecn_only(view: IntentView) -> Iterator[Finding]:
    """Say aloud that the fabric is lossy."""
    if view.intent.lossless.mode == "ecn_only":
        yield Finding(
            "mode is ecn_only: no priority is under PFC and bursts are dropped",
            ("lossless", "mode"),
            hint="use mode: dcqcn unless this is intended",
            related=tuple(
                Related(f"class {name!r} runs without PFC", (*CLASSES, name, "lossless"))
                for name, cls in classes_of(view)
                if cls.lossless
            ),
        )


@rule(
    "FG-QOS-017",
    "Settings of marking for a mode that marks nothing",
    why="In pfc_only no queue marks and no priority runs DCQCN; what is set for them would silently do nothing.",
    fix="Remove lossless.ecn and lossless.dcqcn, or use mode: dcqcn.",
    source="docs/intent.md, lossless",
)
def check_marking_is_used(view: IntentView) -> Iterator[Finding]:
    """Thresholds and parameters go with a mode that marks."""
    lossless = view.intent.lossless
    for key, fault, is_set in (
        ("ecn", "ecn is set, but mode pfc_only marks nothing", lossless.ecn != "computed"),
        ("dcqcn", "dcqcn parameters are set, but mode pfc_only runs no DCQCN", bool(lossless.dcqcn)),
    ):
        if lossless.mode == "pfc_only" and is_set:
            related = (Related("the mode", ("lossless", "mode")),)
            yield Finding(fault, ("lossless", key), on_key=True, related=related, hint=f"remove {key}")


@rule(
    "FG-QOS-018",
    "Watchdog times that polling does not keep",
    severity=Severity.WARNING,
    why="The watchdog polls all ports one after the other; a storm is noticed only at the next poll, so odd times do "
    "not come about. A time that is stated bounds the interval, in which a poll of many ports may not end.",
    fix="Use multiples of 100, or leave the time out, which then follows the switch with the most ports; or waive this "
    "once a full switch keeps up.",
    source="sonic-net/sonic-swss pfcwdorch: timers are checked once per poll interval; sonic-net/sonic-utilities "
    "pfcwd/main.py: 200 ms for every 32 ports begun, 1000 ms at most",
)
def check_watchdog_steps(view: IntentView) -> Iterator[Finding]:
    """Timers are multiples of the smallest poll interval."""
    dog = view.intent.lossless.watchdog
    for name in ("detection_ms", "restoration_ms"):
        value = getattr(dog, name)
        if value is not None and value % 100:
            message = f"{name} is {value}; the watchdog polls every 100 ms at most"
            yield Finding(message, ("lossless", "watchdog", name), hint=f"use {round(value / 100) * 100 or 100}")


DCQCN = ("lossless", "dcqcn")
BGP_DSCP = 48
"""CS6: what BGP and BFD packets carry (RFC 4594 section 3.1, network control)."""


def parameters_of(view: IntentView) -> list[tuple[str, dict[str, Parameter]]]:
    """Parameters by name, per NIC family of the hosts."""
    nics = [view.catalog.nics[group.nic] for group in view.intent.hosts.values() if group.nic in view.catalog.nics]
    families = sorted({nic.family for nic in nics})
    return [
        (family, {parameter.name: parameter for parameter in view.platforms[family].parameters})
        for family in families
        if family in view.platforms
    ]


@further("FG-QOS-033")
def check_dcqcn_names(view: IntentView) -> Iterator[Finding]:
    """Every DCQCN parameter is one the NIC has."""
    for family, known in parameters_of(view):
        message = f"{family} has no DCQCN parameter {{name!r}}"
        yield from find_unknown(view.intent.lossless.dcqcn, [*known], DCQCN, message)


@rule(
    "FG-QOS-044",
    "Control traffic or notifications without a strict class of their own",
    severity=Severity.WARNING,
    why="BGP and BFD carry DSCP 48; in a class they share they starve, or their bursts delay congestion notifications. "
    "A CNP that queues behind a weighted class arrives late exactly when it is needed: at a congested port.",
    fix="Give DSCP 48 a strict class of its own, and use strict: true for the class cnp.",
    source="RFC 4594 section 3.1; NVIDIA NICs mark CNPs with DSCP 48 by default; Zhu et al., SIGCOMM 2015, section 3 "
    "(CNPs with high priority)",
)
def check_control_apart(view: IntentView) -> Iterator[Finding]:
    """DSCP 48 belongs to a strict class that is not the CNPs', whose class is strict wherever it is used."""
    owner = next(
        ((name, cls) for name, cls in sorted(view.intent.lossless.classes.items()) if BGP_DSCP in cls.dscp), None
    )
    if owner is None:
        message = f"no class has DSCP {BGP_DSCP}: BGP and BFD share the class of the remaining code points"
        yield Finding(message, CLASSES, hint="add control: {dscp: [48, 56], priority: 7, strict: true}")
    elif owner[0] == "cnp" or not owner[1].strict:
        message = f"BGP and BFD (DSCP {BGP_DSCP}) share class {owner[0]!r}"
        hint = f"remove {BGP_DSCP} there, and add control: {{dscp: [48, 56], priority: 7, strict: true}}"
        yield Finding(message, (*CLASSES, owner[0], "dscp"), hint=hint)
    cnp = view.intent.lossless.classes.get("cnp")
    if cnp is not None and not cnp.strict and view.intent.lossless.mode != "pfc_only":
        message = f"class 'cnp' has a weight of {cnp.weight_pct or 0} %, expected strict"
        path = (*CLASSES, "cnp", "weight_pct") if cnp.weight_pct else (*CLASSES, "cnp")
        hint = "use strict: true in place of weight_pct, and raise the other weights to 100 %"
        yield Finding(message, path, hint=hint, related=(Related("the mode", ("lossless", "mode")),))


@rule(
    "FG-PLT-027",
    "A strict class below a weighted one",
    severity=Severity.WARNING,
    why="The platform makes every queue below a weighted one weighted, too, so the class would not be served first.",
    fix="Give strict classes higher priorities than weighted ones.",
    source=NOTES,
)
def check_strict_above_weighted(view: IntentView) -> Iterator[Finding]:
    """Strict classes are above weighted ones where the platform requires it."""
    classes = view.intent.lossless.classes
    highest = max(((c.priority, name) for name, c in classes.items() if not c.strict), default=(-1, ""))
    for name, spec in tier_platforms(view):
        if not spec.switch.strict_above_weighted:
            continue
        free = sorted({*range(highest[0] + 1, 8)} - {cls.priority for cls in classes.values()})
        for class_name, traffic in sorted(classes.items()):
            path = ("lossless", "classes", class_name, "priority")
            if traffic.strict and traffic.priority < highest[0]:
                yield Finding(
                    f"{class_name!r} is strict at priority {traffic.priority}, below the weighted {highest[1]!r} at "
                    f"{highest[0]}; tier {name!r} runs {spec.name}",
                    path,
                    hint=f"use one of the free priorities {', '.join(map(str, free))}"
                    if free
                    else f"use a priority above {highest[0]}",
                    related=platform_of(name),
                )
