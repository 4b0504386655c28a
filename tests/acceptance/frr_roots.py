"""Roots of systems with FRR that tests run beside this machine's own; ``make frr10`` makes some."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "FABRICGEN_FRR_ROOTS"
"""Folders with a colon between; ``make test-all`` sets it."""

OTHERS = tuple(root for root in os.environ.get(VARIABLE, "").split(os.pathsep) if root)
ALL = ("/", *OTHERS)


def words_of(root: str) -> tuple[str, ...]:
    """Options with which a lab runs the daemons of a root."""
    return () if root == "/" else ("--frr", root)


def enter(root: str) -> tuple[str, ...]:
    """Words before a command that is to run in a root."""
    return () if root == "/" else ("chroot", root)


def version_of(root: str) -> str:
    """Version of FRR in a root of ``make frr10``, without the distribution's own number."""
    return Path(root, ".frr-version").read_text(encoding="utf-8").partition("-")[0].strip()
