"""Rules on the classes of the lossless contract."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, rule
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.diagnostics.words import and_list, or_list
from fabricgen.intent.lossless import TrafficClassIntent

CLASSES: IntentPath = ("lossless", "classes")
DCB = "IEEE 802.1Qbb (PFC), IEEE 802.1Qaz (ETS)"
AZURE = "Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 3"


def classes_of(view: IntentView) -> list[tuple[str, TrafficClassIntent]]:
    """Classes in name order."""
    return sorted(view.intent.lossless.classes.items())


@rule(
    "FG-QOS-001",
    "Two classes with one DSCP or priority",
    why="A packet can belong to one class only, and queue, priority group and PFC follow the priority: one of the two "
    "classes would silently get none of its traffic, or both would be one.",
    fix="Give each class code points and a priority of its own, or merge the two.",
    source=f"{AZURE}; {DCB}",
)
def check_classes_apart(view: IntentView) -> Iterator[Finding]:
    """No code point and no priority is named twice."""
    owners: dict[tuple[str, int], str] = {}
    free = sorted(set(range(8)) - {cls.priority for _, cls in classes_of(view)})
    use = f"use priority: {free[0]}" if free else "no priority is free; remove a class"
    for name, cls in classes_of(view):
        for key, value in (*(("dscp", dscp) for dscp in cls.dscp), ("priority", cls.priority)):
            owner = owners.get((key, value))
            if owner is not None:
                message = f"{key.replace('dscp', 'DSCP')} {value} is assigned to two classes, {owner!r} and {name!r}"
                path = (*CLASSES, name, key)
                hint = use if key == "priority" else f"remove {value} from dscp of {name!r} or of {owner!r}"
                yield Finding(message, path, hint=hint, related=(Related(f"class {owner!r}", (*CLASSES, owner, key)),))
            owners.setdefault((key, value), name)


@rule(
    "FG-QOS-003",
    "Code points that a class lacks",
    why="Without any, headroom is set aside and pauses are honoured for traffic that cannot exist; RoCE runs lossy. "
    "With another mark, NICs put packets into a queue that switches and receivers do not.",
    fix="Give the lossless class its code points, and use one of them as mark, or leave mark out.",
    source=AZURE,
)
def check_code_points(view: IntentView) -> Iterator[Finding]:
    """Every lossless class has a code point of its own, and the mark of a class is one of its code points."""
    taken = {dscp for _, cls in classes_of(view) for dscp in cls.dscp}
    free = next((dscp for dscp in (26, 24, *range(64)) if dscp not in taken), 26)
    for name, cls in classes_of(view):
        if cls.lossless and not cls.dscp:
            message = f"class {name!r} is lossless, but no DSCP maps to it"
            hint = f"add dscp with the code points that its traffic carries, for example dscp: {free}"
            related = (Related("PFC is asked for here", (*CLASSES, name, "lossless")),)
            yield Finding(message, (*CLASSES, name), hint=hint, related=related)
        if cls.mark is not None and cls.mark not in cls.dscp:
            listed = or_list([str(point) for point in cls.dscp])
            message = f"class {name!r} marks {cls.mark}, which is no code point of it"
            hint = f"use {listed}" if cls.dscp else "remove mark, or give the class the code point"
            yield Finding(message, (*CLASSES, name, "mark"), hint=hint)


@rule(
    "FG-QOS-004",
    "Weights do not add up to 100 %",
    why="NICs refuse an ETS table that does not sum to 100; switches would scale it, so both ends would differ.",
    fix="Let the weights of the classes that are not strict add up to 100.",
    source="IEEE 802.1Qaz section 37; Mellanox/mlnx-tools mlnx_qos",
)
def check_weights(view: IntentView) -> Iterator[Finding]:
    """ETS shares sum to 100."""
    weights = {name: cls.weight_pct for name, cls in classes_of(view) if cls.weight_pct and not cls.strict}
    total = sum(weights.values())
    if weights and total != 100:
        terms = " + ".join(f"{name} {pct}" for name, pct in weights.items())
        last = max(weights, key=lambda name: weights[name])
        fixed = weights[last] + 100 - total
        message = f"weights are {terms} = {total} %; they must add up to 100 %"
        hint = f"set weight_pct of {last} to {fixed}" if 1 <= fixed <= 100 else "lower several weight_pct"
        related = tuple(Related(f"class {name!r}", (*CLASSES, name, "weight_pct")) for name in weights if name != last)
        yield Finding(message, (*CLASSES, last, "weight_pct"), hint=hint, related=related)


@rule(
    "FG-QOS-005",
    "Class not strict or weighted, or both",
    why="A queue without a share starves, or gets whatever its platform defaults to; the weight of a strict one never "
    "applies and misleads the reader.",
    fix="Set weight_pct, or strict: true, and not both.",
    source=DCB,
)
def check_scheduled(view: IntentView) -> Iterator[Finding]:
    """Every class says how it is scheduled, and a strict class has no share."""
    for name, cls in classes_of(view):
        if not cls.strict and cls.weight_pct is None:
            message = f"class {name!r} is neither strict nor has a weight"
            yield Finding(message, (*CLASSES, name), hint="add weight_pct, or strict: true")
        if cls.strict and cls.weight_pct is not None:
            message = f"class {name!r} is strict and has a weight of {cls.weight_pct} %"
            path = (*CLASSES, name, "weight_pct")
            related = (Related("strict", (*CLASSES, name, "strict")),)
            yield Finding(message, path, hint="remove weight_pct", related=related, on_key=True)


@rule(
    "FG-QOS-007",
    "Lossless class under strict priority",
    severity=Severity.WARNING,
    why="Bulk traffic under strict priority starves every class below it, the default class included.",
    fix="Give the lossless class a weight.",
    source="Gangidi et al., RDMA over Ethernet for Distributed AI Training at Meta Scale, SIGCOMM 2024",
)
def check_lossless_not_strict(view: IntentView) -> Iterator[Finding]:
    """Bulk is not strict."""
    for name, cls in classes_of(view):
        if cls.lossless and cls.strict:
            message = f"class {name!r} is lossless and strict: it can starve every other class"
            hint = "use weight_pct in place of strict, for example weight_pct: 50, and lower the other weights"
            yield Finding(message, (*CLASSES, name, "strict"), hint=hint)


@rule(
    "FG-QOS-008",
    "Class that the lossless contract lacks, or has twice",
    why="Without a class under PFC the fabric is lossy. Without cnp, CNPs queue behind the traffic they are to slow "
    "down; makers' defaults disagree (DSCP 4, 46, 48). All 64 code points must map somewhere at every hop.",
    fix="Mark the RoCE class lossless: true, or state mode: ecn_only; add the class cnp with its own DSCP and strict: "
    "true; have exactly one class without dscp.",
    source=f"{AZURE}; NVIDIA DOCA DCQCN parameters; Broadcom Thor2 and AMD Pollara defaults differ; "
    "sonic-net/sonic-buildimage: an unmapped DSCP is undefined",
)
def check_wanted_classes(view: IntentView) -> Iterator[Finding]:
    """As the mode has it, some class is lossless and cnp has a code point; one class takes the remaining ones."""
    lossless = view.intent.lossless
    cnp = lossless.classes.get("cnp")
    if lossless.mode != "ecn_only" and not any(cls.lossless for _, cls in classes_of(view)):
        message = f"mode is {lossless.mode}, but no class is lossless"
        yield Finding(message, CLASSES, hint="add lossless: true to the class of RoCE")
    if lossless.mode != "pfc_only" and cnp is None:
        message = f"mode is {lossless.mode}, but there is no class 'cnp'"
        yield Finding(message, CLASSES, hint="add cnp: {dscp: 46, priority: 6, strict: true}")
    elif lossless.mode != "pfc_only" and cnp is not None and not cnp.dscp:
        yield Finding("class 'cnp' has no DSCP", (*CLASSES, "cnp"), hint="add dscp, for example dscp: 46")
    rest = [name for name, cls in classes_of(view) if not cls.dscp and not cls.lossless and name != "cnp"]
    if not rest:
        yield Finding(
            "no class takes the remaining code points", CLASSES, hint="add default: {priority: 0, weight_pct: 5}"
        )
    elif len(rest) > 1:
        hint = f"add dscp to {or_list(rest)}, or remove one of the classes"
        related = (Related("the other class", (*CLASSES, rest[0])),)
        yield Finding(f"classes {and_list(rest)} both lack dscp", (*CLASSES, rest[1]), hint=hint, related=related)


@rule(
    "FG-QOS-013",
    "More lossless priorities than the buffer is made for",
    severity=Severity.WARNING,
    why="Every lossless priority needs headroom on every port; vendors' pools are sized for one or two.",
    fix="Merge lossless classes.",
    source="sonic-net/sonic-buildimage buffers_defaults; Meta runs one, Azure two",
)
def check_lossless_count(view: IntentView) -> Iterator[Finding]:
    """At most two lossless priorities."""
    names = [name for name, cls in classes_of(view) if cls.lossless]
    if len(names) > 2:
        message = f"{len(names)} classes are lossless: {', '.join(names)}; vendors size pools for two"
        path = (*CLASSES, names[2], "lossless")
        yield Finding(message, path, hint=f"remove lossless from {len(names) - 2} of them, or merge classes")


@rule(
    "FG-QOS-015",
    "Notifications, control traffic or credits that can be paused",
    why="A paused CNP or BGP packet makes congestion and failures worse instead of ending them. Admission by receivers "
    "stalls when credits wait behind, or are paused with, the data they ask for.",
    fix="Keep cnp and control lossy, and make cts strict and lossy, with a DSCP of its own.",
    source="Guo et al., SIGCOMM 2016, section 4; roce practice of NVIDIA and Meta; Gangidi et al., SIGCOMM 2024, "
    "section 6 (clear-to-send packets at high priority)",
)
def check_control_is_lossy(view: IntentView) -> Iterator[Finding]:
    """CNP and control are never paused; a class named cts is strict, lossy and has one code point."""
    for name in ("cnp", "control"):
        cls = view.intent.lossless.classes.get(name)
        if cls is not None and cls.lossless:
            yield Finding(
                f"class {name!r} is lossless, expected lossy", (*CLASSES, name, "lossless"), hint="remove lossless"
            )
    cts = view.intent.lossless.classes.get("cts")
    if cts is not None and (not cts.strict or cts.lossless or len(cts.dscp) != 1):
        message = "class 'cts' must be strict, lossy and have exactly one DSCP"
        yield Finding(message, (*CLASSES, "cts"), hint="use for example cts: {dscp: 40, priority: 5, strict: true}")


@rule(
    "FG-QOS-083",
    "Unmarked packets in a lossless class",
    why="DSCP 0 is what unmarked packets carry: storage, logins and downloads would fill the lossless "
    "queue, be paused and pause others.",
    fix="Give RoCE a code point of its own; mark_unmarked is for hosts that cannot mark.",
    source=f"RFC 2474 section 4.1 (the default per-hop behaviour); {AZURE}",
    waivable=True,
)
def check_default_is_lossy(view: IntentView) -> Iterator[Finding]:
    """No lossless class takes DSCP 0."""
    rest = next((name for name, cls in classes_of(view) if not cls.dscp), "")
    for name, cls in classes_of(view):
        if cls.lossless and 0 in cls.dscp:
            message = f"class {name!r} is lossless and takes DSCP 0, which unmarked packets carry"
            path = (*CLASSES, name, "dscp")
            related = (Related("the class of the remaining code points", (*CLASSES, rest)),) if rest else ()
            yield Finding(message, path, hint="use another code point, for example dscp: 26", related=related)


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
            message = f"class {name!r} is lossless on priority 0, whose priority group all lossy classes share"
            hint = f"use priority: {free}" if free is not None else "use another priority"
            related = (Related("a lossy class", (*CLASSES, lossy)),) if lossy else ()
            yield Finding(message, (*CLASSES, name, "priority"), hint=hint, related=related)


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
    message = f"lossless classes have {share} of {total} % of the weights"
    hint = f"raise weight_pct of {name} to 50 or more, and lower that of {and_list(others)}"
    related = tuple(Related(f"class {other!r}", (*CLASSES, other, "weight_pct")) for other in others)
    yield Finding(message, (*CLASSES, name, "weight_pct"), hint=hint, related=related)
