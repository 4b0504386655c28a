"""Waves of a pass: the switches that go out, their neighbors while they are out, and their return."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.api.rollout_legs import Leg, PassStep
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.words import name_few
from fabricgen.platforms.patching.rollout import is_drained
from fabricgen.rollout.model import ChangedDevice, Wave, WaveKind, WavePlan
from fabricgen.rollout.rollout_codes import ONE_VALUE
from fabricgen.rollout.waves import plan_waves


def wave_of_step(leg: Leg, step: PassStep, changes: Sequence[ChangedDevice], bag: Bag) -> WavePlan | None:
    """Return the waves of a step, all with the same bandwidth left; None if a neighbor would have to go out itself."""
    names = tuple(each.device for each in changes)
    if step.part == "change":
        wave = step.wave._replace(devices=tuple(name for name in step.wave.devices if name in names))
        return WavePlan((wave,), leg.plan.rollout, step.stranded)
    if not _disturbs_nothing(changes, step.wave, bag):
        return None
    if step.part == "return" or step.number > 1:
        together = Wave(0, WaveKind.hitless, names)
        return WavePlan((_while_out(together, step.wave),) if names else (), leg.plan.rollout)
    # What the first neighbors of a rollout take is tried step by step.
    paced = plan_waves(leg.plan, [each._replace(disruption="hitless") for each in changes], bag)
    return paced and paced._replace(waves=tuple(_while_out(wave, step.wave) for wave in paced.waves))


def _disturbs_nothing(changes: Sequence[ChangedDevice], out: Wave, bag: Bag) -> bool:
    """Refuse neighbors that would have to go out themselves, but for hosts that run no jobs meanwhile."""
    disturbed = [each.device for each in changes if is_drained(each.disruption) and each.device not in out.hosts]
    if disturbed:
        message = f"{name_few(disturbed)}: lines about a drained neighbor disturb more than the sessions with it"
        bag.add(ONE_VALUE, message, device=disturbed[0], hint="change them while no jobs run, apart from this rollout")
    return not disturbed


def _while_out(wave: Wave, out: Wave) -> Wave:
    """Return a wave with what is left while the switches of another one are still out."""
    kept = {name: getattr(out, name) for name in ("hosts", "bandwidth", "kept", "n_minus_1")}
    return wave._replace(scope=out.scope, **kept)
