"""Buffers of the switches at which cables or MTU differ: headroom, pools and marking bound follow from their ports."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from fabricgen.catalog.records import SwitchModel
from fabricgen.diagnostics import Bag, IntentPath, set_to
from fabricgen.intent.fabric import FabricIntent
from fabricgen.plan.model.buffers import Buffers
from fabricgen.plan.model.contract import MarkingBound
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId
from fabricgen.plan.model.port_use import PortCounter, PortUse, has_own_reserved, reserved_ports
from fabricgen.plan.model.topology import Tier
from fabricgen.plan.planner import plan_codes as codes
from fabricgen.plan.planner.buffers import BufferSource, build_buffers, check_headroom
from fabricgen.plan.planner.computed_buffers import CableUse
from fabricgen.plan.planner.exceptions import exception_codes
from fabricgen.plan.planner.exceptions.links import Change
from fabricgen.plan.planner.marking import build_bound

Size = tuple[Buffers, MarkingBound | None]


class ExceptionSizer(NamedTuple):
    """Sizes the buffers of single switches; models and sources are those of each tier."""

    intent: FabricIntent
    models: Sequence[SwitchModel]
    sources: Sequence[BufferSource]

    def check(self, plan: FabricPlan, changes: Iterable[Change], bag: Bag) -> None:
        """Report every cable of another length that no headroom of a switch at its ends covers.

        Args:
            plan: The regular plan.
            changes: What exceptions say of links.
            bag: Takes what is wrong, once per length, exception and tier.
        """
        asked: dict[tuple[int, CableUse, IntentPath], None] = {}
        for change in changes:
            if change.length_m and "cable" in change.said:
                group = change.cable.group
                use = CableUse(group.name, group.speed_gbps, change.length_m, group.mtu_bytes, group.lanes, 0)
                ends = [end for end in (change.cable.lower, change.end) if isinstance(end, DeviceId)]
                asked.update({(end.tier, use, (*change.said["cable"], "length_m")): None for end in ends})
        found: dict[tuple[int, CableUse], Bag] = {}
        for number, use, path in asked:
            if (number, use) not in found:
                found[number, use] = Bag()
                tier, model, source = plan.tiers[number], self.models[number], self.sources[number]
                named_at = ("tiers", tier.name, "model")
                check_headroom(model, tier.sku, tier.role, [use], plan.contract, source, named_at, found[number, use])
            for diagnostic in found[number, use]:
                # What the table lacks anyway is reported at the links.
                if diagnostic.code == codes.CABLE_TOO_LONG.id:
                    bag.add(
                        exception_codes.BEYOND_HEADROOM,
                        diagnostic.message,
                        path,
                        hint=diagnostic.hint,
                        related=diagnostic.related,
                        fixes=[fix for each in diagnostic.fixes for fix in set_to(path, each.changes[0].value)],
                    )

    def resize(self, plan: FabricPlan) -> dict[DeviceId, Tier]:
        """Return the tier, with buffers and bound of its own, of every switch whose ports differ from its tier's.

        Args:
            plan: The plan with its exceptions.
        """
        regular = [_maxima(reserved_ports(plan, tier)) for tier in plan.tiers]
        counter, found = PortCounter(plan), {}
        known, sizes = plan.exceptions, dict[Hashable, Size]()
        own = {device for device, said in known.switches.items() if said.tier and has_own_reserved(plan, device)}
        alike: dict[tuple[int, int], Size | None] = {}
        for device in sorted(known.resized | own):
            tier, uses = plan.tier_of(device), [] if known.is_absent(device) else counter.reserved(device)
            if not uses:
                continue
            # Switches of a tier with equal ports share one list of them.
            key = id(uses), len(tier.slots)
            if key not in alike:
                is_regular = _maxima(uses) == regular[device.tier]
                alike[key] = None if is_regular else self._size(plan, tier, uses, sizes)
            size = alike[key]
            if size is not None and size != (tier.buffers, tier.bound):
                found[device] = tier._replace(buffers=size[0], bound=size[1])
        return found

    def _size(self, plan: FabricPlan, tier: Tier, ports: Sequence[PortUse], sizes: dict[Hashable, Size]) -> Size:
        """Buffers and bound of a switch; ``sizes`` keeps those of switches whose cables meet the same rows."""
        model, source = self.models[tier.number], self.sources[tier.number]
        by_cable: dict[CableUse, int] = {}
        for port in ports:
            link, length = port.link, source.listed_m(model, tier.sku, port.link.speed_gbps, port.length_m)
            use = CableUse(link.name, link.speed_gbps, length, port.mtu_bytes, link.lanes, 0)
            by_cable[use] = by_cable.get(use, 0) + port.maximum
        uses = tuple(use._replace(ports=count) for use, count in by_cable.items())
        total = sum(use.ports for use in uses)
        spare = max(0, len(tier.slots) - total)
        key = (tier.number, tier.sku, spare, uses)
        if key not in sizes:
            # Whatever is missing has been reported by ``check``, or of the tier.
            sized = build_buffers(model, tier.sku, tier.role, uses, spare, plan.contract, source, (), None)
            sizes[key] = sized.buffers, build_bound(sized.shared, total, self.intent.lossless)
        return sizes[key]


def _maxima(ports: Iterable[PortUse]) -> dict[tuple[str, float, int], int]:
    """Ports at the reserved maximum, by what decides their headroom."""
    return {(use.link.name, use.length_m, use.mtu_bytes): use.maximum for use in ports}
