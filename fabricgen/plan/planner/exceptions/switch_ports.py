"""The ports of one switch as exceptions leave them: positions on other ports, cages in another breakout."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from fabricgen.catalog.records import Cage, Mode, Sku, SwitchModel
from fabricgen.plan.model.topology import CageMode, Side, Slot, Tier
from fabricgen.plan.planner.ports import PortNames, SlotBuilder, existing_cages, mode_for, native_mode


class PortName(NamedTuple):
    """A port as the user names it: cage and sub-port, which is 0 where it has the cage for itself."""

    cage: int
    subport: int

    @classmethod
    def parse(cls, text: str) -> PortName:
        """Read ``47`` or ``47/1``."""
        cage, _, subport = text.partition("/")
        return cls(int(cage), int(subport or 0))

    def is_of(self, slot: Slot) -> bool:
        """Return whether a logical port bears this name; the only port of a cage is also its first."""
        return slot.cage == self.cage and (slot.subport or 1) == (self.subport or 1)

    def __str__(self) -> str:
        """As the user writes it."""
        return f"{self.cage}/{self.subport}" if self.subport else str(self.cage)


class Carrier(NamedTuple):
    """Requirements of a link on its port: speed and number of lanes."""

    speed_gbps: int
    lanes: int


class Box:
    """The ports of one switch while exceptions move links between them."""

    def __init__(self, tier: Tier, model: SwitchModel, names: PortNames, copper: Callable[[str, int], bool]) -> None:
        """Start with the ports of the tier.

        Args:
            tier: The switch's tier.
            model: Its model.
            names: How its platform names ports.
            copper: Whether the cable at a position of a side is copper.
        """
        self._tier = tier
        self._builder = SlotBuilder(names, _sku(model, tier), model.port_profiles)
        self._copper = copper
        self._model = model
        self._modes: dict[int, Mode] = {}
        self._moved: dict[int, tuple[str, int]] = {}
        self.slots: list[Slot] = list(tier.slots)
        self.down: list[int] = list(tier.down.slots)
        self.up: list[int] = list(tier.up.slots) if tier.up else []

    def cage(self, number: int) -> Cage | None:
        """A cage that may carry links; None if the box has none of that number."""
        return next((cage for cage in self._model.cages if cage.index == number and not cage.service), None)

    def cages_text(self) -> str:
        """The numbers of all cages that may carry links, for people."""
        numbers = sorted(cage.index for cage in self._model.cages if not cage.service)
        return f"{numbers[0]} to {numbers[-1]}"

    def spares(self) -> list[Cage]:
        """Cages that no link will ever use by the plan, lowest first."""
        planned = {self._tier.slots[at].cage for at in (*self._tier.down.slots, *self.up)}
        return [cage for cage in self._model.cages if not cage.service and cage.index not in planned]

    def mode(self, cage: Cage, wants: Carrier) -> Mode | None:
        """The breakout in which a cage carries such links."""
        return mode_for(cage, wants.speed_gbps, wants.lanes)

    def find(self, name: PortName, wants: Carrier) -> int | None:
        """Index of a port that exists in the present breakout and carries such links."""
        at = next((at for at, slot in enumerate(self.slots) if slot.cage == name.cage and name.is_of(slot)), None)
        return at if at is not None and _carries(self.slots[at], wants) else None

    def in_cage(self, cage: int) -> list[int]:
        """Indices of the ports of a cage."""
        return [at for at, slot in enumerate(self.slots) if slot.cage == cage]

    def break_out(self, cage: Cage, mode: Mode) -> None:
        """Give a cage another breakout; positions keep their sub-port where it still exists."""
        self._modes[cage.index] = mode
        places = {
            side: [(self.slots[at].cage, self.slots[at].subport) if at >= 0 else None for at in indices]
            for side, indices in (("down", self.down), ("up", self.up))
        }
        first = self.in_cage(cage.index)[0]
        kept = [slot for slot in self.slots if slot.cage != cage.index]
        self.slots = [*kept[:first], *self._builder.build(cage, mode, ""), *kept[first:]]
        known = {(slot.cage, slot.subport): at for at, slot in enumerate(self.slots)}
        self.down = [known.get(place, -1) if place else -1 for place in places["down"]]
        self.up = [known.get(place, -1) if place else -1 for place in places["up"]]

    def has(self, side: str, position: int | None) -> bool:
        """Return whether a side has a port at a position; one can always be added to it."""
        return position is None or position < len(self.up if side == "up" else self.down)

    def move(self, side: str, position: int | None, at: int) -> int:
        """Put a position of a side on another port, or a further downlink if it is None; after the last breakout.

        Returns:
            The position.
        """
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
        tier = self._tier
        sku, builder = _sku(self._model, tier), self._builder
        exact = tier.sku_is_exact and all(_is_own(sku, number, mode) for number, mode in self._modes.items())
        texts = {number: mode.text for number, mode in self._modes.items()}
        box = tier._replace(
            slots=tuple(self._placed()),
            down=Side(tier.down.link, tuple(self.down)),
            up=Side(tier.up.link, tuple(self.up)) if tier.up else None,
            modes=tuple(mode if mode.cage not in texts else _remoded(mode, texts) for mode in tier.modes),
            sku_is_exact=exact,
        )
        if exact or not tier.sku_is_exact:
            return box
        # Breakouts of its own mean that every unused cage is configured too, at the speed of the whole cage.
        cages = existing_cages(self._model, sku, builder.names, exact=False)
        natives = [(cage, native_mode(cage, sku if cage.service else None)) for cage in cages]
        return box._replace(
            native=tuple(slot for cage, mode in natives for slot in builder.build(cage, mode, "")),
            native_modes=tuple(
                CageMode(cage.index, builder.parent(cage), mode.text) for cage, mode in natives if mode is not None
            ),
        )

    def _placed(self) -> list[Slot]:
        """The ports with the side and position they have now."""
        place = {at: ("up", position) for position, at in enumerate(self.up) if at >= 0}
        place |= {at: ("down", position) for position, at in enumerate(self.down) if at >= 0}
        place |= self._moved
        nowhere = ("", -1)
        return [
            slot
            if place.get(at, nowhere) == (slot.side, slot.position)
            else self._moved_to(slot, *place.get(at, nowhere))
            for at, slot in enumerate(self.slots)
        ]

    def _moved_to(self, slot: Slot, side: str, position: int) -> Slot:
        cage = next(cage for cage in self._model.cages if cage.index == slot.cage)
        moved = slot._replace(side=side, position=position)
        return self._builder.for_side(cage, moved, copper=bool(side) and self._copper(side, position))


def _sku(model: SwitchModel, tier: Tier) -> Sku | None:
    """The vendor's port profile of a tier."""
    return next((sku for sku in model.skus if sku.name == tier.sku), None)


def _carries(slot: Slot, wants: Carrier) -> bool:
    """Return whether a port runs at the link's speed over as many lanes, where anybody knows them."""
    return slot.speed_gbps == wants.speed_gbps and (not slot.lanes or len(slot.lanes) == wants.lanes)


def _is_own(sku: Sku | None, cage: int, mode: Mode) -> bool:
    return sku is not None and sku.mode_by_cage.get(cage) == mode.text


def _remoded(mode: CageMode, texts: Mapping[int, str]) -> CageMode:
    return CageMode(mode.cage, mode.port, texts[mode.cage])
