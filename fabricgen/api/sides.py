"""Resolution of a side to devices with files: inventory, tree, git revision, collection, file or stdin."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path

from fabricgen.api.render import RESOLVED
from fabricgen.collect.collect_codes import NEW_PATH, NO_SIDE
from fabricgen.collect.folder import KINDS, SIZE_MAX_BYTES, Collected, collect_folder, device_name, read_content
from fabricgen.collect.revision import extract_revision, is_absent, split_revision
from fabricgen.compiler.compile import INTENT_FILE, Compiled, compile_inventory
from fabricgen.compiler.positions import place_diagnostics
from fabricgen.compiler.waivers import list_waived
from fabricgen.device.globs import Globs
from fabricgen.diagnostics import Bag, Severity
from fabricgen.diff.sides import File, Side, SideDevice, Unreadable
from fabricgen.files import read_handed
from fabricgen.render.tree.access import check_finished
from fabricgen.render.tree.stager import FileRecord
from fabricgen.render.work import Settings, Worker, list_jobs

STDIN = "-"
_HANDED = re.compile(r"/dev/(?:stdin|fd/([0-9]{1,5}))")
"""Streams that the shell hands over open, such as ``<(command)``; they are waited for, as standard input is."""
_HEADER = "manifest/header.json"
_SHOWN_MAX = 200


@dataclass(slots=True)
class Opened:
    """A side, with the inventory or the folder of the rendered tree that it comes from."""

    side: Side
    compiled: Compiled | None = None
    tree: Path | None = None


@dataclass(frozen=True, slots=True)
class Where:
    """Context in which sides are opened.

    Attributes:
        scratch: Makes an empty folder for what git holds; OSError if none can be made.
        names: File names that are a device's by themselves.
        today: The day by which an inventory's waivers are judged; None judges no date.
        is_intended: What is waived in an inventory is reported.
    """

    base: Path
    stdin: Callable[[], bytes]
    scratch: Callable[[], Path]
    overlays: Sequence[str] = ()
    catalogs: Sequence[Path] = ()
    only: Globs = ()
    names: frozenset[str] = frozenset()
    today: date | None = None
    is_intended: bool = True

    @property
    def of_deployed(self) -> Where:
        """Return the same for the deployed side, of which no waiver is reported or judged by its date."""
        return replace(self, today=None, is_intended=False)


def open_side(text: str, where: Where, bag: Bag) -> Opened | None:
    """Find out what a side is; None with a diagnostic. An inventory's diagnostics are reported as well."""
    if text == STDIN:
        return Opened(_one_file("stdin", where.stdin()))
    handed = _HANDED.fullmatch(text)
    if handed:
        return Opened(_one_file(text, read_handed(int(handed[1] or 0), SIZE_MAX_BYTES + 1)))
    path = where.base / text
    if _exists(path):
        return _open_path(text, path, where, bag)
    revision = split_revision(text)
    if revision is not None:
        return _open_revision(text, *revision, where, bag)
    bag.add(NO_SIDE, f"{text[:_SHOWN_MAX]} does not exist")
    return None


def _exists(path: Path) -> bool:
    """Return whether a path leads somewhere; one that no file can have does not."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _open_revision(text: str, revision: str, path: str, where: Where, bag: Bag) -> Opened | None:
    """A side of git's: what it holds is written down, and diagnostics name it as the user did."""
    if not where.is_intended and is_absent(where.base, revision, path):
        bag.add(NEW_PATH, f"{revision} has no {path}: every device is added")
        return Opened(Side(text, tuple, is_ours=True))
    try:
        folder = where.scratch()
    except OSError as error:
        reason = error.strerror or error
        message = f"{text[:_SHOWN_MAX]} needs a temporary folder, and none can be made: {reason}"
        bag.add(NO_SIDE, message, hint="set TMPDIR to a folder that you may write to")
        return None
    found = extract_revision(where.base, revision, path, folder, bag)
    if found is None:
        return None
    local = Bag()
    opened = _open_path(text, found, where, local)
    for diagnostic in place_diagnostics(local, opened.compiled.document if opened and opened.compiled else None):
        place = diagnostic.place
        if place is not None and place.file.startswith(str(found)):
            place = replace(place, file=text + place.file[len(str(found)) :])
        bag.extend([replace(diagnostic, place=place, path=())])
    return opened


