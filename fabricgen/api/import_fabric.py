"""From deployed configurations to an inventory, and to the list of what it does not explain."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from fabricgen.api.diff import DiffOptions, look_for_sides
from fabricgen.api.init import SCHEMA_FILE, fabric_name, write_inventory
from fabricgen.api.sides import open_side, render_devices
from fabricgen.catalog import load_catalog
from fabricgen.catalog.library import known_models
from fabricgen.compiler.catalogs import find_catalogs
from fabricgen.compiler.compile import Compiled, compile_inventory
from fabricgen.diagnostics import Bag, IntentPath, Place
from fabricgen.diagnostics.file_codes import NOT_READ, Unreadable
from fabricgen.diagnostics.words import counted, name_few
from fabricgen.diff.device import DeviceComparer, DeviceDiff
from fabricgen.diff.kinds import FileKind, FileKinds
from fabricgen.diff.run import diff_sides
from fabricgen.diff.sides import File, Side, SideDevice, decode
from fabricgen.diff.summary import DiffSummary
from fabricgen.diff.values import cut
from fabricgen.inference import inference_codes as codes
from fabricgen.inference.cabling import find_cabling
from fabricgen.inference.draft import write_draft
from fabricgen.inference.match import Match
from fabricgen.inference.refine import Bench, refine
from fabricgen.inference.shape import ImportOptions, find_shape
from fabricgen.inference.text import write_files
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.planner.plan_codes import POOL_TOO_SMALL
from fabricgen.platforms.found import FoundSwitch, Spot
from fabricgen.platforms.reading.reader import ReadFault, Tree

_NAMED_MAX, _SHOWN_MAX = 5, 60
_FORM_FAULTS = (AttributeError, IndexError, KeyError, TypeError, ValueError)
"""Raised where a tree has a value in the place of a table, or words for a number: no device writes such a file."""


class Imported(NamedTuple):
    """Result of an import.

    Attributes:
        files: Files that were written, the intent first.
        switches: How many switches were read; ``equal`` of them have all that the intent would render.
        changes: Lines that the intent does not explain.
    """

    files: list[Path]
    switches: int
    equal: int
    changes: int

    @property
    def is_partial(self) -> bool:
        """Return whether a switch has more or less than the intent would render."""
        return bool(self.changes) or self.equal < self.switches


class _Read(NamedTuple):
    """A switch that was read: its files by path on the device, as a side of a comparison has them."""

    switch: FoundSwitch
    device: SideDevice
    kinds: Mapping[str, FileKind]


def import_fabric(deployed: str, folder: Path, asked: ImportOptions, options: DiffOptions, bag: Bag) -> Imported | None:
    """Write an inventory from what is deployed; None with diagnostics where there is nothing to write."""
    with look_for_sides(options, bag) as (where, kinds), TemporaryDirectory(prefix="fabricgen-import-") as scratch:
        opened = open_side(deployed, where.of_deployed, bag)
        if opened is None:
            return None
        read = _read_all(opened.side, kinds, bag)
        bench = _Bench(Path(scratch), options.catalogs, kinds, read)
        asked = asked._replace(fabric=fabric_name(folder))
        found = _infer(bench, asked, bag) if read else None
        if found is None:
            return None
        intent, match = found
        summary = _compare(bench, intent, opened.side, match, bag)
        files = write_files(intent, schema=SCHEMA_FILE, comment=_comment(match))
        written = write_inventory(folder, files, bag)
        equal = summary.totals.compared - summary.totals.different
        return Imported(written, len(read), equal, summary.totals.changes) if written else None


def _comment(match: Match) -> str:
    tiers = ", ".join(f"{len(match.tier(tier.number))} {tier.name}" for tier in match.plan.tiers)
    return f"Imported from the configurations of switches: {tiers}."


def _read_all(side: Side, kinds: FileKinds, bag: Bag) -> dict[str, _Read]:
    """Return the switches by the names that their files give them; one that cannot be read is reported."""
    found: dict[str, _Read] = {}
    lower: dict[str, str] = {}
    comparer = DeviceComparer(kinds, frozenset(), bag)
    for device in side.devices():
        read = (
            None
            if device.kind == "hosts"
            else _read_switch(comparer.place(device, DeviceDiff(device.name, "")), kinds, bag)
        )
        if read is None:
            continue
        name = read.switch.name
        twin = lower.setdefault(name.lower(), name)
        if name in found or twin != name:
            message = f"{device.name} names itself {name}, as {found[twin].device.name} does"
            bag.add(codes.SAME_NAME, message, place=_first_place(device), device=device.name)
        else:
            found[name] = read
    return found


def _first_place(device: SideDevice) -> Place:
    return Place(next(iter([*device.files.values(), *device.flat])).shown, 1, 1)


def _read_switch(device: SideDevice, kinds: FileKinds, bag: Bag) -> _Read | None:
    system, known = kinds.place(device.files)
    if not known:
        return None
    files = {kind.path: device.files[name] for name, kind in known.items()}
    by_path = {kind.path: kind for kind in known.values()}
    trees, name = {}, ""
    for path, file in files.items():
        tree = _read_file(device.name, by_path[path], file, bag)
        if tree is None:
            return None
        trees[path] = tree
        name = name or by_path[path].hostname(tree)
    name = name.split(".")[0] or device.name
    try:
        switch = next(iter(by_path.values())).platform.find_switch(name, trees)
    except _FORM_FAULTS:
        bag.add(NOT_READ, f"{device.name}: not of the form that {system} gives its files", place=_first_place(device))
        return None
    if switch is None:
        message = f"{device.name}: imports do not read files of {system}"
        bag.add(codes.OTHER_PLATFORM, message, place=_first_place(device), device=device.name)
        return None
    return _Read(
        switch, SideDevice(name, "switches", files, is_partial=device.is_partial or bool(device.flat)), by_path
    )


def _read_file(name: str, kind: FileKind, file: File, bag: Bag) -> Tree | None:
    data = file.load()
    text = data if isinstance(data, Unreadable) else decode(data)
    try:
        if not isinstance(text, Unreadable):
            return kind.read(text)
        fault, line, code = text.message, text.line, text.code
    except ReadFault as error:
        fault, line, code = str(error), error.line, NOT_READ
    bag.add(code, f"{name}: {fault}", place=Place(file.shown, max(line, 1), 1), device=name)
    return None


@dataclass(slots=True)
class _Bench:
    """Stages that intents are tried with, in a folder that is thrown away."""

    folder: Path
    catalogs: Sequence[Path]
    kinds: FileKinds
    read: Mapping[str, _Read]

    def compile(self, intent: dict[str, Any], bag: Bag) -> Compiled | None:
        """Compile an intent."""
        for name, text in write_files(intent, schema="", comment="").items():
            (self.folder / name).write_text(text, encoding="utf-8")
        return compile_inventory(self.folder, (), bag, catalogs=self.catalogs)

    def plan(self, intent: dict[str, Any]) -> FabricPlan | None:
        """Return the plan of an intent."""
        compiled = self.compile(intent, Bag())
        return compiled.plan if compiled else None

    def list_small_pools(self, intent: dict[str, Any]) -> list[IntentPath]:
        """Return the keys of pools that are smaller than what counts reserve."""
        bag = Bag()
        self.compile(intent, bag)
        return [each.path for each in bag if each.code == POOL_TOO_SMALL.id]

    def read_back(self, intent: dict[str, Any], names: Sequence[str]) -> dict[str, FoundSwitch]:
        """Render switches and read them as those of devices are read."""
        compiled = self.compile(intent, Bag())
        devices = render_devices(compiled, tuple(names), Bag()) if compiled else iter(())
        read = (_read_switch(device, self.kinds, Bag()) for device in devices if device.kind == "switches")
        return {each.device.name: each.switch for each in read if each is not None}

    def locate(self, name: str, spot: Spot) -> Place:
        """Return the line of a place in a file of a switch."""
        read = self.read[name]
        file = read.device.files.get(spot.path) or next(iter(read.device.files.values()))
        data = file.load()
        text = data if isinstance(data, Unreadable) else decode(data)
        kind = read.kinds.get(spot.path)
        line = kind.format.locate(text, spot.steps) if kind and not isinstance(text, Unreadable) else 1
        return Place(file.shown, max(line, 1), 1)


def _infer(bench: _Bench, asked: ImportOptions, bag: Bag) -> tuple[dict[str, Any], Match] | None:
    switches = {name: each.switch for name, each in bench.read.items()}
    cabling = find_cabling(switches, bench.locate, bag)
    shape = find_shape(cabling, asked, bench.locate, bag)
    draft = write_draft(shape, asked, _model_finder(bench), bench.locate, bag) if shape else None
    if shape is None or draft is None:
        return None
    found = refine(draft, shape, Bench(bench.plan, bench.read_back, bench.list_small_pools, bench.locate), bag)
    if found is not None:
        _tell_left(found[1], bench, bag)
    elif not bag.has_errors:
        bench.compile(draft, bag)
    return found


def _tell_left(match: Match, bench: _Bench, bag: Bag) -> None:
    """Report places without a switch, and switches without a place."""
    missing = [name for name in match.planned if name not in match.found]
    if missing:
        message = (
            f"{counted(len(missing), 'switch', 'switches')} of the fabric not read: {name_few(missing, _NAMED_MAX)}"
        )
        bag.add(codes.MISSING, message)
    for name in sorted(bench.read.keys() - set(match.found.values())):
        place = _first_place(bench.read[name].device)
        bag.add(codes.UNPLACED, f"{name} has no place in the intent", place=place, device=name)


def _model_finder(bench: _Bench) -> Callable[[FoundSwitch], str]:
    """Return what gives the model of a board."""
    own = find_catalogs(bench.folder, bench.catalogs, Bag())
    paths = dict.fromkeys(known_models("switches", own), ("tiers", "leaf", "model"))
    catalog = load_catalog(switches=paths, nics={}, servers={}, bag=Bag(), own=own)
    boards = {board.name: name for name, model in catalog.switches.items() for board in model.boards}
    return lambda switch: boards.get(switch.model, switch.model if switch.model in catalog.switches else "")


def _compare(bench: _Bench, intent: dict[str, Any], side: Side, match: Match, bag: Bag) -> DiffSummary:
    """Report every kind of line that the intent does not explain, and the sections that it has nothing to do with."""
    compiled = bench.compile(intent, Bag())
    summary = DiffSummary(details=False)
    if compiled is None or compiled.plan is None:
        return summary
    wanted = Side("the intent", partial(_switches_of, compiled), is_ours=True)
    found = frozenset(match.found.values())
    have = Side(side.shown, lambda: [each.device for name, each in bench.read.items() if name in found])
    for device in diff_sides(wanted, have, bench.kinds, bag, chosen=found):
        summary.add(device)
    for group in summary.groups():
        first = group.first
        before, after = (cut(text or "nothing", _SHOWN_MAX) for text in (first.before, first.after))
        message = f"{first.device}: {group.title}: {before} is read, {after} rendered"
        spot = Spot(first.path, first.steps)
        others = f"; {counted(group.things, 'change')} on {counted(len(group.members), 'switch', 'switches')}"
        bag.add(codes.DIFFERENCE, message + others, place=bench.locate(first.device, spot), device=first.device)
    if summary.totals.unmanaged:
        listed = name_few(sorted(summary.totals.unmanaged), _NAMED_MAX)
        bag.add(codes.UNMANAGED, f"{counted(sum(summary.totals.unmanaged.values()), 'entry', 'entries')} of {listed}")
    return summary


def _switches_of(compiled: Compiled) -> Iterator[SideDevice]:
    yield from (device for device in render_devices(compiled, (), Bag()) if device.kind == "switches")
