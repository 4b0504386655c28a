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
    state_folder,
    write_record,
)
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.file_codes import BUSY, CANNOT_WRITE, NOT_EMPTY

_STAGING = ".collecting"
_OUTPUTS, _OLD = "outputs", "old"
_OURS = frozenset({COLLECTION, STATE, _STAGING, *KINDS})


class Staged:
    """Answers of one device that are not part of the collection yet; nothing is made before the first answer."""

    def __init__(self, root: Path, kind: str, name: str) -> None:
        """Name the places of a device: that of the collection, and that of what is staged."""
        self._root, self._kind, self._name = root, kind, name
        self._folder = root / _STAGING / kind / name

    def output(self, path: str) -> Path:
        """Return where an output is staged."""
        return self._folder / _OUTPUTS / path

    def state(self, file_name: str) -> Path:
        """Return where a state reading is staged."""
        return self._folder / STATE / file_name

    def create(self, path: Path) -> BinaryIO:
        """Create a staged file for an answer."""
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("wb")

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
def stage(root: Path, kind: str, name: str) -> Iterator[Staged]:
    """Give a place for the answers of a device; what is not committed at the end goes."""
    try:
        yield Staged(root, kind, name)
    finally:
        shutil.rmtree(root / _STAGING / kind / name, ignore_errors=True)


@contextmanager
def open_collection(root: Path, bag: Bag) -> Iterator[bool]:
    """Yield whether a folder, private and made if absent, can hold a collection; one process at a time writes it."""
    try:
        descriptor = _prepare(root, bag)
    except OSError as error:
        bag.add(CANNOT_WRITE, f"{root} cannot be prepared: {error.strerror or error}")
        descriptor = None
    if descriptor is None:
        yield False
        return
    try:
        yield True
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