def _open_path(text: str, path: Path, where: Where, bag: Bag) -> Opened | None:
    if path.name == INTENT_FILE or os.path.lexists(path / INTENT_FILE):
        return _open_inventory(text, path, where, bag)
    if not path.is_dir():
        return Opened(_one_file(text, str(path)))
    if not check_finished(path, bag):
        return None
    collected = collect_folder(path, where.names)
    devices = partial(_devices, collected.values(), path, text)
    if os.path.isfile(path / _HEADER):
        return Opened(Side(text, devices, is_ours=True, has_secrets=_has_secrets(path)), tree=path)
    if not collected:
        bag.add(NO_SIDE, f"{text} holds no files")
        return None
    return Opened(Side(text, devices))


def _has_secrets(tree: Path) -> bool:
    """Return whether a tree was rendered with secrets; one whose header cannot be read may have been."""
    data = read_content(str(tree / _HEADER), str(tree))
    if isinstance(data, Unreadable):
        return True
    try:
        return bool(json.loads(data).get(RESOLVED))
    except (ValueError, AttributeError, RecursionError):
        return True


def _open_inventory(text: str, path: Path, where: Where, bag: Bag) -> Opened | None:
    found = Bag()
    compiled = compile_inventory(path, where.overlays, found, catalogs=where.catalogs, today=where.today)
    kept = [diagnostic for diagnostic in found if diagnostic.severity is Severity.ERROR and not diagnostic.waived]
    kept += [item for item in list_waived(found) if item not in kept] if where.is_intended else []
    bag.extend(place_diagnostics(kept, compiled.document if compiled else None, compiled.read_as if compiled else None))
    if found.has_errors or compiled is None or compiled.plan is None:
        return None
    return open_compiled(text, compiled, where.only, bag)


def open_compiled(shown: str, compiled: Compiled, only: Globs, bag: Bag) -> Opened:
    """Return an inventory that is compiled as a side."""
    devices = partial(render_devices, compiled, only, bag)
    return Opened(Side(shown, devices, is_ours=True, is_rendered=True), compiled=compiled)


def render_devices(compiled: Compiled, only: Globs, bag: Bag) -> Iterator[SideDevice]:
    """Render an inventory in memory, device by device."""
    plan, specs = compiled.plan, compiled.platforms
    if plan is None or specs is None:
        return
    taken = _Memory()
    worker = Worker(Settings(plan, specs, only), taken)
    for job in list_jobs(plan):
        bag.extend(worker.run(job).diagnostics)
        yield from taken.take()


class _Memory:
    """A sink that keeps the files of one job; see ``render.work.Sink``."""

    def __init__(self) -> None:
        self._devices: dict[str, SideDevice] = {}

    def put(self, shard: str, path: str, data: bytes, bag: Bag, *, mode: int = 0o644) -> FileRecord | None:
        """Keep one file."""
        kind, name, inner = path.split("/", 2)
        device = self._devices.get(name)
        if device is None:
            device = self._devices[name] = SideDevice(name, kind, {})
        device.files[inner] = File(partial(bytes, data), path)
        return None

    def take(self) -> list[SideDevice]:
        """The devices since the last time."""
        devices, self._devices = list(self._devices.values()), {}
        return devices


def _one_file(shown: str, source: str | bytes) -> Side:
    name = device_name(Path(shown).name)
    device = SideDevice(name, "", {}, [File(partial(read_content, source), shown)])
    return Side(shown, lambda: [device], one_file=True)


def _devices(collected: Iterable[Collected], root: Path, shown: str) -> Iterator[SideDevice]:
    cut, kept = len(str(root)), shown.rstrip("/")
    for device in collected:
        if device.kind and device.kind not in KINDS:
            continue
        load = partial(read_content, inside=str(root))
        named = {path: File(partial(load, file), kept + file[cut:]) for path, file in device.files.items()}
        flat = [File(partial(load, file), kept + file[cut:]) for file in device.flat]
        yield SideDevice(device.name, device.kind, named, flat)
