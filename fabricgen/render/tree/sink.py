"""Interface of a target for files of a tree, written or compared, with one record of each."""

from __future__ import annotations

from collections.abc import Iterable

from fabricgen.diagnostics import Bag
from fabricgen.render.tree.manifest import Manifest
from fabricgen.render.tree.stager import FileRecord, Stager
from fabricgen.render.tree.tree_codes import DUPLICATE_PATH


class RecordSet:
    """The records of one transaction or comparison, by path; one path twice is a diagnostic."""

    __slots__ = ("_by_path",)

    def __init__(self) -> None:
        """Start empty."""
        self._by_path: dict[str, FileRecord] = {}

    @property
    def by_path(self) -> dict[str, FileRecord]:
        """Every record so far."""
        return self._by_path

    def add(self, records: Iterable[FileRecord], bag: Bag) -> None:
        """Take records over, from this process or from a worker."""
        for record in records:
            if record.path in self._by_path:
                bag.add(DUPLICATE_PATH, f"output path {record.path!r} is rendered twice")
            self._by_path[record.path] = record


class TreeSink:
    """Takes files one by one, from this process or from workers, and keeps their records."""

    def __init__(self, stager: Stager, old: Manifest, bag: Bag) -> None:
        """Take files that ``stager`` holds against a tree whose manifest was read."""
        self._stager = stager
        self._old = old
        self._bag = bag
        self._records = RecordSet()

    @property
    def manifest(self) -> Manifest:
        """Return what the tree says about itself."""
        return self._old

    def stager(self) -> Stager:
        """Return what a worker process needs; its records come back through ``add``."""
        return self._stager

    def put(self, shard: str, path: str, data: bytes, *, mode: int = 0o644) -> None:
        """Take one file from this process; see ``Stager.put``."""
        record = self._stager.put(shard, path, data, self._bag, mode=mode)
        if record is not None:
            self.add([record])

    def add(self, records: Iterable[FileRecord]) -> None:
        """Take over records of files that workers put."""
        self._records.add(records, self._bag)
