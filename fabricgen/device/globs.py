"""Choosing devices by globs on their names, as ``--only`` and ``--device`` do."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from fnmatch import fnmatchcase

Globs = tuple[str, ...]
"""Globs of which a name has to match one; none at all match every name."""
WILDCARDS = frozenset("*?[")
_NEAR_MAX = 3
_KNOWN_MAX = 20_000
"""With more names than this, no close one is looked for."""


def is_chosen(name: str, globs: Globs) -> bool:
    """Return whether a name matches one of the globs, or there are none."""
    return not globs or any(fnmatchcase(name, glob) for glob in globs)


def find_unmatched(globs: Globs, names: Iterable[str]) -> list[str]:
    """Return the globs that match none of the names, in their order."""
    left = dict.fromkeys(globs)
    for name in names:
        for glob in [glob for glob in left if fnmatchcase(name, glob)]:
            del left[glob]
        if not left:
            break
    return list(left)


def name_close(glob: str, names: Iterable[str]) -> list[str]:
    """Return names that the glob was probably meant to match; the first and the last if none is close."""
    known = list(dict.fromkeys(names))
    near = get_close_matches(glob, known, n=_NEAR_MAX, cutoff=0.7) if len(known) <= _KNOWN_MAX else []
    return near or list(dict.fromkeys([*known[:1], *known[-1:]]))
