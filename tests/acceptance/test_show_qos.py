"""Every figure that ``show qos``, ``show buffers`` and ``analyze buffers`` print is the one that is rendered."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.acceptance.rendered_fabric import Rendered, numbers
from tests.command_line import succeed

COLUMNS = yaml.safe_load((Path(__file__).parent / "qos_columns.yaml").read_text())
SHAPES: dict[tuple[str, ...], dict[str, str]] = {tuple(words.split()): COLUMNS[words] for words in COLUMNS}
"""Sections and columns that other programs may rely on."""


@pytest.fixture(scope="module", params=["quickstart", "rail-1k"])
def rendered(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Rendered:
    out = tmp_path_factory.mktemp(request.param) / "out"
    return Rendered.of(f"inventories/{request.param}", out)


@pytest.fixture(scope="module")
def qos(rendered: Rendered) -> dict[str, Any]:
    return rendered.shown("show", "qos")


@pytest.fixture(scope="module")
def buffers(rendered: Rendered) -> dict[str, Any]:
    return rendered.shown("show", "buffers")


@pytest.mark.parametrize("words", SHAPES, ids=" ".join)
def test_shape_of_the_json_is_stable(words: tuple[str, str], rendered: Rendered) -> None:
    data = rendered.shown(*words)
    assert list(data) == ["fabric", *SHAPES[words]]
    for section, columns in SHAPES[words].items():
        assert {" ".join(row) for row in data[section]} == {columns}, section


@pytest.mark.parametrize("words", SHAPES, ids=" ".join)
def test_tables_show_every_section_and_source(words: tuple[str, str]) -> None:
    text = succeed(words[0], "inventories/quickstart", words[1])
    lines = text.splitlines()
    titles = [line.lower().replace(" ", "_") for line in lines if line.isupper()]
    assert [title for title in titles if title in SHAPES[words]] == list(SHAPES[words])
    named = {int(number) for number in re.findall(r"\[(\d+)\]", text)}
    listed = {int(found[1]) for line in lines if (found := re.match(r"\[(\d+)\] \S", line))}
    assert named == listed == set(range(1, len(listed) + 1))


def test_what_is_known_of_storms_is_shown(qos: dict[str, Any]) -> None:
    assert any("action: alert ends no storm" in row["advice"] for row in qos["known_faults"])


def test_adaptive_routing_alone_is_not_the_makers_congestion_control() -> None:
    """Its needs: Mellanox/nic-configuration-operator, bindata/spectrum-x. Nothing reads marks of Cumulus."""
    data = json.loads(succeed("show", "inventories/spectrumx-superpod", "qos", "--format", "json"))
    (row,) = data["congestion_control"]
    assert (row["control"], row["adaptive_tiers"]) == ("DCQCN", ["leaf", "spine"])
    assert "doca_spcx_cc" in row["makers_own_needs"]
    assert {each["marks_read"] for each in data["ecn"]} == {False}


def test_classes_are_the_maps_of_every_switch(rendered: Rendered, qos: dict[str, Any]) -> None:
    for db in rendered.switches.values():
        points = {int(dscp): int(tc) for dscp, tc in db["DSCP_TO_TC_MAP"]["AZURE"].items()}
        assert {dscp: row["priority"] for row in qos["classes"] for dscp in numbers(row["dscp"])} == points
        for row in qos["classes"]:
            tc = str(row["priority"])
            assert int(db["TC_TO_QUEUE_MAP"]["AZURE"][tc]) == row["queue"]
            assert int(db["TC_TO_PRIORITY_GROUP_MAP"]["AZURE"][tc]) == row["priority_group"]
            scheduler = db["SCHEDULER"][f"scheduler.{row['class']}"]
            assert scheduler["type"] == {"strict": "STRICT", "weighted": "DWRR"}[row["scheduling"]]
            assert scheduler.get("weight") == (None if row["weight_pct"] is None else str(row["weight_pct"]))
        paused = {p for port in db["PORT_QOS_MAP"].values() for p in numbers(port.get("pfc_enable", ""))}
        assert {row["priority"] for row in qos["classes"] if row["pfc"]} == paused


def test_marking_is_the_profile_of_every_lossless_queue(rendered: Rendered, qos: dict[str, Any]) -> None:
    for row in qos["ecn"]:
        db = rendered.of_tier(row["tier"])
        profile = db["WRED_PROFILE"][row["profile"]]
        for colour in ("green", "yellow", "red"):
            assert int(profile[f"{colour}_min_threshold"]) == row["kmin_bytes"]
            assert int(profile[f"{colour}_max_threshold"]) == row["kmax_bytes"]
            assert int(profile[f"{colour}_drop_probability"]) == row["pmax_pct"]
        marked = {key.split("|")[0] for key, q in db["QUEUE"].items() if q.get("wred_profile") == row["profile"]}
        assert marked
        assert {int(db["PORT"][port]["speed"]) for port in marked} == {row["speed_gbps"] * 1000}
        assert row["source"].startswith(f"computed by {row['rule']}: Kmin = {row['kmin_bytes']} B")
        bound = eval(row["bound"].replace(" x ", " * "))
        assert row["pfc_may_pause_from_bytes"] == int(bound)
        assert 16 * 4178 <= row["kmin_bytes"] < bound
        assert row["kmin_bytes"] < row["kmax_bytes"] <= 4 * row["kmin_bytes"]
        assert row["kmax_bytes"] < row["pfc_pauses_alone_from_bytes"]
    wanted = {"quickstart": ("rate x RTT", 399_796), "rail-1k": ("maker's profile", 131_072)}[qos["fabric"]]
    assert {(row["rule"], row["kmin_bytes"]) for row in qos["ecn"]} == {wanted}


def test_bound_follows_from_the_rendered_pools(rendered: Rendered, qos: dict[str, Any]) -> None:
    """The formula alpha x shared / (ports x (1 + alpha x priorities)) of one of two memories, from CONFIG_DB alone.

    Shared: half of pool less headroom, less what priority groups and, 70 cells a port, queues keep.
    """
    for row in qos["ecn"]:
        db = rendered.of_tier(row["tier"])
        pool = db["BUFFER_POOL"]["ingress_lossless_pool"]
        without = int(pool["size"]) - int(pool["xoff"])
        lossless = [p for name, p in db["BUFFER_PROFILE"].items() if name.startswith("pg_lossless")]
        alpha = 2.0 ** min(int(profile["dynamic_th"]) for profile in lossless)
        priorities = len(numbers(next(p["pfc_enable"] for p in db["PORT_QOS_MAP"].values() if "pfc_enable" in p)))
        ports = int(re.search(r"\((\d+) x", row["bound"])[1])
        used = [port for port in db["PORT"].values() if port["admin_status"] == "up"]
        lanes = [len(port["lanes"].split(",")) for port in db["PORT"].values()]
        assert len(used) <= 2 * ports <= sum(lanes) // len(used[0]["lanes"].split(","))
        spare = sum(lanes) // len(used[0]["lanes"].split(",")) + 2 - 2 * ports
        group = priorities * int(lossless[0]["size"])
        most, least = (without // 2 - ports * (group + 70 * 254) - n * 70 * 254 for n in (0, max(1, spare)))
        shared = int(re.search(r"x (\d+) /", row["bound"])[1])
        assert least <= shared <= most
        bound = int(alpha * shared / (ports * (1 + alpha * priorities)))
        assert (row["memories"], row["pfc_may_pause_from_bytes"]) == (2, bound)
        assert row["marks_first"] == (row["kmin_bytes"] <= bound)


def test_tiers_hash_as_shown_and_not_alike(rendered: Rendered, qos: dict[str, Any]) -> None:
    for row in qos["hashing"]:
        assert rendered.of_tier(row["tier"])["SWITCH_HASH"]["GLOBAL"]["ecmp_hash_algorithm"] == row["algorithm"]
        name = next(name for name in rendered.switches if name.startswith(row["tier"]))
        routing = rendered.files[f"switches/{name}/etc/sonic/frr/frr.conf"]
        assert f" maximum-paths {row['max_paths']}\n" in routing
    assert len({row["algorithm"] for row in qos["hashing"]}) == len(qos["hashing"])


@pytest.mark.parametrize(("overlay", "tiers"), [("eos", 0), ("fboss", 0), ("frr", 2)])
def test_the_time_to_connect_again_is_shown_where_it_is_written(overlay: str, tiers: int) -> None:
    shown = json.loads(succeed("show", "inventories/quickstart", "qos", "--overlay", overlay, "--format", "json"))
    assert [row["timer"] for row in shown["timers"]].count("connect retry") == tiers


def test_timers_are_those_the_daemons_run_with(rendered: Rendered, qos: dict[str, Any]) -> None:
    timers = {(row["layer"], row["scope"], row["timer"]): row["milliseconds"] for row in qos["timers"]}
    assert [row["milliseconds"] for row in qos["timers"]] == sorted(row["milliseconds"] for row in qos["timers"])
    for tier in {row["tier"] for row in qos["hashing"]}:
        name = next(name for name in rendered.switches if name.startswith(tier))
        text = rendered.files[f"switches/{name}/etc/sonic/frr/frr.conf"]
        bfd = re.search(r"detect-multiplier (\d+)\n\s+receive-interval (\d+)", text)
        bgp = re.search(r"neighbor \w+ timers (\d+) (\d+)", text)
        connect = re.search(r"timers connect (\d+)", text)
        assert timers["BFD", tier, "detection"] == int(bfd[1]) * int(bfd[2])
        assert timers["routing", "leaf-spine", "silent neighbour noticed"] == int(bfd[1]) * int(bfd[2])
        assert timers["BGP", tier, "keepalive"] == int(bgp[1]) * 1000
        assert timers["BGP", tier, "hold"] == int(bgp[2]) * 1000
        assert timers["BGP", tier, "connect retry"] == int(connect[1]) * 1000
    for tier in {row["tier"] for row in qos["hashing"]}:
        db = rendered.of_tier(tier)
        dog = next(row for port, row in db["PFC_WD"].items() if port != "GLOBAL")
        poll = int(db["PFC_WD"]["GLOBAL"]["POLL_INTERVAL"])
        assert timers["PFC watchdog", tier, "poll"] == poll >= min(1000, -(-len(db["PORT"]) // 32) * 200)
        assert timers["PFC watchdog", tier, "detection"] == int(dog["detection_time"]) >= poll
        assert timers["PFC watchdog", tier, "restoration"] == int(dog["restoration_time"])
        assert timers["PFC watchdog", tier, "storm noticed at the latest"] > int(dog["detection_time"])
    nccl = dict(re.findall(r"^(NCCL_\w+)=(\d+)$", rendered.host_file("etc/nccl.conf"), re.MULTILINE))
    ack = 4.096e-3 * 2 ** int(nccl["NCCL_IB_TIMEOUT"])
    assert timers["queue pair", "hosts", "ACK timeout"] == pytest.approx(ack, abs=0.001)
    budget = ack * (int(nccl["NCCL_IB_RETRY_CNT"]) + 1)
    assert timers["queue pair", "hosts", "retry budget"] == pytest.approx(budget, abs=0.001)


def test_nics_are_set_as_shown(rendered: Rendered, qos: dict[str, Any]) -> None:
    script = rendered.host_file("usr/local/sbin/fabricgen-roce")
    nccl = dict(re.findall(r"^(NCCL_\w+)=(\d+)$", rendered.host_file("etc/nccl.conf"), re.MULTILINE))
    knobs = {name.split("/")[1]: int(value) for name, value in re.findall(r"^(roce_\w+/\w+) \S+ (\d+)$", script, re.M)}
    (nic,) = qos["nics"]
    assert re.search(r"--pfc (\S+)", script)[1] == ",".join(map(str, nic["pfc"]))
    assert int(nccl["NCCL_IB_TC"]) == nic["traffic_class"] == 4 * nic["data_dscp"]
    assert int(nccl["NCCL_IB_QPS_PER_CONNECTION"]) == nic["qps_per_connection"]
    assert re.search(r"^DCQCN_PRIORITIES='(.*)'$", script, re.M)[1] == " ".join(map(str, nic["dcqcn_priorities"]))
    points = {int(dscp): int(priority) for dscp, priority in re.findall(r"set,(\d+),(\d+)", script)}
    assert {dscp: row["priority"] for row in qos["nic_dscp_map"] for dscp in numbers(row["dscp"])} == points
    assert {row["speed_gbps"] for row in qos["nic_dcqcn"]} == {400}
    assert (knobs["rpg_ai_rate"], knobs["rpg_hai_rate"]) == (80, 800)
    assert {row["parameter"]: row["value"] for row in qos["nic_dcqcn"]} | {
        "cnp_dscp": nic["cnp_dscp"],
        "cnp_802p_prio": nic["cnp_priority"],
    } == knobs


def test_headroom_is_what_the_ports_of_the_link_get(rendered: Rendered, buffers: dict[str, Any]) -> None:
    for row in buffers["headroom"]:
        db = rendered.of_tier(row["tier"])
        profile = db["BUFFER_PROFILE"][row["profile"]]
        shown = {name: row[f"{name}_bytes"] for name in ("size", "xon", "xoff", "xon_offset")}
        assert {name: int(profile[name]) for name in shown} == shown
        assert int(profile["dynamic_th"]) == row["dynamic_th"]
        ports = [key.split("|")[0] for key, pg in db["BUFFER_PG"].items() if pg["profile"] == row["profile"]]
        assert {db["CABLE_LENGTH"]["AZURE"][port] for port in ports} == {f"{row['row_m']}m"}
        assert {db["PORT"][port]["speed"] for port in ports} == {str(row["speed_gbps"] * 1000)}
        assert row["row_m"] >= row["length_m"]
        assert row["ports_maximum"] >= row["ports_now"] > 0
    for tier in {row["tier"] for row in buffers["headroom"]}:
        db, rows = rendered.of_tier(tier), [row for row in buffers["headroom"] if row["tier"] == tier]
        given = [pg["profile"] for pg in db["BUFFER_PG"].values() if pg["profile"].startswith("pg_lossless")]
        assert len(given) == sum(row["ports_now"] for row in rows)


def test_pools_and_profiles_are_all_that_is_rendered(rendered: Rendered, buffers: dict[str, Any]) -> None:
    for tier in {row["tier"] for row in buffers["pools"]}:
        db = rendered.of_tier(tier)
        pools = {row["pool"]: row for row in buffers["pools"] if row["tier"] == tier}
        assert set(pools) == set(db["BUFFER_POOL"])
        for name, pool in db["BUFFER_POOL"].items():
            assert (pool["type"], pool["mode"]) == (pools[name]["kind"], pools[name]["mode"])
            assert int(pool["size"]) == pools[name]["size_bytes"]
            assert pool.get("xoff") == (None if pools[name]["xoff_bytes"] is None else str(pools[name]["xoff_bytes"]))
        profiles = {row["profile"]: row for row in buffers["profiles"] if row["tier"] == tier}
        headroom = {row["profile"] for row in buffers["headroom"] if row["tier"] == tier}
        assert set(profiles) | headroom == set(db["BUFFER_PROFILE"])
        for name, row in profiles.items():
            profile = db["BUFFER_PROFILE"][name]
            assert (profile["pool"], int(profile["size"])) == (row["pool"], row["size_bytes"])
            assert profile.get("dynamic_th") == (None if row["dynamic_th"] is None else str(row["dynamic_th"]))
            static = row["static_th_bytes"]
            assert profile.get("static_th") == (None if static is None else str(static))


def sum_of(db: dict[str, Any], table: str, field: str, pool: str, names: str = "") -> int:
    """A field of the profiles that the ports' groups or queues of a table use, summed up."""
    total = 0
    for key, row in db[table].items():
        profile = db["BUFFER_PROFILE"][row["profile"]]
        if profile["pool"] == pool and names in row["profile"]:
            total += len(numbers(key.split("|")[1])) * int(profile.get(field, 0))
    return total


