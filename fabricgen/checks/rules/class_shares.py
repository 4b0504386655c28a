"""Rules on what a class may be made of: its code points, its priority, its share."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import UNKNOWN, Finding, IntentView, rule
from fabricgen.checks.rules.qos import CLASSES, classes_of
from fabricgen.diagnostics import Related, Severity
from fabricgen.diagnostics.words import and_list

_AZURE = "Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 3"


@rule(
    "FG-QOS-083",
    "Unmarked packets in a lossless class",
    why="DSCP 0 is what unmarked packets carry: storage, logins and downloads would fill the lossless "
    "queue, be paused and pause others.",
    fix="Give RoCE a code point of its own; mark_unmarked is for hosts that cannot mark.",
    source=f"RFC 2474 section 4.1 (the default per-hop behaviour); {_AZURE}",
    waivable=True,
)
def check_default_is_lossy(view: IntentView) -> Iterator[Finding]:
    """No lossless class takes DSCP 0."""
    rest = next((name for name, cls in classes_of(view) if not cls.dscp), "")
    for name, cls in classes_of(view):
        if cls.lossless and 0 in cls.dscp:
            yield Finding(
                f"class {name!r} is lossless and takes DSCP 0, which unmarked packets carry",
                (*CLASSES, name, "dscp"),
                hint="use another code point, for example dscp: 26",
                value=[dscp for dscp in cls.dscp if dscp] or 26,
                related=(Related("the class of the remaining code points", (*CLASSES, rest)),) if rest else (),
            )


@rule(
    "FG-QOS-087",
    "Lossless class on priority 0",
    why="All lossy classes share priority group 0. A lossless class there would pause them with it, and its headroom "
    "would fill with their packets.",
    fix="Use another priority; makers' tables are for 3 and 4.",
    source="sonic-net/sonic-buildimage, files/build_templates/qos_config.j2 (TC_TO_PRIORITY_GROUP_MAP); IEEE 802.1Qbb",
)
def check_lossless_priority(view: IntentView) -> Iterator[Finding]:
    """No lossless class has the priority whose group lossy classes share."""
    taken = {cls.priority for _, cls in classes_of(view)}
    free = next((number for number in (3, 4, 2, 5, 1, 6, 7) if number not in taken), None)
    for name, cls in classes_of(view):
        if cls.lossless and cls.priority == 0:
            lossy = next((other for other, each in classes_of(view) if not each.lossless), "")
            yield Finding(
                f"class {name!r} is lossless on priority 0, whose priority group all lossy classes share",
                (*CLASSES, name, "priority"),
                hint=f"use priority: {free}" if free is not None else "use another priority",
                value=free if free is not None else UNKNOWN,
                related=(Related("a lossy class", (*CLASSES, lossy)),) if lossy else (),
            )


@rule(
    "FG-QOS-084",
    "Lossless classes with less than half of the bandwidth",
    severity=Severity.WARNING,
    why="Where links are full, the weighted classes get their shares. Lossless ones with the smaller part are "
    "throttled by the traffic they are to be kept from, and pause.",
    fix="Raise weight_pct of the lossless classes.",
    source="IEEE 802.1Qaz section 37; Gangidi et al., RDMA over Ethernet for Distributed AI Training at Meta Scale, "
    "SIGCOMM 2024",
)
def check_lossless_share(view: IntentView) -> Iterator[Finding]:
    """Lossless classes together have at least half of the weights."""
    weighted = [(name, cls, cls.weight_pct) for name, cls in classes_of(view) if cls.weight_pct and not cls.strict]
    lossless = [item for item in weighted if item[1].lossless]
    share, total = sum(weight for *_, weight in lossless), sum(weight for *_, weight in weighted)
    if not lossless or 2 * share >= total:
        return
    name, _, _ = max(lossless, key=lambda item: item[2])
    others = [other for other, cls, _ in weighted if not cls.lossless]
    yield Finding(
        f"lossless classes have {share} of {total} % of the weights",
        (*CLASSES, name, "weight_pct"),
        hint=f"raise weight_pct of {name} to 50 or more, and lower that of {and_list(others)}",
        related=tuple(Related(f"class {other!r}", (*CLASSES, other, "weight_pct")) for other in others),
    )


@rule(
    "FG-QOS-085",
    "Notifications that wait behind data",
    severity=Severity.WARNING,
    why="A CNP that queues behind a weighted class arrives late exactly when it is needed: at a congested port.",
    fix="Use strict: true for the class cnp.",
    source="Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015, section 3 (CNPs with high "
    "priority)",
)
def check_cnp_strict(view: IntentView) -> Iterator[Finding]:
    """The class of CNPs is strict wherever it is used."""
    cnp = view.intent.lossless.classes.get("cnp")
    if cnp is not None and not cnp.strict and view.intent.lossless.mode != "pfc_only":
        yield Finding(
            f"class 'cnp' has a weight of {cnp.weight_pct or 0} %, expected strict",
            (*CLASSES, "cnp", "weight_pct") if cnp.weight_pct else (*CLASSES, "cnp"),
            hint="use strict: true in place of weight_pct, and raise the other weights to 100 %",
            related=(Related("the mode", ("lossless", "mode")),),
        )
