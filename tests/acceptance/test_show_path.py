"""``show path``: every hop it names is cabled so, and who cannot talk is told."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import run, run_here, succeed

ENDS = {
    "quickstart": ("gpu-u001-h01", "gpu-u002-h03"),
    "irregular": ("gpu-u001-h01", "gpu-u002-h03"),
    "dual-tor": ("gpu-u001-h02", "gpu-u002-h01"),
    "dual-plane": ("gpu-u001-h04", "gpu-u002-h02"),
}


def shown(inventory: str, *words: str) -> dict[str, Any]:
    return dict(json.loads(succeed("show", f"inventories/{inventory}", "path", *words, "--format", "json")))


def links(inventory: str) -> set[tuple[str, str, str, str]]:
    """Both ends of every cable, either way round."""
    rows = csv.DictReader(io.StringIO(succeed("show", f"inventories/{inventory}", "links", "--format", "csv")))
    ends = [(row["a"], row["a_port"], row["b"], row["b_port"]) for row in rows]
    return {*ends, *((peer, far, device, port) for device, port, peer, far in ends)}


@pytest.mark.sampled(3, of="inventory,rail")
@pytest.mark.parametrize("inventory", ENDS)
@pytest.mark.parametrize("rail", [0, 3, 7])
def test_every_hop_is_cabled_to_the_next(inventory: str, rail: int) -> None:
    cabled = links(inventory)
    ports = {(device, port): peer for device, port, peer, _ in cabled}
    data = shown(inventory, *ENDS[inventory], "--rail", str(rail))
    for flow in data["flow"]:
        hops = [hop for hop in data["hops"] if hop["way"] == flow["way"]]
        devices = [flow["from"], *(hop["device"] for hop in hops), flow["to"]]
        for before, hop, after in zip(devices, hops, devices[2:], strict=False):
            assert ports[hop["device"], hop["in_port"]] == before
            assert ports[hop["device"], hop["out_port"]] == after == hop["next"]
        assert len(set(devices)) == len(devices)


@pytest.mark.parametrize(("inventory", "ways"), [("quickstart", 1), ("dual-tor", 2), ("dual-plane", 2)])
def test_bonds_and_planes_show_each_port(inventory: str, ways: int) -> None:
    data = shown(inventory, *ENDS[inventory])
    assert [flow["way"] for flow in data["flow"]] == [*range(1, ways + 1)]
    assert len({hop["device"] for hop in data["hops"] if hop["hop"] == 1}) == ways


def test_equal_links_are_what_is_left_of_them() -> None:
    """The leaf of the second unit has lost one cable to a spine, and another one is drained."""
    data = shown("irregular", "gpu-u001-h02", "gpu-u002-h01")
    spines = [hop["equal_links"] for hop in data["hops"] if hop["hop"] == 2]
    back = shown("irregular", "gpu-u002-h01", "gpu-u001-h02")
    uplinks = [hop["equal_links"] for hop in back["hops"] if hop["hop"] == 1]
    regular = shown("irregular", "gpu-u001-h02", "gpu-u002-h01", "--rail", "4")
    assert spines == [3]
    assert uplinks == [10]
    assert [hop["equal_links"] for hop in regular["hops"] if hop["hop"] == 1] == [12]


def test_the_queue_pair_decides_where_the_hash_reads_it() -> None:
    meta = shown("meta-llama3-24k", "gpu-p01-u001-h01", "gpu-p08-u192-h02")
    assert {"hash with the destination queue pair"} == {
        hop["decided_by"] for hop in meta["hops"] if hop["equal_links"] > 1 and "roce_dest_qp" in hop["hash"]
    }


WRONG = {
    ("gpu-u001-h01",): "two hosts, not 1",
    ("gpu-u001-h01", "spine-01"): "spine-01 is a switch",
    ("gpu-u001-h01", "gpu-u01-h02"): "use for example gpu-u001-h02",
    ("gpu-u001-h01", "gpu-u001-h01"): "is both ends",
    ("gpu-u001-h01", "gpu-u002-h01", "--rail", "8"): "use --rail 0 to 7",
    ("gpu-u001-h01", "gpu-u002-h01", "--rail", "-1"): "no rail -1",
}


@pytest.mark.parametrize("words", WRONG)
def test_wrong_ends_are_explained(words: tuple[str, ...]) -> None:
    result = run_here("show", "inventories/quickstart", "path", *words).exits(1)
    assert "error[FG-OUT-024]" in result.stderr
    assert WRONG[words] in result.stderr
    assert result.stdout == ""


def test_other_tables_take_no_hosts() -> None:
    run("show", "inventories/quickstart", "links", "gpu-u001-h01").exits(2)
    run("show", "inventories/quickstart", "qos", "--rail", "1").exits(2)


CUT = {
    "a NIC without a cable": "{link: [gpu-u001-h01, leaf-u001-r0], n: 1, state: absent, reason: NIC is dead}",
    "a leaf that is not there": "{device: leaf-u002-r0, state: absent, reason: late}",
    "spines that are not there": "{device: 'spine-01', state: absent, reason: one}, "
    "{device: spine-02, state: absent, reason: two}",
}


@pytest.mark.parametrize("case", CUT)
def test_hosts_that_cannot_talk_are_an_error(case: str, tmp_path: Path) -> None:
    text = Path("inventories/quickstart/fabric.yaml").read_text(encoding="utf-8")
    (tmp_path / "fabric.yaml").write_text(f"{text}exceptions: [{CUT[case]}]\n", encoding="utf-8")
    result = run_here("show", str(tmp_path), "path", "gpu-u001-h01", "gpu-u002-h01").exits(1)
    assert "error[FG-OUT-025]" in result.stderr
    assert "gpu-u001-h01 cannot reach gpu-u002-h01 on rail 0" in result.stderr


@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_a_hash_names_no_port_that_it_chooses(form: str) -> None:
    said = "no maker publishes its hash to the bit, so no port is computed from it"
    asked = ("show", "inventories/quickstart", "path", "gpu-u001-h01")
    far, near = (succeed(*asked, other, "--format", form) for other in ("gpu-u002-h03", "gpu-u001-h02"))
    assert said in far
    assert said not in near
