"""``catalog``: everything an intent can name is listed with what it can, and each with its sources."""

from __future__ import annotations

import csv
import io
import json

import pytest

from fabricgen.catalog.library import known_models
from tests.command_line import run, succeed

FOLDERS = {name: name for name in ("switches", "nics", "servers", "asics", "nvlink")} | {"profiles": "ecn"}


@pytest.mark.parametrize("kind", FOLDERS)
def test_every_record_is_listed_in_every_format(kind: str) -> None:
    rows = json.loads(succeed("catalog", kind, "--format", "json"))
    assert [row["name"] for row in rows] == known_models(FOLDERS[kind])
    table = succeed("catalog", kind)
    cells = list(csv.DictReader(io.StringIO(succeed("catalog", kind, "--format", "csv"))))
    assert [row["name"] for row in cells] == [row["name"] for row in rows]
    assert all(list(row) == list(rows[0]) for row in cells)
    assert all(any(line.split()[:1] == [row["name"]] for line in table.splitlines()) for row in rows)


def test_a_switch_has_its_ports_releases_and_platforms() -> None:
    rows = {row["name"]: row for row in json.loads(succeed("catalog", "switches", "--format", "json"))}
    row = rows["arista_7060x6_64pe"]
    assert row["ports"] == ["64x800G", "128x400G", "256x200G", "512x100G"]
    assert row["platforms"] == ["eos", "sonic", "frr"]
    assert row["releases"][0] == "202405"
    # Its board is in images from 202605 on.
    assert rows["dell_z9864f"]["releases"][0] == "202605"
    assert rows["meta_minipack3"]["releases"] == []


def test_platforms_are_listed_with_their_switches() -> None:
    rows = {row["name"]: row for row in json.loads(succeed("catalog", "platforms", "--format", "json"))}
    assert {"sonic", "eos", "frr", "fboss", "cumulus_nvue", "ubuntu", "mlx5"} <= set(rows)
    assert "dell_z9664f" in rows["sonic"]["switches"]
    assert rows["ubuntu"]["kind"] == "host"


@pytest.mark.parametrize(
    ("kind", "name", "source"),
    [
        ("switches", "dell_z9864f", "sonic-net/sonic-buildimage"),
        ("nics", "connectx7_400g", "drivers/net/ethernet/mellanox"),
        ("servers", "dgx_h100_8", "NVIDIA DGX H100/H200 User Guide"),
        ("profiles", "cisco_100g", ""),
        ("asics", "tomahawk5", ""),
        ("nvlink", "nvlink5", "docs.nvidia.com/dgx-superpod"),
        ("servers", "gb200_tray_4", "18 links, 1.8 TB/s"),
    ],
)
def test_one_record_is_shown_with_its_sources(kind: str, name: str, source: str) -> None:
    data = json.loads(succeed("catalog", kind, name, "--format", "json"))
    assert data["name"] == name
    assert any(source in str(row["document"]) for row in data["sources"])
    assert all(row["document"] or row["confidence"] == "unconfirmed" for row in data["sources"])
    assert {row["field"]: row["value"] for row in data["model"]}["name"] == name
    assert name in succeed("catalog", kind, name)


def test_a_platform_is_shown_with_what_it_can() -> None:
    data = json.loads(succeed("catalog", "platforms", "sonic", "--format", "json"))
    answers = {row["capability"]: row["value"] for row in data["capabilities"]}
    assert answers["gtsm"] in ("yes", "no")


def test_without_a_kind_the_kinds_are_counted() -> None:
    rows = json.loads(succeed("catalog", "--format", "json"))
    assert {row["kind"]: row["known"] for row in rows}["servers"] == len(known_models("servers"))


@pytest.mark.parametrize(
    ("kind", "name", "meant"),
    [
        ("switches", "SN5600", "nvidia_sn5600"),
        ("nics", "ConnectX-7", "connectx7_2x200g or connectx7_400g"),
        ("servers", "gb300_nvl72", "gb300_tray_4"),
        ("platforms", "SONiC", "sonic"),
    ],
)
def test_an_unknown_name_has_its_neighbour(kind: str, name: str, meant: str) -> None:
    done = run("catalog", kind, name).exits(2)
    assert f"did you mean {meant}? See: fabricgen catalog {kind}" in " ".join(done.stderr.split())
