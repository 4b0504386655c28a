"""Every single failure of a fabric on real daemons, against what ``analyze failures`` predicts.

A few of quickstart by lot in every run; all of quickstart and dual-tor where everything is asked for. Routing only: no
LACP runs in the lab.
"""

from __future__ import annotations

import json
from collections import Counter

import pytest

from tests.acceptance.laboratory import alone as alone
from tests.acceptance.laboratory import running
from tests.acceptance.run import INVENTORIES, run
from tests.sampling import EVERYTHING, FRESH

SAMPLED = 2
PATIENCE_S = 2 * 3600
"""For all of a fabric: a failure takes 5 to 12 seconds."""


def fail(name: str, *words: str) -> list[dict[str, object]]:
    """Boot a fabric, cause failures, and return their rows without that of the lab as planned."""
    with running(INVENTORIES / name, "fail") as lab:
        done = lab.ask("failures", "--format", "json", *words, patience_s=PATIENCE_S).exits(0)
        planned, *rows = json.loads(done.stdout)
    assert planned["passed"]
    assert all(row["result"] == "pass" for row in rows)
    return rows


def counted(name: str) -> dict[str, int]:
    """Failures that ``analyze failures`` counts, by scope."""
    rows = json.loads(run("analyze", str(INVENTORIES / name), "failures", "--format", "json").stdout)["failures"]
    found: Counter[str] = Counter()
    for row in rows:
        found[row["fails"]] += row["count"]
    return dict(found)


def test_quickstart_fails_as_predicted() -> None:
    lot = [] if EVERYTHING else ["--sample", str(SAMPLED), "--seed", str(FRESH), "--flows", "12000"]
    rows = fail("quickstart", *lot)
    for row in rows:
        assert row["next_hops_left"] == row["next_hops_left_measured"]
        assert row["pairs_cut"] == row["pairs_cut_measured"]
        assert float(str(row["furthest"])) <= 1
    expected = counted("quickstart")
    assert len(rows) == (sum(expected.values()) if EVERYTHING else SAMPLED)


@pytest.mark.nightly
def test_pairs_of_leafs_fail_as_predicted() -> None:
    rows = fail("dual-tor")
    assert Counter(row["fails"] for row in rows) == counted("dual-tor")
    assert all(row["pairs_cut"] == row["pairs_cut_measured"] == 0 for row in rows)
