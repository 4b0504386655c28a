"""Comparing what a stage makes with reviewed files; ``--update-goldens`` rewrites what differs and lists it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

Compare = Callable[[str, Mapping[str, str]], None]
"""Takes the folder of a stage below ``expected`` and every file it must hold, by path."""

_REWRITTEN = pytest.StashKey[list[str]]()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Compare:
    """Compare the files of a stage with its goldens, or rewrite those that differ."""
    update = bool(request.config.getoption("--update-goldens"))
    expected = request.path.parent / "expected"
    rewritten = request.config.stash.setdefault(_REWRITTEN, [])

    def compare(stage: str, files: Mapping[str, str]) -> None:
        folder = expected / stage
        known = read_goldens(folder)
        if not update:
            assert sorted(known) == sorted(files), "run make goldens, and review what it lists"
            for path, text in files.items():
                assert text == known[path], f"{folder / path}: run make goldens, and review the difference"
            return
        for path in known.keys() - files.keys():
            (folder / path).unlink()
            rewritten.append(f"removed   {stage}/{path}")
        for path, text in files.items():
            if known.get(path) != text:
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(text, encoding="utf-8")
                rewritten.append(f"{'rewritten' if path in known else 'new':9} {stage}/{path}")

    return compare


def read_goldens(folder: Path) -> dict[str, str]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in files}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the goldens that were rewritten."""
    rewritten = terminalreporter.config.stash.get(_REWRITTEN, [])
    if rewritten:
        terminalreporter.section("goldens to review")
        for line in rewritten:
            terminalreporter.write_line(line)
