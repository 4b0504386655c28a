"""Judgement of each group of the traffic reference vectors by the closed forms that ``analyze capacity`` prints.

Source of every row:
    Asterfusion, the traffic behind LLM training (Tencent Cloud column, 2024-07-24), recomputed with exact fractions.
"""

from __future__ import annotations

from math import ceil

import pytest
from vector_files import Handler, Row

from fabricgen.physics.traffic import (
    DAY_S,
    UNITS,
    Term,
    TrainingJob,
    decimal_unit,
    published_terms,
    rate_gbps,
    ring_all_reduce_bytes,
    transfer_s,
)

BATCHES = 364_600_000 / 2048
ALONE = TrainingJob(70e9, 80, 8192, 2, BATCHES, 156e9)
DEGREES = {"dp": {"data": 8}, "fsdp": {"data": 8, "sharded": True}, "tp": {"tensor": 8}, "pp": {"pipeline": 8}}
CUBE = ALONE._replace(tensor=8, pipeline=8, data=16)
ARTICLE_EB, SWITCH_GBPS, MIXED_DIVISOR = 85e18, 51_200, 1e9 * 2**20
"""The article's rounded total, its switch, and the unit that it divides the tensor cells by."""


def term(name: str) -> Term:
    """Return a closed form of eight GPUs that are divided in its dimension alone."""
    job = ALONE._replace(**DEGREES[name.partition("_")[0]])
    return {each.name: each for each in published_terms(job)}[name]


def cube() -> dict[str, float]:
    """Return the closed forms of the three dimensions together, as the reference names them."""
    found = {each.name: each.volume_bytes for each in published_terms(CUBE)}
    short = {"backward": "back", "forward": "fwd"}
    return {f"{short[name.partition('_')[2]]}_{name.partition('_')[0]}": volume for name, volume in found.items()}


def near(value: float) -> object:
    return pytest.approx(value, rel=1e-4)


def _judge_inputs(row: Row) -> None:
    assert row["P_params"] == ALONE.parameters
    assert (row["L_layers"], row["H_hidden"], row["T_tokens"]) == (ALONE.layers, ALONE.hidden, ALONE.tokens)
    assert row["samples"] / row["batch_size"] == row["N_minibatches"] == BATCHES
    assert (row["bytes_per_param"], row["G_gpus"]) == (ALONE.value_bytes, DEGREES["dp"]["data"])


def _judge_tolerance(row: Row) -> None:
    assert row["tolerance_rel"] == 1e-4


def _judge_single(row: Row) -> None:
    found = term(row["id"]).volume_bytes
    assert found == pytest.approx(row["bytes"], rel=1e-12)
    assert found / 1e15 == near(row["pb"])
    amount, unit = decimal_unit(found).split()
    assert float(amount) * UNITS.get(unit, 1) / 1e15 == near(row["pb"])
    if "pb_with_N_178000" in row:
        assert found / BATCHES * 178_000 / 1e15 == near(row["pb_with_N_178000"])
    if "article_divisor" in row:
        assert row["article_divisor"] == MIXED_DIVISOR
        assert found / MIXED_DIVISOR == near(row["value_with_article_divisor"])
        assert round(found / MIXED_DIVISOR) == row["article_pb"]
    else:
        assert row["article_pb"] == pytest.approx(found / 1e15, rel=4e-3)


def _judge_syncs(row: Row) -> None:
    of = {"fsdp_each_direction": "fsdp_forward", "pp_each_direction": "pp_forward"}
    name = of.get(row["id"]) or row["id"].partition("_per_")[0]
    assert term(name).syncs == row["value"]
    assert row["article"] in (row["value"], "160*156e9")


