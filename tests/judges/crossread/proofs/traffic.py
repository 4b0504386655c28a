"""The lossless contract on every switch port: DSCP, PFC, headroom, watchdog, ECN, scheduling; alike at both ends."""

from __future__ import annotations

from ..facts import End, Interface, Qos, shown
from ..graph import place
from .case import Case

CODE_POINTS = 64


def differences(one: dict[int, int], two: dict[int, int]) -> str:
    """Return the differences of two maps of code points, as ``26: 3 and 0``; empty where they agree."""
    keys = sorted(k for k in one.keys() | two.keys() if one.get(k) != two.get(k))
    shown = [f"{k}: {one.get(k, 'nothing')} and {two.get(k, 'nothing')}" for k in keys[:4]]
    return ", ".join(shown) + (f" and {len(keys) - 4} more" if len(keys) > 4 else "")


def data_dscp(case: Case, host: str) -> int | None:
    """Code point of a host's collectives, or None where the text does not set one."""
    text = case.fabric.devices[host].host.collective.get("NCCL_IB_TC", "")
    return int(text) >> 2 if text.isdigit() else None


def prove_lossless_ports(case: Case) -> list[str]:
    """Every used switch port pauses, absorbs, watches and marks the lossless priorities and no others."""
    paused = case.lossless if case.expected.has_pfc else frozenset[int]()
    marked = case.lossless if case.expected.has_ecn else frozenset[int]()
    found = []
    if case.used_ports and not case.lossless:
        found.append("fabric: no port has a lossless priority")
    for end, port in case.used_ports:
        qos = port.qos
        checks = (
            ("PFC on priorities", qos.pfc, paused),
            ("headroom in priority groups", qos.headroom, paused),
            ("watchdog on priorities", qos.watchdog, _unless_lacking(case, end, "watchdog", paused)),
            ("ECN on queues", frozenset(qos.ecn), frozenset(qos.pfc_to_queue.get(p, p) for p in marked)),
        )
        for what, has, wants in checks:
            if has != wants:
                found.append(f"{place(end)}: {what} {sorted(has)}, the contract says {sorted(wants)}")
        found += _stages(end, qos, paused)
    return found


def _stages(end: End, qos: Qos, paused: frozenset[int]) -> list[str]:
    """Prove that DSCP, traffic class, queue, priority group and PFC priority fit together on one port."""
    found = []
    for priority in sorted(paused):
        queue = qos.pfc_to_queue.get(priority)
        classes = [tc for tc in set(qos.dscp_to_tc.values()) if qos.tc_to_queue.get(tc) == queue]
        if not classes:
            found.append(f"{place(end)}: no code point ends in queue {queue} of lossless priority {priority}")
        for tc in classes:
            if qos.tc_to_pg.get(tc) != priority:
                group = qos.tc_to_pg.get(tc)
                found.append(f"{place(end)}: traffic class {tc} fills priority group {group}, PFC pauses {priority}")
    paused_queues = {qos.pfc_to_queue.get(p) for p in paused}
    for tc in sorted(set(qos.dscp_to_tc.values())):
        if qos.tc_to_pg.get(tc) in paused and qos.tc_to_queue.get(tc) not in paused_queues:
            found.append(f"{place(end)}: lossy traffic class {tc} fills lossless priority group {qos.tc_to_pg.get(tc)}")
    return found


def prove_code_points(case: Case) -> list[str]:
    """All 64 code points have a priority, the one that the intent says."""
    found = []
    for end, port in case.used_ports:
        has = case.priorities(port.qos)
        missing = [dscp for dscp in range(CODE_POINTS) if dscp not in has]
        if missing:
            found.append(f"{place(end)}: no traffic class for code points {missing[:4]} ({len(missing)} in all)")
        wants = case.expected.priority_by_dscp
        differs = differences({k: v for k, v in has.items() if k in wants}, wants)
        if differs:
            found.append(f"{place(end)}: priority by DSCP differs from the intent: {differs}")
    return found


