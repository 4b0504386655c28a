"""The verdict on a fabric: free of cycles with a certificate, or the cycles, and what breaks them."""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.analysis.deadlock.bounces import look_for_cycles, weight
from fabricgen.analysis.deadlock.cycles import Cycle
from fabricgen.analysis.deadlock.forwarding_rules import ForwardingRules
from fabricgen.analysis.deadlock.order import BufferClass, Turn, list_turns, rank
from fabricgen.plan.model.fabric import FabricPlan


@dataclass(frozen=True, slots=True)
class Deadlock:
    """Result of the analysis.

    Attributes:
        priorities: The lossless classes.
        kinds: Kinds of destinations that were looked at.
        proven: Those of which AS numbers and cabling alone prove that nothing bounces.
        cycles: Cycles, those with the fewest failures first; none if the fabric is free of them.
        bouncing: Tiers at which packets may go up again.
        turns: Every turn that packets can take; where there are cycles, with bounced packets demoted.
        places: Order of the buffers; None if the turns leave a circle.
    """

    priorities: tuple[int, ...]
    kinds: int
    proven: int
    cycles: tuple[Cycle, ...]
    bouncing: frozenset[int]
    turns: tuple[Turn, ...]
    places: dict[BufferClass, int] | None


def analyze_deadlock(plan: FabricPlan, rules: ForwardingRules) -> Deadlock:
    """Return the verdict on a plan.

    Args:
        plan: The plan.
        rules: Rules of forwarding.
    """
    priorities, tiers = plan.contract.lossless, len(plan.tiers)
    looked = list(look_for_cycles(plan, rules, priorities))
    bouncing = frozenset().union(*(each.tiers for each in looked))
    cycles = sorted((each.cycle for each in looked if each.cycle is not None), key=weight)
    demoted = rules.with_demotion(tiers, priorities) if cycles else rules
    turns = tuple(list_turns(tiers, priorities, demoted, bouncing))
    proven = sum(each.proven for each in looked)
    return Deadlock(priorities, len(looked), proven, tuple(cycles), bouncing, turns, rank(turns))
