"""Ports of a tier's regular switches, prepared once for all of them at which exceptions move links."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from fabricgen.catalog.records import Sku, SwitchModel
from fabricgen.plan.model.topology import Slot, Tier
from fabricgen.plan.planner.ports import PortNames, SlotBuilder


class PortName(NamedTuple):
    """A port as the user names it: cage and sub-port, which is 0 where it has the cage for itself."""

    cage: int
    subport: int

    @classmethod
    def parse(cls, text: str) -> PortName:
        """Read ``47`` or ``47/1``."""
        cage, _, subport = text.partition("/")
        return cls(int(cage), int(subport or 0))

    def __str__(self) -> str:
        """As the user writes it."""
        return f"{self.cage}/{self.subport}" if self.subport else str(self.cage)


class RegularPorts:
    """The ports of a tier's switches as the regular plan has them.

    Attributes:
        tier: The tier.
        model: Model of its switches.
        sku: The vendor's port profile of the tier; None where there is none.
        builder: Makes ports of a cage in another breakout.
        copper: Whether the cable at a position of a side is copper.
        cages: The model's cages by number.
        by_name: Index into the tier's slots by cage and sub-port, as ``index_ports`` gives it.
    """

    def __init__(self, tier: Tier, model: SwitchModel, names: PortNames, copper: Callable[[str, int], bool]) -> None:
        """Prepare the ports of a tier, whose platform names them by ``names``."""
        self.tier = tier
        self.model = model
        self.sku: Sku | None = next((sku for sku in model.skus if sku.name == tier.sku), None)
        self.builder = SlotBuilder(names, self.sku, model.port_profiles)
        self.copper = copper
        self.cages = {cage.index: cage for cage in model.cages}
        self.by_name = index_ports(tier.slots)


def index_ports(slots: Iterable[Slot]) -> dict[tuple[int, int], int]:
    """Index of every port by its cage and sub-port; the only port of a cage is also its first."""
    return {(slot.cage, slot.subport or 1): at for at, slot in enumerate(slots)}
