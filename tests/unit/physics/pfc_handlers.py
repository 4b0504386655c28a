"""Judgement of each group of the PFC reference vectors."""

from __future__ import annotations

import pytest
from shipped_switches import buffers, catalog, pool, row, shared_of, switch
from vector_files import Handler, Row

from fabricgen.physics.ecn_thresholds import ecn_bound_bytes
from fabricgen.physics.headroom import TABLE_LAWS, headroom_pool_ratio, table_law_cells, wire_headroom_bytes
from fabricgen.physics.headroom_dynamic import (
    TIMING_BY_ASIC,
    HeadroomScript,
    LosslessPort,
    LosslessTraffic,
    dynamic_headroom,
)
from fabricgen.physics.pause import PAUSE_QUANTA_BY_GBPS, default_watchdog_times
from fabricgen.physics.timers import ack_timeout_s, retry_budget_s

SKUS = {
    "dell_z9864f": ("dell_z9864f", "Dell-Z9864f-O64"),
    "dell_z9664f": ("dell_z9664f", "DellEMC-Z9664f-O64"),
    "nokia_h6_128": ("nokia_ixr7220_h6_128", "Nokia-IXR7220-H6-P128"),
    "arista_7060x6_O128S2": ("arista_7060x6_64pe", "Arista-7060X6-64PE-O128S2"),
    "256x200G/BALANCED": ("arista_7060x6_64pe", "Arista-7060X6-64PE-256x200G"),
    "O128S2": ("arista_7060x6_64pe", "Arista-7060X6-64PE-O128S2"),
    "B-O128": ("arista_7060x6_64pe_b", "Arista-7060X6-64PE-B-O128"),
    "B-P64": ("arista_7060x6_64pe_b", "Arista-7060X6-64PE-B-P64"),
    "th5_7060x6_O128S2": ("arista_7060x6_64pe", "Arista-7060X6-64PE-O128S2"),
    "th5_z9864f": ("dell_z9864f", "Dell-Z9864f-O64"),
    "th4_z9664f": ("dell_z9664f", "DellEMC-Z9664f-O64"),
    "spectrum4_64x800": ("nvidia_sn5600", "ACS-SN5600"),
}
"""The reference's names for boards and SKUs in the catalog."""

TH5_TWIN = ("nokia_ixr7220_h5_64d", "Nokia-IXR7220-H5-64D")
"""The Tomahawk 5 board whose table the Tomahawk 6 board H6-64 ships, unfit for it."""

DEFAULT_MTU = 9100


