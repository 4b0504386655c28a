"""The apply script, really run: against the kernel's files in a folder and tools that write down their calls."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from host_fixture import FIRMWARE, ROCE, host, host_class, judge, render, without_places
from machine import Machine

MASK = {"ROCE_CC_PRIO_MASK_P1": ("255", "8", "8")}


def script(mode: str = "dcqcn", rails: int = 2) -> str:
    return render(host(host_class(rails, mode)))[ROCE]


def enabled(machine: Machine, rail: str) -> dict[str, list[int]]:
    place = f"class/net/{rail}/ecn/roce_"
    return {role: [p for p in range(8) if machine.read(f"{place}{role}/enable/{p}") == "1"] for role in ("np", "rp")}


@pytest.mark.parametrize("path", [ROCE, FIRMWARE, "usr/local/sbin/fabricgen-pcie"])
def test_shellcheck_finds_nothing(path: str, tmp_path: Path) -> None:
    target = tmp_path / "script"
    target.write_text(render(host(without_places(host_class(), 1)))[path])
    subprocess.run(["/bin/sh", "-n", str(target)], check=True)
    done = subprocess.run([judge("shellcheck"), str(target)], capture_output=True, text=True, check=False)
    assert done.stdout == ""


def test_vendor_driver_gets_the_whole_contract(tmp_path: Path) -> None:
    machine = Machine(tmp_path, host_class(2))
    done = machine.run(script())
    assert (done.status, done.err) == (0, "")
    for rail in ("rail0", "rail1"):
        first, second = (call for call in machine.calls("mlnx_qos") if f"-i {rail} " in call)
        assert first == (
            f"mlnx_qos -i {rail} -d os --cable_len 3 --pfc 0,0,0,1,0,0,0,0 --trust dscp --prio_tc 0,1,2,3,4,5,6,7 "
            "--tsa ets,ets,ets,ets,ets,ets,strict,strict --tcbw 5,0,0,95,0,0,0,0"
        )
        wanted = {26: 3, 46: 6, 48: 7, 56: 7}
        maps = "".join(f" --dscp2prio set,{dscp},{wanted.get(dscp, 0)}" for dscp in range(64))
        assert second == f"mlnx_qos -i {rail}{maps}"
        assert enabled(machine, rail) == {"np": [3], "rp": [3]}
        ecn = f"class/net/{rail}/ecn"
        assert machine.read(f"{ecn}/roce_rp/rpg_time_reset") == "300"
        assert machine.read(f"{ecn}/roce_np/min_time_between_cnps") == "4"
        assert machine.read(f"{ecn}/roce_np/cnp_dscp") == "46"
        assert machine.read(f"{ecn}/roce_np/cnp_802p_prio") == "6"
    for rdma in ("roce_r0", "roce_r1"):
        assert machine.read(f"kernel/config/rdma_cm/{rdma}/ports/1/default_roce_tos") == "104"
        assert machine.read(f"kernel/config/rdma_cm/{rdma}/ports/1/default_roce_mode") == "RoCE v2"


@pytest.mark.parametrize("vendor", [True, False])
def test_a_second_run_writes_nothing_and_calls_the_same(vendor: bool, tmp_path: Path) -> None:
    machine = Machine(tmp_path, host_class(2), vendor=vendor)
    machine.firmware_tool("mstconfig", MASK)
    assert machine.run(script()).status == 0
    before, calls = machine.state(), machine.calls()
    assert machine.run(script()).status == 0
    assert machine.state() == before
    assert machine.calls() == calls * 2
    assert not list(tmp_path.glob("tmp.*"))


def test_a_missing_nic_is_named_and_the_others_are_set(tmp_path: Path) -> None:
    machine = Machine(tmp_path, host_class(3), missing=(1,))
    done = machine.run(script(rails=3))
    assert done.status == 1
    assert done.err.splitlines() == [
        "fabricgen-roce: rail1: there is no such network device",
        "fabricgen-roce: rail1: there is no RDMA device roce_r1",
    ]
    assert {call.split()[2] for call in machine.calls("mlnx_qos")} == {"rail0", "rail2"}
    assert machine.read("class/net/rail2/ecn/roce_np/cnp_dscp") == "46"
    assert len(machine.calls("sleep")) == 20


def test_a_device_that_comes_late_is_waited_for(tmp_path: Path) -> None:
    machine = Machine(tmp_path, host_class(1))
    moved = tmp_path / "later"
    (machine.sys / "class/infiniband/roce_r0").rename(moved)
    machine.tool("sleep", f'{tmp_path}/bin/cat /dev/null; /bin/mv "{moved}" "{machine.sys}/class/infiniband/roce_r0"')
    done = machine.run(script(rails=1))
    assert (done.status, done.err) == (0, "")
    assert machine.read("kernel/config/rdma_cm/roce_r0/ports/1/default_roce_tos") == "104"


def test_what_a_tool_refuses_is_told(tmp_path: Path) -> None:
    machine = Machine(tmp_path, host_class(2))
    machine.tool("mlnx_qos", 'case "$*" in *rail0*trust*) echo "not supported on your system"; exit 1 ;; esac')
    machine.file("class/net/rail1/ecn/roce_np/cnp_dscp").unlink()
    done = machine.run(script())
    assert done.status == 1
    first, second = done.err.splitlines()
    assert first == "fabricgen-roce: mlnx_qos -i rail0 -d failed: not supported on your system"
    assert second.endswith("class/net/rail1/ecn/roce_np/cnp_dscp is missing")
    assert machine.read("kernel/config/rdma_cm/roce_r1/ports/1/default_roce_tos") == "104"


def test_linux_driver_is_set_through_dcb_and_debugfs(tmp_path: Path) -> None:
    machine = Machine(tmp_path, host_class(1), vendor=False)
    machine.firmware_tool("mstconfig", MASK)
    done = machine.run(script(rails=1))
    assert (done.status, done.err) == (0, "")
    dcbx, app, ets, pfc = machine.calls("dcb")
    assert dcbx == "dcb dcbx set dev rail0 host ieee"
    wanted = {26: 3, 46: 6, 48: 7, 56: 7}
    maps = " ".join(f"{dscp}:{wanted.get(dscp, 0)}" for dscp in range(64))
    assert app == f"dcb app add dev rail0 dscp-prio {maps}"
    assert ets == (
        "dcb ets set dev rail0 willing off prio-tc 0:0 1:1 2:2 3:3 4:4 5:5 6:6 7:7 tc-tsa 0:ets 1:ets 2:ets 3:ets "
        "4:ets 5:ets 6:strict 7:strict tc-bw 0:5 1:0 2:0 3:95 4:0 5:0 6:0 7:0"
    )
    assert pfc == "dcb pfc set dev rail0 delay 3 prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off"
    params = "kernel/debug/mlx5/0000:18:00.0/cc_params"
    assert machine.read(f"{params}/rp_clamp_tgt_rate_ati") == "1"
    assert machine.read(f"{params}/np_cnp_dscp") == "46"
    assert machine.read(f"{params}/np_cnp_prio") == "6"
    assert machine.calls("mstconfig") == ["mstconfig -d 0000:18:00.0 -e query ROCE_CC_PRIO_MASK_P1"]


def test_linux_driver_cannot_choose_priorities_so_the_firmware_is_asked(tmp_path: Path) -> None:
    machine = Machine(tmp_path, host_class(1), vendor=False)
    assert machine.run(script(rails=1)).err.startswith("fabricgen-roce: rail0: neither mlxconfig nor mstconfig")
    machine.firmware_tool("mlxconfig", {"ROCE_CC_PRIO_MASK_P1": ("255", "255", "8")})
    done = machine.run(script(rails=1))
    assert done.status == 1
    assert "priority mask 255, not 8; see fabricgen-mlxconfig" in done.err


@pytest.mark.parametrize(("mode", "paused", "marked"), [("pfc_only", 1, []), ("ecn_only", 0, [3])])
def test_a_mode_turns_off_what_it_is_without(mode: str, paused: int, marked: list[int], tmp_path: Path) -> None:
    machine = Machine(tmp_path, host_class(1, mode))
    assert machine.run(script(mode, 1)).status == 0
    assert enabled(machine, "rail0") == {"np": marked, "rp": marked}
    assert f"--pfc 0,0,0,{paused},0,0,0,0" in machine.calls("mlnx_qos")[0]
    if mode == "pfc_only":
        assert machine.read("class/net/rail0/ecn/roce_rp/rpg_time_reset") == "77"
        assert '# Reason: "the library paces"\n' in script("pfc_only")


def test_one_rail_alone(tmp_path: Path) -> None:
    machine = Machine(tmp_path, host_class(8))
    assert machine.run(script(rails=8), "rail5").status == 0
    assert {call.split()[2] for call in machine.calls("mlnx_qos")} == {"rail5"}
    done = machine.run(script(rails=8), "rail8")
    assert (done.status, done.err) == (1, "fabricgen-roce: rail8: no rail of that name\n")


def test_rdma_cm_is_loaded_if_it_is_not(tmp_path: Path) -> None:
    machine = Machine(tmp_path, host_class(1))
    shelf, place = tmp_path / "rdma_cm", machine.sys / "kernel/config/rdma_cm"
    place.rename(shelf)
    machine.tool("modprobe", f'/bin/mv "{shelf}" "{place}"')
    assert machine.run(script(rails=1)).status == 0
    assert machine.calls("modprobe") == ["modprobe -a rdma_cm configfs"]
    assert machine.read("kernel/config/rdma_cm/roce_r0/ports/1/default_roce_tos") == "104"


def test_dcb_takes_the_arguments(tmp_path: Path) -> None:
    """iproute2 parses application entries before it asks the device; ``lo`` then answers that it has none."""
    machine = Machine(tmp_path, host_class(1), vendor=False)
    machine.run(script(rails=1))
    app = next(call for call in machine.calls("dcb") if call.startswith("dcb app"))
    words = app.replace("rail0", "lo").split()
    done = subprocess.run([judge("dcb"), *words[1:]], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == "Attribute write: Operation not supported"
    broken = subprocess.run([judge("dcb"), *words[1:], "64:0"], capture_output=True, text=True, check=False)
    assert "DSCP is expected to be 0..63" in broken.stderr
