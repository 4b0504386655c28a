"""Rehearsals: CPU time ends a loop, the wall clock does not; words reach script and tools as they are."""

from __future__ import annotations

import pytest

from tests.judges.crossread import rehearsal
from tests.judges.crossread.rehearsal import Stage, rehearse


def test_loop_without_an_end_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rehearsal, "CPU_MAX_S", 1)
    assert rehearse("while :; do :; done\n", (), Stage(())).status < 0


def test_words_reach_tools_unchanged() -> None:
    done = rehearse("nvtool a 'b c' \"$1\"\nexit 3\n", ("x  y",), Stage((("nvtool", ""),)))
    assert (done.calls, done.status) == ({"nvtool": [["a", "b c", "x  y"]]}, 3)
