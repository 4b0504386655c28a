"""Port tables: what our records expand to, against the vendors' own tables and against frozen digests of them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from shipped_records import NUMBERED, OWN_NUMBERED, OWN_TABLES, PORT_TABLES, everything, numbered_ports, port_rows

from fabricgen.catalog.records import SwitchModel, model_at
from tests.reference_files import find_reference, load_program

FROZEN = json.loads((Path(__file__).parent / "vectors" / "port_rows.json").read_text())
SKUS = [(model, sku) for model in (*PORT_TABLES, *OWN_TABLES) for sku in FROZEN[model]]
RENAMED = {"arista_7060x6_64pe_b": "arista_7060x6_64pe"}
"""Models whose table the judges keep with that of another."""


def digest(rows: object) -> str:
    """The first half of a canonical form's SHA-256."""
    return hashlib.sha256(json.dumps(rows, sort_keys=True, separators=(",", ":")).encode()).hexdigest()[:16]


@pytest.fixture(scope="module")
def judge() -> tuple[ModuleType, Path]:
    """The expander of vendor port tables and the folder with its tables."""
    return load_program("expand_ports"), find_reference("reference/catalog/ports")


def table_of(judge: tuple[ModuleType, Path], model: str) -> dict[str, Any]:
    import yaml

    document: dict[str, Any] = yaml.safe_load((judge[1] / f"{RENAMED.get(model, model)}.yaml").read_text())
    return document


def newest(model: str) -> SwitchModel:
    """A model as the newest release knows it; test_catalog_releases.py has the others."""
    return model_at(everything()[0].switches[model], "")


@pytest.mark.parametrize(("model", "sku"), SKUS)
def test_every_row_of_a_port_profile_is_the_frozen_one(model: str, sku: str) -> None:
    record = newest(model)
    rows = port_rows(record, next(known for known in record.skus if known.name == sku))
    assert [len(rows), digest(rows)] == FROZEN[model][sku]


@pytest.mark.parametrize("model", [*NUMBERED, *OWN_NUMBERED])
def test_every_numbered_port_is_the_frozen_one(model: str) -> None:
    rows = numbered_ports(everything()[0].switches[model])
    for row in rows.values():
        row["subsumes"] = {str(profile): ports for profile, ports in row["subsumes"].items()}
    assert [len(rows), digest(rows)] == FROZEN[model]["*"]


def test_the_frozen_vectors_cover_every_profile_of_every_table() -> None:
    switches = everything()[0].switches
    ours = {name: {sku.name for sku in model.skus} for name, model in switches.items() if model.skus}
    assert ours == {model: set(FROZEN[model]) for model in (*PORT_TABLES, *OWN_TABLES)}
    assert {name for name, model in switches.items() if any(cage.numbered for cage in model.cages)} == {
        *NUMBERED,
        *OWN_NUMBERED,
    }
    assert sum(rows for model in PORT_TABLES for rows, _ in FROZEN[model].values()) == 5133


@pytest.mark.parametrize("model", PORT_TABLES)
def test_every_breakout_of_every_cage_is_what_the_judge_expands(judge: tuple[ModuleType, Path], model: str) -> None:
    record, table = everything()[0].switches[model], table_of(judge, model)
    parents = judge[0].platform_json(table)
    assert {f"Ethernet{cage.base}" for cage in record.cages} == set(parents)
    for cage in record.cages:
        parent = parents[f"Ethernet{cage.base}"]
        assert ",".join(map(str, cage.lanes)) == parent["lanes"]
        assert {mode.text: list(mode.aliases) for mode in cage.modes} == parent["breakout_modes"]
        for mode in cage.modes:
            widths = [
                (speed, used // count)
                for count, speed, used in judge[0].mode_parts(mode.text, len(cage.lanes))
                for _ in range(count)
            ]
            assert [(port.speed_gbps * 1000, port.lanes) for port in mode.ports] == widths


@pytest.mark.parametrize("model", NUMBERED)
def test_every_numbered_port_is_what_the_judge_expands(judge: tuple[ModuleType, Path], model: str) -> None:
    record, table = everything()[0].switches[model], table_of(judge, model)
    assert numbered_ports(record) == judge[0].fboss_ports(table)
    assert record.port_profiles == table["profiles"]


@pytest.mark.parametrize(
    ("model", "number", "lanes"),
    [
        ("arista_7060x6_64pe", 0, range(17, 25)),
        ("arista_7060x6_64pe", 8, range(1, 9)),
        ("arista_7060x6_64pe", 16, range(9, 17)),
        ("dell_z9864f", 0, range(1, 9)),
        ("dell_z9864f", 8, range(17, 25)),
        ("arista_7060dx5_64s", 16, range(49, 57)),
        ("nvidia_sn5600", 8, range(8, 16)),
        ("dell_z9664f", 252, range(253, 257)),
    ],
)
def test_lanes_are_those_of_the_board(model: str, number: int, lanes: range) -> None:
    cage = next(cage for cage in everything()[0].switches[model].cages if cage.base == number)
    assert cage.lanes == tuple(lanes)


@pytest.mark.parametrize("model", [*NUMBERED, *OWN_NUMBERED])
def test_ports_of_a_mode_can_run_together(model: str) -> None:
    """Every port of a mode has a profile of that speed and width, and none makes another of them disappear."""
    record = everything()[0].switches[model]
    for cage in record.cages:
        by_name = {f"{cage.name}/{port.suffix}": port for port in cage.numbered}
        for mode in cage.modes:
            ports = [by_name[alias] for alias in mode.aliases]
            for port, wanted in zip(ports, mode.ports, strict=True):
                fitting = [
                    number
                    for number in port.profiles
                    if record.port_profiles[number].startswith(f"PROFILE_{wanted.speed_gbps}G_{wanted.lanes}_")
                ]
                others = {other.offset for other in ports} - {port.offset}
                assert fitting, (cage.name, mode.text)
                assert all(others.isdisjoint(port.subsumed_by_profile.get(number, ())) for number in fitting)
