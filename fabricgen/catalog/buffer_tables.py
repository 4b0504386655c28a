"""The buffer sets and headroom tables of a switch file."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from fabricgen.catalog import catalog_codes as codes
from fabricgen.catalog.forms import Row, Words
from fabricgen.catalog.records import ALWAYS, BufferSet, HeadroomRow, HeadroomTable, Span
from fabricgen.catalog.releases import overlap
from fabricgen.validation.file_faults import FileFaults
from fabricgen.validation.mistakes import BAD_VALUE, MISSING_KEY
from fabricgen.validation.records import record

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
