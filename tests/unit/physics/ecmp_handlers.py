"""Judgement of each group of the ECMP reference vectors."""

from __future__ import annotations

from functools import cache

import pytest
from vector_files import Handler, Row

from fabricgen.physics.ecmp import effective_next_hops, exact_max_load, max_over_mean

TOLERANCE = 0.002
SENDERS = 16

_load = cache(exact_max_load)


def _judge_tolerance(row: Row) -> None:
    assert row["tolerance_abs"] == TOLERANCE


def _judge_load(row: Row) -> None:
    flows, links = row["n"], row["m"]
    load = _load(flows, links).expected
    ratio = load * links / flows
    assert load == pytest.approx(row["e_max"], abs=TOLERANCE)
    assert ratio == pytest.approx(row["mmr"], abs=TOLERANCE)
    assert 1 / ratio == pytest.approx(row["eff"], abs=TOLERANCE)
    assert _load(flows, links).probability(1) == pytest.approx(row["p_no_collision"], rel=1e-6, abs=1e-12)


def _judge_queue_pairs(row: Row) -> None:
    assert row["n"] == SENDERS * row["qps"]
    assert max_over_mean(SENDERS * row["qps"], row["m"]) == pytest.approx(row["mmr"], abs=TOLERANCE)


def _judge_polarisation(row: Row) -> None:
    assert effective_next_hops([row["m1"], row["m2"]]) == (row["m1"], row["used"])


HANDLERS: dict[str, Handler] = {
    "": _judge_tolerance,
    "vectors": _judge_load,
    "qp_scaling": _judge_queue_pairs,
    "polarisation": _judge_polarisation,
}
EXCLUDED: dict[tuple[str, str], str] = {}
UNREAD = {"": {"source"}, "vectors": {"idle_links", "approx"}}
"""Keys that a group's handler does not read; nothing that is checked or shown counts idle links or approximates so."""
NAMES: tuple[str, ...] = ()
