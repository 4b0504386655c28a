"""Cycles of PFC in tables: devices and links of each, the failures that open it, and the rule that breaks it."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.analysis.deadlock.analysis import Deadlock
from fabricgen.analysis.deadlock.cycles import Buffer, Cycle
from fabricgen.device.wiring import Wiring
from fabricgen.plan.model.cabling import up_links
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.tables.sections import Row

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
            "buffers": [_name(plan, buffer) for buffer in cycle.buffers],
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


def _name(plan: FabricPlan, buffer: Buffer) -> str:
    """Return the switch that has a buffer, its class, and where its packets come from."""
    return f"{plan.device_name(buffer.there)} from {plan.device_name(buffer.here)} priority {buffer.priority}"


def _link(wiring: Wiring, buffer: Buffer) -> str:
    """Return the first link between the ends of a buffer, with its ports."""
    plan = wiring.plan
    lower, upper = sorted((buffer.here, buffer.there))
    link = next(each for each in up_links(plan, lower) if each.upper_end == upper)
    down = wiring.names_up(lower.tier, lower.where)[link.lower_position]
    above = wiring.names_down(upper.tier, upper.where)[link.upper_position]
    return f"{plan.device_name(lower)} {down} – {plan.device_name(upper)} {above}"
