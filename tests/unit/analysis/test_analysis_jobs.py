"""Jobs on the hosts of a placement: who gets which, what they ask together, and every fault at its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from analysis_fabrics import compiled, document

from fabricgen.analysis.placement import gpus_of_job
from fabricgen.compiler.positions import place_diagnostics
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.tables.capacity import show_capacity

JOB = """\
name: {name}
placement: hosts.yaml
parallelism: {{tensor: 8, data: {data}}}
step: {{seconds: 1}}
messages: [{{name: sums, collective: all_reduce, over: data, payload_bytes: 1000000000}}]
"""


def read(tmp_path: Path, placement: str, *, data: int = 2) -> tuple[FabricPlan, list[tuple[str, int, str]]]:
    """Return the plan of a fabric with a placement, and what is reported of its files: code, line, message."""
    (tmp_path / "job.yaml").write_text(JOB.format(name="one", data=data))
    (tmp_path / "other.yaml").write_text(JOB.format(name="other", data=2))
    (tmp_path / "hosts.yaml").write_text(placement)
    made, bag = compiled(document("dell_z9864f") | {"workload": "job.yaml"}, tmp_path)
    placed = place_diagnostics(bag, made.document)
    said = [(d.code, d.place.line, d.message) for d in placed if d.place and not d.place.file.endswith("fabric.yaml")]
    return made.plan, said


def names(plan: FabricPlan) -> list[list[str]]:
    return [[plan.host_name(host) for host in job.placed] for job in plan.jobs]


def test_hosts_are_those_named_in_their_order_and_then_free_ones(tmp_path: Path) -> None:
    own, other = "hosts: [gpu-u002-h04, gpu-u001-h01]", "hosts: [gpu-u001-h02, gpu-u001-h03], workload: other.yaml"
    plan, said = read(tmp_path, f"jobs:\n- {own}\n- workload: other.yaml\n- {{{other}}}\n")
    assert said == []
    assert [job.name for job in plan.jobs] == ["one", "other", "other-2"]
    made = [[name.removeprefix("gpu-") for name in of] for of in names(plan)]
    assert made == [["u002-h04", "u001-h01"], ["u001-h04", "u002-h01"], ["u001-h02", "u001-h03"]]
    assert [gpu.rail for gpu in gpus_of_job(plan, plan.jobs[0])] == [*range(8)] * 2


def test_a_star_takes_hosts_in_the_order_of_the_fabric(tmp_path: Path) -> None:
    plan, said = read(tmp_path, 'jobs:\n- hosts: ["gpu-u002-*"]\n', data=4)
    assert said == []
    assert names(plan) == [[f"gpu-u002-h0{number}" for number in range(1, 5)]]


def test_every_job_is_in_the_tables(tmp_path: Path) -> None:
    plan, _ = read(tmp_path, "jobs:\n- hosts: [gpu-u001-h01, gpu-u002-h01]\n- workload: other.yaml\n")
    shown = show_capacity(plan).sections
    for section in ("traffic", "volumes", "placements"):
        assert list(dict.fromkeys(row["job"] for row in shown[section])) == ["one", "other"], section
    assert [row["placement"] for row in shown["placements"]] == ["given", "rail-aware", "random"] * 2
    given, aware = shown["placements"][:2]
    assert (given["leaf_bytes"], aware["spine_bytes"]) == (0, 0)
    assert given["spine_bytes"] == aware["leaf_bytes"]


@pytest.mark.parametrize(
    ("text", "code", "line", "words"),
    [
        ("jobs:\n- hosts:\n  - gpu-u001-h01\n  - gpu-u009-h01\n", "FG-EXP-011", 4, "no host is gpu-u009-h01"),
        ("jobs:\n- hosts:\n  - gpu-u001-h01\n  - gpu-u001-h01\n", "FG-EXP-011", 4, "of one has one already"),
        (
            "jobs:\n- hosts: [gpu-u001-h01, gpu-u001-h02]\n- workload: other.yaml\n  hosts:\n  - gpu-u001-h03\n"
            "  - gpu-u001-h02\n",
            "FG-EXP-011",
            6,
            "gpu-u001-h02 of other has one already",
        ),
        ("jobs:\n- {hosts: [gpu-u001-*]}\n", "FG-EXP-013", 2, "its 16 ranks need 2, gpu-u001-h03 is the first"),
        ("jobs:\n- host: [gpu-u001-h01]\n", "FG-INT-001", 2, "host"),
        ("jobs: []\n", "FG-INT-003", 1, "jobs"),
    ],
)
def test_a_fault_is_told_at_its_line(text: str, code: str, line: int, words: str, tmp_path: Path) -> None:
    _, said = read(tmp_path, text)
    assert [(found, at) for found, at, _ in said] == [(code, line)]
    assert words in said[0][2]


def test_a_wide_tensor_group_is_reported_at_its_degree_with_its_cost(tmp_path: Path) -> None:
    text = JOB.format(name="wide", data=1).replace("tensor: 8", "tensor: 16").replace("over: data", "over: tensor")
    (tmp_path / "job.yaml").write_text(text.replace("placement: hosts.yaml\n", ""))
    made, bag = compiled(document("dell_z9864f") | {"workload": "job.yaml"}, tmp_path)
    (found,) = (d for d in place_diagnostics(bag, made.document) if d.code == "FG-EXP-014")
    assert (found.place.line, found.place.column) == (2, 23)
    # A ring over two domains crosses two edges with 2 x 15/16 of a gigabyte each, over 16 NICs of 400 Gb/s.
    assert "3.7500 GB of a step" in found.message
    assert f"{3.75 * 8 / (16 * 400):.3g} s" in found.message
    assert "to 8 or less" in found.hint
