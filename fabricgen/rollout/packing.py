"""Members of a rollout packed into few waves: combinatorics only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence

from fabricgen.analysis.outage.surviving import Surviving
from fabricgen.plan.model.identity import DeviceId
from fabricgen.rollout.members import Member, Unit, WaveLimits


class WaveDraft:
    """A wave while it is filled, with members in their order and what leafs keep while all are out."""

    def __init__(self, limits: WaveLimits, members: Iterable[Member] = ()) -> None:
        """Start with some members."""
        self.limits = limits
        self.members: list[Member] = []
        self.surviving = Surviving(limits.model)
        self._counts: Counter[Hashable] = Counter()
        self._unit: Unit | None = None
        for member in members:
            self.take(member)

    def admits(self, member: Member) -> bool:
        """Return whether every limit but the floor leaves room for a member."""
        if self.limits.units_apart and member.unit is not None and self._unit not in (None, member.unit):
            return False
        return all(self._counts[group] < self.limits.most(group) for group in member.groups)

    def harm(self, member: Member) -> tuple[int, int] | None:
        """Return what a member costs in bandwidth, see ``Surviving.harm``; None if it breaks the floor."""
        if member.node is None or member.node in self.surviving.out:
            return 0, 0
        loss = self.surviving.loss(member.node)
        return self.surviving.harm(loss) if self.surviving.keeps(loss, self.limits.floor) else None

    def fill(self, member: Member) -> bool:
        """Add a member if every limit leaves room for it; return whether it was added."""
        has_room = self.admits(member) and self.harm(member) is not None
        if has_room:
            self.take(member)
        return has_room

    def take(self, member: Member) -> None:
        """Add a member."""
        self.members.append(member)
        self._counts.update(member.groups)
        if member.unit is not None:
            self._unit = member.unit
        if member.node is not None:
            self.surviving.add(member.node)


def pack_planes(limits: WaveLimits, devices: Sequence[DeviceId]) -> Iterator[tuple[int, list[WaveDraft]]]:
    """Yield the waves of switches that go out, plane by plane where planes go one after another; -1 for all planes.

    Every switch alone must keep the limits.
    """
    planes: dict[int, list[Member]] = {}
    for member in limits.members(devices):
        planes.setdefault(member.device.where.plane if limits.planes_apart else -1, []).append(member)
    for plane, members in sorted(planes.items()):
        uppers = sorted((member for member in members if member.device.tier), key=_column)
        leafs = sorted(member for member in members if not member.device.tier)
        yield plane, _pack(limits, uppers, leafs)


def _column(member: Member) -> tuple[int, ...]:
    """Sort switches so that those that share traffic with each other stand together."""
    where = member.device.where
    return member.device.tier, where.index, where.group, where.plane, where.zone, where.pod


def _pack(limits: WaveLimits, uppers: Sequence[Member], leafs: Sequence[Member]) -> list[WaveDraft]:
    """Return waves that keep the limits: evenly filled ones, or others where they are fewer."""
    full, alone = _pack_full(limits, uppers), _add_leafs(limits, [], leafs)
    waves = max(len(full), len(alone))
    best = _add_leafs(limits, _add_evenly(limits, _empty(limits, len(full)), uppers), leafs)
    if len(best) > waves:
        best = min(best, _add_leafs(limits, full, leafs), _add_evenly(limits, alone, uppers), key=len)
    return [draft for draft in best if draft.members]


def _empty(limits: WaveLimits, waves: int) -> list[WaveDraft]:
    return [WaveDraft(limits) for _ in range(waves)]


def _add_evenly(limits: WaveLimits, drafts: list[WaveDraft], members: Sequence[Member]) -> list[WaveDraft]:
    """Put each member where it costs least bandwidth."""
    for member in members:
        room = [number for number, draft in enumerate(drafts) if draft.admits(member)]
        # Where its node is out already it costs nothing.
        together = [number for number in room if member.node in drafts[number].surviving.out]
        harms = ((number, drafts[number].harm(member)) for number in together[:1] or room)
        found = [(*harm, len(drafts[number].members), number) for number, harm in harms if harm is not None]
        _take(limits, drafts, member, min(found)[-1] if found else None)
    return drafts


def _pack_full(limits: WaveLimits, members: Sequence[Member]) -> list[WaveDraft]:
    """Put each member into the first wave that has room for it."""
    drafts: list[WaveDraft] = []
    for member in members:
        if not any(draft.fill(member) for draft in drafts):
            drafts.append(WaveDraft(limits, [member]))
    return drafts


def _add_leafs(limits: WaveLimits, drafts: list[WaveDraft], leafs: Sequence[Member]) -> list[WaveDraft]:
    """Put each leaf beside others of its unit, or else where the fewest are."""
    together: dict[Unit | None, int] = {}
    for member in leafs:
        at = together.get(member.unit) if member.unit is not None else None
        if at is None or not drafts[at].admits(member):
            room = ((len(draft.members), number) for number, draft in enumerate(drafts) if draft.admits(member))
            at = min(room, default=(0, None))[1]
        together[member.unit] = _take(limits, drafts, member, at)
    return drafts


def _take(limits: WaveLimits, drafts: list[WaveDraft], member: Member, at: int | None) -> int:
    """Add a member to a wave, or to a new one, and return its number."""
    if at is None:
        at = len(drafts)
        drafts.append(WaveDraft(limits))
    drafts[at].take(member)
    return at
