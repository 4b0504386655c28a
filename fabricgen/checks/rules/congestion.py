"""Rules on DCQCN parameters, credits and control traffic."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, rule
from fabricgen.diagnostics import Fix, KeyChange, Nearest, Severity, instead
from fabricgen.intent.lossless import TrafficClassIntent
from fabricgen.platforms.manifest.spec import Parameter

DCQCN = ("lossless", "dcqcn")
CLASSES = ("lossless", "classes")
BGP_DSCP = 48
"""CS6: what BGP and BFD packets carry (RFC 4594 section 3.1, network control)."""


def _as_credits(cts: TrafficClassIntent) -> tuple[Fix, ...]:
    """Propose what a class of credits lacks."""
    changes = [KeyChange((*CLASSES, "cts", "lossless"))] if cts.lossless else []
    if not cts.strict:
        changes += [KeyChange((*CLASSES, "cts", "weight_pct")), KeyChange((*CLASSES, "cts", "strict"), True)]
    if len(cts.dscp) != 1:
        changes.append(KeyChange((*CLASSES, "cts", "dscp"), cts.dscp[0] if cts.dscp else 40))
    return (Fix(tuple(changes), hinted=True),)


def parameters_of(view: IntentView) -> list[tuple[str, dict[str, Parameter]]]:
    """Parameters by name, per NIC family of the hosts."""
    nics = [view.catalog.nics[group.nic] for group in view.intent.hosts.values() if group.nic in view.catalog.nics]
    families = sorted({nic.family for nic in nics})
    return [
        (family, {parameter.name: parameter for parameter in view.platforms[family].parameters})
        for family in families
        if family in view.platforms
    ]


@rule(
    "FG-QOS-040",
    "The NIC has no such DCQCN parameter",
    why="It would be written nowhere, and the NIC would go on with its shipped value.",
    fix="Use the firmware key in lower case.",
    source="NVIDIA DOCA, DCQCN CC Parameters; the NIC family's manifest",
)
def check_dcqcn_names(view: IntentView) -> Iterator[Finding]:
    """Every DCQCN parameter is one the NIC has."""
    nearest = Nearest()
    for family, known in parameters_of(view):
        for name in sorted(view.intent.lossless.dcqcn):
            if name not in known:
                near = nearest.find(name, known)
                yield Finding(
                    f"{family} has no DCQCN parameter {name!r}",
                    (*DCQCN, name),
                    hint=f"did you mean {near}?" if near else f"use one of {', '.join(known)}",
                    fixes=instead((*DCQCN, name), near, view.intent.lossless.dcqcn[name]) if near else (),
                    on_key=True,
                )


@rule(
    "FG-QOS-043",
    "Credits that can be paused or overtaken",
    why="Receiver-driven admission stalls when credits wait behind, or are paused with, the data they ask for.",
    fix="Make the class cts strict and lossy, with a DSCP of its own.",
    source="Gangidi et al., SIGCOMM 2024, section 6 (clear-to-send packets at high priority)",
)
def check_credits(view: IntentView) -> Iterator[Finding]:
    """A class named cts is strict, lossy and has one code point."""
    cts = view.intent.lossless.classes.get("cts")
    if cts is not None and (not cts.strict or cts.lossless or len(cts.dscp) != 1):
        yield Finding(
            "class 'cts' must be strict, lossy and have exactly one DSCP",
            (*CLASSES, "cts"),
            hint="use for example cts: {dscp: 40, priority: 5, strict: true}",
            fixes=_as_credits(cts),
        )


@rule(
    "FG-QOS-044",
    "Control traffic without its own class",
    severity=Severity.WARNING,
    why="BGP and BFD carry DSCP 48; in a class they share they starve, or their bursts delay congestion notifications.",
    fix="Give DSCP 48 a strict class of its own.",
    source="RFC 4594 section 3.1; NVIDIA NICs mark CNPs with DSCP 48 by default",
)
def check_control_apart(view: IntentView) -> Iterator[Finding]:
    """DSCP 48 belongs to a strict class that is not the CNPs'."""
    owner = next(
        ((name, cls) for name, cls in sorted(view.intent.lossless.classes.items()) if BGP_DSCP in cls.dscp), None
    )
    if owner is None:
        yield Finding(
            f"no class has DSCP {BGP_DSCP}: BGP and BFD share the class of the remaining code points",
            CLASSES,
            hint="add control: {dscp: [48, 56], priority: 7, strict: true}",
        )
    elif owner[0] == "cnp" or not owner[1].strict:
        yield Finding(
            f"BGP and BFD (DSCP {BGP_DSCP}) share class {owner[0]!r}",
            (*CLASSES, owner[0], "dscp"),
            hint=f"remove {BGP_DSCP} there, and add control: {{dscp: [48, 56], priority: 7, strict: true}}",
        )
