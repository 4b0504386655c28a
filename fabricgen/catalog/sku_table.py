"""The boards and port profiles (HwSKUs) of a switch file."""

from __future__ import annotations

from collections.abc import Mapping

from fabricgen.catalog import catalog_codes as codes
from fabricgen.catalog.cage_table import read_mode
from fabricgen.catalog.modes import parse_numbers
from fabricgen.catalog.reader import Table
from fabricgen.catalog.records import Board, Cage, Mode, Sku
from fabricgen.catalog.releases import overlap, read_span


def read_boards(root: Table) -> tuple[Board, ...]:
    """Read what operating systems call the box; whether the default SKUs exist is checked with the SKUs."""
    boards = root.table("boards", optional=True)
    found: list[Board] = []
    for name in boards.names():
        board = boards.table(name)
        found.append(Board(name, board.text("default_sku"), board.text("default_topology"), read_span(board)))
        board.close()
    return tuple(found)


def read_skus(root: Table, boards: tuple[Board, ...], cages: tuple[Cage, ...]) -> tuple[Sku, ...]:
    """Read the port profiles; one may be ``like`` another that stands above it.

    A profile whose ports changed with a release is a list, one entry for each span of releases.
    """
    table = root.table("skus", optional=True)
    # Of two cages with one number, a fault that is already reported, the first one counts.
    by_index = {cage.index: cage for cage in reversed(cages)}
    all_boards = tuple(board.name for board in boards)
    skus: dict[str, Sku] = {}
    found: list[Sku] = []
    for name in table.names():
        for entry in (table.table(name),) if table.is_mapping(name) else table.tables(name):
            sku = _read_sku(entry, name, all_boards, by_index, skus)._replace(span=read_span(entry))
            entry.close()
            if any(overlap(sku.span, other.span) for other in found if other.name == name):
                entry.fault(codes.REPEATED_ROW, f"some release has two port profiles {name}")
            skus[name] = sku
            found.append(sku)
    for board in boards:
        if board.default_sku and board.default_sku not in skus:
            message = f"default_sku {board.default_sku} is not one of the file's skus"
            root.fault(codes.BROKEN_REFERENCE, message, "boards", board.name, "default_sku")
    return tuple(found)


def _read_sku(
    entry: Table, name: str, all_boards: tuple[str, ...], cages: Mapping[int, Cage], known: Mapping[str, Sku]
) -> Sku:
    boards = entry.words("boards", optional=True) or all_boards
    for board in boards:
        if board not in all_boards:
            entry.fault(codes.BROKEN_REFERENCE, f"board {board} is not one of the file's boards", "boards")
    if entry.has("like"):
        model = known.get(entry.text("like"))
        if model is None:
            entry.fault(codes.BROKEN_REFERENCE, "like names no port profile that stands above this one", "like")
            return Sku(name, boards, {})
        return Sku(name, boards, model.mode_by_cage, model.fec_by_gbps, model.autoneg_by_gbps, model.own_modes)
    mode_by_cage = _mode_by_cage(entry, cages)
    own_modes = _own_modes(entry, mode_by_cage, cages)
    _check_modes(entry, mode_by_cage, own_modes, cages)
    return Sku(
        name=name,
        boards=boards,
        mode_by_cage=mode_by_cage,
        fec_by_gbps=entry.by_speed("fec", optional=True),
        autoneg_by_gbps=entry.by_speed("autoneg", optional=True),
        own_modes=own_modes,
    )


def _mode_by_cage(entry: Table, cages: Mapping[int, Cage]) -> dict[int, str]:
    """Read ``mode: front-panel numbers`` pairs; cages that are not listed do not exist in the profile."""
    table = entry.table("modes")
    modes: dict[int, str] = {}
    for mode in table.names():
        text = table.text(mode)
        numbers = parse_numbers(text) if text else ()
        if numbers is None:
            table.fault(codes.BAD_VALUE, f"{text!r} is not a list of front-panel numbers such as 1-32,65", mode)
            continue
        for index in numbers:
            if index not in cages:
                table.fault(codes.BROKEN_REFERENCE, f"there is no cage {index}", mode)
                break
            if index in modes:
                table.fault(codes.BAD_MODE, f"cage {index} has the modes {modes[index]} and {mode}", mode)
                break
            modes[index] = mode
    return dict(sorted(modes.items()))


def _own_modes(entry: Table, mode_by_cage: Mapping[int, str], cages: Mapping[int, Cage]) -> tuple[Mode, ...]:
    """Read the modes that only this profile knows; they take the lanes of the cages that run them."""
    table = entry.table("own_modes", optional=True)
    lanes_of = {mode: cages[index].lane_count for index, mode in mode_by_cage.items()}
    modes: list[Mode] = []
    for mode in table.names():
        if mode not in lanes_of:
            table.fault(codes.BROKEN_REFERENCE, f"no cage of the profile runs {mode}", mode, on_key=True)
            continue
        modes += read_mode(table, mode, lanes_of[mode])
    return tuple(modes)


def _check_modes(
    entry: Table, mode_by_cage: Mapping[int, str], own_modes: tuple[Mode, ...], cages: Mapping[int, Cage]
) -> None:
    own = {mode.text for mode in own_modes}
    refused: set[str] = set()
    for index, mode in mode_by_cage.items():
        legal = {known.text for known in cages[index].modes}
        if mode not in legal | own and mode not in refused:
            refused.add(mode)
            hint = f"cage {index} runs {', '.join(sorted(legal))}"
            entry.fault(codes.BAD_MODE, f"cage {index} cannot run {mode}", "modes", mode, on_key=True, hint=hint)
