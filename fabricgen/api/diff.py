"""Comparing what should be with what is: two sides in, a summary and patches out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

from fabricgen.api.diff_plans import describe_change, find_tiers
from fabricgen.api.explain import Explanation, explain_file
from fabricgen.api.sides import Opened, Where, open_side
from fabricgen.api.tree_inventory import find_inventory
from fabricgen.compiler.compile import Compiled
from fabricgen.compiler.waivers import list_waived
from fabricgen.device.globs import Choice, Globs, choose_devices
from fabricgen.diagnostics import Bag, Place, format_path
from fabricgen.diagnostics.file_codes import CANNOT_WRITE, NOT_EMPTY
from fabricgen.diff.device import DeviceDiff
from fabricgen.diff.diff_codes import NO_TIERS
from fabricgen.diff.groups import ChangeCause, ChangeGroup
from fabricgen.diff.kinds import FileKinds, load_kinds
from fabricgen.diff.patches import layout_patch, plan_device
from fabricgen.diff.plans import list_exchanged
from fabricgen.diff.run import diff_sides
from fabricgen.diff.summary import DiffSummary
from fabricgen.platforms.patching.steps import ABSENT
from fabricgen.render.tree.access import load_manifest

_CAUSES_MAX = 3
_CONSTANT = ChangeCause("no key of the intent: a standard, or a published default")
_NOTHING = ChangeCause("no key of the intent: only the deployed side has it")


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """Options of a comparison.

    Attributes:
        base: Working folder; sides are relative to it, and paths are shown relative to it.
        stdin: Gives what is piped in, for the side ``-``.
        only: Globs on device names; each has to match a device.
        tiers: Globs on names of tiers and host groups.
        details: Keep every change, not only one of each kind.
        unmanaged: What is not ours is a difference too: patches remove it.
        patches: Folder that takes the patches; None for none.
        causes: Look up which line of the intent decides each kind of change, and what is waived in a tree's inventory.
        hides_values: Show no value of a device that the rendered file lacks.
        today: The day by which waivers of an inventory are judged; None judges no date.
    """

    base: Path
    stdin: Callable[[], bytes] = bytes
    overlays: Sequence[str] = ()
    catalogs: Sequence[Path] = ()
    only: Globs = ()
    tiers: Globs = ()
    details: bool = False
    unmanaged: bool = False
    patches: Path | None = None
    causes: bool = True
    hides_values: bool = False
    today: date | None = None


def diff(intended: str, deployed: str, options: DiffOptions, bag: Bag) -> DiffSummary | None:
    """Compare two sides; None with diagnostics if there is nothing to compare.

    A side is an inventory, a rendered tree, a git ``REV:PATH`` of either, a folder, a file or ``-``.
    """
    with look_for_sides(options, bag) as (where, kinds):
        wanted, have = open_side(intended, where, bag), open_side(deployed, where.of_deployed, bag)
        return _compare(wanted, have, kinds, options, bag) if wanted is not None and have is not None else None


@contextmanager
def look_for_sides(options: DiffOptions, bag: Bag) -> Iterator[tuple[Where, FileKinds]]:
    """Yield what sides are looked for with, and how their files are read, for as long as the block lasts."""
    kinds = load_kinds(None, bag)
    with ExitStack() as folders:

        def scratch() -> Path:
            return Path(folders.enter_context(TemporaryDirectory(prefix="fabricgen-sides-")))

        where = Where(options.base, options.stdin, scratch, options.overlays, options.catalogs, options.only)
        yield replace(where, names=kinds.names, today=options.today), kinds


def _compare(wanted: Opened, deployed: Opened, kinds: FileKinds, options: DiffOptions, bag: Bag) -> DiffSummary | None:
    summary = DiffSummary(
        details=options.details, is_drift=not deployed.side.is_ours, hides_values=options.hides_values
    )
    patches = options.patches
    compiled = find_compiled(wanted, options, bag) if options.causes or options.tiers else None
    chosen = _choose(wanted.side.shown, [compiled, deployed.compiled], options.tiers, bag)
    if (options.tiers and not chosen) or (patches is not None and not _prepare(patches, bag)):
        return None
    summary.tier_of = find_tiers(wanted, compiled or wanted.compiled)
    summary.intent = describe_change(deployed, wanted, compiled)
    summary.totals.exchanged = _list_exchanged(deployed.compiled, wanted.compiled)
    whole = patches is not None
    sides = wanted.side, deployed.side
    found = diff_sides(*sides, kinds, bag, only=options.only, chosen=chosen, whole=whole, unmanaged=options.unmanaged)
    for device in found:
        summary.add(device)
        if patches is not None:
            _patch(device, patches / device.name, bag)
    if options.causes and compiled is not None and compiled.plan is not None:
        files: dict[str, list[Explanation]] = {}
        for group in summary.groups():
            group.causes = _causes(group, compiled, files, options.base)
    return summary


def _list_exchanged(before: Compiled | None, after: Compiled | None) -> list[str]:
    """Return the switches that are another box by the asset lists of two inventories."""
    old, new = (side.plan if side is not None else None for side in (before, after))
    return list_exchanged(old, new) if old is not None and new is not None else []


def _choose(shown: str, sides: Sequence[Compiled | None], tiers: Globs, bag: Bag) -> frozenset[str] | None:
    """Return the devices of some tiers, those of the deployed side too where its plan is known; None for all."""
    if not tiers:
        return None
    intended, *others = [side.plan if side is not None else None for side in sides]
    if intended is None:
        bag.add(NO_TIERS, f"{shown} does not name the tiers of its devices")
        return None
    chosen = choose_devices(Choice(tiers=tiers), intended, bag)
    more = [choose_devices(Choice(tiers=tiers), plan, Bag()) for plan in others if plan is not None]
    return frozenset().union(*(names for names in (chosen, *more) if names)) if chosen else chosen


def _patch(device: DeviceDiff, folder: Path, bag: Bag) -> None:
    """Write the patch of a device; a folder that cannot be completed is taken away."""
    patch = plan_device(device, bag)
    if patch is None:
        return
    try:
        _write(folder, layout_patch(patch))
    except OSError as error:
        rmtree(folder, ignore_errors=True)
        message = f"{device.name}: {folder} cannot be written: {error.strerror or error}"
        bag.add(CANNOT_WRITE, message, hint="make room for it, or name another folder")


def _prepare(folder: Path, bag: Bag) -> bool:
    """Make the folder of the patches, for its owner only: a whole file may hold secrets that a device has."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        taken = any(folder.iterdir())
    except OSError as error:
        bag.add(CANNOT_WRITE, f"{folder} cannot be made: {error.strerror or error}")
        return False
    if taken:
        bag.add(NOT_EMPTY, f"{folder} is not empty")
    return not taken


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        target = folder / name
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        target.touch(mode=0o600)
        target.write_text(content, encoding="utf-8")


