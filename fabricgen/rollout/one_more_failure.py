"""Diagnostic for waves during which one more failure leaves a pair of leafs less than the floor, or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import count
from typing import NamedTuple

from fabricgen.diagnostics import Bag
from fabricgen.rollout.model import Wave, WavePlan
from fabricgen.rollout.wave_codes import CUTS_OFF, SLOWS


class _Numbered(NamedTuple):
    number: int
    wave: Wave
    plan: WavePlan


def warn_of_failures(plans: Iterable[WavePlan], bag: Bag) -> None:
    """Report the waves of a rollout during which one more failure breaks the floor, by the worst of them."""
    waves = list(_number(plans))
    thin = [each for each in waves if each.wave.bandwidth < 1 and each.wave.n_minus_1.share < each.plan.limits.floor]
    if not thin:
        return
    number, wave, plan = min(thin, key=lambda each: each.wave.n_minus_1.share)
    share, switch, kept = wave.n_minus_1
    pair = " and ".join(kept)
    many = f"; the like in {len(thin)} of {len(waves)} waves" if len(thin) > 1 else ""
    head, path = f"if {switch} fails during wave {number}, {pair}", ("rollout", "floor")
    if share:
        outcome = f"keep {_percent(share)} of their bandwidth, less than the floor of {_percent(plan.limits.floor)}"
        hint = "no action needed if jobs may run slower meanwhile; a higher rollout.floor leaves more"
        bag.add(SLOWS, f"{head} {outcome}{many}", path, hint=hint)
    else:
        hint = "raise rollout.floor for a second way, where more than two switches are above the leafs"
        bag.add(CUTS_OFF, f"{head} are cut off from each other{many}", path, hint=hint)


def _percent(share: Fraction) -> str:
    return f"{float(share):.1%}"


def _number(plans: Iterable[WavePlan]) -> Iterator[_Numbered]:
    """Yield every wave with its number in the whole rollout."""
    numbers = count()
    for plan in plans:
        for wave in plan.waves:
            yield _Numbered(next(numbers), wave, plan)
