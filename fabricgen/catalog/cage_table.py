"""The cages of a switch file: groups of equal cages, expanded to one record per cage."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal, NamedTuple

from fabricgen.catalog import catalog_codes as codes
from fabricgen.catalog.forms import Numbers, Series, Steps, Words
from fabricgen.catalog.ports import named_for, parse_mode
from fabricgen.catalog.records import ALWAYS, Cage, Mode, NumberedPort, Span
from fabricgen.validation.file_faults import FileFaults
from fabricgen.validation.forms import Range, record
from fabricgen.validation.mistakes import BAD_VALUE, MISSING_KEY


@record
class EarlierModes(NamedTuple):
    """The modes that a group had up to some release."""

    modes: dict[str, Words]
    span: Span = ALWAYS


@record
class CageGroup(NamedTuple):
    """Cages as a file has them: what differs between them is a list, or a first value and a step.

    ``names`` are the maker's: one each, or one pattern with ``{i}`` for the front-panel number. ``form`` is what plugs
    into the cages where a platform names their ports in another way.
    """

    index: Numbers  # type: ignore[assignment]  # hides tuple.index, which is unused here
    native_gbps: Annotated[int, Range(1, 6400)]
    lanes: Annotated[int, Range(0, 64)] = 0
    base: Series | None = None
    first_lane: Series | None = None
    names: Words = ()
    modes: dict[str, Words] = {}  # noqa: RUF012 - never written to
    earlier: tuple[EarlierModes, ...] = ()
    numbered: tuple[NumberedPort, ...] = ()
    service: bool = False
    form: Literal["", "sfp"] = ""


def expand_cages(groups: Sequence[CageGroup], faults: FileFaults) -> tuple[Cage, ...]:
    """Return every cage, service ports last; reports a number or lane that is used twice."""
    cages: list[Cage] = []
    for position, group in enumerate(groups):
        added = _expand(group, faults.below("cages", position))
        for what in ("index", "base", "first_lane"):
            _refuse_repeats(what, cages, added, faults.below("cages", position))
        cages += added
    if not groups:
        faults.add(MISSING_KEY, "cages is empty; a switch has at least one cage", "cages", on_key=True)
    return tuple(sorted(cages, key=lambda cage: (cage.service, cage.index)))


def read_modes(modes: Mapping[str, Words], lane_count: int, faults: FileFaults) -> tuple[Mode, ...]:
    """Return the sound ones of ``mode: alias of each port`` pairs, whose aliases may be empty."""
    found = []
    for text, aliases in modes.items():
        ports = parse_mode(text, lane_count)
        if isinstance(ports, str):
            faults.add(codes.BAD_MODE, f"mode {text}: {ports}", text, on_key=True)
        elif aliases and len(aliases) != len(ports):
            faults.add(codes.BAD_MODE, f"mode {text} has {len(ports)} ports and {len(aliases)} aliases", text)
        else:
            found.append(Mode(text, ports, aliases))
    return tuple(found)


def _expand(group: CageGroup, faults: FileFaults) -> list[Cage]:
    indices = group.index
    bases = _series(group.base, len(indices), faults.below("base")) or indices
    firsts = _series(group.first_lane, len(indices), faults.below("first_lane"))
    names = _names(group, faults)
    modes = read_modes(group.modes, group.lanes, faults.below("modes"))
    earlier = [
        (each.span, read_modes(each.modes, group.lanes, faults.below("earlier", position, "modes")))
        for position, each in enumerate(group.earlier)
    ]
    cages = [
        Cage(
            index=index,
            base=base,
            lanes=tuple(range(firsts[k], firsts[k] + group.lanes)) if firsts else (),
            modes=(),
            native_gbps=group.native_gbps,
            service=group.service,
            lane_count=group.lanes,
            name=names[k] if names else "",
            numbered=group.numbered,
            form=group.form,
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


def _series(series: Series | None, count: int, faults: FileFaults) -> tuple[int, ...]:
    """One number per cage; empty where none are written."""
    if series is None:
        return ()
    numbers = tuple(series.start + k * series.step for k in range(count)) if isinstance(series, Steps) else series
    what = faults.at[-1]
    if len(numbers) != count:
        faults.add(codes.CONTRADICTION, f"{what} has {len(numbers)} numbers for {count} cages")
        return ()
    if any(number < 0 for number in numbers):
        faults.add(codes.CONTRADICTION, f"{what} goes below 0")
    return numbers


def _names(group: CageGroup, faults: FileFaults) -> tuple[str, ...]:
    words, indices = group.names, group.index
    if len(words) == 1 and "{i}" in words[0]:
        return tuple(words[0].replace("{i}", str(index)) for index in indices)
    if words and len(words) != len(indices):
        faults.add(BAD_VALUE, f"names has {len(words)} names for {len(indices)} cages", "names")
        return ()
    return words


def _refuse_repeats(what: str, known: Iterable[Cage], added: Iterable[Cage], faults: FileFaults) -> None:
    """Refuse a front-panel number, port number or serdes lane that two cages claim."""
    owner: dict[int, int] = {}
    for cage in known:
        owner.update(dict.fromkeys(_claims(cage, what), cage.index))
    for cage in added:
        for number in _claims(cage, what):
            if number in owner:
                faults.add(codes.CONTRADICTION, _claimed_twice(what, number, owner[number], cage.index), what)
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
