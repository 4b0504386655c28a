"""Folders of catalog files: the user's own first, the shipped one after them."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from fabricgen.files import is_beneath

KNOWN_FAULTS = "known_faults"
KINDS = ("switches", "nics", "servers", "asics", "nvlink", "ecn", KNOWN_FAULTS)
"""Sub-folders of a catalog, one per kind of record."""

SHIPPED = Path(__file__).parent / "data"
"""The catalog that comes with fabricgen."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


class OwnFolder(NamedTuple):
    """A user's own catalog folder; links in it may lead only ``inside``: to the folder itself, or its inventory."""

    path: Path
    inside: Path


def is_plain_name(name: str) -> bool:
    """Return whether a name can be a catalog file's name and nothing else: no separator, no dot, no blank."""
    return _NAME.fullmatch(name) is not None


def find_file(kind: str, name: str, own: Sequence[OwnFolder] = ()) -> tuple[Path, Path | None] | None:
    """Return the file of a record, the user's own before the shipped one, and its ``inside``; None if there is none."""
    if not is_plain_name(name):
        return None
    for folder in own:
        path = folder.path / kind / f"{name}.yaml"
        if os.path.lexists(path):
            return path, folder.inside
    path = SHIPPED / kind / f"{name}.yaml"
    return (path, None) if path.exists() else None


def known_models(kind: str, own: Sequence[OwnFolder] = ()) -> list[str]:
    """Every name of one of ``KINDS``, sorted, a user's own among them."""
    shelves = [SHIPPED / kind]
    shelves += [folder.path / kind for folder in own if is_beneath(folder.inside, folder.path / kind)]
    names = {path.stem for shelf in shelves for path in shelf.glob("*.yaml")}
    return sorted(name for name in names if is_plain_name(name))


def near_names(name: str, known: Collection[str]) -> list[str]:
    """Up to three known names like another one, whatever its case and hyphens: that contain it, begin so or look so."""
    wanted = name.lower().replace("-", "_")
    bare, (first, *_) = wanted.replace("_", ""), wanted.split("_")
    near = [one for one in known if bare and bare in one.replace("_", "")]
    near = near or [one for one in known if one.partition("_")[0] == first]
    return (near or get_close_matches(wanted, known, cutoff=0.4))[:3]
