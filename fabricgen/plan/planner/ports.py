"""Ports of a tier: downlinks from the first cage upwards, uplinks from the last downwards, at their breakouts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fabricgen.catalog.ports import numbered_port, port_profile, profile_fec, profile_lanes
from fabricgen.catalog.records import Board, Cage, Mode, ModePort, Sku, SwitchModel
from fabricgen.plan.model.topology import CageMode, Slot

COPPER = ("dac", "aec")
LANES_MAX = 8
"""Lanes of the widest pluggable (QSFP-DD, OSFP)."""


class PortDemand(NamedTuple):
    """Links one side of a box must carry: at this speed and lane count, ``now`` and at the ``reserved`` maximum.

    ``reserved`` is None where the outermost dimension sets no maximum: the side may take what is left.
    """

    speed_gbps: int
    lanes: int
    now: int
    reserved: int | None
    copper: bool = False


class PortNames(NamedTuple):
    """Names of ports on a platform: patterns of ``{cage}``, ``{lane}`` and ``{subport}``.

    ``{cage}`` is what the maker calls the cage, ``{lane}`` counts the cage's lanes from 1, ``{subport}`` the ports of a
    breakout from 0.

    Attributes:
        whole: A port that has its cage to itself; empty if the catalog names the ports.
        part: One of several ports of a cage; empty if such a port is named like any other.
        sfp: The port of an SFP cage; empty if it is named like any other.
    """

    whole: str = ""
    part: str = ""
    sfp: str = ""

    def name(self, cage: Cage, offset: int, child: int, total: int) -> str:
        """Name of the ``child``-th port of a cage, whose first lane is ``offset``."""
        if not self.whole:
            return f"Ethernet{cage.base + offset}"
        pattern = self.part if self.part and total > 1 else self.whole
        if self.sfp and cage.form == "sfp":
            pattern = self.sfp
        return pattern.format(cage=cage.name or cage.index, lane=offset + 1, subport=child)


class PortPlan(NamedTuple):
    """Every logical port of the box, the two sides' positions, and the profile that fits."""

    slots: tuple[Slot, ...]
    modes: tuple[CageMode, ...]
    down: tuple[int, ...]
    up: tuple[int, ...]
    board: str
    sku: str
    sku_is_exact: bool
    missing: int
    """Links at the reserved maximum for which there is no port; 0 if all fit."""
    without_profile: tuple[str, ...] = ()
    """Sides whose ports the maker's software cannot run over the medium of their cables."""


def lanes_in_common(one: frozenset[int], other: frozenset[int]) -> int | None:
    """The fewest lanes at which both ends run the speed: more ports per cage; None if there is none.

    An end without lane facts, {0}, agrees with whatever the other end runs.
    """
    common = one if other == {0} else other if one == {0} else one & other
    return min(common) if common else None


def switch_lanes(model: SwitchModel, speed_gbps: int) -> frozenset[int]:
    """Lane counts at which a cage of the model can run this speed; {0} where no lane facts exist."""
    found = set()
    for cage in model.cages:
        if cage.service:
            continue
        for mode in cage.modes:
            if all(port.speed_gbps == speed_gbps for port in mode.ports):
                found.add(mode.ports[0].lanes)
        if not cage.modes and cage.native_gbps == speed_gbps:
            found.add(cage.lane_count)
    return frozenset(found)


def plan_ports(model: SwitchModel, names: PortNames, down: Sequence[PortDemand], up: PortDemand | None) -> PortPlan:
    """Give every link position of both sides a port; where ports are missing, as many as there are.

    Links downwards take one range of ports after the other; there are none upwards on the top tier.
    """
    ranges = _ranges(model, down, up)
    range_of = {cage.index: each for each in ranges for cage in each.cages}
    board, sku, exact = _profile(model, {index: each.modes[index] for index, each in range_of.items()})
    builder = SlotBuilder(names, sku, model.port_profiles)
    used, slots = [], []
    for cage in existing_cages(model, sku, names, exact=exact):
        own = range_of.get(cage.index, _UNUSED)
        mode = own.modes.get(cage.index) or native_mode(cage, sku if exact or cage.service else None)
        used.append((cage, mode))
        slots += builder.build(cage, mode, own.side, copper=own.demand.copper)
    at = {side: _positions(side, ranges, slots) for side in ("down", "up")}
    return PortPlan(
        slots=_placed(slots, at.values()),
        modes=tuple(CageMode(cage.index, builder.parent(cage), mode.text) for cage, mode in used if mode is not None),
        down=at["down"],
        up=at["up"],
        board=board.name,
        sku=sku.name if sku else "",
        sku_is_exact=exact,
        missing=sum(each.missing for each in ranges),
        without_profile=tuple(side for side, numbers in at.items() if _lack_profile(slots, numbers)),
    )


