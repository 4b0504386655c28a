"""Rules on how the lossless contract is kept: its mode, marking thresholds and watchdog times."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, rule
from fabricgen.checks.rules.qos import CLASSES, classes_of
from fabricgen.diagnostics import Related, Severity, set_to
from fabricgen.intent.lossless import EcnValues


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
            yield Finding(
                f"kmin_bytes {ecn.kmin_bytes} is not below kmax_bytes {ecn.kmax_bytes}",
                (*path, "kmin_bytes"),
                hint=f"use less than {ecn.kmax_bytes}",
                value=ecn.kmax_bytes // 2,
                related=(Related("kmax_bytes", (*path, "kmax_bytes")),),
            )


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
            fixes=set_to(("lossless", "mode"), "dcqcn", hinted=True),
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
            yield Finding(
                fault,
                ("lossless", key),
                on_key=True,
                related=(Related("the mode", ("lossless", "mode")),),
                hint=f"remove {key}",
                value=None,
            )


@rule(
    "FG-QOS-018",
    "Watchdog timers that are no multiple of 100 ms",
    severity=Severity.WARNING,
    why="The watchdog polls; a storm is noticed only at the next poll, so odd times are not what happens.",
    fix="Use multiples of 100.",
    source="sonic-net/sonic-swss pfcwdorch: timers are checked once per poll interval",
)
def check_watchdog_steps(view: IntentView) -> Iterator[Finding]:
    """Timers are multiples of the smallest poll interval."""
    dog = view.intent.lossless.watchdog
    for name in ("detection_ms", "restoration_ms"):
        value = getattr(dog, name)
        if value is not None and value % 100:
            yield Finding(
                f"{name} is {value}; the watchdog polls every 100 ms at most",
                ("lossless", "watchdog", name),
                hint=f"use {round(value / 100) * 100 or 100}",
                value=round(value / 100) * 100 or 100,
            )
