"""A broken file of one device is no crash, takes short, costs no other device its result (FABRICGEN_JUDGE_ALL: all)."""

from __future__ import annotations

import json

import pytest

from tests.property.hostile_runs import CASES, Bench, Ran, bench, judge_neighbours, judge_run
from tests.sampling import EVERYTHING, FRESH

__all__ = ["bench"]
SHARES = 8
PER_SHARE = CASES // SHARES if EVERYTHING else 3
FOUND = (140, 245, 1446, 1934)
"""Seeds that a short run does not reach: 140 has a line twice, once with lines below it; 245 makes a line of 400,000
words, which took time in its square; 1446 a table of SONiC that is none, and 1934 a code point of 5,000 digits."""


@pytest.mark.sampled(1, of="share")
@pytest.mark.parametrize("share", range(SHARES))
def test_a_mutated_file_costs_no_other_device_its_result(share: int, bench: Bench) -> None:
    found = [bench.judge(seed) for seed in range(share * PER_SHARE, (share + 1) * PER_SHARE)]
    assert not any(found), "\n".join(filter(None, found))


def test_a_fresh_seed_finds_nothing(bench: Bench) -> None:
    found = [bench.judge(seed) for seed in range(FRESH, FRESH + PER_SHARE)]
    assert not any(found), "\n".join(filter(None, found))


@pytest.mark.nightly
@pytest.mark.parametrize("seed", FOUND)
def test_a_seed_that_found_something_finds_it_no_more(seed: int, bench: Bench) -> None:
    assert bench.judge(seed) == ""


def test_the_judge_sees_what_is_lost(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crash, a wrong exit code and a neighbour that is missing are found."""
    assert bench.judge(0) == ""
    with monkeypatch.context() as patch:
        patch.setattr("fabricgen.diff.device.decode", lambda _: 1 / 0)
        assert "exit code 70" in bench.judge(0)
    data = {"groups": [{"details": [{"device": "spine-01", "path": ["PORT"]}]}], "diagnostics": []}
    known = Ran(3, json.dumps(data), "", 0.0, 0)
    assert judge_neighbours(known, known, "leaf-u001-r0", "json") == ""
    assert judge_neighbours(known, known._replace(code=0), "leaf-u001-r0", "json") == "exit code 0 instead of 3"
    lost = known._replace(out=json.dumps({**data, "groups": []}))
    assert "neighbours differ" in judge_neighbours(known, lost, "leaf-u001-r0", "json")
    assert judge_run(known._replace(code=70)) == "exit code 70"
    assert judge_run(known._replace(cpu_s=11.0)) == "11.0 s of CPU"
    assert judge_run(known._replace(peak_kib=1 << 30)) == "1048576 MiB of memory"
