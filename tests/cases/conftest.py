"""The one inventory that a test process runs all cases in."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from fabricgen.catalog import library
from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest import discover, load
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.source import Document, reader
from tests.cases.case import load_cases
from tests.cases.inventory import CaseInventory


@pytest.fixture(scope="session")
def case_inventory(tmp_path_factory: pytest.TempPathFactory) -> CaseInventory:
    return CaseInventory(tmp_path_factory.mktemp("cases"), load_cases())


@pytest.fixture(scope="session")
def _quick() -> Iterator[None]:
    """Read the files that ship with fabricgen, and the list of installed packages, once instead of once per run."""
    patch = pytest.MonkeyPatch()
    shipped = str(Path(library.__file__).parent)
    read = reader.load_data
    read_shipped = cache(lambda path: read(path, Bag()))

    def load_data(path: Path, bag: Bag, inside: Path | None = None) -> Document | None:
        return read_shipped(path) if str(path).startswith(shipped) else read(path, bag, inside=inside)

    load_manifest = load.load_manifest
    load_shipped = cache(lambda folder: load_manifest(folder, Bag()))

    def load_spec(folder: discover.TemplateFolder, bag: Bag) -> PlatformSpec | None:
        return load_shipped(folder) if folder.root == discover.template_root() else load_manifest(folder, bag)

    listed = importlib.metadata.entry_points

    @cache
    def entry_points(path: tuple[str, ...], group: str) -> importlib.metadata.EntryPoints:
        return listed(group=group)

    patch.setattr("fabricgen.source.load_data", load_data)
    patch.setattr(load, "load_manifest", load_spec)
    patch.setattr(importlib.metadata, "entry_points", lambda group: entry_points(tuple(sys.path), group))
    yield
    patch.undo()
