"""nccl.conf, rccl.conf, the topology file and the folder for telemetry."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from host_fixture import NCCL, RCCL, TELEMETRY, TOPOLOGY, host, host_class, judge, of_group, reference, render, specs

from fabricgen.device.model import HostClass
from tests.waiting import PATIENCE_S


def variables(cls: HostClass) -> dict[str, str]:
    """The file as NCCL reads it: the first ``=`` splits, spaces count."""
    lines = [line for line in render(host(cls))[NCCL].splitlines() if not line.startswith("#")]
    pairs = [line.partition("=") for line in lines]
    found = {name: value for name, _, value in pairs}
    assert len(found) == len(pairs)
    return found


def test_variables_follow_the_fabric() -> None:
    cls = host_class(1)
    other = replace(cls.collectives, split_data_on_qps=True, data_dscp=24, socket_interface="bond0")
    found = variables(replace(cls, collectives=other))
    assert found["NCCL_IB_SPLIT_DATA_ON_QPS"] == "1"
    assert found["NCCL_IB_TC"] == "96"
    assert found["NCCL_SOCKET_IFNAME"] == "=bond0"


def test_every_variable_and_value_is_one_nccl_knows() -> None:
    known = {entry["name"]: entry for entry in reference("nccl_env.yaml")["vars"]}
    for name, value in variables(host_class()).items():
        entry = known[name]
        legal = [str(item) for item in entry["values"]]
        spans = [re.match(r"(-?\d+)\.\.(\d+)", item) for item in legal]
        if entry["type"] in ("int", "bool"):
            allowed = {int(n) for item in legal if ".." not in item for n in item.split(",")}
            in_span = any(span and int(span[1]) <= int(value) <= int(span[2]) for span in spans)
            assert not legal or int(value) in allowed or in_span, f"{name}={value}"
        elif entry["type"] == "enum":
            assert value in legal, f"{name}={value}"


@pytest.mark.parametrize(
    ("library", "files"), [("", set()), ("rccl", {RCCL}), ("nccl", {NCCL, TOPOLOGY}), ("vccl", {NCCL, TOPOLOGY})]
)
def test_each_library_finds_its_own_files(library: str, files: set[str]) -> None:
    cls = host_class(2)
    asked = replace(cls.collectives, topology_file="pci")
    rendered = render(host(replace(of_group(cls, library=library), collectives=asked)))
    assert {NCCL, RCCL, TOPOLOGY, TELEMETRY} & set(rendered) == files


def test_rccl_is_told_what_nccl_is_but_for_the_topology() -> None:
    rendered = render(host(of_group(host_class(2), library="rccl")))[RCCL]
    told = dict(line.split("=", 1) for line in rendered.splitlines() if not line.startswith("#"))
    assert told == variables(host_class(2))
    # RCCL up to 2.21 knows no comments: it skips a line only if nothing is set in it.
    assert not any("=" in line for line in rendered.splitlines() if line.startswith("#"))


def tolerant(library: str, **changes: object) -> dict[str, str]:
    """Return what a library is told about faults and telemetry beyond what it is told anyway."""
    cls = of_group(host_class(2), library=library)
    asked = replace(cls.collectives, fault_tolerance=True, telemetry_path="/var/log/collectives")
    path = RCCL if library == "rccl" else NCCL
    now, before = (
        dict(line.split("=", 1) for line in render(host(each))[path].splitlines() if not line.startswith("#"))
        for each in (replace(cls, collectives=asked, **changes), cls)
    )
    return {name: value for name, value in now.items() if name not in before}


def test_vccl_gets_backup_queue_pairs_and_its_telemetry() -> None:
    assert tolerant("vccl") == {
        "NCCL_ENABLE_FAULT_TOLERANCE": "1",
        "NCCL_TELEMETRY_ENABLE": "1",
        "NCCL_TELEMETRY_OBSERVE": "1",
        "TELEMETRY_WINDOWSIZE": "8",
        "NCCL_TELEMETRY_LOG_PATH": "/var/log/collectives",
    }


def test_vccl_without_multiprocessors_has_neither_backups_nor_another_gpus_nic() -> None:
    cls = of_group(host_class(2), library="vccl")
    told = variables(replace(cls, collectives=replace(cls.collectives, sm_free=True)))
    assert {name: value for name, value in told.items() if name not in variables(cls)} == {
        "NCCL_PASS_SM": "1",
        "NCCL_PSM_FORCE_ZEROCOPY": "1",
        "NCCL_PXN_DISABLE": "1",
        "NCCL_ENABLE_FAULT_TOLERANCE": "0",
    }


@pytest.mark.parametrize("library", ["nccl", "rccl"])
def test_nccl_and_rccl_fail_over_between_ports_and_load_their_inspector(library: str) -> None:
    assert tolerant(library) == {
        "NCCL_IB_RESILIENCY_PORT_FAILOVER": "1",
        "NCCL_IB_RESILIENCY_PORT_RECOVERY": "1",
        "NCCL_PROFILER_PLUGIN": f"lib{library}-profiler-inspector.so",
        "NCCL_INSPECTOR_ENABLE": "1",
        "NCCL_INSPECTOR_DUMP_THREAD_INTERVAL_MICROSECONDS": "1000000",
        "NCCL_INSPECTOR_DUMP_DIR": "/var/log/collectives",
    }


def test_nvlink_between_hosts_is_used_where_a_domain_is_declared_and_else_never() -> None:
    tray = of_group(host_class(2), nvlink_hosts=18)
    assert "NCCL_MNNVL_ENABLE" not in variables(host_class(2))
    assert variables(of_group(tray, nvlink_domain=18))["NCCL_MNNVL_ENABLE"] == "2"
    assert variables(tray)["NCCL_MNNVL_ENABLE"] == "0"


def test_systemd_makes_the_folder_for_telemetry(tmp_path: Path) -> None:
    cls = host_class(2)
    text = render(host(replace(cls, collectives=replace(cls.collectives, telemetry_path="/srv/measured"))))[TELEMETRY]
    conf = tmp_path / "telemetry.conf"
    conf.write_text(text)
    words = [judge("systemd-tmpfiles"), "--create", f"--root={tmp_path}", str(conf)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "srv" / "measured"
    assert folder.is_dir()
    assert folder.stat().st_mode & 0o7777 == 0o1777


def test_what_is_written_anyway_is_no_further_variable() -> None:
    """Names come from the sources of each library; a further variable never repeats a line (FG-HST-121)."""
    spec = specs()["mlx5"]
    for found in spec.variables:
        may = {"TELEMETRY_WINDOWSIZE", "NCCL_PXN_DISABLE", "NCCL_CROSS_NIC"}
        cls = of_group(host_class(2), library=found.name, nvlink_hosts=18)
        asked = replace(cls.collectives, fault_tolerance=True, telemetry_path="/srv/x", topology_file="pci")
        for each in (asked, replace(asked, fault_tolerance=False, sm_free=True)):
            text = render(host(replace(cls, collectives=each, adaptive=True)))[RCCL if found.name == "rccl" else NCCL]
            names = set(re.findall(r"^([A-Z_]+)=", text, re.MULTILINE)) - may
            assert names <= spec.decided.keys()
            assert found.name == "rccl" or names <= found.releases().keys()
