"""A bond of the ports of each NIC: what netplan, udev, systemd and the apply script make of it."""

from __future__ import annotations

import subprocess
from configparser import ConfigParser
from dataclasses import replace
from pathlib import Path

import pytest
from host_fixture import (
    BOND_UNIT,
    FIRMWARE,
    NCCL,
    ROCE,
    TOPOLOGY,
    UDEV,
    bonded_class,
    bonded_host,
    host,
    host_class,
    judge,
    render,
    without_places,
)
from machine import Machine
from test_ubuntu_files import networkd, udev_complaints

MASKS = {f"ROCE_CC_PRIO_MASK_P{port}": ("255", "8", "8") for port in (1, 2)}


def test_netplan_makes_a_bond_of_each_rail(tmp_path: Path) -> None:
    files = networkd(bonded_host(bonded_class()), tmp_path)
    for rail in ("rail0", "rail1"):
        assert dict(files[f"10-netplan-{rail}.netdev"]["Bond"]) == {
            "Mode": "802.3ad",
            "LACPTransmitRate": "fast",
            "MIIMonitorSec": "100ms",
            "MinLinks": "1",
            "TransmitHashPolicy": "layer3+4",
        }
        bond = files[f"10-netplan-{rail}.network"]
        subnet = f"172.16.{rail[-1]}"
        assert bond["Network"]["Address"] == f"{subnet}.14/24"
        assert bond["Network"]["ConfigureWithoutCarrier"] == "yes"
        table = f"10{int(rail[-1]) + 1}"
        assert dict(bond["Route"]) == {"Destination": "172.16.0.0/12", "Gateway": f"{subnet}.1", "Table": table}
        assert bond["RoutingPolicyRule"]["From"] == f"{subnet}.14/32"
        for port in (f"{rail}p0", f"{rail}p1"):
            member = files[f"10-netplan-{port}.network"]
            assert member["Network"]["Bond"] == rail
            assert "Address" not in member["Network"]
            assert member["Link"]["MTUBytes"] == bond["Link"]["MTUBytes"] == "9000"


def test_macs_of_the_asset_list_bind_the_ports(tmp_path: Path) -> None:
    device = bonded_host(bonded_class(1))
    first, second = device.rails[0].links
    device.rails[0].links = (first, replace(second, mac="02:00:00:00:00:01"))
    files = networkd(device, tmp_path)
    assert files["10-netplan-rail0p1.link"]["Match"]["PermanentMACAddress"] == "02:00:00:00:00:01"
    assert "10-netplan-rail0.link" not in files


def test_a_port_without_a_cable_stays_in_the_bond(tmp_path: Path) -> None:
    device = bonded_host(bonded_class(1))
    first, second = device.rails[0].links
    device.rails[0].links = (replace(first, peer="", peer_port=""), second)
    assert "    # not cabled\n    rail0p0:\n" in render(device)["etc/netplan/60-fabricgen.yaml"]
    files = networkd(device, tmp_path)
    assert [files[f"10-netplan-rail0p{port}.network"]["Network"]["Bond"] for port in (0, 1)] == ["rail0", "rail0"]


def test_udev_names_ports_and_one_rdma_device_for_both(tmp_path: Path) -> None:
    text = render(bonded_host(bonded_class()))[UDEV]
    assert udev_complaints(text, tmp_path) == []
    block = text.split("\n\n")[1].splitlines()
    assert [line for line in block if "NAME=" in line] == [
        f'SUBSYSTEM=="net", ACTION=="add", KERNELS=="0000:18:00.{port}", NAME="rail0p{port}"' for port in (0, 1)
    ]
    assert [x.partition("PROGRAM=")[2] for x in block if "rdma_rename" in x] == ['"rdma_rename %k NAME_FIXED roce_r0"']
    second = next(line for line in block if "fabricgen-roce@rail0p1" in line)
    assert "GOTO" not in second, "before the bond is up, the second port has an RDMA device of its own"
    starts = 'TAG+="systemd", ENV{SYSTEMD_WANTS}+="fabricgen-bond@rail0.service"'
    assert f'KERNEL=="rail0", ENV{{NM_UNMANAGED}}="1", {starts}' in text


def test_bonds_start_their_unit_where_no_address_is_known() -> None:
    text = render(bonded_host(without_places(bonded_class(1), 0)))[UDEV]
    assert "fabricgen-bond@rail0.service" in text
    assert "KERNELS" not in text


def test_systemd_accepts_the_unit_of_the_bonds(tmp_path: Path) -> None:
    unit = tmp_path / "fabricgen-bond@.service"
    unit.write_text(render(bonded_host(bonded_class()))[BOND_UNIT])
    done = subprocess.run([judge("systemd-analyze"), "verify", str(unit)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    parser = ConfigParser(interpolation=None)
    parser.read(unit)
    assert parser["Service"]["ExecStart"].partition(" ")[2] == "link set dev %i type bond broadcast_neighbor on"
    assert BOND_UNIT not in render(host(host_class()))


@pytest.mark.parametrize("vendor", [True, False])
def test_both_ports_get_the_contract_and_the_bond_its_marking(vendor: bool, tmp_path: Path) -> None:
    machine = Machine(tmp_path, bonded_class(), vendor=vendor)
    machine.firmware_tool("mstconfig", MASKS)
    done = machine.run(render(bonded_host(bonded_class()))[ROCE])
    assert (done.status, done.err) == (0, "")
    tool, ports = "mlnx_qos" if vendor else "dcb", ["rail0p0", "rail0p1", "rail1p0", "rail1p1"]
    assert [port for port in ports if any(f" {port} " in call for call in machine.calls(tool))] == ports
    assert machine.read("kernel/config/rdma_cm/roce_r0/ports/1/default_roce_tos") == "104"
    if not vendor:
        asked = [call for call in machine.calls("mstconfig") if "0000:18:00" in call]
        assert asked == [f"mstconfig -d 0000:18:00.0 -e query ROCE_CC_PRIO_MASK_P{port}" for port in (1, 2)]


def test_firmware_is_asked_once_for_both_ports(tmp_path: Path) -> None:
    machine = Machine(tmp_path, bonded_class(1))
    machine.firmware_tool("mlxconfig", {"LINK_TYPE_P2": ("IB(1)", "IB(1)", "IB(1)")})
    done = machine.run(render(bonded_host(bonded_class(1)))[FIRMWARE])
    assert "rail0p0 0000:18:00.0 LINK_TYPE_P2: 1, wanted 2" in done.out.splitlines()
    assert machine.calls("mlxconfig") == ["mlxconfig -d 0000:18:00.0 -e query"]


def test_the_library_sees_one_device_per_bond() -> None:
    cls = bonded_class()
    files = render(bonded_host(replace(cls, collectives=replace(cls.collectives, topology_file="rails"))))
    assert "NCCL_IB_HCA==roce_r0,roce_r1\n" in files[NCCL]
    assert files[TOPOLOGY].count("<net ") == 2