def prove_hops_agree(case: Case) -> list[str]:
    """Both ends of a switch link map code points and treat queues alike; priority groups only where one pauses."""
    found = []
    for lower, upper in case.switch_links:
        one, two = case.port(lower), case.port(upper)
        if one is None or two is None:
            continue
        lacks = case.fabric.devices[lower[0]].lacks | case.fabric.devices[upper[0]].lacks
        if not case.expected.has_pfc:
            lacks |= {"tc_to_pg"}
        if {lower[0], upper[0]} & case.expected.own_watchdog:
            lacks |= {"watchdog_timers"}
        found += _hop(case, lower, one, upper, two, lacks)
    return found


def _unless_lacking(case: Case, end: End, what: str, wants: frozenset[int]) -> frozenset[int]:
    """Return what a port must have; nothing where its platform has no place for it."""
    return frozenset() if what in case.fabric.devices[end[0]].lacks else wants


def _hop(case: Case, lower: End, one: Interface, upper: End, two: Interface, lacks: frozenset[str]) -> list[str]:
    here, found = f"{place(lower)}", []
    differs = differences(case.priorities(one.qos), case.priorities(two.qos))
    if differs:
        found.append(f"{here}: priority by DSCP differs from {place(upper)}: {differs}")
    for what in ("pfc", "headroom", "watchdog", "watchdog_timers", "scheduler", "tc_to_pg"):
        mine, theirs = getattr(one.qos, what), getattr(two.qos, what)
        if what == "scheduler":
            mine, theirs = _in_use(one.qos), _in_use(two.qos)
        if what == "watchdog_timers" and _timers_agree(mine, theirs):
            continue
        if mine != theirs and what not in lacks:
            found.append(f"{here}: {what} {shown(mine)}, but {place(upper)} has {shown(theirs)}")
    if one.qos.ecn.keys() != two.qos.ecn.keys():
        found.append(f"{here}: ECN on queues {sorted(one.qos.ecn)}, but {place(upper)} on {sorted(two.qos.ecn)}")
    return found


def _timers_agree(mine: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """Return whether two watchdogs do the same as far as both say; a system without a timer leaves it empty."""
    same = (one == two for one, two in zip(mine, theirs, strict=False) if one and two)
    return len(mine) == len(theirs) and all(same)


def _in_use(qos: Qos) -> dict[int, int | str]:
    """Scheduling of the queues that some code point ends in; systems treat idle queues each in their way."""
    queues = {qos.tc_to_queue.get(tc, tc) for tc in qos.dscp_to_tc.values()}
    return {queue: how for queue, how in qos.scheduler.items() if queue in queues}


def prove_marking(case: Case) -> list[str]:
    """Marking starts before it is certain, and ports of one speed on one tier mark alike, unlike boxes apart."""
    found = []
    usual: dict[tuple[object, ...], tuple[tuple[int, int, int], End]] = {}
    for end, port in case.used_ports:
        for queue, marks in port.qos.ecn.items():
            kmin, kmax, percent = marks
            if not (0 < kmin <= kmax and 0 < percent <= 100):
                found.append(f"{place(end)}: queue {queue} marks from {kmin} to {kmax} bytes with {percent} %")
            own = end[0] if end[0] in case.expected.own_box else ""
            key = (case.graph.level.get(end[0]), port.speed_gbps, queue, own)
            known, where = usual.setdefault(key, (marks, end))
            if known != marks:
                found.append(f"{place(end)}: queue {queue} marks at {marks}, {place(where)} at {known}")
    return found


def prove_hashes_differ(case: Case) -> list[str]:
    """Neighbouring switches of different tiers choose among equal paths differently."""
    if case.expected.same_hash:
        return []
    pairs = {(lower[0], upper[0]) for lower, upper in case.switch_links}
    found = []
    for lower, upper in sorted(pairs):
        below, above = case.fabric.devices[lower], case.fabric.devices[upper]
        one, two = below.hash_identity, above.hash_identity
        if not (one and two) and case.expected.unsaid_hashes:
            continue
        if not one or not two:
            found.append(f"{lower if not one else upper}: says nothing about its ECMP hash")
        elif one == two:
            found.append(f"{lower}: hashes with {one}, and so does {upper} above it")
    return sorted(set(found))
