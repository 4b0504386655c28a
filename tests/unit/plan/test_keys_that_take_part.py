"""A diagnostic names every key that takes part, and none follows from a name that is not known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabricgen.compiler.compile import compile_document
from fabricgen.diagnostics import Bag, Diagnostic, IntentPath
from fabricgen.source import Document, load_document
from tests.acceptance.run import INVENTORIES

MODELS = [("tiers", "leaf", "model"), ("tiers", "spine", "model")]
PLATFORMS = [("tiers", "leaf", "platform"), ("tiers", "spine", "platform")]
EOS = {"model": "arista_7060x6_64pe", "platform": "eos"}


def changed(changes: dict[IntentPath, Any], *overlays: str) -> Document:
    """The quickstart inventory with other values; None takes a key away."""
    paths = [INVENTORIES / f"quickstart/overlays/{name}.yaml" for name in overlays]
    document = load_document(INVENTORIES / "quickstart/fabric.yaml", Bag(), overlays=paths)
    for path, value in changes.items():
        document = document.without(path) if value is None else document.replaced(path, value)
    return document


def told(code: str, changes: dict[IntentPath, Any], folder: Path = INVENTORIES / "quickstart") -> list[Diagnostic]:
    bag = Bag()
    compile_document(changed(changes), folder, bag)
    return [item for item in bag if item.code == code]


def paths(item: Diagnostic) -> set[IntentPath]:
    return {item.path, *(other.path for other in item.related)}


def test_an_unknown_model_is_one_error_that_names_each_place() -> None:
    (found,) = told("FG-CAT-001", dict.fromkeys(MODELS, "unheard_of"))
    assert [found.path, *(other.path for other in found.related)] == MODELS


def test_two_unknown_names_are_two_errors() -> None:
    assert len(told("FG-CAT-001", dict(zip(MODELS, ("unheard_of", "unseen"), strict=True)))) == 2


def test_a_speed_follows_from_no_unknown_model() -> None:
    speed = {("links", "leaf-spine", "speed"): "40G"}
    assert [paths(item) for item in told("FG-TOP-010", speed)] == [{*speed, path} for path in MODELS]
    (found,) = told("FG-TOP-010", {**speed, MODELS[0]: "unheard_of"})
    assert MODELS[1] in paths(found), "that the spine does not run 40G has nothing to do with the leaf"
    assert told("FG-TOP-010", {**speed, **dict.fromkeys(MODELS, "unheard_of")}) == []


def test_a_medium_without_a_profile_follows_from_no_unknown_model() -> None:
    fboss = {"model": "meta_minipack3", "platform": "fboss"}
    changes: dict[IntentPath, Any] = {
        ("tiers", "spine"): {**fboss, "per": "fabric", "count": 2},
        ("links", "leaf-spine", "cable"): {"media": "dac", "length_m": 2},
        ("links", "leaf-spine", "speed"): "100G",
    }
    (found,) = told("FG-TOP-015", changes)
    assert {MODELS[1], ("links", "leaf-spine", "speed")} <= paths(found)
    assert not told("FG-TOP-015", {**changes, MODELS[1]: "unheard_of"})


def test_a_snippet_for_a_platform_follows_from_no_unknown_platform() -> None:
    raw = {"device": "spine-01", "raw": {"eos": "a.cfg"}, "reason": "a trial"}
    (found,) = told("FG-EXC-018", {("exceptions",): [raw]})
    assert set(PLATFORMS) <= paths(found)
    assert told("FG-EXC-018", {("exceptions",): [raw], PLATFORMS[1]: "eoss"}) == []
    other = {**raw, "device": "leaf-u001-r0", "raw": {"eos": "a.cfg", "frr": "b.cfg"}}
    mixed: dict[IntentPath, Any] = {("exceptions",): [other], ("tiers", "spine", "platform"): "frr"}
    assert {item.path[-1] for item in told("FG-EXC-018", mixed)} == {"eos", "frr"}


def test_a_fabric_that_is_too_large_names_all_that_is_multiplied() -> None:
    (found,) = told("FG-TOP-014", {("units",): {"count": 500_000, "max": 500_000}})
    assert {("units", "count"), ("hosts", "gpu", "per_unit", "count")} <= paths(found)


@pytest.mark.parametrize("key", ["ecmp_members_max", "ecmp_groups_max"])
def test_full_ecmp_tables_name_the_counts_behind_the_groups(key: str, tmp_path: Path) -> None:
    data = Path(__file__).resolve().parents[3] / "fabricgen/catalog/data"
    for kind, name, old, new in (
        ("switches", "arista_7060x6_64pe", "asic: tomahawk5", "asic: own"),
        ("asics", "tomahawk5", "", ""),
    ):
        text = (data / kind / f"{name}.yaml").read_text(encoding="utf-8").replace(f"id: {name}", "id: own")
        lines = [f"{key}: 1" if line.strip().startswith(f"{key}:") else line for line in text.split("\n")]
        (tmp_path / "catalog" / kind).mkdir(parents=True)
        (tmp_path / "catalog" / kind / "own.yaml").write_text("\n".join(lines).replace(old, new), encoding="utf-8")
    (found,) = told("FG-RTE-012", {MODELS[1]: "own"}, tmp_path)
    written = {("units", "max"), ("links", "leaf-spine", "per_pair"), MODELS[1]}
    assert written <= {path[: len(each)] for path in paths(found) for each in written}


JOB = """\
name: large
parallelism: {tensor: 8, data: @RANKS@}
step: {seconds: 0.0001}
messages: [{name: sums, collective: all_reduce, over: data, payload_bytes: 1000000000}]
"""


@pytest.mark.parametrize(
    ("code", "ranks", "keys"),
    [
        ("FG-EXP-006", 100_000, {("units",), ("hosts", "gpu", "per_unit"), ("hosts", "gpu", "server")}),
        ("FG-EXP-007", 2, {("workload",), ("links", "host-leaf", "speed"), ("hosts", "gpu", "server")}),
    ],
)
def test_a_job_that_does_not_fit_names_what_makes_the_fabric(
    code: str, ranks: int, keys: set[IntentPath], tmp_path: Path
) -> None:
    (tmp_path / "job.yaml").write_text(JOB.replace("@RANKS@", str(ranks)), encoding="utf-8")
    absent = {"host": "gpu-u001-h01", "state": "absent", "reason": "late"}
    found = told(code, {("workload",): "job.yaml", ("exceptions",): [absent]}, tmp_path)[0]
    assert {each for each in keys for path in paths(found) if path[: len(each)] == each} == keys
    assert (code == "FG-EXP-006") == any(path[-1] == "state" for path in paths(found))


def test_gpus_that_are_absent_name_their_exception() -> None:
    absent = {"host": "gpu-u001-h01", "state": "absent", "reason": "late"}
    (found,) = told("FG-EXP-001", {("expect",): {"gpus": 64}, ("exceptions",): [absent]})
    assert found.related[0].text == "gpu-u001-h01 is absent"


def test_access_names_all_platforms_and_tiers() -> None:
    (found,) = told("FG-PLT-055", {("tiers", "leaf"): EOS})
    assert set(PLATFORMS) <= paths(found)
    assert found.message.startswith("eos and sonic accept SSH from ")
    frr: dict[IntentPath, Any] = dict.fromkeys(PLATFORMS, "frr")
    (found,) = told("FG-PLT-955", {**frr, ("operations", "access"): {"acl": True}})
    assert set(PLATFORMS) <= paths(found)


@pytest.mark.parametrize("moved", [False, True])
def test_a_cable_moved_to_an_absent_switch_breaks_an_expectation(moved: bool) -> None:
    link = {"link": ["leaf-u001-r0", "spine-01"], "n": 1, "to": "spine-02", "reason": "swapped"}
    changes: dict[IntentPath, Any] = {
        ("tiers", "spine", "count"): 4,
        ("links", "leaf-spine", "per_pair"): 1,
        ("expect",): {"failures": {"spine": 2}},
        ("exceptions",): [{"device": "spine-02", "state": "absent", "reason": "late"}, *([link] if moved else [])],
    }
    found = told("FG-TOP-045", changes)
    assert bool(found) == moved
    assert all(("exceptions", "[leaf-u001-r0~spine-01 1 to]", "to") in paths(item) for item in found)
