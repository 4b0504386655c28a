"""The port profiles (HwSKUs) of a switch file."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from fabricgen.catalog import catalog_codes as codes
from fabricgen.catalog.cage_table import read_modes
from fabricgen.catalog.forms import Numbers, Speed, Text, Words
from fabricgen.catalog.records import ALWAYS, Board, Cage, Mode, Sku, Span
from fabricgen.catalog.releases import overlap
from fabricgen.validation.file_faults import FileFaults
from fabricgen.validation.forms import Short
from fabricgen.validation.mistakes import BAD_VALUE, MISSING_KEY
from fabricgen.validation.records import record


@record
class SkuEntry(NamedTuple):
    """A port profile as a file has it: modes with the front-panel numbers of their cages, or another one's name.

    Cages that are not listed do not exist in the profile.
    """

    boards: Words = ()
    like: str = ""
    modes: dict[str, Numbers] | None = None
    own_modes: dict[str, Words] = {}  # noqa: RUF012 - never written to
    fec: dict[Speed, Text] = {}  # noqa: RUF012 - never written to
    autoneg: dict[Speed, Text] = {}  # noqa: RUF012 - never written to
    span: Span = ALWAYS


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, dict) else value


SkuEntries = Annotated[dict[str, Annotated[tuple[SkuEntry, ...], Short(_listed)]], "by name"]
"""Port profiles by name; one whose ports changed with a release is a list, one entry for each span of releases."""


def read_skus(
    entries: Mapping[str, Sequence[SkuEntry]], boards: tuple[Board, ...], cages: tuple[Cage, ...], faults: FileFaults
) -> tuple[Sku, ...]:
    """Return the port profiles; one may be ``like`` another that stands above it."""
    # Of two cages with one number, a fault that is already reported, the first one counts.
    by_index = {cage.index: cage for cage in reversed(cages)}
    all_boards = tuple(board.name for board in boards)
    skus: dict[str, Sku] = {}
    found: list[Sku] = []
    for name, spans in entries.items():
        for position, entry in enumerate(spans):
            below = faults.below("skus", name, position)
            sku = _read_sku(Sku(name, entry.boards or all_boards, {}, span=entry.span), entry, by_index, skus, below)
            for unknown in sorted({*sku.boards} - {*all_boards}):
                below.add(codes.BROKEN_REFERENCE, f"board {unknown} is not one of the file's boards", "boards")
            if any(overlap(sku.span, other.span) for other in found if other.name == name):
                below.add(codes.CONTRADICTION, f"some release has two port profiles {name}")
            skus[name] = sku
            found.append(sku)
    for board in boards:
        if board.default_sku not in skus:
            message = f"default_sku {board.default_sku} is not one of the file's skus"
            faults.add(codes.BROKEN_REFERENCE, message, "boards", board.name, "default_sku")
    return tuple(found)


def _read_sku(
    sku: Sku, entry: SkuEntry, cages: Mapping[int, Cage], known: Mapping[str, Sku], faults: FileFaults
) -> Sku:
    if entry.like:
        model = known.get(entry.like)
        if model is None:
            faults.add(codes.BROKEN_REFERENCE, "like names no port profile that stands above this one", "like")
            return sku
        if entry.modes is not None or entry.own_modes or entry.fec or entry.autoneg:
            faults.add(BAD_VALUE, f"{sku.name} has what {entry.like} has; leave out like, or the rest", "like")
        return model._replace(name=sku.name, boards=sku.boards, span=sku.span)
    if entry.modes is None:
        faults.add(MISSING_KEY, f"skus.{sku.name}.modes is missing", on_key=True, hint="add modes, or like")
    mode_by_cage = _mode_by_cage(entry.modes or {}, cages, faults.below("modes"))
    own_modes = _own_modes(entry, mode_by_cage, cages, faults.below("own_modes"))
    _check_modes(mode_by_cage, own_modes, cages, faults.below("modes"))
    return sku._replace(
        mode_by_cage=mode_by_cage, fec_by_gbps=entry.fec, autoneg_by_gbps=entry.autoneg, own_modes=own_modes
    )


def _mode_by_cage(
    written: Mapping[str, tuple[int, ...]], cages: Mapping[int, Cage], faults: FileFaults
) -> dict[int, str]:
    modes: dict[int, str] = {}
    for mode, numbers in written.items():
        for index in numbers:
            if index not in cages:
                faults.add(codes.BROKEN_REFERENCE, f"there is no cage {index}", mode)
                break
            if index in modes:
                faults.add(codes.BAD_MODE, f"cage {index} has the modes {modes[index]} and {mode}", mode)
                break
            modes[index] = mode
    return dict(sorted(modes.items()))


def _own_modes(
    entry: SkuEntry, mode_by_cage: Mapping[int, str], cages: Mapping[int, Cage], faults: FileFaults
) -> tuple[Mode, ...]:
    """Read the modes that only this profile knows; they take the lanes of the cages that run them."""
    lanes_of = {mode: cages[index].lane_count for index, mode in mode_by_cage.items()}
    modes: list[Mode] = []
    for mode, aliases in entry.own_modes.items():
        if mode not in lanes_of:
            faults.add(codes.BROKEN_REFERENCE, f"no cage of the profile runs {mode}", mode, on_key=True)
            continue
        modes += read_modes({mode: aliases}, lanes_of[mode], faults)
    return tuple(modes)


def _check_modes(
    mode_by_cage: Mapping[int, str], own_modes: tuple[Mode, ...], cages: Mapping[int, Cage], faults: FileFaults
) -> None:
    own = {mode.text for mode in own_modes}
    refused: set[str] = set()
    for index, mode in mode_by_cage.items():
        legal = {known.text for known in cages[index].modes}
        if mode not in legal | own and mode not in refused:
            refused.add(mode)
            hint = f"cage {index} runs {', '.join(sorted(legal))}"
            faults.add(codes.BAD_MODE, f"cage {index} cannot run {mode}", mode, on_key=True, hint=hint)
