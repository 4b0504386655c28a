"""The cages of a switch file: groups of equal cages, expanded to one record per cage."""

from __future__ import annotations

from collections.abc import Iterable

from fabricgen.catalog import catalog_codes as codes
from fabricgen.catalog.modes import parse_mode, parse_numbers, parse_row
from fabricgen.catalog.ports import named_for
from fabricgen.catalog.reader import Table
from fabricgen.catalog.records import Cage, Mode, NumberedPort, Span
from fabricgen.catalog.releases import read_span

_CAGES_MAX = 4096
_FORMS = ("sfp",)
"""Pluggables of which platforms name ports in another way than those of several lanes."""


def read_cages(root: Table) -> tuple[Cage, ...]:
    """Read every cage group and check that no number or lane is used twice; front-panel order, service ports last."""
    cages: list[Cage] = []
    for group in root.tables("cages"):
        added = _read_group(group)
        for what in ("index", "base", "first_lane"):
            _refuse_repeats(group, what, cages, added)
        cages += added
    if not cages:
        root.fault(codes.MISSING_KEY, "a switch has at least one cage", "cages", on_key=True)
    return tuple(sorted(cages, key=lambda cage: (cage.service, cage.index)))


def read_mode(table: Table, text: str, lane_count: int) -> tuple[Mode, ...]:
    """Read one ``mode: alias of each port`` pair, whose aliases may be empty; nothing if it is faulty."""
    ports = parse_mode(text, lane_count)
    aliases = table.words(text)
    if isinstance(ports, str):
        table.fault(codes.BAD_MODE, f"mode {text}: {ports}", text, on_key=True)
        return ()
    if aliases and len(aliases) != len(ports):
        table.fault(codes.BAD_MODE, f"mode {text} has {len(ports)} ports and {len(aliases)} aliases", text)
        return ()
    return (Mode(text, ports, aliases),)


def _read_group(group: Table) -> list[Cage]:
    """Read one group; what differs between its cages is a list or a first value and a step."""
    lane_count = group.integer("lanes", 0, high=64)
    native_gbps = group.integer("native_gbps", low=1, high=6400)
    service = group.flag("service")
    form = _form(group)
    numbered = tuple(_numbered_port(port) for port in group.tables("numbered"))
    indices = _front_panel(group)
    bases = _series(group, "base", len(indices)) or indices
    firsts = _series(group, "first_lane", len(indices))
    names = _names(group, indices)
    table = group.table("modes", optional=True)
    modes = tuple(mode for text in table.names() for mode in read_mode(table, text, lane_count))
    earlier = [_earlier(each, lane_count) for each in group.tables("earlier")]
    group.close()
    cages = [
        Cage(
            index=index,
            base=base,
            lanes=tuple(range(firsts[k], firsts[k] + lane_count)) if firsts else (),
            modes=(),
            native_gbps=native_gbps,
            service=service,
            lane_count=lane_count,
            name=names[k] if names else "",
            numbered=numbered,
            form=form,
        )
        for k, (index, base) in enumerate(zip(indices, bases, strict=True))
    ]
    return [
        cage._replace(
            modes=tuple(named_for(cage, mode) for mode in modes),
            earlier=tuple((span, tuple(named_for(cage, mode) for mode in old)) for span, old in earlier),
        )
        for cage in cages
    ]


def _earlier(table: Table, lane_count: int) -> tuple[Span, tuple[Mode, ...]]:
    """Read the modes that the group had up to some release."""
    span, modes = read_span(table), table.table("modes")
    found = tuple(mode for text in modes.names() for mode in read_mode(modes, text, lane_count))
    table.close()
    return span, found


def _form(group: Table) -> str:
    """Return what plugs into the cages; empty for pluggables that need no word of their own."""
    form = group.text("form") if group.has("form") else ""
    if form and form not in _FORMS:
        group.fault(codes.BAD_VALUE, f"form is {form!r}; it must be {' or '.join(_FORMS)}, or left out", "form")
        return ""
    return form


def _front_panel(group: Table) -> tuple[int, ...]:
    text = group.text("index")
    numbers = parse_numbers(text) if text else ()
    if numbers is None or len(numbers) > _CAGES_MAX:
        group.fault(codes.BAD_VALUE, f"index is {text!r}, write front-panel numbers such as 1-32,65", "index")
        return ()
    return numbers


def _series(group: Table, key: str, count: int) -> tuple[int, ...]:
    """One number per cage: all of them, or ``{start: …, step: …}``; empty where the key is not written."""
    if not group.has(key):
        return ()
    if group.is_mapping(key):
        rule = group.table(key)
        start, step = rule.integer("start"), rule.integer("step", low=-1024, high=1024)
        rule.close()
        numbers = tuple(start + k * step for k in range(count))
    else:
        numbers = group.row(key)
    if len(numbers) != count and count:
        group.fault(codes.BAD_LANES, f"{key} has {len(numbers)} numbers for {count} cages", key)
    elif any(number < 0 for number in numbers):
        group.fault(codes.BAD_LANES, f"{key} goes below 0", key)
    return numbers if len(numbers) == count else ()


def _names(group: Table, indices: tuple[int, ...]) -> tuple[str, ...]:
    """The maker's names of the cages: one each, or one pattern with ``{i}`` for the front-panel number."""
    words = group.words("names", optional=True)
    if len(words) == 1 and "{i}" in words[0]:
        return tuple(words[0].replace("{i}", str(index)) for index in indices)
    if words and len(words) != len(indices):
        group.fault(codes.BAD_VALUE, f"names has {len(words)} names for {len(indices)} cages", "names")
        return ()
    return words


def _numbered_port(table: Table) -> NumberedPort:
    """Read a port that the maker numbers in advance; ``subsumes`` lines are ``profiles > offsets``."""
    subsumed: dict[int, tuple[int, ...]] = {}
    for position, line in enumerate(table.lines("subsumes", optional=True)):
        left, arrow, right = line.partition(">")
        profiles, offsets = parse_row(left), parse_row(right)
        if not (arrow and profiles and offsets):
            table.fault(codes.BAD_VALUE, f"{line!r} is not of the form 'profiles > offsets'", "subsumes", position)
            continue
        subsumed.update(dict.fromkeys(profiles, offsets))
    port = NumberedPort(
        suffix=table.integer("suffix"),
        offset=table.integer("offset"),
        controller_offset=table.integer("controller_offset", low=-64),
        kind=table.integer("kind", 0, high=16),
        profiles=table.row("profiles"),
        subsumed_by_profile=subsumed,
    )
    table.close()
    return port


def _refuse_repeats(group: Table, what: str, known: Iterable[Cage], added: Iterable[Cage]) -> None:
    """Refuse a front-panel number, port number or serdes lane that two cages claim."""
    owner: dict[int, int] = {}
    for cage in known:
        owner.update(dict.fromkeys(_claims(cage, what), cage.index))
    for cage in added:
        for number in _claims(cage, what):
            if number in owner:
                group.fault(codes.BAD_LANES, _claimed_twice(what, number, owner[number], cage.index), what)
                return
            owner[number] = cage.index


def _claimed_twice(what: str, number: int, first: int, second: int) -> str:
    if what == "index":
        return f"front-panel number {number} is given twice"
    return f"{'port number' if what == 'base' else 'lane'} {number} belongs to cages {first} and {second}"


def _claims(cage: Cage, what: str) -> Iterable[int]:
    if what == "index":
        return (cage.index,)
    if what == "first_lane":
        return cage.lanes
    if cage.numbered:
        return tuple(cage.base + port.offset for port in cage.numbered)
    return range(cage.base, cage.base + max(cage.lane_count, 1))
