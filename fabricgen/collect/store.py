"""The folder of a collection: a device's answers are staged beside it and take their place only when all are there."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from fabricgen.collect.folder import KINDS
from fabricgen.collect.readings import (
    COLLECTION,
    FORMAT,
    RECORD,
    STATE,
    Record,
    device_folder,
    is_collection,
    read_record,
    state_folder,
    write_record,
)
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.file_codes import BUSY, CANNOT_WRITE, NOT_EMPTY

_STAGING = ".collecting"
_OUTPUTS, _OLD = "outputs", "old"
_OURS = frozenset({COLLECTION, STATE, _STAGING, *KINDS})


class Collection:
    """A folder of one's own that holds what devices answered.

    Attributes:
        root: The folder.
    """

    def __init__(self, root: Path) -> None:
        """Take over a folder that is prepared."""
        self.root = root

    def find_old(self, kind: str, name: str) -> Record | None:
        """Return how a device was collected before; None if it was not."""
        return read_record(self.root, kind, name)

    @contextmanager
    def stage(self, kind: str, name: str) -> Iterator[Staged]:
        """Give a place for the answers of a device; what is not committed at the end goes."""
        folder = self.root / _STAGING / kind / name
        staged = Staged(self.root, folder, kind, name)
        try:
            yield staged
        finally:
            shutil.rmtree(folder, ignore_errors=True)


class Staged:
    """Answers of one device that are not part of the collection yet."""

    def __init__(self, root: Path, folder: Path, kind: str, name: str) -> None:
        """Prepare; nothing is made before the first answer."""
        self._root = root
        self._folder = folder
        self._kind = kind
        self._name = name

    def output(self, path: str) -> Path:
        """Return where an output is staged."""
        return self._folder / _OUTPUTS / path

    def state(self, file_name: str) -> Path:
        """Return where a state reading is staged."""
        return self._folder / STATE / file_name

    @contextmanager
    def create(self, path: Path) -> Iterator[BinaryIO]:
        """Create a staged file for an answer."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as stream:
            yield stream

    def load(self, path: Path) -> bytes:
        """Return what is staged."""
        return path.read_bytes()

    def commit(self, record: Record) -> None:
        """Put everything in the place of what is known of the device so far."""
        with self.create(self.state(RECORD)) as stream:
            stream.write(write_record(record))
        self.output("").mkdir(parents=True, exist_ok=True)
        for staged, place in (
            (self._folder / STATE, state_folder(self._root, self._kind, self._name)),
            (self._folder / _OUTPUTS, device_folder(self._root, self._kind, self._name)),
        ):
            place.parent.mkdir(parents=True, exist_ok=True)
            if os.path.lexists(place):
                old = self._folder / _OLD / staged.name
                old.parent.mkdir(parents=True, exist_ok=True)
                place.rename(old)
            staged.rename(place)


@contextmanager
def open_collection(root: Path, bag: Bag) -> Iterator[Collection | None]:
    """Open the folder of a collection for writing, private to its owner; one process at a time.

    Args:
        root: The folder; made if it is absent.
        bag: Takes the diagnostic if it cannot hold a collection.

    Yields:
        The collection; None with a diagnostic.
    """
    try:
        descriptor = _prepare(root, bag)
    except OSError as error:
        bag.add(CANNOT_WRITE, f"{root} cannot be prepared: {error.strerror or error}")
        descriptor = None
    if descriptor is None:
        yield None
        return
    try:
        yield Collection(root)
    finally:
        with suppress(OSError):
            shutil.rmtree(root / _STAGING)
        os.close(descriptor)


def _prepare(root: Path, bag: Bag) -> int | None:
    """Return the locked descriptor of a folder that can hold a collection."""
    if os.path.lexists(root) and not root.is_dir():
        bag.add(NOT_EMPTY, f"{root} is not a folder")
        return None
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not _is_ours(root, bag):
        return None
    descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        root.chmod(0o700)
        mark = root / COLLECTION
        if not mark.exists():
            mark.write_text(json.dumps({"format": FORMAT}) + "\n", encoding="utf-8")
        for kind in KINDS:
            (root / kind).mkdir(exist_ok=True)
        shutil.rmtree(root / _STAGING, ignore_errors=True)
    except BlockingIOError:
        os.close(descriptor)
        bag.add(BUSY, f"another process collects into {root}")
        return None
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _is_ours(root: Path, bag: Bag) -> bool:
    """Return whether a folder is empty, or a collection of this form."""
    there = {path.name for path in root.iterdir()}
    if not there:
        return True
    known = is_collection(root)
    if not known:
        bag.add(NOT_EMPTY, f"{root} is not empty, and no collection of this version of fabricgen")
    elif foreign := sorted(there - _OURS):
        bag.add(NOT_EMPTY, f"{root} holds {foreign[0]}, which is no part of a collection")
    return known and not there - _OURS