def _lack_profile(slots: Sequence[Slot], numbers: Sequence[int]) -> bool:
    """Return whether one of some slots is a port that the maker numbers and has no profile for."""
    return any(slots[number].number >= 0 and not slots[number].profile for number in numbers)


def existing_cages(model: SwitchModel, sku: Sku | None, names: PortNames, *, exact: bool) -> list[Cage]:
    """The cages that have ports: those of the port profile where the platform reads one, else all of the box.

    A row for a port that the profile's files lack names lanes that the chip was not given. Cages that are broken out
    beyond the profile exist all the same; service cages never are.
    """
    if sku is None or names.whole:
        return list(model.cages)
    return [cage for cage in model.cages if cage.index in sku.mode_by_cage or not (exact or cage.service)]


class _Range:
    """Cages, in order, that together carry the links of a demand on one side, and the mode each of them is in."""

    def __init__(self, side: str, free: Sequence[Cage], demand: PortDemand) -> None:
        self.side = side
        self.demand = demand
        self.modes = {cage.index: mode_for(cage, demand.speed_gbps, demand.lanes) for cage in free}
        self.cages, self.missing = _take(free, self.modes, demand.reserved)
        if demand.reserved is None:
            self.missing = max(0, demand.now - _ports(self.cages, self.modes))


def _ranges(model: SwitchModel, down: Sequence[PortDemand], up: PortDemand | None) -> list[_Range]:
    """The cages of every demand: uplinks choose first, from the last cage on."""
    cages = [cage for cage in model.cages if not cage.service]
    found = [_Range("up", cages[::-1], up)] if up else []
    for demand in down:
        found.append(_Range("down", [cage for cage in cages if not any(cage in each.cages for each in found)], demand))
    return found


def _positions(side: str, ranges: Sequence[_Range], slots: Sequence[Slot]) -> tuple[int, ...]:
    """Number of the slot at each position; what is left of a range's last cage has none, unless no range follows."""
    ranges = [each for each in ranges if each.side == side]
    by_cage: dict[int, list[int]] = {}
    for number, slot in enumerate(slots):
        by_cage.setdefault(slot.cage, []).append(number)
    found: list[int] = []
    for each in ranges:
        numbers = [number for cage in each.cages for number in by_cage[cage.index]]
        found += numbers if each is ranges[-1] else numbers[: each.demand.reserved]
    return tuple(found)


def _placed(slots: Sequence[Slot], positions: Iterable[Sequence[int]]) -> tuple[Slot, ...]:
    """The slots with their positions; one without any is on no side."""
    found = [slot._replace(side="") for slot in slots]
    for numbers in positions:
        for position, number in enumerate(numbers):
            found[number] = slots[number]._replace(position=position)
    return tuple(found)


def _take(cages: Sequence[Cage], modes: dict[int, Mode | None], wanted: int | None) -> tuple[list[Cage], int]:
    """The first cages that together carry ``wanted`` links (all that can, if None), and how many are missing."""
    taken, have = [], 0
    for cage in cages:
        if wanted is not None and have >= wanted:
            break
        if cage.index in modes and (modes[cage.index] is not None or not cage.modes):
            taken.append(cage)
            have += _ports([cage], modes)
    return taken, max(0, (wanted or 0) - have)


def _ports(cages: list[Cage], modes: dict[int, Mode | None]) -> int:
    return sum(len(mode.ports) if (mode := modes[cage.index]) else 1 for cage in cages)


_UNUSED = _Range("", (), PortDemand(0, 0, 0, 0))
"""For cages without links."""


def mode_for(cage: Cage, speed_gbps: int, lanes: int) -> Mode | None:
    """The cage's mode that yields the most ports of this speed and lane count."""
    fitting = [
        mode for mode in cage.modes if all(port.speed_gbps == speed_gbps and port.lanes == lanes for port in mode.ports)
    ]
    return max(fitting, key=lambda mode: len(mode.ports)) if fitting else None


