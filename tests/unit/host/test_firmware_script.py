"""The firmware script, really run against a tool that knows some keys."""

from __future__ import annotations

from pathlib import Path

from host_fixture import FIRMWARE, host, host_class, of_group, render, without_places
from machine import Machine

PCIE = "usr/local/sbin/fabricgen-pcie"
AS_WANTED = {
    "LINK_TYPE_P1": ("IB(1)", "ETH(2)", "ETH(2)"),
    "ROCE_CC_PRIO_MASK_P1": ("255", "8", "8"),
    "LLDP_NB_DCBX_P1": ("False(0)", "False(0)", "False(0)"),
    "LLDP_NB_RX_MODE_P1": ("OFF(0)", "OFF(0)", "OFF(0)"),
    "LLDP_NB_TX_MODE_P1": ("OFF(0)", "OFF(0)", "OFF(0)"),
    "DCBX_WILLING_P1": ("True(1)", "False(0)", "False(0)"),
    "ROCE_CC_LEGACY_DCQCN": ("False(0)", "True(1)", "True(1)"),
    "CNP_DSCP_MODE_P1": ("DEVICE_DEFAULT(0)", "FIXED_VALUE(1)", "FIXED_VALUE(1)"),
    "CNP_RES_PRIO_MODE_P1": ("False(0)", "False(0)", "False(0)"),
    "RPG_TIME_RESET_P1": ("300", "300", "300"),
    "CLAMP_TGT_RATE_AFTER_TIME_INC_P1": ("True(1)", "True(1)", "True(1)"),
    "MIN_TIME_BETWEEN_CNPS_P1": ("4", "4", "4"),
    "CNP_DSCP_P1": ("48", "46", "46"),
    "CNP_802P_PRIO_P1": ("6", "6", "6"),
}


def script(rails: int = 1, mode: str = "dcqcn") -> str:
    return render(host(host_class(rails, mode)))[FIRMWARE]


def test_nothing_differs(tmp_path: Path) -> None:
    machine = Machine(tmp_path, host_class(2))
    machine.firmware_tool("mlxconfig", AS_WANTED)
    done = machine.run(script(2))
    assert (done.status, done.out, done.err) == (0, "", "")
    assert machine.calls("mlxconfig") == [f"mlxconfig -d {bdf} -e query" for bdf in ("0000:18:00.0", "0000:40:00.0")]


def test_differences_are_shown_and_nothing_is_set(tmp_path: Path) -> None:
    machine = Machine(tmp_path, host_class(1))
    changed = {"CNP_DSCP_P1": ("48", "48", "48"), "ROCE_CC_LEGACY_DCQCN": ("False(0)", "False(0)", "True(1)")}
    values = AS_WANTED | changed
    del values["CNP_DSCP_MODE_P1"]
    machine.firmware_tool("mstconfig", values)
    done = machine.run(script())
    assert done.out.splitlines() == [
        "rail0 0000:18:00.0 ROCE_CC_LEGACY_DCQCN: 0, staged 1, needs a firmware reset",
        "rail0 0000:18:00.0 CNP_DSCP_MODE_P1: not offered by this firmware",
        "rail0 0000:18:00.0 CNP_DSCP_P1: 48, wanted 46",
    ]
    assert done.status == 3
    assert machine.calls("mstconfig") == ["mstconfig -d 0000:18:00.0 -e query"]


def test_another_firmware_than_the_intents_is_named(tmp_path: Path) -> None:
    machine, cls = Machine(tmp_path, host_class(3)), of_group(host_class(3), firmware="28.43.2026")
    machine.firmware_tool("mlxconfig", AS_WANTED)
    for address, version in (("18", "28.43.2026"), ("40", "28.39.1002")):
        machine.file(f"bus/pci/devices/0000:{address}:00.0/infiniband/mlx5_0/fw_ver", f"{version}\n")
    for arguments in ((), ("--apply",)):
        done = machine.run(render(host(cls))[FIRMWARE], *arguments)
        assert (done.status, done.out.splitlines()) == (3, [
            "rail1 0000:40:00.0 firmware: 28.39.1002, wanted 28.43.2026, needs an update",
            "rail2 0000:4f:00.0 firmware: unreadable, wanted 28.43.2026, needs an update",
        ])  # fmt: skip


