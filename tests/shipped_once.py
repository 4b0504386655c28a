"""Readings of what ships with fabricgen, once in a process: records, manifests, templates, installed packages.

Every answer is that of the product's own function, kept for files that no test changes; a fault is never kept. Tests of
reading itself do without it, see ``tests/conftest.py``.
"""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

from fabricgen import source
from fabricgen.catalog import library, reading
from fabricgen.diagnostics import Bag
from fabricgen.diff import kinds
from fabricgen.platforms.manifest import discover, load
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.platforms.reading import semantics
from fabricgen.platforms.reading.file_format import FileFormat
from fabricgen.platforms.reading.semantics import Semantics
from fabricgen.render.environment import TemplateEnvironment
from fabricgen.sizing.ask import load_shelf
from fabricgen.snippets import load as of_snippets
from fabricgen.source import Document, reader
from fabricgen.validation.file_faults import FileFaults

Refer = Callable[[str, str], Any]
_CATALOG = f"{library.SHIPPED}/"
_load_data, _load_manifest, _read_record = reader.load_data, load.load_manifest, reading.read_record
_entry_points, _set_up = importlib.metadata.entry_points, TemplateEnvironment.__init__


def install(replace: Callable[[Any, str, Any], None] = setattr) -> None:
    """Replace the functions that read what ships by ones that keep their answers."""
    replace(source, "load_data", load_data)
    replace(load, "load_manifest", load_manifest)
    replace(reading, "read_record", read_record)
    for user in (kinds, of_snippets):
        replace(user, "load_semantics", load_semantics)
    replace(importlib.metadata, "entry_points", lambda group: _list_packages(tuple(sys.path), group))
    replace(TemplateEnvironment, "__init__", _set_up_with_kept_templates)


def read_all() -> None:
    """Read everything that ships, so that forks of this process have it."""
    load_shelf((), Bag())
    environment = TemplateEnvironment([discover.template_root()])
    for kind in discover.KINDS:
        for spec in load.load_all(kind, Bag(), [discover.template_root()]).values():
            for part in (part for output in spec.outputs for part in output.parts):
                environment.get_template(part.template)


_documents: dict[Path, Document] = {}


def load_data(path: Path, bag: Bag, *, inside: Path | None = None) -> Document | None:
    """Read a file of the catalog as the product does."""
    if path in _documents:
        return _documents[path]
    found = Bag()
    document = _load_data(path, found, inside=inside)
    bag.extend(list(found))
    if document is not None and not found and str(path).startswith(_CATALOG):
        _documents[path] = document
    return document


_specs: dict[discover.TemplateFolder, PlatformSpec] = {}


def load_manifest(folder: discover.TemplateFolder, bag: Bag) -> PlatformSpec | None:
    """Read a manifest as the product does."""
    if folder in _specs:
        return _specs[folder]
    found = Bag()
    spec = _load_manifest(folder, found)
    bag.extend(list(found))
    if spec is not None and not found and folder.root == discover.template_root():
        _specs[folder] = spec
    return spec


_semantics: dict[tuple[str, FileFormat], Semantics] = {}


def load_semantics(root: Path, name: str, bag: Bag, file_format: FileFormat) -> Semantics | None:
    """Read the semantics of an output as the product does."""
    if root != discover.template_root():
        return semantics.load_semantics(root, name, bag, file_format)
    key = name, file_format
    if key not in _semantics:
        found = Bag()
        known = semantics.load_semantics(root, name, found, file_format)
        bag.extend(list(found))
        if known is None or found:
            return known
        _semantics[key] = known
    return _semantics[key]


_records: dict[tuple[str, str], tuple[Any, list[tuple[str, str, Any]]]] = {}


def read_record(kind: str, name: str, faults: FileFaults, refer: Refer) -> Any:
    """Read a record as the product does; a kept one holds as long as those that it refers to are the same."""
    shipped = all(file.startswith(_CATALOG) for file in faults.document.files)
    if shipped and (kind, name) in _records:
        record, referred = _records[kind, name]
        if all(refer(*asked) is known for *asked, known in referred):
            return record
    before, met = len(faults.bag), []

    def note(kind: str, name: str) -> Any:
        met.append((kind, name, refer(kind, name)))
        return met[-1][2]

    record = _read_record(kind, name, faults, note)
    if shipped and record is not None and len(faults.bag) == before:
        _records[kind, name] = record, met
    return record


@cache
def _list_packages(_path: tuple[str, ...], group: str) -> importlib.metadata.EntryPoints:
    return _entry_points(group=group)


class _KeptTemplates(BytecodeCache):
    """Compiled templates by name, path and text."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str], Any] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give what was compiled of this text."""
        bucket.code = self._codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what was compiled."""
        self._codes[bucket.key, bucket.checksum] = bucket.code


@cache
def _kept_templates(_compiled_by: type[TemplateEnvironment]) -> _KeptTemplates:
    return _KeptTemplates()


def _set_up_with_kept_templates(self: TemplateEnvironment, *given: Any, **named: Any) -> None:
    _set_up(self, *given, **named)
    self.bytecode_cache = self.bytecode_cache or _kept_templates(type(self))