@pytest.mark.parametrize("words", [("show", "buffers"), ("analyze", "buffers")], ids=" ".join)
def test_oversubscription_is_the_sum_over_the_rendered_groups(words: tuple[str, str], rendered: Rendered) -> None:
    for row in rendered.shown(*words)["oversubscription"]:
        db = rendered.of_tier(row["class"].split("/")[0])
        pool = int(db["BUFFER_POOL"][row["pool"]]["xoff"])
        headroom = sum_of(db, "BUFFER_PG", "xoff", row["pool"])
        assert (row["pool_bytes"], row["headroom_now_bytes"]) == (pool, headroom)
        assert row["ratio_now"] == round(headroom / pool, 4)
        assert row["ratio_maximum"] == round(row["headroom_maximum_bytes"] / pool, 4)
        assert row["within_limit"] == (row["ratio_maximum"] <= row["limit"])


def test_account_is_what_the_rendered_tables_take(rendered: Rendered) -> None:
    data = rendered.shown("analyze", "buffers")
    for switch in data["switches"]:
        db = rendered.of_tier(switch["tier"])
        rows = [row for row in data["bytes"] if row["class"] == switch["class"]]
        memory = [row for row in rows if row["view"] == "memory"]
        unexplained = switch["unexplained_now_bytes"], switch["unexplained_maximum_bytes"]
        assert sum(row["now_bytes"] for row in memory) + unexplained[0] == switch["buffer_bytes"]
        assert sum(row["maximum_bytes"] for row in memory) + unexplained[1] == switch["buffer_bytes"]
        for view, table, way in (("memory", "BUFFER_PG", "ingress"), ("egress", "BUFFER_QUEUE", "egress")):
            pool = f"{way}_lossless_pool"
            of_pool = {row["part"]: row["now_bytes"] for row in rows if (row["view"], row["pool"]) == (view, pool)}
            reserved = sum(size for part, size in of_pool.items() if part.startswith("reserved"))
            queues = of_pool.get("reserved, queues of ports", 0)
            # Every port of the box keeps 70 cells, as it is broken out with every reserved link.
            ports, rest = divmod(queues, 70 * 254)
            assert (ports >= max(len(db["PORT"]), switch["ports_maximum"]), rest) == (view == "memory", 0)
            assert reserved - queues == sum_of(db, table, "size", pool)
            headroom = int(db["BUFFER_POOL"][pool].get("xoff", 0))
            assert of_pool.get("headroom pool", 0) == headroom
            assert of_pool["shared"] == int(db["BUFFER_POOL"][pool]["size"]) - headroom - reserved
        used = sum(1 for port in db["PORT"].values() if port["admin_status"] == "up")
        assert switch["ports_now"] == used
    assert sum(switch["switches"] for switch in data["switches"]) == len(rendered.switches)
