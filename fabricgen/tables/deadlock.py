"""Verdict on cycles of PFC: the order of the buffers that is the certificate, or the cycles and what breaks them."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.analysis.deadlock.analysis import Deadlock, analyze_deadlock
from fabricgen.analysis.deadlock.cycles import FAILURES_MAX, Buffer, Cycle
from fabricgen.analysis.deadlock.turns import UP
from fabricgen.checks.forwarding_rules import read_rules
from fabricgen.device.wiring import Wiring
from fabricgen.diagnostics.words import and_list
from fabricgen.plan.model.cabling import up_links
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.tables.sections import Row, Sections

FREE, CYCLIC = "free of cycles", "a cycle can close"
"""Verdicts on a fabric with lossless classes."""
ORDER = "Dally and Seitz, IEEE ToC 1987, theorem 1: no deadlock if and only if no cycle of dependencies"
STATES = "Hu et al., HotNets 2016, and Wu and Ng, DCFIT, 2020: a loop of a moment is enough to begin a deadlock"
AS_LOOP = "RFC 4271 section 9.1.2: a path with the own AS number is refused; RFC 7938 section 5.2.1"


def show_deadlock(plan: FabricPlan) -> Sections:
    """Return the verdict on a plan, its certificate, and the cycles."""
    found = analyze_deadlock(plan, read_rules(plan))
    return Sections(
        plan.name,
        {
            "verdict": [_verdict(found)],
            "cycles": list(list_cycles(plan, found)),
            "demotion": list(list_demotions(plan, found)),
            "order": list(_order_rows(plan, found)),
            "turns": list(_turn_rows(plan, found)),
            "refused": list(_refused_rows(plan, found)),
            "left_out": [{"left_out": what, "because": why} for what, why in _left_out()],
        },
    )


def _verdict(found: Deadlock) -> Row:
    """Return the verdict; the order holds as planned, or with bounced packets demoted."""
    verdict = "no lossless class" if not found.priorities else CYCLIC if found.cycles else FREE
    if found.places is None and not found.cycles:
        verdict = "not proven"
    return {
        "verdict": verdict,
        "lossless": list(found.priorities),
        "failures": FAILURES_MAX,
        "kinds_of_destinations": found.kinds,
        "proven_by_as_numbers": found.proven,
        "order_holds": "none" if found.places is None else "with the demotion" if found.cycles else "as planned",
        "source": STATES,
    }


def _order_rows(plan: FabricPlan, found: Deadlock) -> Iterator[Row]:
    """Yield the classes of buffers in their order, with how many there are and how that is counted."""
    for buffer, place in sorted((found.places or {}).items(), key=lambda item: (item[1], item[0])):
        count, derivation = _count(plan, buffer.links)
        yield {
            "place": place,
            "buffer": buffer.key,
            "direction": buffer.direction,
            "links": [plan.links[buffer.links].name] if buffer.links else sorted({it.link.name for it in plan.hosts}),
            "at": plan.tiers[buffer.tier].name if buffer.tier >= 0 else "hosts",
            "priority": buffer.priority,
            "buffers": count,
            "derivation": derivation,
            "source": ORDER,
        }


def _count(plan: FabricPlan, links: int) -> tuple[int, str]:
    """Return the links of a group as planned, and the sum."""
    if links:
        group, lower = plan.links[links], plan.tiers[links - 1]
        count = lower.size * group.width * group.per_pair
        return count, f"{lower.size} {lower.name} x {group.width} switches above x {group.per_pair} links"
    units = list(plan.units())
    parts = [
        (sum(group.in_unit(unit.unit) for unit in units), group.per_unit, len(group.rails), group.nic_ports)
        for group in plan.hosts
    ]
    count = sum(number * hosts * rails * ports for number, hosts, rails, ports in parts)
    return count, " + ".join(f"{n} units x {h} hosts x {r} rails x {p} ports" for n, h, r, p in parts)


def _turn_rows(plan: FabricPlan, found: Deadlock) -> Iterator[Row]:
    places = found.places or {}
    for turn in found.turns:
        yield {
            "tier": plan.tiers[turn.tier].name,
            "turn": turn.kind,
            "by": "flooding" if turn.flooded else "routing",
            "from": turn.before.key,
            "to": turn.after.key if turn.after else None,
            "from_place": places.get(turn.before),
            "to_place": places.get(turn.after) if turn.after else None,
        }


def _refused_rows(plan: FabricPlan, found: Deadlock) -> Iterator[Row]:
    """Say of every tier why what came down does not go up again there."""
    for tier in plan.tiers if found.priorities else ():
        if tier.number in found.bouncing:
            continue
        if tier.up is None:
            why = "no tier is above it"
        elif tier.number:
            why = "switches that lead to the same leaf have one AS number and refuse each other's paths from above"
        else:
            why = "no other way to the hosts of a leaf is announced to it from above"
        yield {"tier": tier.name, "refused": f"down, then {UP} again", "because": why, "source": AS_LOOP}


def _left_out() -> Iterator[tuple[str, str]]:
    """Yield what the verdict does not cover, and why."""
    yield "raw snippets that change routing policy or classes", "only what fabricgen plans is analysed"
    yield "packets to switches themselves", "lossless classes are those of traffic between hosts"
    yield (
        "hosts that forward packets, or pause without end",
        "a NIC is the end of every way; the PFC watchdog is for it",
    )
    yield f"more than {FAILURES_MAX} failures at a time", and_list(["links", "switches"]) + " fail one by one"


TAGGER = "Hu et al., Tagger: Practical PFC Deadlock Prevention in Data Center Networks, CoNEXT 2017"
WITHDRAWAL = "Qian et al., Alibaba HPN, SIGCOMM 2024, section 4.2 (host routes follow links); RFC 4271 section 9.2"


def list_cycles(plan: FabricPlan, found: Deadlock) -> Iterator[Row]:
    """Yield the shortest cycle of each sort: of the same tiers, and opened by as many failures."""
    wiring = Wiring(plan)
    sorts: dict[tuple[object, ...], list[Cycle]] = {}
    for cycle in found.cycles:
        tiers = tuple(sorted({device.tier for device in cycle.bounces}))
        sorts.setdefault((tiers, cycle.losses, len(cycle.buffers)), []).append(cycle)
    for alike in sorts.values():
        cycle = alike[0]
        yield {
            "cycle": " > ".join(plan.device_name(device) for device in cycle.devices),
            "buffers": [
                f"{plan.device_name(each.there)} from {plan.device_name(each.here)} priority {each.priority}"
                for each in cycle.buffers
            ],
            "links": list(dict.fromkeys(_link(wiring, buffer) for buffer in cycle.buffers)),
            "opened_by": [name for failure in cycle.failures for name in failure.names] or ["no failure"],
            "failures": cycle.losses,
            "destination": cycle.destination.text(plan),
            "bounces_at": [plan.device_name(device) for device in dict.fromkeys(cycle.bounces)],
            "kinds_alike": len(alike),
            "source": WITHDRAWAL,
        }


def list_demotions(plan: FabricPlan, found: Deadlock) -> Iterator[Row]:
    """Yield the rule that breaks the cycles, for each tier at which packets bounce."""
    for number in sorted(found.bouncing if found.cycles else ()):
        tier = plan.tiers[number]
        for priority in found.priorities:
            yield {
                "tier": tier.name,
                "switches": tier.size,
                "match": f"in from {plan.tiers[number + 1].name}, out to {plan.tiers[number + 1].name}",
                "priority": priority,
                "becomes": "a lossy class, queue and code point",
                "rendered": False,
                "source": TAGGER,
            }


def _link(wiring: Wiring, buffer: Buffer) -> str:
    """Return the first link between the ends of a buffer, with its ports."""
    plan = wiring.plan
    lower, upper = sorted((buffer.here, buffer.there))
    link = next(each for each in up_links(plan, lower) if each.upper_end == upper)
    down = wiring.port_names(lower.tier, lower.where, up=True)[link.lower_position]
    above = wiring.port_names(upper.tier, upper.where, up=False)[link.upper_position]
    return f"{plan.device_name(lower)} {down} – {plan.device_name(upper)} {above}"
