"""Buffers of the switches at which cables or MTU differ: headroom, pools and marking bound follow from their ports."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from fabricgen.catalog.records import HeadroomRow, SwitchModel
from fabricgen.diagnostics import Bag, IntentPath, set_to
from fabricgen.intent.fabric import FabricIntent
from fabricgen.plan.model.buffers import Buffers
from fabricgen.plan.model.contract import Contract, MarkingBound
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId
from fabricgen.plan.model.port_use import PortCounter, PortUse, has_own_reserved, reserved_ports
from fabricgen.plan.model.topology import Tier
from fabricgen.plan.planner import plan_codes as codes
from fabricgen.plan.planner.buffers import BufferSizer, BufferSource
from fabricgen.plan.planner.computed_buffers import CableUse
from fabricgen.plan.planner.exceptions.links import LinkEdits
from fabricgen.plan.planner.marking import build_bound

Size = tuple[Buffers, MarkingBound | None]


class ExceptionSizer(NamedTuple):
    """Sizes the buffers of single switches; models and sources are those of each tier."""

    intent: FabricIntent
    models: Sequence[SwitchModel]
    sources: Sequence[BufferSource]

    def check(self, plan: FabricPlan, changes: Iterable[LinkEdits], bag: Bag) -> None:
        """Report every cable of another length that no headroom of a switch at its ends covers.

        Args:
            plan: The regular plan.
            changes: What exceptions say of links.
            bag: Takes what is wrong, once per length, exception and tier.
        """
        asked: dict[tuple[int, CableUse, IntentPath], None] = {}
        for change in changes:
            if change.length_m and "cable" in change.paths_by_key:
                group = change.cable.group
                use = CableUse(group.name, group.speed_gbps, change.length_m, group.mtu_bytes, group.lanes, 0)
                ends = [end for end in (change.cable.lower, change.end) if isinstance(end, DeviceId)]
                tiers = [end.tier for end in ends if self.sources[end.tier].is_table]
                asked.update({(tier, use, (*change.paths_by_key["cable"], "length_m")): None for tier in tiers})
        found: dict[tuple[int, CableUse], Bag] = {}
        for number, use, path in asked:
            if (number, use) not in found:
                found[number, use], tier = Bag(), plan.tiers[number]
                named_at = ("tiers", tier.name, "model")
                self.sizer(tier, plan.contract).list_rows([use], named_at, found[number, use])
            for diagnostic in found[number, use]:
                # What the table lacks anyway is reported at the links.
                if diagnostic.code == codes.CABLE_TOO_LONG.id:
                    bag.add(
                        codes.CABLE_TOO_LONG,
                        diagnostic.message,
                        path,
                        hint=diagnostic.hint,
                        related=diagnostic.related,
                        fixes=[fix for each in diagnostic.fixes for fix in set_to(path, each.changes[0].value)],
                    )

    def sizer(self, tier: Tier, contract: Contract) -> BufferSizer:
        """Return what sizes the switches of a tier."""
        return BufferSizer(self.models[tier.number], tier.sku, tier.role, contract, self.sources[tier.number])

    def resize(self, plan: FabricPlan) -> dict[DeviceId, Tier]:
        """Return the tier, with buffers and bound of its own, of every switch whose ports differ from its tier's.

        Args:
            plan: The plan with its exceptions.
        """
        regular = [_maxima(reserved_ports(plan, tier)) for tier in plan.tiers]
        counter, found = PortCounter(plan), {}
        known, sizes = plan.exceptions, _Sizes(self, plan.contract)
        own = {
            device for device, exception in known.switches.items() if exception.tier and has_own_reserved(plan, device)
        }
        alike: dict[tuple[int, int], Size | None] = {}
        for device in sorted(known.resized | own):
            tier, uses = plan.tier_of(device), [] if known.is_absent(device) else counter.reserved(device)
            if not uses:
                continue
            # Switches of a tier with equal ports share one list of them.
            key = id(uses), len(tier.slots)
            if key not in alike:
                is_regular = _maxima(uses) == regular[device.tier]
                alike[key] = None if is_regular else sizes.of(tier, uses)
            size = alike[key]
            if size is not None and size != (tier.buffers, tier.bound):
                found[device] = tier._replace(buffers=size[0], bound=size[1])
        return found


class _Sizes:
    """Buffers and bound of switches, once for those whose cables meet the same rows."""

    def __init__(self, boxes: ExceptionSizer, contract: Contract) -> None:
        self._boxes = boxes
        self._contract = contract
        self._sizers: dict[tuple[int, str], BufferSizer] = {}
        self._known: dict[Hashable, Size] = {}

    def of(self, tier: Tier, ports: Sequence[PortUse]) -> Size:
        """Buffers and bound of a switch with some ports."""
        box = (tier.number, tier.sku)
        if box not in self._sizers:
            self._sizers[box] = self._boxes.sizer(tier, self._contract)
        by_cable: dict[tuple[str, int, float, int, int], int] = {}
        for port in ports:
            link, row = port.link, self._sizers[box].find_row(port.link.speed_gbps, port.length_m)
            length = row.row_m if isinstance(row, HeadroomRow) else port.length_m
            use = (link.name, link.speed_gbps, length, port.mtu_bytes, link.lanes)
            by_cable[use] = by_cable.get(use, 0) + port.maximum
        uses = tuple(CableUse(*use, count) for use, count in by_cable.items())
        total = sum(by_cable.values())
        spare = max(0, len(tier.slots) - total)
        key = (box, spare, uses)
        if key not in self._known:
            # Whatever is missing has been reported by ``check``, or of the tier.
            sized = self._sizers[box].size(uses, spare)
            self._known[key] = sized.buffers, build_bound(sized.shared, total, self._boxes.intent.lossless)
        return self._known[key]


def _maxima(ports: Iterable[PortUse]) -> dict[tuple[str, float, int], int]:
    """Ports at the reserved maximum, by what decides their headroom."""
    return {(use.link.name, use.length_m, use.mtu_bytes): use.maximum for use in ports}
