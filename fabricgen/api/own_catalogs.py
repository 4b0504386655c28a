"""The catalog folders of a user: that of the inventory, then those that the command line names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from fabricgen.catalog import OwnFolder
from fabricgen.catalog.library import KINDS
from fabricgen.catalog.loader import SHARED
from fabricgen.diagnostics import Bag, register
from fabricgen.source import is_folder

NO_CATALOG = register(
    "FG-CAT-022",
    "A catalog folder without records",
    why="No record would be found in it, and those that ship with fabricgen used in their place.",
    fix=f"Name the folder that holds {', '.join(KINDS[:-1])} or {KINDS[-1]}.",
    source="docs/intent.md, hosts",
)


def find_catalogs(inventory: Path, shared: Sequence[Path], bag: Bag) -> list[OwnFolder]:
    """The catalog folders in which records are looked up, the first one first.

    Args:
        inventory: Folder of the inventory; no file of its ``catalog`` is outside of it.
        shared: Folders that the command line names; they may be anywhere, and none of their files is outside of them.
        bag: Takes what is no such folder.
    """
    own = OwnFolder(inventory / "catalog", inventory)
    found = [own] if os.path.lexists(own.path) and _is_catalog(own, bag) else []
    return found + find_shared(shared, bag)


def find_shared(shared: Sequence[Path], bag: Bag) -> list[OwnFolder]:
    """Return the catalog folders that the command line names; ``bag`` takes what is no such folder."""
    found = []
    for path in shared:
        folder = OwnFolder(path, path)
        if not _is_catalog(folder, bag):
            continue
        if not any(os.path.lexists(path / kind) for kind in KINDS):
            bag.add(NO_CATALOG, f"{path} holds none of {', '.join(KINDS)}")
            continue
        found.append(folder)
    return found


def _is_catalog(folder: OwnFolder, bag: Bag) -> bool:
    """Return whether records can be looked up in a folder and in its subfolders; the bag gets the reason if not."""
    inside = folder.inside if folder.inside != folder.path else None
    if not is_folder(folder.path, bag, inside=inside, hint=SHARED):
        return False
    kinds = [folder.path / kind for kind in KINDS if os.path.lexists(folder.path / kind)]
    return not [kind for kind in kinds if not is_folder(kind, bag, inside=folder.inside, hint=SHARED)]