def native_mode(cage: Cage, sku: Sku | None) -> Mode | None:
    """The mode an unused cage stays in: the SKU's own, else one port at native speed."""
    wanted = sku.mode_by_cage.get(cage.index) if sku else None
    for mode in cage.modes:
        if mode.text == wanted:
            return mode
    native = [m for m in cage.modes if len(m.ports) == 1 and m.ports[0].speed_gbps == cage.native_gbps]
    return native[0] if native else (cage.modes[0] if cage.modes else None)


def _profile(model: SwitchModel, chosen: dict[int, Mode | None]) -> tuple[Board, Sku | None, bool]:
    """The SKU whose modes equal the plan on every planned cage, else the default SKU of the first board."""
    boards = {board.name: board for board in model.boards}
    if not boards:
        return Board("", "", ""), None, True
    for sku in model.skus:
        if all(_same_ports(sku.mode_by_cage.get(index), mode) for index, mode in chosen.items()):
            board = next((boards[name] for name in sku.boards if name in boards), None)
            if board is not None:
                return board, sku, True
    board = model.boards[0]
    return board, next((sku for sku in model.skus if sku.name == board.default_sku), None), False


def _same_ports(text: str | None, mode: Mode | None) -> bool:
    """Return whether a SKU's mode for a cage is the planned one, leaving alternative speeds aside."""
    return text is not None and mode is not None and _plain(text) == _plain(mode.text)


def _plain(text: str) -> str:
    return text.split("[")[0].split("(")[0] if "+" not in text else text


class SlotBuilder(NamedTuple):
    """Names and properties of the ports that a cage yields in a mode."""

    names: PortNames
    sku: Sku | None
    profiles: dict[int, str]

    def parent(self, cage: Cage) -> str:
        """Name of the cage's first port."""
        return self.names.name(cage, 0, 0, 1)

    def build(self, cage: Cage, mode: Mode | None, side: str, *, copper: bool = False) -> list[Slot]:
        """The ports of a cage, in lane order."""
        if mode is None:
            name = self.names.name(cage, 0, 0, 1)
            fec, autoneg = self._link_settings(cage.native_gbps, cage.lane_count)
            return [Slot(name, name, cage.index, 0, cage.lanes, cage.native_gbps, fec, autoneg, side, -1, cage.service)]
        slots, offset, total = [], 0, len(mode.ports)
        for child, port in enumerate(mode.ports):
            fec, autoneg = self._link_settings(port.speed_gbps, port.lanes)
            name = self.names.name(cage, offset, child, total)
            alias = mode.aliases[child] if mode.aliases else ""
            number, profile = self._numbers(cage, name, port, side, copper=copper)
            slots.append(
                Slot(
                    name,
                    alias or name,
                    cage.index,
                    child + 1 if total > 1 else 0,
                    cage.lanes[offset : offset + port.lanes],
                    port.speed_gbps,
                    profile_fec(self.profiles[profile]) if profile else fec,
                    autoneg,
                    side,
                    -1,
                    cage.service,
                    number,
                    profile,
                )
            )
            offset += port.lanes
        return slots

    def for_side(self, cage: Cage, slot: Slot, *, copper: bool) -> Slot:
        """A port with the profile for the medium of the side it is on now; without one, as it was."""
        port = numbered_port(cage, slot.name) if slot.profile and slot.side else None
        if port is None:
            return slot
        name = self.profiles[slot.profile]
        profile = port_profile(self.profiles, port, slot.speed_gbps, profile_lanes(name), copper=copper)
        return slot if profile is None else slot._replace(profile=profile, fec=profile_fec(self.profiles[profile]))

    def _numbers(self, cage: Cage, name: str, mode: ModePort, side: str, *, copper: bool) -> tuple[int, int]:
        """Number and profile of a port that the maker numbers; a port without a link is taken for an optical one."""
        port = numbered_port(cage, name)
        if port is None:
            return -1, 0
        profile = port_profile(self.profiles, port, mode.speed_gbps, mode.lanes, copper=copper)
        if profile is None and not side:
            profile = port_profile(self.profiles, port, mode.speed_gbps, mode.lanes, copper=True)
        return cage.base + port.offset, profile or 0

    def _link_settings(self, speed_gbps: int, lanes: int) -> tuple[str, str]:
        """FEC and autonegotiation: the SKU's columns, else Reed-Solomon from 50G per lane; no cage has more than 8."""
        fec = self.sku.fec_by_gbps.get(speed_gbps) if self.sku else None
        autoneg = self.sku.autoneg_by_gbps.get(speed_gbps) if self.sku else None
        return fec or ("rs" if speed_gbps / (lanes or LANES_MAX) >= 50 else "none"), autoneg or "off"
