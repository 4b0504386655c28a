"""Marking thresholds of a tier, and the fill at which PFC may pause that they are held against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fabricgen.catalog.records import EcnProfile, SwitchModel
from fabricgen.diagnostics import Bag, IntentPath, Related
from fabricgen.intent.lossless import EcnValues, Lossless
from fabricgen.physics import Refusal
from fabricgen.physics.ecn_thresholds import (
    BY_BOUND,
    BY_MAKER,
    BY_PACKETS,
    BY_ROUND_TRIP,
    KMAX_OF_KMIN,
    LEAST_KMIN_PACKETS,
    Computed,
    Marking,
    PauseLimits,
    aim_of,
    computed_thresholds,
    ecn_bound_bytes,
)
from fabricgen.physics.memory import pause_bytes
from fabricgen.plan.model.contract import EcnThresholds, MarkingBound
from fabricgen.plan.planner import plan_codes as codes
from fabricgen.plan.planner.computed_buffers import CableUse, SharedPool

STOCK_SHAPE = "sonic-net/sonic-buildimage 086b03bd, files/build_templates/qos_config.j2"
EXPLICIT, NAMED = "explicit", "named profile"


class MarkingBox(NamedTuple):
    """The switches of a tier: its name, their model, operating system and port profile."""

    tier: str
    model: SwitchModel
    platform: str
    sku: str


def build_bound(pool: SharedPool | None, ports: int, lossless: Lossless) -> MarkingBound | None:
    """The bound of a tier's switches at the reserved maximum; None where the catalog has no figures.

    Where the mode has no PFC, the same fill is where the queue starts to drop.
    """
    priorities = len({cls.priority for cls in lossless.classes.values() if cls.lossless})
    if pool is None or not ports or not priorities:
        return None
    each = -(-ports // pool.memories)
    return MarkingBound(
        pool.alpha,
        pool.shared_bytes,
        ports,
        priorities,
        ecn_bound_bytes(pool.alpha, pool.shared_bytes, each, priorities),
        pause_bytes(pool.alpha, pool.shared_bytes, pool.group_bytes),
        pool.group_bytes,
        pool.memories,
    )


class ThresholdBuilder(NamedTuple):
    """Builds the marking thresholds of one tier; what cannot be computed, or does not fit a speed, is reported.

    Attributes:
        named: Profiles the intent names, as far as the catalog has them.
        reported: A diagnostic says already that figures for the bound are missing.
    """

    lossless: Lossless
    box: MarkingBox
    named: Mapping[str, EcnProfile]
    uses: Sequence[CableUse]
    bound: MarkingBound | None
    reported: bool
    bag: Bag

    def build(self) -> tuple[EcnThresholds, ...]:
        """Marking thresholds per speed; empty where the mode marks nothing."""
        if self.lossless.mode == "pfc_only":
            return ()
        found = (self.thresholds(speed) for speed in sorted({use.speed_gbps for use in self.uses}))
        return tuple(thresholds for thresholds in found if thresholds)

    def thresholds(self, speed_gbps: int) -> EcnThresholds | None:
        """The thresholds of one speed; None if they cannot be told, which is reported."""
        name = f"roce_{speed_gbps}g"
        choice, path = self.lossless.marking_for(self.box.tier, speed_gbps)
        if isinstance(choice, EcnValues):
            marking = Marking(choice.kmin_bytes, choice.kmax_bytes, choice.pmax_pct)
            return EcnThresholds(name, speed_gbps, *marking, "explicit in the intent", _key(path), EXPLICIT)
        if choice == "computed":
            return self._computed(name, speed_gbps, path)
        profile = self.named.get(choice)
        if profile is None:
            # A name without a record is already reported where it is given.
            return None
        if profile.speed_gbps not in (0, speed_gbps):
            link = next(use.link for use in self.uses if use.speed_gbps == speed_gbps)
            message = f"profile {profile.name} is published for {profile.speed_gbps}G; {link} runs at {speed_gbps}G"
            hint = f"name a profile for {speed_gbps}G, or use computed"
            related = [Related("the speed", ("links", link, "speed"))]
            self.bag.add(codes.PROFILE_OF_OTHER_SPEED, message, path, hint=hint, related=related)
        source = f"profile {profile.name}: {profile.provenance.source}"
        marking = Marking(profile.kmin_bytes, profile.kmax_bytes, profile.pmax_pct)
        return EcnThresholds(name, speed_gbps, *marking, source, _key(path), NAMED)

    def _computed(self, name: str, speed_gbps: int, path: IntentPath) -> EcnThresholds | None:
        bound = self.bound
        if bound is None:
            self._report_unknown(path)
            return None
        profile = self._makers_profile(speed_gbps)
        cell = self.box.model.asic.cell_bytes or 1
        mtu = max(use.mtu_bytes for use in self.uses)
        aim = aim_of(profile, speed_gbps, self.lossless.rtt_us)
        found = computed_thresholds(aim, PauseLimits(bound.bound_bytes, bound.alone_bytes), cell, mtu)
        if isinstance(found, Refusal):
            self._report_no_room(found, bound, path)
            return None
        source = self._show_source(found, speed_gbps, profile, bound)
        return EcnThresholds(name, speed_gbps, *found.marking, source, _key(path), found.rule)

    def _makers_profile(self, speed_gbps: int) -> EcnProfile | None:
        """Return what the maker chose for the system and speed of this port profile, not for any board."""
        box = self.box
        profiles = (p for p in box.model.ecn_profiles if p.speed_gbps == speed_gbps)
        return next((p for p in profiles if p.is_for(box.platform, box.sku, speed_gbps)), None)

    def _show_source(self, found: Computed, speed_gbps: int, profile: EcnProfile | None, bound: MarkingBound) -> str:
        """The rule that decided, with its numbers, and where ratio and Pmax come from."""
        marking = found.marking
        shape = f"profile {profile.name}, {profile.provenance.source}" if profile else STOCK_SHAPE
        why = {
            BY_BOUND: f"below {bound.arithmetic}; Zhu et al., SIGCOMM 2015, section 4",
            BY_MAKER: f"profile {profile.name}" if profile else "",
            BY_ROUND_TRIP: f"{speed_gbps} Gb/s x {self.lossless.rtt_us:g} us",
            BY_PACKETS: f"{LEAST_KMIN_PACKETS} packets; what the other rules give is less",
        }[found.rule]
        return (
            f"computed by {found.rule}: Kmin = {marking.kmin_bytes} B ({why}), Kmax = {marking.kmax_bytes} B, at most "
            f"{KMAX_OF_KMIN} x Kmin and below {bound.alone_bytes}; ratio and Pmax: {shape}"
        )

    def _report_unknown(self, path: IntentPath) -> None:
        if not self.reported:
            message = f"the catalog has no buffer figures of {self.box.model.id} to compute marking from"
            hint = f"name a profile{self._vendor_profile()}, or give kmin_bytes, kmax_bytes and pmax_pct"
            self.bag.add(codes.NOT_COMPUTABLE, message, path, hint=hint, related=self._model())

    def _vendor_profile(self) -> str:
        """A profile the maker ships for the system and port profile, as an example."""
        box = self.box
        names = {p.name for p in box.model.ecn_profiles if p.is_for(box.platform, box.sku, p.speed_gbps)}
        return f" such as {min(names)}" if names else ""

    def _report_no_room(self, refusal: Refusal, bound: MarkingBound, path: IntentPath) -> None:
        facts = refusal.facts
        message = (
            f"{self.box.model.id}: with {bound.ports} ports congested PFC may pause from {bound.bound_bytes} bytes "
            f"({bound.arithmetic}); marking needs {facts['least_bytes']}, {LEAST_KMIN_PACKETS} packets of "
            f"{facts['packet_bytes']}"
        )
        hint = "use fewer lossless priorities or ports, or give kmin_bytes, kmax_bytes and pmax_pct yourself"
        self.bag.add(codes.NO_ROOM_TO_MARK, message, path, hint=hint, related=self._model())

    def _model(self) -> list[Related]:
        """Return the place where the model is chosen, and that of its figures if they are the user's own."""
        return [
            Related("the model", ("tiers", self.box.tier, "model")),
            Related("its buffers", record=("switches", self.box.model.id, "buffers")),
        ]


def _key(path: IntentPath) -> str:
    """The tier or speed a statement on marking is for; empty where it is for all."""
    return path[2] if len(path) > 2 else ""