def test_apply_stages_only_what_differs_and_resets_nothing(tmp_path: Path) -> None:
    machine = Machine(tmp_path, host_class(1))
    machine.tool("mlxfwreset")
    machine.firmware_tool("mlxconfig", AS_WANTED | {"CNP_DSCP_P1": ("48",) * 3, "DCBX_WILLING_P1": ("True(1)",) * 3})
    assert machine.run(script(), "--apply").status == 0
    assert machine.calls("mlxconfig")[1:] == ["mlxconfig -d 0000:18:00.0 -y set DCBX_WILLING_P1=0 CNP_DSCP_P1=46"]
    assert machine.calls("mlxfwreset") == []


def test_a_nic_that_is_missing_or_refuses_is_named(tmp_path: Path) -> None:
    machine = Machine(tmp_path, host_class(3), missing=(1,))
    machine.firmware_tool("mlxconfig", AS_WANTED)
    answer = (tmp_path / "bin/mlxconfig").read_text()
    machine.tool("mlxconfig", 'case "$*" in *0000:18*) echo "-E- no"; exit 3 ;; esac\n' + answer.splitlines()[-1])
    done = machine.run(script(3))
    assert done.status == 1
    first, second = done.err.splitlines()
    assert first.endswith("0000:18:00.0 -e query failed: -E- no")
    assert second == "fabricgen-mlxconfig: rail1: there is no PCI device 0000:40:00.0"
    assert "mlxconfig -d 0000:4f:00.0 -e query" in machine.calls("mlxconfig")


def test_an_address_nobody_knows_is_found_through_the_network_device(tmp_path: Path) -> None:
    cls = without_places(host_class(2), 0, 1)
    machine = Machine(tmp_path, cls, missing=(1,))
    machine.firmware_tool("mlxconfig", AS_WANTED)
    done = machine.run(render(host(cls))[FIRMWARE])
    assert machine.calls("mlxconfig") == ["mlxconfig -d 0000:f0:00.0 -e query"]
    assert done.err == "fabricgen-mlxconfig: rail1: there is no PCI device of that network device\n"


def test_misuse(tmp_path: Path) -> None:
    machine = Machine(tmp_path, host_class(1))
    assert machine.run(script(), "--aply").status == 2
    assert machine.run(script()).err == "fabricgen-mlxconfig: neither mlxconfig nor mstconfig is installed\n"


def test_pfc_only_leaves_no_priority_to_dcqcn() -> None:
    settings = script(mode="pfc_only").partition("SETTINGS='\n")[2].partition("'")[0].split()
    assert "ROCE_CC_PRIO_MASK_P1=0" in settings
    assert not any(setting.startswith(("RPG_", "CNP_", "ROCE_CC_LEGACY")) for setting in settings)


def test_pcie_is_looked_at_and_never_written(tmp_path: Path) -> None:
    """Registers as linux/pci_regs.h has them: relaxed ordering 0x10, 4096 bytes 0x5000; ACS of bridges alone."""
    machine = Machine(tmp_path, host_class(2))
    body = 'case "$*" in *18:00.0*EXP*) echo 5930 ;; *EXP*) echo 2820 ;; *0000:15*) echo 001d ;; *) exit 1 ;; esac'
    machine.tool("setpci", body)
    kinds = {"15:00.0/class": "0x060400", "16:00.0/class": "0x060400", "17:00.0/class": "0x030200"}
    for path, kind in (kinds | {"18:00.0/iommu_group/type": "identity", "40:00.0/iommu_group/type": "DMA-FQ"}).items():
        machine.file(f"bus/pci/devices/0000:{path}", f"{kind}\n")
    done = machine.run(render(host(host_class(2)))[PCIE])
    assert (done.status, done.err) == (3, "")
    assert [line.split(";")[0] for line in done.out.splitlines()] == [
        "rail1 0000:40:00.0 relaxed ordering is off",
        "rail1 0000:40:00.0 reads 512 bytes at a time, wanted 4096 (MaxReadReq)",
        "rail1 0000:40:00.0 the IOMMU translates its DMA (DMA-FQ)",
        "0000:15:00.0 has ACS on (0x001d)",
    ]
    assert not any("=" in call for call in machine.calls("setpci"))
    machine.tool("setpci", "exit 1")
    assert machine.run(render(host(host_class(2)))[PCIE]).status == 1
