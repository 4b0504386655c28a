"""Where catalog files lie: the user's own folder first, the shipped one after it."""

from __future__ import annotations

import os
import re
from difflib import get_close_matches
from pathlib import Path

from fabricgen.files import is_beneath

KINDS = ("switches", "nics", "servers", "asics", "ecn")
"""Sub-folders of a catalog, one per kind of record."""

_SHIPPED = Path(__file__).parent / "data"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


def is_plain_name(name: str) -> bool:
    """Whether a name can be a catalog file's name and nothing else: no separator, no dot, no blank."""
    return _NAME.fullmatch(name) is not None


def find_file(kind: str, name: str, extra: Path | None) -> Path | None:
    """The file of a record, the user's own before the shipped one; None if there is none."""
    if not is_plain_name(name):
        return None
    for folder in _folders(extra):
        path = folder / kind / f"{name}.yaml"
        if os.path.lexists(path):
            return path
    return None


def known_models(kind: str, extra: Path | None = None) -> list[str]:
    """Every name of that kind, sorted.

    Args:
        kind: One of ``KINDS``.
        extra: A user's own catalog folder.
    """
    shelves = [_SHIPPED / kind]
    if extra is not None and is_beneath(extra.parent, extra / kind):
        shelves.append(extra / kind)
    names = {path.stem for shelf in shelves for path in shelf.glob("*.yaml")}
    return sorted(name for name in names if is_plain_name(name))


def near_names(kind: str, name: str, extra: Path | None, *, cutoff: float) -> list[str]:
    """Names of that kind that look like ``name``, the nearest first."""
    return get_close_matches(name, known_models(kind, extra), n=3, cutoff=cutoff)


def _folders(extra: Path | None) -> tuple[Path, ...]:
    return (_SHIPPED,) if extra is None else (extra, _SHIPPED)