def _judge_cube(row: Row) -> None:
    terms = cube()
    backward = sum(volume for name, volume in terms.items() if name.startswith("back"))
    total = sum(terms.values())
    assert (row["Gtp"], row["Gpp"], row["Gdp"]) == (CUBE.tensor, CUBE.pipeline, CUBE.data)
    assert row["gpus"] == CUBE.tensor * CUBE.pipeline * CUBE.data
    assert backward / 1e18 == near(row["subtotal_backward_eb"])
    assert (total - backward) / 1e18 == near(row["subtotal_forward_eb"])
    assert total / 1e18 == near(row["total_eb"])
    assert total == near(row["total_bytes"])
    assert total / 2**60 == near(row["total_eib"])
    assert (total - terms["back_tp"] - terms["fwd_tp"]) / 1e18 == near(row["scale_out_only_eb"])
    assert row["article_total_eb"] == ARTICLE_EB / 1e18


def _judge_cube_term(row: Row) -> None:
    assert cube()[row["id"]] / 1e18 == near(row["eb"])


def _judge_identity(row: Row) -> None:
    terms = cube()
    reduced = 2 * CUBE.layers * (CUBE.tensor - 1) / CUBE.pipeline + CUBE.data - 1
    assert 2 * BATCHES * CUBE.parameters * CUBE.data * reduced / 1e18 == near(row["lhs_eb"])
    assert (terms["back_tp"] + terms["back_dp"]) / 1e18 == near(row["rhs_eb"])


def _judge_shares(row: Row) -> None:
    terms = cube()
    for dimension in ("tp", "dp", "pp"):
        part = sum(volume for name, volume in terms.items() if name.endswith(dimension))
        allowed = 0.05 if dimension == "tp" else 5e-3
        assert 100 * part / sum(terms.values()) == pytest.approx(row[dimension], abs=allowed)


def _judge_switch_time(row: Row) -> None:
    rounded = transfer_s(ARTICLE_EB, SWITCH_GBPS) / DAY_S
    each = {
        "days_51_2_Tbit": transfer_s(sum(cube().values()), SWITCH_GBPS) / DAY_S,
        "days_51_2_Tbit_using_85EB": rounded,
        "days_both_directions_counted": rounded / 2,
        "days_article": rounded / 8,
        "switches_100_epochs_100_days": ceil(100 * rounded / 100),
    }
    assert each[row["id"]] == near(row["days"] if "days" in row else row["value"])
    if row["id"] == "days_article":
        assert round(each[row["id"]], -1) == row["article"]
    if "article_min" in row:
        assert ceil(rounded / 8) == row["article_min"]


def _judge_sample(row: Row) -> None:
    if row["id"] == "gb_per_sample":
        assert near(row["gb"]) == ARTICLE_EB / 364.6e6 / 1e9
    else:
        assert rate_gbps(100e9, 1e-3) / 1e3 == near(row["tbps"])


def _judge_ring(row: Row) -> None:
    ring = BATCHES * ring_all_reduce_bytes(ALONE.value_bytes * ALONE.parameters, 8)
    assert ring / 1e15 == near(row["pb"])
    assert term("dp_backward").volume_bytes / ring == near(row["ratio_to_article_formula"])


HANDLERS: dict[str, Handler] = {
    "": _judge_tolerance,
    "inputs": _judge_inputs,
    "single_dimension": _judge_single,
    "sync_counts": _judge_syncs,
    "three_d_parallel": _judge_cube,
    "three_d_parallel.terms_eb": _judge_cube_term,
    "three_d_parallel.identity_check": _judge_identity,
    "three_d_parallel.share_pct": _judge_shares,
    "switch_time": _judge_switch_time,
    "per_sample": _judge_sample,
    "cross_check_ring": _judge_ring,
}
EXCLUDED: dict[tuple[str, str], str] = {}
PROSE_OF_ROWS = {"single_dimension": {"pattern"}, "per_sample": {"article"}}
UNREAD = {"": {"use_in_fabricgen"}, "inputs": {"N_minibatches_exact"}, **PROSE_OF_ROWS}
NAMES = ("id",)
