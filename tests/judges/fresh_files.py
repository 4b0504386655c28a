"""Outside judges on files that no rendering gave: states of devices between two sides of a rollout."""

from __future__ import annotations

import re
from pathlib import Path

from .files import files_to_show
from .outside import JUDGES, judge_files

LATER = re.compile(r"lint: no ECN profile on a lossless queue|: \d+ errors, \d+ warnings")
"""A finding about states in which NICs do not react yet, and the sum of findings."""


def refused_files(tree: Path, sides: tuple[Path, Path]) -> list[str]:
    """Findings of the programs that files are for, about files that are neither side's, and of neither side."""
    fresh = {
        file.path.relative_to(tree)
        for file in files_to_show(tree)
        if all(file.path.read_bytes() != (side / file.path.relative_to(tree)).read_bytes() for side in sides)
    }
    found = [finding for finding in outside_findings(tree, fresh) if not LATER.search(finding)]
    known = {finding for side in sides for finding in outside_findings(side, fresh)} if found else set()
    return [finding for finding in found if finding not in known]


def outside_findings(tree: Path, paths: set[Path]) -> list[str]:
    files = [file for file in files_to_show(tree) if file.path.relative_to(tree) in paths]
    return [finding for judge in JUDGES for finding in judge_files(judge, tree, files).findings]
