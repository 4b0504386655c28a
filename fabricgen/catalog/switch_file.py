"""Catalog files of switches: port profiles (HwSKUs), buffer sets, headroom tables, where they differ from records."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

from fabricgen.catalog import catalog_codes as codes
from fabricgen.catalog.cage_table import CageGroup, expand_cages, read_modes
from fabricgen.catalog.forms import Lengths, Numbers, PortProfiles, Row, Speed, Text, Words
from fabricgen.catalog.records import (
    ALWAYS,
    Asic,
    Board,
    BufferSet,
    Cage,
    EcnProfile,
    HeadroomRow,
    HeadroomTable,
    Mode,
    Provenance,
    Sku,
    Span,
    SwitchModel,
    overlap,
)
from fabricgen.validation.file_faults import FileFaults
from fabricgen.validation.forms import ByName, Key, Short, record
from fabricgen.validation.mistakes import BAD_VALUE, MISSING_KEY

_COLUMNS = ("speed_gbps", "row_m", "size_bytes", "xon_bytes", "xoff_bytes", "dynamic_th", "xon_offset_bytes")


@record
class HeadroomEntry(NamedTuple):
    """A headroom table as a file has it: the names of its columns, and its rows."""

    columns: Words
    rows: tuple[Row, ...]
    skus: Words = ()
    span: Span = ALWAYS


def check_buffers(sets: Sequence[BufferSet], skus: frozenset[str], faults: FileFaults) -> tuple[BufferSet, ...]:
    """Return the buffer sets; each port profile has one per topology in every release.

    Where the vendor has no port profiles, the model has one set, under the empty name.
    """
    found = []
    owners: dict[tuple[str, str], list[Span]] = {}
    for position, buffers in enumerate(sets):
        below = faults.below("buffers", position, "skus")
        topologies = buffers.topologies_by_sku
        _check_skus(topologies, skus, below, on_key=True)
        for sku, names in topologies.items() if skus else (("", ("",)),):
            for name in names:
                if _claim(owners.setdefault((sku, name), []), buffers.span):
                    below.add(codes.CONTRADICTION, f"{sku} has two buffer sets for {name}", sku)
        pools = sorted(pool.name for pool in buffers.pools)
        for profile in buffers.profiles:
            if profile.pool not in pools:
                message = f"pool {profile.pool} is not one of {', '.join(pools)}"
                at = faults.below("buffers", position, "profiles", profile.name)
                at.add(codes.BROKEN_REFERENCE, message, "pool")
        found.append(buffers._replace(topologies_by_sku=topologies if skus else {"": ("",)}))
    return tuple(found)


def read_headroom(
    entries: Sequence[HeadroomEntry], skus: frozenset[str], faults: FileFaults
) -> tuple[HeadroomTable, ...]:
    """Return the headroom tables; a port profile has one at most in a release, the model itself if it has none."""
    tables = []
    owned: dict[str, list[Span]] = {}
    for position, entry in enumerate(entries):
        below = faults.below("headroom", position)
        _check_skus(entry.skus, skus, below.below("skus"))
        owners = entry.skus if skus else ("",)
        for sku in owners:
            if _claim(owned.setdefault(sku, []), entry.span):
                below.add(codes.CONTRADICTION, f"{sku} has two headroom tables", "skus")
        tables.append(HeadroomTable(owners, _rows(entry, below), entry.span))
    return tuple(tables)


def _check_skus(named: Collection[str], skus: frozenset[str], faults: FileFaults, *, on_key: bool = False) -> None:
    """Report port profiles that there are not, and that none is named where there are some."""
    if skus and not named:
        faults.add(MISSING_KEY, "skus is missing: the port profiles that have the table", on_key=True)
    for sku in named:
        if sku not in skus:
            message = f"{sku} is not one of the file's skus"
            faults.add(codes.BROKEN_REFERENCE, message, *((sku,) if on_key else ()), on_key=on_key)


def _claim(taken: list[Span], span: Span) -> bool:
    """Add a span to those taken; true if some release then has two."""
    repeated = any(overlap(span, other) for other in taken)
    taken.append(span)
    return repeated


def _rows(entry: HeadroomEntry, faults: FileFaults) -> tuple[HeadroomRow, ...]:
    columns = entry.columns
    if not set(_COLUMNS[:6]) <= set(columns) <= set(_COLUMNS) or len(set(columns)) != len(columns):
        wanted = f"{' '.join(_COLUMNS[:6])} and perhaps {_COLUMNS[6]}"
        faults.add(BAD_VALUE, f"columns are {' '.join(columns)}, they must be {wanted}", "columns")
        return ()
    rows: dict[tuple[int, int], HeadroomRow] = {}
    for position, numbers in enumerate(entry.rows):
        if len(numbers) != len(columns):
            shown = " ".join(map(str, numbers))
            faults.add(BAD_VALUE, f"{shown!r} is not {len(columns)} whole numbers", "rows", position)
            continue
        row = HeadroomRow(**dict(zip(columns, numbers, strict=True)))
        if rows.setdefault((row.speed_gbps, row.row_m), row) is not row:
            faults.add(codes.CONTRADICTION, f"two rows for {row.speed_gbps}G at {row.row_m} m", "rows", position)
    return tuple(rows.values())


@record
class SkuEntry(NamedTuple):
    """A port profile as a file has it: modes with the front-panel numbers of their cages, or another one's name.

    Cages that are not listed do not exist in the profile.
    """

    boards: Words = ()
    like: str = ""
    modes: dict[str, Numbers] | None = None
    own_modes: dict[str, Words] = {}  # noqa: RUF012 - never written to
    fec: dict[Speed, Literal["rs", "fc", "none"]] = {}  # noqa: RUF012 - never written to
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
        mode_by_cage=mode_by_cage, fec_by_gbps=dict(entry.fec), autoneg_by_gbps=entry.autoneg, own_modes=own_modes
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


@record
class SwitchFile(NamedTuple):
    """A switch as a file has it: cages in groups, tables as texts, other records by name."""

    id: Text
    asic: Text
    platforms: Words
    cages: tuple[CageGroup, ...]
    provenance: Provenance
    boards: Annotated[tuple[Board, ...], ByName()] = ()
    skus: SkuEntries = {}  # noqa: RUF012 - never written to
    buffers: tuple[BufferSet, ...] = ()
    headroom: tuple[HeadroomEntry, ...] = ()
    ecn_profiles: dict[Speed, Text] = {}  # noqa: RUF012 - never written to
    port_profiles: PortProfiles = {}  # noqa: RUF012 - never written to
    copper_m_by_lane_gbps: Annotated[dict[Speed, Lengths], Key("copper_calibrated_m")] = {}  # noqa: RUF012 - never written to
    product: Text = ""


def build_switch(
    file: SwitchFile,
    faults: FileFaults,
    find_asic: Callable[[str], Asic | None],
    find_ecn_profile: Callable[[str], EcnProfile | None],
) -> SwitchModel | None:
    """Build the record of a switch; None if its ASIC is not known, as far as the catalog finds what it refers to."""
    cages = expand_cages(file.cages, faults)
    skus = read_skus(file.skus, file.boards, cages, faults)
    sku_names = frozenset(sku.name for sku in skus)
    buffers = check_buffers(file.buffers, sku_names, faults)
    headroom = read_headroom(file.headroom, sku_names, faults)
    ecn_profiles = _ecn_profiles(file, faults, find_ecn_profile)
    asic = find_asic(file.asic)
    if asic is None:
        _report_unknown("ASIC", f"asics/{file.asic}.yaml", faults, "asic")
        return None
    built = {"cages": cages, "skus": skus, "buffers": buffers, "headroom": headroom, "ecn_profiles": ecn_profiles}
    return SwitchModel(**file._asdict() | built | {"asic": asic})


def _ecn_profiles(
    file: SwitchFile, faults: FileFaults, find_ecn_profile: Callable[[str], EcnProfile | None]
) -> tuple[EcnProfile, ...]:
    """Return which profile holds at which speed, the speed filled in."""
    profiles: list[EcnProfile] = []
    for gbps, name in file.ecn_profiles.items():
        profile = find_ecn_profile(name)
        if profile is None:
            _report_unknown("ECN profile", f"ecn/{name}.yaml", faults, "ecn_profiles", f"{gbps}G")
        elif profile.speed_gbps not in (0, gbps):
            message = f"ECN profile {name} is for {profile.speed_gbps}G"
            faults.add(codes.BROKEN_REFERENCE, message, "ecn_profiles", f"{gbps}G")
        else:
            profiles.append(profile._replace(speed_gbps=gbps))
    return tuple(profiles)


def _report_unknown(noun: str, path: str, faults: FileFaults, *loc: str) -> None:
    name = path.partition("/")[2].removesuffix(".yaml")
    hint = f"add or correct {path} in the catalog folder"
    faults.add(codes.UNKNOWN_MODEL, f"the catalog has no usable {noun} {name}", *loc, hint=hint)
