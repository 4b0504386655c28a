"""Planning the waves of a rollout, in the order in which they go out.

First what is hitless, then what cuts logins alone, each with a canary, then the switches that go out, plane by plane,
with the hosts that have no way round them, at last the other hosts by scheduler group.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction

from fabricgen.analysis.outage.surviving import (
    OneMore,
    Surviving,
    describe_blocked,
    example_leafs,
    find_blocked,
    share_text,
)
from fabricgen.diagnostics import Bag, set_to
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, HostId
from fabricgen.plan.model.rollout import SCHEDULER_GROUPS
from fabricgen.rollout.kinds import Device, RolloutKinds, name_of, sort_changes, unit_of
from fabricgen.rollout.members import WaveLimits
from fabricgen.rollout.model import ChangedDevice, NMinusOne, Wave, WaveKind, WavePlan
from fabricgen.rollout.packing import WaveDraft, pack_planes
from fabricgen.rollout.stranded import find_stranded
from fabricgen.rollout.wave_codes import BLOCKED


def plan_waves(
    plan: FabricPlan,
    changes: Sequence[ChangedDevice],
    bag: Bag,
    *,
    first: Collection[str] = (),
) -> WavePlan | None:
    """Return the waves of a rollout, each as full as its limits allow.

    Args:
        plan: The plan of the intended fabric, with the limits.
        changes: What changes; one for each device.
        bag: Receives limits that let a changed switch never leave.
        first: Names of switches that go out before all others, those of a lower tier before those of a higher one.

    Returns:
        The waves; None if no rollout keeps the limits.
    """
    kinds, limits = sort_changes(plan, changes), WaveLimits(plan)
    if not _can_leave(limits, kinds.leaving, bag):
        return None
    together = _in_turn(plan, kinds.leaving, first) if first else [kinds.leaving]
    packed = [found for devices in together for found in pack_planes(limits, devices)]
    waves = tuple(_WaveBuilder(limits, kinds).waves(packed))
    return WavePlan(waves, limits.floor, tuple(find_stranded(limits, kinds.leaving)))


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
            fixes=set_to(("rollout", "floor"), share_text(least)),
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
        self._left = dict.fromkeys(kinds.hosts)
        self._number = 0

    def waves(self, packed: Sequence[tuple[int, list[WaveDraft]]]) -> Iterator[Wave]:
        """Yield every wave."""
        for number, devices in enumerate(_by_canary(self.kinds.hitless)):
            yield self._wave(WaveKind.hitless if number else WaveKind.canary, devices)
        for devices in _by_canary(self.kinds.login):
            yield self._wave(WaveKind.login, devices)
        for plane, drafts in packed:
            for draft in drafts:
                yield self._drain(plane, draft)
        for hosts in self._hosts():
            yield self._wave(WaveKind.hosts, hosts, self._scope(hosts))

    def _drain(self, plane: int, draft: WaveDraft) -> Wave:
        """Return a wave of switches that go out, with the changed hosts that have to leave anyway."""
        switches = [member.device for member in draft.members]
        below = dict.fromkeys(host for leaf in switches if not leaf.tier for host in self.limits.hosts.alone(leaf))
        own = [host for host in below if host in self._left]
        for host in own:
            del self._left[host]
        left, number = draft.surviving.worst()
        kept, n_minus_1 = self._pair(number, switches), self._after_one_more(draft.surviving, switches)
        scope = f"plane {chr(97 + plane)}" if plane >= 0 else self._scope(switches)
        wave = self._wave(WaveKind.drain, [*switches, *own], scope)
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
        model = self.limits.model
        return tuple(map(self.plan.device_name, example_leafs(model, model.pairs[number], _switches(out))))

    def _hosts(self) -> Iterator[list[HostId]]:
        """Yield the hosts that are left by scheduler group, as many groups together as a tier's share lets out."""
        units: dict[tuple[int, ...], list[HostId]] = {}
        for host in self._left:
            units.setdefault(host.where[: self.plan.rollout.group_depth], []).append(host)
        share = self.plan.rollout.share("tier") or Fraction(0)
        counts = self.plan.tiers[0].counts
        together = max(1, int(share * counts.zone * counts.pod * counts.unit))
        groups = list(units.values())
        for first in range(0, len(groups), together):
            yield [host for group in groups[first : first + together] for host in group]

    def _scope(self, devices: Sequence[Device]) -> str:
        """Return the unit that all devices stand in, or their scheduler group; empty if there is none."""
        units = {unit_of(device) for device in devices}
        depths = (len(SCHEDULER_GROUPS), self.plan.rollout.group_depth)
        groups = ({unit and unit[:depth] for unit in units} for depth in depths)
        only = next((group.pop() for group in groups if len(group) == 1), None)
        if only is None:
            return ""
        words = zip((self.plan.zone_name, self.plan.pod_name, self.plan.unit_name), only, strict=False)
        return ", ".join(f"{word} {number + 1}" for word, number in words if word)

    def _wave(self, kind: WaveKind, devices: Sequence[Device], scope: str = "") -> Wave:
        names = tuple(name_of(self.plan, device) for device in devices)
        n_minus_1 = self._after_one_more(Surviving(self.limits.model), devices)
        wave = Wave(self._number, kind, names, scope=scope, n_minus_1=n_minus_1)
        self._number += 1
        return wave


def _by_canary(devices: Sequence[Device]) -> list[list[Device]]:
    """Return one device; then its unit, with one device of every other kind; then the rest."""
    canary = list(devices[:1])
    seen = {_kind(device) for device in canary}
    unit = unit_of(canary[0]) if canary else None
    first: list[Device] = []
    for device in devices[1:]:
        if _kind(device) not in seen or (unit is not None and unit_of(device) == unit):
            first.append(device)
        seen.add(_kind(device))
    taken = {*canary, *first}
    rest = [device for device in devices if device not in taken]
    return [some for some in (canary, first, rest) if some]


def _switches(devices: Iterable[Device]) -> set[DeviceId]:
    return {device for device in devices if isinstance(device, DeviceId)}


def _kind(device: Device) -> tuple[bool, int]:
    """Return what a canary speaks for: a tier, or a host group."""
    return (True, device.tier) if isinstance(device, DeviceId) else (False, device.group)
