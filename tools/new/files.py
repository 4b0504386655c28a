"""Files to write, by their path in the repository; what is there already is never replaced."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

FILL_IN = "FILL IN"
"""Stands wherever somebody has to write something; `tests/meta/test_filled_in.py` fails while it does."""
FILLED_IN = "tests/meta/test_filled_in.py"

Files = dict[str, str]


class RefusedError(Exception):
    """The words of the command line cannot be used; the message says why."""


def check_name(name: str) -> str:
    """Return a name that can be a module's and a file's.

    Args:
        name: What the user calls the new thing.

    Raises:
        RefusedError: It holds something else than small letters, digits and underscores.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise RefusedError(f"{name!r} is no name here: small letters, digits and underscores, a letter first")
    return name


def write_files(root: Path, files: Mapping[str, str]) -> None:
    """Write new files, and files with something added at their end.

    Args:
        root: The repository.
        files: Text by path; the text of a file that exists must begin with what it holds.

    Raises:
        RefusedError: A file of another content is there; nothing is written then.
    """
    for name, text in files.items():
        path = root / name
        if path.exists() and not text.startswith(path.read_text(encoding="utf-8")):
            raise RefusedError(f"{name} exists; choose another name")
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