def find_compiled(intended: Opened, options: DiffOptions, bag: Bag) -> Compiled | None:
    """Return the inventory of a side, that of a tree with what is waived in it; None if it is not known."""
    manifest = load_manifest(intended.tree, Bag()) if intended.tree is not None else None
    if manifest is None or intended.tree is None:
        return intended.compiled
    found = Bag()
    base, catalogs = options.base.resolve(), options.catalogs
    compiled = find_inventory(intended.tree.resolve(), manifest, None, base, found, catalogs)
    bag.extend(list_waived(found))
    return compiled


def _causes(
    group: ChangeGroup, compiled: Compiled, files: dict[str, list[Explanation]], base: Path
) -> tuple[ChangeCause, ...]:
    first = group.first
    if first.change.after is ABSENT and first.change.meaning.default is None:
        return (_NOTHING,)
    path = f"{first.kind}/{first.device}/{first.file.overrides or first.path}"
    if path not in files:
        files[path] = explain_file(compiled, path, Bag())
    text = first.file.intended.decode(errors="replace")
    number = first.file.kind.format.locate(text, _words(group))
    explained = files[path]
    if not 1 <= number <= len(explained):
        return ()
    found = explained[number - 1]
    causes = found.texts or found.conditions
    if not causes:
        return (_CONSTANT,)
    return tuple(
        ChangeCause(_tell(format_path(cause.path), cause.place, cause.is_default, base), cause.place)
        for cause in causes[:_CAUSES_MAX]
    )


def _words(group: ChangeGroup) -> tuple[str, ...]:
    """The path of the representative; of texts that are compared by line, the first line that is new."""
    change = group.first.change
    if change.steps[-1:] == ("lines",) and isinstance(change.after, list):
        old = change.before if isinstance(change.before, list) else []
        return (next((line for line in change.after if line not in old), ""),)
    return change.steps


def _tell(path: str, place: Place | None, is_default: bool, base: Path) -> str:
    if place is None:
        return f"{path} (default)"
    file = Path(place.file)
    shown = file.relative_to(base).as_posix() if file.is_absolute() and file.is_relative_to(base) else place.file
    where = f"{shown}:{place.line}:{place.column}"
    return f"{path} (default; would be below {where})" if is_default else f"{path}  {where}"
