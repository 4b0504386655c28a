"""Verdicts of outside judges on the files of one device."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.judges.outside import JUDGES, judge_tree, must_be_there


def findings(files: Mapping[str, str], out: Path, *judges: str, kind: str = "switches") -> list[str]:
    """Return what the judges of some names find in a device's files, by path; skips where one of them is missing."""
    for path, text in files.items():
        file = out / kind / "device" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    found: list[str] = []
    for verdict in judge_tree(out, tuple(judge for judge in JUDGES if judge.name in judges)):
        assert not must_be_there(verdict), verdict.missing
        if verdict.missing:
            pytest.skip(f"{verdict.judge.name}: {verdict.missing}")
        assert verdict.distinct
        found += verdict.findings
    return found