def _script_vector(script: HeadroomScript) -> Handler:
    def judge(row: Row) -> None:
        named = row.get("asic", "spectrum4")
        traffic = LosslessTraffic(1024, row.get("small_pct", 50))
        lanes = 8 if row["lanes8"] else 4
        port = LosslessPort(row["mbps"] // 1000, lanes, row["len_m"], DEFAULT_MTU)
        assert row["mbps"] % 1000 == 0
        for asic in ("spectrum2", "spectrum3") if named == "spectrum2_3" else (named,):
            found = dynamic_headroom(asic, port, traffic, script=script)
            assert found.xoff_bytes == row["xoff"]
            assert found.size_bytes == row["size"]
            assert found.xon_bytes == row.get("xon", found.xon_bytes)

    return judge


def _judge_defaults(row: Row) -> None:
    port = LosslessPort(400, 4, 40, row["port_mtu"])
    traffic = LosslessTraffic(row["lossless_mtu"], row["small_packet_pct"])
    assert row["gearbox_delay"] == 0
    found = dynamic_headroom("spectrum4", port, traffic, script=HeadroomScript.BEFORE_202405)
    assert found == (196608, 19456, 177152)


def _judge_fixed(row: Row) -> None:
    t = TIMING_BY_ASIC[row["asic"]]
    assert (t.cell_bytes, t.pipeline_kb, t.mac_phy_kb) == (row["cell"], row["pipeline_kb"], row["mac_phy_kb"])
    port = LosslessPort(400, 4, 40, row["port_mtu"])
    traffic = LosslessTraffic(row["lossless_mtu"], row["small_pct"])
    assert not row["shared_headroom"]
    assert dynamic_headroom(row["asic"], port, traffic) == (139264, 19456, 119808)


def _judge_quanta(row: Row) -> None:
    for mbps, quanta in row.items():
        assert PAUSE_QUANTA_BY_GBPS[mbps // 1000] == quanta


def _judge_cells(row: Row) -> None:
    for asic, cell in row.items():
        assert TIMING_BY_ASIC[asic].cell_bytes == cell


def _judge_static_sn5600(vector: Row) -> None:
    """The shipped row, and the script with only small packets and the port MTU of 9216, which gives the same XOFF."""
    speed, length = vector["mbps"] // 1000, vector["len_m"]
    listed = row("nvidia_sn5600", "ACS-SN5600", speed, length)
    port = LosslessPort(speed, 8 if speed == 800 else 4, length, 9216)
    found = dynamic_headroom("spectrum4", port, LosslessTraffic(1024, 100), script=HeadroomScript.SINCE_202605)
    assert (listed.row_m, listed.xoff_bytes, found.xoff_bytes) == (length, vector["xoff"], vector["xoff"])
    assert listed.xon_bytes == found.xon_bytes == vector.get("xon", listed.xon_bytes)


def _judge_generic(row: Row) -> None:
    assert abs(wire_headroom_bytes(row["gbps"], row["len_m"], row["mtu"]) - row["bytes"]) <= 0.5


def _law_bases(asic: str) -> Handler:
    def judge(row: Row) -> None:
        assert {mbps // 1000: cells for mbps, cells in row.items()} == TABLE_LAWS[asic].base_cells_by_gbps

    return judge


def _pool(board: str) -> Handler:
    def judge(row: Row) -> None:
        found = pool(*SKUS[board])
        assert (found.size_bytes, found.xoff_bytes) == (row["size"], row["xoff"])
        if "total" in row:
            profiles = buffers(*SKUS[board], "t0").profiles
            assert row["total"] in {profile.static_th_bytes for profile in profiles}

    return judge


def _table(board: str, law_within: int | None = None) -> Handler:
    """Rows ``m<metres>``, found through the catalog; on boards that fit the ASIC's law also within some cells of it."""

    def judge(vector: Row) -> None:
        model, sku = SKUS[vector.get("sku", board)]
        asic = switch(model).asic.id
        speed = vector["mbps"] // 1000
        for key in [key for key in vector.data if key.startswith("m") and key[1:].isdigit()]:
            length, xoff = int(key[1:]), vector[key]
            found = row(model, sku, speed, length)
            assert found.xoff_bytes == xoff
            clamped = board == "dell_z9864f" and speed < 100 and length == 300
            if law_within is not None and not clamped:
                cells = table_law_cells(asic, speed, length)
                assert abs(cells - xoff / TABLE_LAWS[asic].cell_bytes) <= law_within
        if "pool" in vector:
            _judge_arista_pool(vector["pool"], model, sku)

    return judge


def _judge_arista_pool(figures: dict[str, int], model: str, sku: str) -> None:
    for key, value in figures.items():
        topology = key.removeprefix("size_") if key.startswith("size_") else "t0"
        found = pool(model, sku, topology)
        assert value == (found.xoff_bytes if key == "xoff" else found.size_bytes)


def _judge_unfit_table(vector: Row) -> None:
    """The table of the Tomahawk 6 board H6-64 is that of a Tomahawk 5 board, so the catalog gives it none."""
    assert switch("nokia_ixr7220_h6_64").headroom == ()
    for key in ("m5", "m40", "m300"):
        assert row(*TH5_TWIN, vector["mbps"] // 1000, int(key[1:])).xoff_bytes == vector[key]


def _judge_unfit_pool(row: Row) -> None:
    found = pool(*TH5_TWIN)
    assert (found.size_bytes, found.xoff_bytes) == (row["size"], row["xoff"])


def _judge_deep_buffer(row: Row) -> None:
    """No record in the catalog: the figure lies above what is on the wire, as every valid one, and near it."""
    assert 1.3 < row["xoff"] / wire_headroom_bytes(row["mbps"] // 1000, row["up_to_m"], 9216) < 1.4


def _judge_oversubscription(vector: Row) -> None:
    model, sku = SKUS[vector["platform"]]
    xoff = row(model, sku, vector["mbps"] // 1000, 40).xoff_bytes
    pool_xoff = pool(model, sku).xoff_bytes
    assert pool_xoff
    for key, priorities in (("ratio", vector.get("prios", 2)), ("prios1_ratio", 1)):
        if key in vector:
            ratio = headroom_pool_ratio([xoff] * (vector["ports"] * priorities), pool_xoff)
            assert ratio == pytest.approx(vector[key], abs=0.0006)


def _judge_ecn_bound(row: Row) -> None:
    if "t_flight" in row:
        _judge_dcqcn(row)
        return
    if row["id"] in SKUS:
        assert row["Bs"] == shared_of(*SKUS[row["id"]])
    assert 0 <= row["t_ecn_max"] - ecn_bound_bytes(row["alpha"], row["Bs"], row["n"], row["p"]) <= 1


def _judge_dcqcn(row: Row) -> None:
    shared = row["B"] - 8 * row["n"] * row["t_flight"]
    assert ecn_bound_bytes(row["beta"] / 8, shared, row["n"], 8) == int(row["t_ecn_max"])


def _judge_deployed(row: Row) -> None:
    named = {"th5_7060x6_O128S2": "sonic_th5_400g", "sonic_default_template_on_th5_O128": "sonic_default"}
    profile = catalog().ecn_profiles[named[row["platform"]]]
    bound = ecn_bound_bytes(1.0, shared_of(*SKUS["O128S2"]), 128, 2)
    assert (profile.kmin_bytes, profile.kmax_bytes, bound) == (row["kmin"], row["kmax"], row["bound_p2"])
    assert row["ok"] == (profile.kmax_bytes <= bound)


def _judge_ecn_profile(row: Row) -> None:
    profile = catalog().ecn_profiles[row["id"]]
    assert (profile.kmin_bytes, profile.kmax_bytes) == (row["kmin"], row["kmax"])
    assert profile.pmax_pct == row.get("pmax_pct", profile.pmax_pct)


def _judge_ack_timeout(row: Row) -> None:
    assert ack_timeout_s(row["t"]) == pytest.approx(row["seconds"], abs=1e-6)
    if "retry_cnt" in row:
        budget = retry_budget_s(row["t"], row["retry_cnt"])
        assert budget == pytest.approx(row["total_s"], abs=1e-6)
        assert 1 <= row.get("observed_s", budget) / budget < 1.2


def _judge_watchdog(row: Row) -> None:
    times = default_watchdog_times(32)
    assert times == (row["detection_ms"], row["restoration_ms"], row["poll_ms"])
    assert row["scale"] == "x ceil(ports/32), poll capped at 1000"
    assert default_watchdog_times(33) == (400, 400, 400)
    assert default_watchdog_times(512) == (3200, 3200, 1000)


HANDLERS: dict[str, Handler] = {
    "sonic_mellanox_lua.defaults": _judge_defaults,
    "sonic_mellanox_lua.pause_quanta_by_mbps": _judge_quanta,
    "sonic_mellanox_lua.cell_by_asic": _judge_cells,
    "sonic_mellanox_lua.vectors": _script_vector(HeadroomScript.BEFORE_202405),
    "sonic_mellanox_lua_current.fixed": _judge_fixed,
    "sonic_mellanox_lua_current.vectors": _script_vector(HeadroomScript.SINCE_202605),
    "sonic_mellanox_static_sn5600.vectors": _judge_static_sn5600,
    "generic_802_1qbb_like.vectors": _judge_generic,
    "broadcom_tables.base_cells_th5": _law_bases("tomahawk5"),
    "broadcom_tables.base_cells_th4": _law_bases("tomahawk4"),
    "broadcom_tables.dell_z9864f_th5.pool": _pool("dell_z9864f"),
    "broadcom_tables.dell_z9864f_th5.rows": _table("dell_z9864f", law_within=1),
    "broadcom_tables.dell_z9664f_th4.pool": _pool("dell_z9664f"),
    "broadcom_tables.dell_z9664f_th4.rows": _table("dell_z9664f", law_within=1),
    "broadcom_tables.arista_7060x6_64pe_th5.rows": _table("O128S2"),
    "broadcom_tables.nokia_h6_128_th6.pool": _pool("nokia_h6_128"),
    "broadcom_tables.nokia_h6_128_th6.rows": _table("nokia_h6_128", law_within=2),
    "broadcom_tables.nokia_h6_64_th6.pool": _judge_unfit_pool,
    "broadcom_tables.nokia_h6_64_th6.rows": _judge_unfit_table,
    "broadcom_tables.jericho3_7280r4.rows": _judge_deep_buffer,
    "headroom_pool_oversubscription": _judge_oversubscription,
    "ecn_before_pfc.vectors": _judge_ecn_bound,
    "ecn_before_pfc.deployed_check": _judge_deployed,
    "ecn_profiles": _judge_ecn_profile,
    "ib_ack_timeout.vectors": _judge_ack_timeout,
    "pfc_watchdog": _judge_watchdog,
}

EXCLUDED = {
    ("broadcom_tables.jericho3_7280r4.pool", ""): "no record of Arista 7280R4 in the catalog; sonic-buildimage "
    "device/arista/x86_64-arista_7280r4_32qf_32df: a shipped figure that no formula gives",
    ("ecn_before_pfc.vectors", "dcqcn_static"): "a fixed threshold of PFC; those of switches follow the free buffer",
    ("ecn_profiles", "hpcc_scaling"): "scaled with the speed alone, by a simulator; alibaba-edu HPCC",
    ("ecn_profiles", "juniper_apstra"): "percent of a queue's buffer share, not bytes; Juniper/apstra-configlets DCQCN",
    ("dcqcn_parameters.paper", ""): "sender's parameters, nothing is computed from them; Zhu et al., SIGCOMM 2015",
    ("dcqcn_parameters.ns3_rdma_sim", ""): "a simulator's inputs; bobzhuyb/ns3-rdma config.txt",
    ("dcqcn_parameters.hpcc_vendor_like", ""): "a simulator's inputs; alibaba-edu/High-Precision-Congestion-Control",
    ("linux_mlx5_nic.vectors", ""): "the driver's own sum; nothing rendered or checked depends on it",
    ("pfc_watchdog", "microsoft_2016"): "one operator's setting, not a formula; Guo et al., SIGCOMM 2016",
}
"""Vectors that are not replayed, by group and name, and why."""

UNREAD = {
    # The sizes listed are without a shared headroom pool, although a ratio of 1 would switch it on:
    # sonic-net/sonic-swss 4957df86d cfgmgr/buffer_headroom_mellanox.lua, shp_enabled.
    "sonic_mellanox_lua.defaults": {"over_subscribe_ratio"},
    # The traffic class that the vendor marks; no threshold.
    "ecn_profiles": {"tc"},
    # What the switch does then, not when.
    "pfc_watchdog": {"action"},
    # A board's alpha; not part of its headroom.
    "broadcom_tables.jericho3_7280r4.rows": {"dynamic_th"},
}
"""Keys that a group's handler does not read, and why."""

NAMES = ("id", "who", "platform")
"""Keys by which a vector is called."""
