"""Planning the waves of a rollout, in the order in which they go out.

First what is hitless, then what cuts logins alone, then the switches that go out, plane by plane, with the hosts that
have no way round them, at last the other hosts by scheduler group; each of these with a canary and step by step.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction

from fabricgen.analysis.outage.surviving import (
    OneMore,
    Surviving,
    describe_blocked,
    example_leafs,
    find_blocked,
    share_text,
)
from fabricgen.diagnostics import Bag
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, HostId
from fabricgen.rollout.kinds import Device, RolloutKinds, name_of, sort_changes, unit_of
from fabricgen.rollout.members import Member, WaveLimits
from fabricgen.rollout.model import ChangedDevice, NMinusOne, Wave, WaveKind, WavePlan
from fabricgen.rollout.pacing import Pace, Portion
from fabricgen.rollout.packing import WaveDraft, pack_planes
from fabricgen.rollout.stranded import find_stranded
from fabricgen.rollout.wave_codes import BLOCKED


def plan_waves(
    plan: FabricPlan, changes: Sequence[ChangedDevice], bag: Bag, *, first: Collection[str] = ()
) -> WavePlan | None:
    """Return the waves of a rollout, each as full as its limits and its step allow; None if none keeps the limits.

    Switches named in ``first`` go out before all others, those of a lower tier before those of a higher one. ``bag``
    takes limits that let a changed switch never leave.
    """
    kinds, limits = sort_changes(plan, changes), WaveLimits(plan)
    if not _can_leave(limits, kinds.leaving, bag):
        return None
    together = _in_turn(plan, kinds.leaving, first) if first else [kinds.leaving]
    packed = [found for devices in together for found in pack_planes(limits, devices)]
    waves = tuple(_WaveBuilder(limits, kinds).waves(packed))
    return WavePlan(waves, plan.rollout, tuple(find_stranded(limits, kinds.leaving)))


def _in_turn(plan: FabricPlan, leaving: Sequence[DeviceId], first: Collection[str]) -> Iterator[list[DeviceId]]:
    """Yield the switches that may share waves: those that go first tier by tier, then the others."""
    early = [device for device in leaving if plan.device_name(device) in first]
    for tier in sorted({device.tier for device in early}):
        yield [device for device in early if device.tier == tier]
    taken = set(early)
    yield [device for device in leaving if device not in taken]


def _can_leave(limits: WaveLimits, leaving: Sequence[DeviceId], bag: Bag) -> bool:
    """Report the switches that no order of the rollout lets out; return whether there are none."""
    nodes = {limits.model.graph.node(device) for device in leaving if device.tier}
    found = list(find_blocked(limits.model, limits.floor))
    blocked = [each for each in found if limits.model.graph.node(each.device) in nodes]
    full = [group for group, cap in limits.grouping.caps.items() if not cap.most]
    if blocked:
        least = min(each.left for each in blocked)
        bag.add(
            BLOCKED,
            describe_blocked(limits.model, blocked, limits.floor),
            ("rollout", "floor"),
            hint=f"set rollout.floor to {share_text(least)}, or change them in a window without jobs",
        )
    hit = [group for group in full if any(group in limits.grouping.of(device) for device in leaving)]
    for group in hit:
        bag.add(
            BLOCKED,
            f"less than one of {limits.grouping.amount(group)} may be out",
            ("rollout", "out_max", group.scope),
            hint=f"set it to {share_text(Fraction(1, limits.grouping.size(group)))} or more",
        )
    return not blocked and not hit


class _WaveBuilder:
    """The waves of one rollout, numbered as they are yielded."""

    def __init__(self, limits: WaveLimits, kinds: RolloutKinds) -> None:
        self.limits, self.plan, self.kinds = limits, limits.plan, kinds
        self._one_more = OneMore(limits.model)
        self._left: dict[Device, None] = dict.fromkeys(kinds.hosts)
        self._number = 0

    def waves(self, packed: Sequence[tuple[int, list[WaveDraft]]]) -> Iterator[Wave]:
        """Yield every wave."""
        for portion in self._pace(len(self.kinds.hitless)).divide([self.kinds.hitless]):
            yield self._wave(WaveKind.hitless if portion.most else WaveKind.canary, portion.devices)
        for portion in self._pace(len(self.kinds.login)).divide([self.kinds.login]):
            yield self._wave(WaveKind.login, portion.devices, portion.word)
        yield from self._drains(packed)
        pace = self._pace(len(self._left))
        for hosts in self._hosts():
            for portion in pace.divide([hosts]):
                yield self._wave(WaveKind.hosts, portion.devices, portion.word, self._scope(portion.devices))

    def _pace(self, total: int) -> Pace:
        return Pace(self.plan.rollout, self.kinds.disruptions, total)

    def _drains(self, packed: Sequence[tuple[int, list[WaveDraft]]]) -> Iterator[Wave]:
        """Yield the waves of switches that go out."""
        leafs = [leaf for leaf in self.kinds.leaving if not leaf.tier] if self._left else []
        below = {host for leaf in leafs for host in self.limits.hosts.alone(leaf)}
        pace = self._pace(len(self.kinds.leaving) + len(below & self._left.keys()))
        for plane, drafts in packed:
            yield from self._divide(plane, drafts, pace)

    def _divide(self, plane: int, drafts: Sequence[WaveDraft], pace: Pace) -> Iterator[Wave]:
        """Yield the waves of some drafts, at their pace: a part of a draft costs no more than the whole."""
        members: dict[Device, Member] = {member.device: member for draft in drafts for member in draft.members}
        canary = WaveDraft(self.limits)
        parts = [[member.device for member in draft.members] for draft in drafts]
        for portion in pace.divide(parts, lambda device: canary.fill(members[device])):
            draft = WaveDraft(self.limits, [members[device] for device in portion.devices])
            yield self._drain(plane, draft, portion, pace)

    def _drain(self, plane: int, draft: WaveDraft, portion: Portion, pace: Pace) -> Wave:
        """Return a wave of switches that go out, with the changed hosts that have to leave anyway and find room."""
        switches = portion.devices
        leafs = [each.device for each in draft.members if not each.device.tier]
        below: dict[HostId, None] = dict.fromkeys(host for leaf in leafs for host in self.limits.hosts.alone(leaf))
        own: list[Device] = [host for host in below if host in self._left]
        if portion.most:
            own = own[: portion.most - len(switches)]
        own = [host for host in own if portion.most and pace.has_tried(host)] or pace.probe(own)
        for host in own:
            del self._left[host]
        left, number = draft.surviving.worst()
        kept, n_minus_1 = self._pair(number, switches), self._after_one_more(draft.surviving, switches)
        scope = f"plane {chr(97 + plane)}" if plane >= 0 else self._scope(switches)
        wave = self._wave(WaveKind.drain, [*switches, *own], portion.word, scope)
        hosts = tuple(map(self.plan.host_name, below))
        return wave._replace(hosts=hosts, bandwidth=left, kept=kept, n_minus_1=n_minus_1)

    def _after_one_more(self, surviving: Surviving, out: Sequence[Device]) -> NMinusOne:
        """Return what one more failure leaves while some devices are out."""
        left, node, number = self._one_more.worst(surviving)
        switch = self.plan.device_name(self.limits.model.graph.example(node)) if node is not None else ""
        return NMinusOne(left, switch, self._pair(number, out))

    def _pair(self, number: int | None, out: Sequence[Device]) -> tuple[str, ...]:
        """Return two leafs of a class of pairs; none of no class."""
        if number is None:
            return ()
        model, switches = self.limits.model, {each for each in out if isinstance(each, DeviceId)}
        return tuple(map(self.plan.device_name, example_leafs(model, model.pairs[number], switches)))

    def _hosts(self) -> Iterator[list[Device]]:
        """Yield the hosts that are left by scheduler group, as many groups together as a tier's share lets out."""
        units: dict[tuple[int, ...], list[Device]] = {}
        for host in self._left:
            units.setdefault(self.plan.rollout.group_of(host.where), []).append(host)
        share = self.plan.rollout.share("tier") or Fraction(0)
        counts = self.plan.tiers[0].counts
        together = max(1, int(share * counts.zone * counts.pod * counts.unit))
        groups = list(units.values())
        for first in range(0, len(groups), together):
            yield [host for group in groups[first : first + together] for host in group]

    def _scope(self, devices: Sequence[Device]) -> str:
        """Return the unit that all devices stand in, or their scheduler group; empty if there is none."""
        units, limits = {unit_of(device) for device in devices}, self.plan.rollout
        groups = {unit and limits.group_of(unit) for unit in units}
        only = next((some.pop() for some in (units, groups) if len(some) == 1), None)
        if only is None:
            return ""
        spans = (1, 1, limits.group_units if len(units) > 1 else 1)
        words = zip((self.plan.zone_name, self.plan.pod_name, self.plan.unit_name), only, spans, strict=False)
        return ", ".join(
            f"{word} {number * span + 1}{f' to {number * span + span}' if span > 1 else ''}"
            for word, number, span in words
            if word
        )

    def _wave(self, kind: WaveKind, devices: Sequence[Device], *scope: str) -> Wave:
        names = tuple(name_of(self.plan, device) for device in devices)
        n_minus_1 = self._after_one_more(Surviving(self.limits.model), devices)
        wave = Wave(self._number, kind, names, scope=", ".join(filter(None, scope)), n_minus_1=n_minus_1)
        self._number += 1
        return wave
