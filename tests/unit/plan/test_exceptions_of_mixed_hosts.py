"""Exceptions of hosts whose links are not those of all hosts, and what they do to counts and paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabricgen.analysis.capacity import summarize
from fabricgen.api import Compiled
from fabricgen.tables.tables import list_cabling, list_exceptions, list_links
from tests.unit.plan.own_fabrics import BOX, GPU, LINK, SMALL, TOP, compile_own, switches

SLOW = {"speed": "200G", "cable": {"media": "aoc", "length_m": 30}, "mtu": 9000}
TWO = {**GPU, "per_unit": 2}
PAIRS = {**LINK, "per_pair": 2}


def compiled(folder: Path, *exceptions: dict[str, Any], **changes: Any) -> tuple[Compiled, list[str]]:
    changed: dict[str, Any] = {
        "hosts": {"gpu": TWO, "slow": GPU},
        "links": {"host-leaf": LINK, "slow-leaf": SLOW, "leaf-spine": PAIRS},
        "exceptions": [{**said, "reason": "test"} for said in exceptions],
        **changes,
    }
    return compile_own(folder, **changed)


def ends(made: Compiled) -> dict[tuple[str, str], tuple[str, str]]:
    return {(str(r["a"]), str(r["a_port"])): (str(r["b"]), str(r["b_port"])) for r in list_links(made.plan)}


MOVED = {"link": ["slow-u001-h01", "leaf-u001-r0"], "n": 2, "to": "leaf-u001-r4"}


def test_a_moved_cable_lands_among_those_of_its_speed(tmp_path: Path) -> None:
    swapped = {"link": ["slow-u001-h01", "leaf-u001-r4"], "n": 4, "state": "absent"}
    made, errors = compiled(tmp_path, MOVED, swapped)
    assert errors == []
    regular, found = ends(compiled(tmp_path)[0]), ends(made)
    assert found["slow-u001-h01", "rail1"] == regular["slow-u001-h01", "rail7"]


@pytest.mark.parametrize(("port", "told"), [("1/1", True), ("3/4", False)])
def test_a_moved_cable_takes_a_port_of_its_own_group(port: str, told: bool, tmp_path: Path) -> None:
    gone = {"link": ["slow-u001-h01", "leaf-u001-r4"], "n": 4, "state": "absent"}
    links = {"host-leaf": {**LINK, "speed": "200G"}, "slow-leaf": SLOW, "leaf-spine": PAIRS}
    ports = {"ports": {"leaf-u001-r4": port}}
    _, errors = compiled(tmp_path, {**MOVED, **ports}, gone, {"host": "gpu-u001-h01", "state": "absent"}, links=links)
    outside = [error for error in errors if error.startswith("FG-EXC-013")]
    assert bool(outside) == told, errors
    if told:
        assert "port 1/1 of leaf-u001-r4 is not one of those reserved for the hosts 'slow'" in outside[0]


def test_another_port_runs_the_speed_of_its_group(tmp_path: Path) -> None:
    made, errors = compiled(
        tmp_path, {"link": ["slow-u001-h01", "leaf-u001-r0"], "n": 1, "ports": {"leaf-u001-r0": "20/1"}}
    )
    assert errors == []
    leaf = switches(made)["leaf-u001-r0"]
    shape = next(port.shape for port in leaf.ports if port.peer == "slow-u001-h01" and port.peer_port == "rail0")
    assert (shape.cage, shape.speed_gbps, shape.mtu_bytes) == (20, 200, 9000)


def test_a_host_cannot_end_at_a_leaf_its_group_does_not_meet(tmp_path: Path) -> None:
    said = {"link": ["slow-u001-h01", "leaf-u001-r0"], "n": 2, "to": "leaf-u001-r4"}
    _, errors = compiled(tmp_path, said, hosts={"gpu": TWO, "slow": SMALL})
    assert [error.partition(" ")[0] for error in errors] == ["FG-EXC-010"]


def test_links_that_are_not_there_are_not_counted(tmp_path: Path) -> None:
    regular = summarize(compiled(tmp_path)[0].plan, 0)
    made, errors = compiled(
        tmp_path,
        {"device": "spine-02", "state": "absent"},
        {"host": "slow-u001-h01", "state": "absent"},
        {"link": ["gpu-u001-h01", "leaf-u001-r0"], "n": 1, "state": "absent"},
        {"link": ["leaf-u001-r0", "spine-01"], "n": 1, "state": "absent"},
    )
    assert errors == []
    found = summarize(made.plan, 4)
    assert (regular.fabric_links, regular.host_links) == (8, 24)
    assert (found.fabric_links, found.host_links) == (3, 15)
    assert found.fabric_links + found.host_links == len(list(list_links(made.plan)))


def test_an_absent_leaf_is_in_no_count_and_no_list(tmp_path: Path) -> None:
    made, errors = compiled(tmp_path, {"device": "leaf-u001-r4", "state": "absent"})
    assert errors == []
    found = summarize(made.plan, 1)
    assert (found.by_tier, found.switches) == ({"leaf": 1, "spine": 2}, 3)
    assert found.exceptions_by_state == {"absent": 1}
    assert (found.fabric_links, found.host_links) == (4, 12)
    assert found.fabric_links + found.host_links == len(list(list_links(made.plan)))
    assert "leaf-u001-r4" not in {str(row["b"]) for row in list_cabling(made.plan)}


def test_an_irregular_cable_is_told_at_its_port_of_the_nic(tmp_path: Path) -> None:
    dual = {"server": "dgx_h100_8", "nic": "connectx7_2x200g", "per_unit": 1}
    said = {"link": ["gpu-u001-h01", "leaf-u001-r0-2"], "n": 3, "cable": {"length_m": 2}}
    made, errors = compiled(
        tmp_path,
        said,
        hosts={"gpu": dual},
        attachment={"rails_per_leaf": 4, "leafs_per_group": 2},
        links={"host-leaf": SLOW, "leaf-spine": LINK},
    )
    assert errors == []
    irregular = [(row["a"], row["a_port"]) for row in list_cabling(made.plan) if row["length_m"] == 2]
    assert irregular == [("gpu-u001-h01", "rail2p1")]
    assert [row["name"] for row in list_exceptions(made.plan)] == ["gpu-u001-h01:rail2p1 -- leaf-u001-r0-2"]


def test_a_core_uses_every_path_to_a_pod_that_moved_cables_give_it(tmp_path: Path) -> None:
    tiers = {"leaf": BOX, "spine": {**BOX, "per": "pod", "count": 2}, "core": TOP}
    links = {"host-leaf": LINK, "slow-leaf": SLOW, "leaf-spine": LINK, "spine-core": PAIRS}
    said = {"link": ["spine-p01-01", "core-01"], "n": 1, "to": "core-02"}
    made, errors = compiled(tmp_path, said, pods=1, tiers=tiers, links=links)
    assert errors == []
    paths = {name: switch.cls.routing.max_paths for name, switch in switches(made).items()}
    assert (paths["core-01"], paths["core-02"]) == (4, 5)


def test_a_tier_reserves_ports_for_the_reserved_maximum_of_a_tier_that_is_no_part_of_pods(tmp_path: Path) -> None:
    spines = {**BOX, "per": "fabric", "count": {"count": 2, "max": 200}}
    tiers = {"leaf": BOX, "spine": spines, "core": TOP}
    links = {"host-leaf": LINK, "slow-leaf": SLOW, "leaf-spine": LINK, "spine-core": LINK}
    _, errors = compiled(tmp_path, pods=1, tiers=tiers, links=links)
    assert any(error.startswith("FG-TOP-009 core needs 200 x 400G down") for error in errors), errors
