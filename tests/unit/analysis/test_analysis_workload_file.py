"""Workload files: every fault at its place, and the collectives a model brings."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.intent.workload import load_workload
from fabricgen.plan.model.workload import Workload
from fabricgen.plan.planner.workload import build_workload

GOOD = """\
name: job
model: {parameters_billion: 70, layers: 80, hidden: 8192}
parallelism: {tensor: 8, pipeline: 8, data: 16}
step: {sequences: 1024, sequence_tokens: 4096, seconds: 10}
"""


def read(tmp_path: Path, text: str) -> tuple[Workload | None, list[tuple[str, int, str]]]:
    """Return what a file comes to, and what is said about it: code, line, message."""
    path = tmp_path / "job.yaml"
    path.write_text(text)
    bag = Bag()
    file = load_workload(path, bag)
    assert all(d.place and d.place.file == str(path) for d in bag)
    said = [(d.code, d.place.line if d.place else 0, f"{d.message} -> {d.hint}") for d in bag]
    return build_workload(file) if file else None, said


@pytest.mark.parametrize(
    ("old", "new", "code", "line", "words"),
    [
        ("layers: 80", "layer: 80", "FG-INT-001", 2, "'layer'"),
        ("layers: 80", "layers: eighty", "FG-INT-003", 2, "eighty"),
        ("tensor: 8", "tensor: 0", "FG-INT-003", 3, "at least 1"),
        ("seconds: 10", "seconds: 0", "FG-INT-003", 4, "more than 0"),
        (", seconds: 10", "", "FG-INT-002", 4, "seconds is missing"),
        ("data: 16", "data: 16, expert: 3", "FG-INT-003", 3, "does not divide data 16"),
        (
            "data: 16",
            "data: 16, gpus: 2048",
            "FG-INT-003",
            3,
            "= 1024 ranks for 2048 GPUs -> set data to 32, or gpus to 1024",
        ),
        ("data: 16", "data: 16, gpus: 1000", "FG-INT-003", 3, "-> set gpus to 1024, or choose tensor, "),
        ("data: 16", "data: 16, order: [data, context, tensor]", "FG-INT-003", 3, "leaves out a dimension"),
        ("data: 16", "data: 16, order: [data, data, tensor]", "FG-INT-003", 3, "twice"),
        (
            "sequences: 1024, ",
            "",
            "FG-INT-003",
            1,
            "the document has a model, whose traffic follows from step.sequences",
        ),
        ("parallelism: {tensor: 8, pipeline: 8, data: 16}", "# one GPU", "FG-INT-003", 1, "without parallelism"),
        ("model: {parameters_billion: 70, layers: 80, hidden: 8192}", "# none", "FG-INT-003", 1, "sends nothing"),
        (
            "hidden: 8192",
            "hidden: 8192, experts: {per_token: 2, layers: 8, parameters_billion: 71}",
            "FG-INT-003",
            1,
            "more parameters",
        ),
    ],
)
def test_a_fault_is_told_at_its_line(old: str, new: str, code: str, line: int, words: str, tmp_path: Path) -> None:
    assert old in GOOD
    made, said = read(tmp_path, GOOD.replace(old, new))
    assert made is None
    ((found, at, message),) = said
    assert (found, at) == (code, line)
    assert words in message


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    bag = Bag()
    assert load_workload(tmp_path / "none.yaml", bag) is None
    assert [d.code.startswith("FG-SRC") for d in bag] == [True]


def messages(tmp_path: Path, text: str) -> dict[str, tuple[str, str, float, int]]:
    made, said = read(tmp_path, text)
    assert said == []
    return {m.name: (m.collective, m.over, m.payload_bytes, m.times) for m in made.messages}


def test_a_dense_model_brings_three_collectives(tmp_path: Path) -> None:
    tokens = 1024 * 4096 / 16
    assert messages(tmp_path, GOOD) == {
        "activations of layers": ("all_reduce", "tensor", tokens * 8192 * 2, 2 * 2 * 10),
        "activations between stages": ("exchange", "pipeline", tokens * 8192 * 2 / 8, 1),
        "gradients": ("all_reduce", "data", 70e9 * 2 / 64, 1),
    }


def test_replicas_that_share_parameters_gather_them_twice(tmp_path: Path) -> None:
    found = messages(tmp_path, GOOD.replace("data: 16", "data: 16, sharded: true"))
    assert found["gradients"] == ("reduce_scatter", "data", 70e9 * 2 / 64, 1)
    assert found["parameters"] == ("all_gather", "data", 70e9 * 2 / 64, 2)


def test_experts_exchange_tokens_and_share_fewer_replicas(tmp_path: Path) -> None:
    experts = "hidden: 8192, experts: {per_token: 2, layers: 40, parameters_billion: 60}"
    text = GOOD.replace("hidden: 8192", experts).replace("data: 16", "data: 16, expert: 4")
    found = messages(tmp_path, text)
    tokens = 1024 * 4096 / 16
    assert found["tokens to experts"] == ("all_to_all", "expert", tokens * 8192 * 2 * 2 / 8, 2 * 2 * 5)
    assert found["gradients"] == ("all_reduce", "data", 10e9 * 2 / 64, 1)
    assert found["gradients of experts"] == ("all_reduce", "replica", 60e9 * 2 / 64 / 4, 1)


def test_ranks_of_a_sequence_pass_on_keys_and_values_and_share_the_parameters(tmp_path: Path) -> None:
    text = GOOD.replace("hidden: 8192", "hidden: 8192, key_value_hidden: 1024")
    found = messages(tmp_path, text.replace("tensor: 8, pipeline: 8, data: 16", "tensor: 8, context: 4, data: 16"))
    tokens = 1024 * 4096 / 16
    keys_and_values = 2 * tokens * 1024 * 2 / 8
    assert found == {
        "activations of layers": ("all_reduce", "tensor", tokens / 4 * 8192 * 2, 2 * 2 * 80),
        "keys and values": ("all_gather", "context", keys_and_values, 2 * 80),
        "gradients of keys and values": ("reduce_scatter", "context", keys_and_values, 80),
        "gradients": ("all_reduce", "copy", 70e9 * 2 / 8, 1),
    }


@pytest.mark.parametrize(
    ("given", "order"),
    [
        ("", ("tensor", "context", "pipeline", "data")),
        (", order: [data, tensor, pipeline]", ("data", "tensor", "context", "pipeline")),
        (", order: [tensor, pipeline, context, data]", ("tensor", "pipeline", "context", "data")),
    ],
)
def test_ranks_of_a_sequence_are_beside_those_of_a_layer(given: str, order: tuple[str, ...], tmp_path: Path) -> None:
    made, said = read(tmp_path, GOOD.replace("data: 16", f"data: 2, context: 4{given}"))
    assert said == []
    assert (made.order, made.ranks) == (order, 8 * 8 * 2 * 4)


def test_a_run_has_steps_that_need_not_be_whole(tmp_path: Path) -> None:
    made, _ = read(tmp_path, GOOD + "run: {epoch_sequences: 1536, epochs: 3}\n")
    assert (made.training.steps, made.training.tokens, made.training.epochs) == (1.5, 1536 * 4096, 3)


def test_a_single_rank_tells_nobody_anything(tmp_path: Path) -> None:
    assert messages(tmp_path, GOOD.replace("{tensor: 8, pipeline: 8, data: 16}", "{}")) == {}
