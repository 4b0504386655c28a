"""Headroom: vendors' tables, the SONiC script in its three forms, the NIC driver and the plausibility figures."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shipped_switches import catalog, row, switch

from fabricgen.physics import Refusal
from fabricgen.physics.headroom import headroom_row, table_deviation, table_law_cells, wire_headroom_bytes
from fabricgen.physics.headroom_dynamic import (
    TIMING_BY_ASIC,
    HeadroomScript,
    LosslessPort,
    LosslessTraffic,
    dynamic_headroom,
    headroom_script,
)
from fabricgen.physics.pause import longest_pause_us, response_bytes

SCRIPT_OUTPUTS = Path(__file__).parent / "script_outputs.csv"
"""Output of the scripts themselves for random inputs, run under Lua 5.1 with a stand-in for the database.

Source:
    sonic-net/sonic-swss cfgmgr/buffer_headroom_mellanox.lua at 4957df86d, branch 202511 and branch 202605.
"""

HALF_SMALL = LosslessTraffic(1024, 50)


# -- the SONiC script


def test_every_output_of_the_scripts_is_reproduced() -> None:
    with SCRIPT_OUTPUTS.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["script"] for row in rows} == {script.value for script in HeadroomScript}
    assert {row["asic"] for row in rows} == set(TIMING_BY_ASIC)
    wrong = []
    for given_row in rows:
        n = {key: int(value) for key, value in given_row.items() if value.isdecimal()}
        port = LosslessPort(n["gbps"], n["lanes"], n["cable_m"], n["port_mtu"])
        traffic = LosslessTraffic(n["lossless_mtu"], n["small_pct"])
        script = HeadroomScript(given_row["script"])
        found = dynamic_headroom(given_row["asic"], port, traffic, script=script)
        if found != (n["size"], n["xon"], n["xoff"]):
            wrong.append((given_row, found))
    assert len(rows) == 73
    assert wrong == []


def test_each_image_runs_the_script_of_its_branch() -> None:
    old, middle, new = HeadroomScript
    found = {release: headroom_script(release) for release in ("202311", "202405", "202511", "202605", "master")}
    assert found == {"202311": old, "202405": middle, "202511": middle, "202605": new, "master": new}


def test_no_script_for_other_makers() -> None:
    found = dynamic_headroom("tomahawk5", LosslessPort(400, 4, 40, 9100), HALF_SMALL)
    assert found.code == "FG-BUF-014"
    assert found.facts["asic"] == "tomahawk5"


@given(
    asic=st.sampled_from(sorted(TIMING_BY_ASIC)),
    script=st.sampled_from(HeadroomScript),
    speed=st.sampled_from([25, 100, 200, 400, 800, 1600]),
    lanes=st.sampled_from([1, 4, 8]),
    length=st.integers(1, 2000),
    pct=st.integers(0, 100),
)
def test_longer_never_is_less(asic: str, script: HeadroomScript, speed: int, lanes: int, length: int, pct: int) -> None:
    port = LosslessPort(speed, lanes, length, 9216)
    short = dynamic_headroom(asic, port, LosslessTraffic(4200, pct), script=script)
    long = dynamic_headroom(asic, port._replace(cable_m=length * 2), LosslessTraffic(4200, pct), script=script)
    assert short.xoff_bytes <= long.xoff_bytes
    assert all(size % 1024 == 0 for size in short)
    assert short.size_bytes >= short.xoff_bytes + short.xon_bytes


# -- vendors' tables


def test_a_table_is_rounded_up_and_never_extrapolated() -> None:
    tables = switch("dell_z9864f").headroom
    sku = "Dell-Z9864f-O64"
    assert row("dell_z9864f", sku, 400, 5).xoff_bytes == 393192
    assert row("dell_z9864f", sku, 400, 5.5).xoff_bytes == 446024
    assert row("dell_z9864f", sku, 800, 300).xoff_bytes == 1621536
    refused = [headroom_row(tables, *asked) for asked in (("Other", 400, 5), (sku, 1600, 5), (sku, 400, 301))]
    assert [found.code for found in refused if isinstance(found, Refusal)] == ["FG-BUF-011", "FG-BUF-011", "FG-BUF-013"]


# -- plausibility


def test_no_table_that_is_rendered_is_below_what_is_on_the_wire() -> None:
    """Switches of NVIDIA compute their headroom; their makers' tables are for smaller packets, and FG-BUF-005 warns."""
    models = [model for model in catalog().switches.values() if model.asic.vendor != "nvidia"]
    tables = [(model.id, table) for model in models for table in model.headroom]
    assert sum(len(table.rows) for _, table in tables) > 100
    for model, table in tables:
        for listed in table.rows:
            wire = wire_headroom_bytes(listed.speed_gbps, listed.row_m, 9216)
            assert listed.xoff_bytes > wire * 1.05, (model, listed)


def test_tables_of_one_asic_differ_and_the_deviation_says_by_how_much() -> None:
    asic = switch("dell_z9864f").asic
    xoffs = {
        ("dell_z9864f", "Dell-Z9864f-O64"): 0.0,
        ("arista_7060x6_64pe_b", "Arista-7060X6-64PE-B-O128"): 0.1337,
        ("arista_7060x6_64pe", "Arista-7060X6-64PE-O128S2"): 0.5568,
        ("nokia_ixr7220_h5_64d", "Nokia-IXR7220-H5-64D"): -0.2171,
    }
    for (model, sku), expected in xoffs.items():
        assert table_deviation(asic, row(model, sku, 400, 5)) == pytest.approx(expected, abs=1e-4)


def test_no_line_means_no_deviation() -> None:
    listed = row("nvidia_sn5600", "ACS-SN5600", 400, 40)
    unknown_asic = table_deviation(switch("nvidia_sn5600").asic, listed)
    unknown_speed = table_law_cells("tomahawk5", 1600, 40)
    no_quanta = wire_headroom_bytes(1600, 40, 9216)
    codes = [found.code for found in (unknown_asic, unknown_speed, no_quanta) if isinstance(found, Refusal)]
    assert codes == ["FG-BUF-015", "FG-BUF-015", "FG-BUF-016"]


@pytest.mark.parametrize(("length", "short"), [(3, 0.24), (50, 0.12), (100, 0.04)])
def test_headroom_at_800g_holds_one_of_two_response_times(length: int, short: float) -> None:
    """SONiC's figure for the SN5600 at 800G and 9,216 bytes holds 905 quanta, not 1,810; Tomahawk 5's both."""
    found = dynamic_headroom(
        "spectrum4", LosslessPort(800, 8, length, 9216), LosslessTraffic(1024, 50), script=HeadroomScript.SINCE_202405
    )
    needed = [wire_headroom_bytes(800, length, 9216, same_time=same_time) for same_time in (False, True)]
    assert needed[1] - needed[0] == (1810 - 905) * 64
    assert needed[0] < found.xoff_bytes < needed[1]
    assert 1 - found.xoff_bytes / needed[1] == pytest.approx(short, abs=0.005)
    assert row("dell_z9864f", "Dell-Z9864f-O64", 800, length).xoff_bytes > needed[1]


def test_pause() -> None:
    assert response_bytes(400) == response_bytes(400, same_time=True) == 905 * 64
    assert (response_bytes(800), response_bytes(800, same_time=True)) == (905 * 64, 1810 * 64)
    assert longest_pause_us(10) == pytest.approx(3355.392)
    assert longest_pause_us(400) == pytest.approx(83.8848)
    assert longest_pause_us(10, quanta=1) == pytest.approx(0.0512)
