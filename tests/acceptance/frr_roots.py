"""Roots of systems with FRR that tests run beside this machine's own; ``make frr10`` makes some."""

from __future__ import annotations

import os

VARIABLE = "FABRICGEN_FRR_ROOTS"
"""Folders with a colon between; ``make test-all`` sets it."""

OTHERS = tuple(root for root in os.environ.get(VARIABLE, "").split(os.pathsep) if root)
ALL = ("/", *OTHERS)


def words_of(root: str) -> tuple[str, ...]:
    """Options with which a lab runs the daemons of a root."""
    return () if root == "/" else ("--frr", root)
