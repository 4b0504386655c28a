"""The ports of one switch as exceptions leave them: positions on other ports, cages in another breakout."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from fabricgen.catalog.records import Cage, Mode, Sku, SwitchModel
from fabricgen.plan.model.topology import CageMode, PortSide, Slot, Tier
from fabricgen.plan.planner.ports import PortNames, SlotBuilder, mode_for


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
        sku: The vendor's port profile of the tier; None where there is none.
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


class Carrier(NamedTuple):
    """Requirements of a link on its port: speed and number of lanes."""

    speed_gbps: int
    lanes: int


class SwitchPorts:
    """The ports of one switch while exceptions move links between them."""

    def __init__(self, regular: RegularPorts) -> None:
        """Start with the ports of the tier."""
        self._regular = regular
        self._by_name = regular.by_name
        self._modes: dict[int, Mode] = {}
        self._moved: dict[int, tuple[str, int]] = {}
        tier = regular.tier
        self.slots: list[Slot] = list(tier.slots)
        self.down: list[int] = list(tier.down.slots)
        self.up: list[int] = list(tier.up.slots) if tier.up else []

    def cage(self, number: int) -> Cage | None:
        """A cage that may carry links; None if the box has none of that number."""
        cage = self._regular.cages.get(number)
        return None if cage is None or cage.service else cage

    def cages_text(self) -> str:
        """The numbers of all cages that may carry links, for people."""
        numbers = sorted(cage.index for cage in self._regular.model.cages if not cage.service)
        return f"{numbers[0]} to {numbers[-1]}"

    def spares(self) -> list[Cage]:
        """Cages that no link will ever use by the plan, lowest first."""
        tier = self._regular.tier
        planned = {tier.slots[at].cage for at in (*tier.down.slots, *self.up)}
        return [cage for cage in self._regular.model.cages if not cage.service and cage.index not in planned]

    def mode(self, cage: Cage, need: Carrier) -> Mode | None:
        """The breakout in which a cage carries such links."""
        return mode_for(cage, need.speed_gbps, need.lanes)

    def find(self, name: PortName, need: Carrier) -> int | None:
        """Index of a port that exists in the present breakout and carries such links."""
        at = self._by_name.get((name.cage, name.subport or 1))
        if at is None or self.slots[at].speed_gbps != need.speed_gbps:
            return None
        lanes = self.slots[at].lanes
        return at if not lanes or len(lanes) == need.lanes else None

    def break_out(self, cage: Cage, mode: Mode) -> None:
        """Give a cage another breakout; positions keep their sub-port where it still exists."""
        self._modes[cage.index] = mode
        places = {
            side: [(self.slots[at].cage, self.slots[at].subport) if at >= 0 else None for at in indices]
            for side, indices in (("down", self.down), ("up", self.up))
        }
        first = next(at for at, slot in enumerate(self.slots) if slot.cage == cage.index)
        kept = [slot for slot in self.slots if slot.cage != cage.index]
        self.slots = [*kept[:first], *self._regular.builder.build(cage, mode, ""), *kept[first:]]
        self._by_name = index_ports(self.slots)
        known = {(slot.cage, slot.subport): at for at, slot in enumerate(self.slots)}
        self.down = [known.get(place, -1) if place else -1 for place in places["down"]]
        self.up = [known.get(place, -1) if place else -1 for place in places["up"]]

    def has(self, side: str, position: int | None) -> bool:
        """Return whether a side has a port at a position; one can always be added to it."""
        return position is None or position < len(self.up if side == "up" else self.down)

    def move(self, side: str, position: int | None, at: int) -> int:
        """Put a position of a side (None: a further downlink) on another port and return it, after all breakouts."""
        if position is None:
            self.down.append(at)
            position = len(self.down) - 1
        elif side == "up":
            self.up[position] = at
        else:
            self.down[position] = at
        self._moved[at] = (side, position)
        return position

    def build(self) -> Tier:
        """The tier as this switch has it."""
        tier, sku, modes = self._regular.tier, self._regular.sku, self._regular.tier.modes
        own = sku.mode_by_cage if sku else {}
        exact = tier.sku_is_exact and all(own.get(number) == mode.text for number, mode in self._modes.items())
        texts = {number: mode.text for number, mode in self._modes.items()}
        return tier._replace(
            slots=tuple(self._placed()),
            down=PortSide(tier.down.link, tuple(self.down)),
            up=PortSide(tier.up.link, tuple(self.up)) if tier.up else None,
            modes=tuple(CageMode(each.cage, each.port, texts.get(each.cage, each.mode)) for each in modes)
            if texts
            else modes,
            sku_is_exact=exact,
        )

    def _placed(self) -> list[Slot]:
        """The ports with the side and position they have now."""
        place = {at: ("up", position) for position, at in enumerate(self.up) if at >= 0}
        place |= {at: ("down", position) for position, at in enumerate(self.down) if at >= 0}
        place |= self._moved
        found = list(self.slots)
        left = [at for at, slot in enumerate(found) if slot.side and at not in place]
        for at, (side, position) in [*place.items(), *((at, ("", -1)) for at in left)]:
            slot = found[at]
            if (slot.side, slot.position) != (side, position):
                found[at] = self._moved_to(slot, side, position)
        return found

    def _moved_to(self, slot: Slot, side: str, position: int) -> Slot:
        regular, moved = self._regular, slot._replace(side=side, position=position)
        copper = bool(side) and regular.copper(side, position)
        return regular.builder.for_side(regular.cages[slot.cage], moved, copper=copper)
