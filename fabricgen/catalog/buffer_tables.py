"""The buffer sets and headroom tables of a switch file."""

from __future__ import annotations

from fabricgen.catalog import catalog_codes as codes
from fabricgen.catalog.modes import parse_row
from fabricgen.catalog.reader import Table
from fabricgen.catalog.records import BufferPool, BufferProfile, BufferSet, HeadroomRow, HeadroomTable, Span
from fabricgen.catalog.releases import overlap, read_span

_COLUMNS = ("speed_gbps", "cable_m", "size_bytes", "xon_bytes", "xoff_bytes", "dynamic_th", "xon_offset_bytes")


def read_buffers(root: Table, known_skus: frozenset[str]) -> tuple[BufferSet, ...]:
    """Read the pools and profiles the vendor ships; each port profile has one set per topology in every release.

    Where the vendor has no port profiles, the model has one set, under the empty name.
    """
    sets: list[BufferSet] = []
    owners: dict[tuple[str, str], list[Span]] = {}
    for table in root.tables("buffers"):
        span = read_span(table)
        skus = table.table("skus", optional=not known_skus)
        topologies: dict[str, tuple[str, ...]] = {"": ("",)}
        if known_skus:
            topologies = {sku: skus.words(sku) for sku in skus.names()}
        for sku, names in topologies.items():
            if known_skus:
                _known_sku(skus, sku, known_skus)
            for name in names:
                if _claim(owners.setdefault((sku, name), []), span):
                    skus.fault(codes.REPEATED_ROW, f"{sku} has two buffer sets for {name}", sku)
        pools = table.table("pools")
        pool_names = frozenset(pools.names())
        profiles = table.table("profiles", optional=True)
        sets.append(
            BufferSet(
                topologies_by_sku=topologies,
                pools=tuple(_pool(pools.table(name), name) for name in pools.names()),
                profiles=tuple(_profile(profiles.table(name), name, pool_names) for name in profiles.names()),
                skips_reservation=table.flag("skips_reservation"),
                span=span,
                pools_exclude_reserved=table.flag("pools_exclude_reserved"),
            )
        )
        table.close()
    return tuple(sets)


def _pool(table: Table, name: str) -> BufferPool:
    kind, mode = table.text("kind"), table.text("mode")
    if kind and kind not in ("ingress", "egress"):
        table.fault(codes.BAD_VALUE, f"kind is {kind!r}, it must be ingress or egress", "kind")
    if mode and mode not in ("static", "dynamic"):
        table.fault(codes.BAD_VALUE, f"mode is {mode!r}, it must be static or dynamic", "mode")
    pool = BufferPool(name, kind, mode, table.integer("size_bytes", low=1), table.optional_integer("xoff_bytes"))
    table.close()
    return pool


def _profile(table: Table, name: str, pool_names: frozenset[str]) -> BufferProfile:
    profile = BufferProfile(
        name=name,
        pool=table.text("pool"),
        size_bytes=table.integer("size_bytes"),
        dynamic_th=table.optional_integer("dynamic_th", low=-8, high=8),
        static_th_bytes=table.optional_integer("static_th_bytes"),
        xon_bytes=table.optional_integer("xon_bytes"),
        xon_offset_bytes=table.optional_integer("xon_offset_bytes"),
        xoff_bytes=table.optional_integer("xoff_bytes"),
    )
    if profile.pool and profile.pool not in pool_names:
        table.fault(
            codes.BROKEN_REFERENCE, f"pool {profile.pool} is not one of {', '.join(sorted(pool_names))}", "pool"
        )
    if (profile.dynamic_th is None) == (profile.static_th_bytes is None):
        table.fault(codes.BAD_VALUE, f"{name} needs either dynamic_th or static_th_bytes", on_key=True)
    table.close()
    return profile


def read_headroom(root: Table, known_skus: frozenset[str]) -> tuple[HeadroomTable, ...]:
    """Read the headroom tables; a port profile has one at most in a release, the model itself if it has no profiles."""
    tables: list[HeadroomTable] = []
    owned: dict[str, list[Span]] = {}
    for table in root.tables("headroom"):
        span = read_span(table)
        skus = table.words("skus") if known_skus else ("",)
        for sku in skus if known_skus else ():
            _known_sku(table, sku, known_skus, "skus")
            if _claim(owned.setdefault(sku, []), span):
                table.fault(codes.REPEATED_ROW, f"{sku} has two headroom tables", "skus")
        columns = _columns(table)
        tables.append(HeadroomTable(skus, _rows(table, columns) if columns else (), span))
        table.close()
    return tuple(tables)


def _claim(taken: list[Span], span: Span) -> bool:
    """Add a span to those taken; true if some release then has two."""
    repeated = any(overlap(span, other) for other in taken)
    taken.append(span)
    return repeated


def _columns(table: Table) -> tuple[str, ...]:
    columns = table.words("columns")
    if columns and (not set(_COLUMNS[:6]) <= set(columns) <= set(_COLUMNS) or len(set(columns)) != len(columns)):
        wanted = f"{' '.join(_COLUMNS[:6])} and perhaps {_COLUMNS[6]}"
        table.fault(codes.BAD_VALUE, f"columns are {' '.join(columns)}, they must be {wanted}", "columns")
        return ()
    return columns


def _rows(table: Table, columns: tuple[str, ...]) -> tuple[HeadroomRow, ...]:
    rows: list[HeadroomRow] = []
    seen: set[tuple[int, int]] = set()
    fields = ["row_m" if column == "cable_m" else column for column in columns]
    for position, line in enumerate(table.lines("rows")):
        numbers = parse_row(line)
        if numbers is None or len(numbers) != len(columns):
            table.fault(codes.BAD_VALUE, f"{line!r} is not {len(columns)} whole numbers", "rows", position)
            continue
        row = HeadroomRow(**dict(zip(fields, numbers, strict=True)))
        if (row.speed_gbps, row.row_m) in seen:
            what = f"{row.speed_gbps}G at {row.row_m} m"
            table.fault(codes.REPEATED_ROW, f"two rows for {what}", "rows", position)
        seen.add((row.speed_gbps, row.row_m))
        rows.append(row)
    return tuple(rows)


def _known_sku(table: Table, sku: str, known: frozenset[str], *keys: str) -> None:
    if sku not in known:
        table.fault(codes.BROKEN_REFERENCE, f"{sku} is not one of the file's skus", *(keys or (sku,)), on_key=not keys)
