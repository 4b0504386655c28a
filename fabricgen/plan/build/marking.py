"""Marking thresholds of a tier, and the fill at which PFC may pause that they are held against."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from fabricgen.catalog.records import EcnProfile, SwitchModel
from fabricgen.diagnostics import Bag, IntentPath, Related
from fabricgen.intent.lossless import EcnValues, Lossless
from fabricgen.physics.ecn import ecn_bound_bytes, pause_bytes
from fabricgen.physics.ecn_thresholds import SONIC_SHAPE, Marking, MarkingShape, computed_thresholds, shape_of
from fabricgen.physics.refusal import Refusal
from fabricgen.plan.build import codes
from fabricgen.plan.build.scripted import CableUse, SharedPool
from fabricgen.plan.model.contract import EcnThresholds, MarkingBound

COMPUTED_SOURCE = "bound: Zhu et al., SIGCOMM 2015, section 4"
STOCK_SHAPE = "sonic-net/sonic-buildimage 086b03bd, files/build_templates/qos_config.j2"


def build_bound(pool: SharedPool | None, ports: int, lossless: Lossless) -> MarkingBound | None:
    """The bound of a tier's switches at the reserved maximum; None where the catalog has no figures.

    Where the mode has no PFC, the same fill is where the queue starts to drop.

    Args:
        pool: What the lossless priority groups share.
        ports: Ports that have or will have a link.
        lossless: The contract.
    """
    priorities = len({cls.priority for cls in lossless.classes.values() if cls.lossless})
    if pool is None or not ports or not priorities:
        return None
    return MarkingBound(
        pool.alpha,
        pool.shared_bytes,
        ports,
        priorities,
        ecn_bound_bytes(pool.alpha, pool.shared_bytes, ports, priorities),
        pause_bytes(pool.alpha, pool.shared_bytes),
    )


def build_marking(
    lossless: Lossless,
    tier: str,
    model: SwitchModel,
    named: Mapping[str, EcnProfile],
    uses: Sequence[CableUse],
    bound: MarkingBound | None,
    told: bool,
    bag: Bag,
) -> tuple[EcnThresholds, ...]:
    """Marking thresholds per speed; empty where the mode marks nothing.

    Args:
        lossless: The contract, which says where thresholds come from.
        tier: Name of the tier.
        model: Its switch model.
        named: Profiles the intent names, as far as the catalog has them.
        uses: Links of the tier's ports.
        bound: What computed thresholds follow from.
        told: A diagnostic says already that figures for the bound are missing.
        bag: Takes what cannot be computed, or does not fit a speed.
    """
    if lossless.mode == "pfc_only":
        return ()
    builder = _Builder(lossless, tier, model, named, uses, bound, told, bag)
    found = (builder.thresholds(speed) for speed in sorted({use.speed_gbps for use in uses}))
    return tuple(thresholds for thresholds in found if thresholds)


class _Builder(NamedTuple):
    """Builds the thresholds of one tier; holds what all its speeds need."""

    lossless: Lossless
    tier: str
    model: SwitchModel
    named: Mapping[str, EcnProfile]
    uses: Sequence[CableUse]
    bound: MarkingBound | None
    told: bool
    bag: Bag

    def thresholds(self, speed_gbps: int) -> EcnThresholds | None:
        """The thresholds of one speed; None if they cannot be told, which is reported."""
        name = f"roce_{speed_gbps}g"
        choice, path = self.lossless.marking_for(self.tier, speed_gbps)
        if isinstance(choice, EcnValues):
            marking = Marking(choice.kmin_bytes, choice.kmax_bytes, choice.pmax_pct)
            return EcnThresholds(name, speed_gbps, *marking, "explicit in the intent", _key(path))
        if choice == "computed":
            return self._computed(name, speed_gbps, path)
        profile = self.named.get(choice)
        if profile is None:
            # A name without a record is already reported where it is given.
            return None
        if profile.speed_gbps not in (0, speed_gbps):
            link = next(use.link for use in self.uses if use.speed_gbps == speed_gbps)
            self.bag.add(
                codes.PROFILE_OF_OTHER_SPEED,
                f"profile {profile.name} is published for {profile.speed_gbps}G; {link} runs at {speed_gbps}G",
                path,
                hint=f"name a profile for {speed_gbps}G, or use computed",
                related=[Related("the speed", ("links", link, "speed"))],
            )
        source = f"profile {profile.name}: {profile.provenance.source}"
        marking = Marking(profile.kmin_bytes, profile.kmax_bytes, profile.pmax_pct)
        return EcnThresholds(name, speed_gbps, *marking, source, _key(path))

    def _computed(self, name: str, speed_gbps: int, path: IntentPath) -> EcnThresholds | None:
        bound = self.bound
        if bound is None:
            self._report_unknown(path)
            return None
        shape, shape_source = self._shape(speed_gbps)
        cell = self.model.asic.cell_bytes or 1
        mtu = max(use.mtu_bytes for use in self.uses)
        marking = computed_thresholds(
            bound.alpha, bound.pool_bytes, bound.ports, bound.priorities, cell, mtu, shape=shape
        )
        if isinstance(marking, Refusal):
            self._report_no_room(marking, bound, mtu, path)
            return None
        ratio = shape.kmin_of_kmax
        source = (
            f"computed: Kmax = {bound.arithmetic} in whole cells of {cell} B, "
            f"Kmin = Kmax x {ratio.numerator}/{ratio.denominator}; {COMPUTED_SOURCE}; ratio and Pmax: {shape_source}"
        )
        return EcnThresholds(name, speed_gbps, *marking, source, _key(path))

    def _shape(self, speed_gbps: int) -> tuple[MarkingShape, str]:
        """Ratio of the thresholds and Pmax: those the vendor chose for this speed, else SONiC's."""
        profile = next((p for p in self.model.ecn_profiles if p.speed_gbps == speed_gbps), None)
        if profile is None:
            return SONIC_SHAPE, STOCK_SHAPE
        return shape_of(profile), f"profile {profile.name}, {profile.provenance.source}"

    def _report_unknown(self, path: IntentPath) -> None:
        if not self.told:
            self.bag.add(
                codes.NOT_COMPUTABLE,
                f"the catalog has no buffer figures of {self.model.id} to compute marking from",
                path,
                hint=f"name a profile{self._vendor_profile()}, or give kmin_bytes, kmax_bytes and pmax_pct",
                related=[Related("the model", ("tiers", self.tier, "model"))],
            )

    def _vendor_profile(self) -> str:
        """The profile the model's vendor ships, as an example."""
        names: Collection[str] = {profile.name for profile in self.model.ecn_profiles}
        return f" such as {min(names)}" if names else ""

    def _report_no_room(self, refusal: Refusal, bound: MarkingBound, mtu_bytes: int, path: IntentPath) -> None:
        self.bag.add(
            codes.NO_ROOM_TO_MARK,
            f"{self.model.id}: with {bound.ports} ports congested PFC may pause from {bound.bound_bytes} bytes "
            f"({bound.arithmetic}); marking needs {refusal.facts['least_bytes']}, three packets of {mtu_bytes}",
            path,
            hint="use fewer lossless priorities or ports, or give thresholds that accept pauses before marks",
            related=[Related("the model", ("tiers", self.tier, "model"))],
        )


def _key(path: IntentPath) -> str:
    """The tier or speed a statement on marking is for; empty where it is for all."""
    return path[2] if len(path) > 2 else ""
