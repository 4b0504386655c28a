"""A machine that does not exist: the kernel's files in a folder, and tools that only write down how they are called."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from configparser import ConfigParser
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from host_fixture import as_root, judge, render, write

from fabricgen.device.model import Host, HostClass
from tests.waiting import PATIENCE_S

RULES = "etc/systemd/network/60-fabricgen-rails.network"
BASE = ("awk", "basename", "cat", "grep", "mkdir", "mktemp", "readlink", "rm")
"""Everything the scripts may use of the base system."""

KNOBS = ("roce_rp/rpg_time_reset", "roce_rp/clamp_tgt_rate_after_time_inc", "roce_np/min_time_between_cnps",
         "roce_np/cnp_dscp", "roce_np/cnp_802p_prio")  # fmt: skip
CC_PARAMS = ("rp_time_reset", "rp_clamp_tgt_rate_ati", "np_min_time_between_cnps", "np_cnp_dscp", "np_cnp_prio")


@dataclass
class Result:
    """Result of a script."""

    status: int
    out: str
    err: str


@dataclass
class Machine:
    """The machine; ``vendor`` tells that NVIDIA's own driver runs, not the one of the Linux kernel."""

    root: Path
    cls: HostClass
    vendor: bool = True
    missing: tuple[int, ...] = ()
    firmware: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for folder in ("sys/bus/pci/devices", "sys/kernel/config/rdma_cm", "bin"):
            (self.root / folder).mkdir(parents=True)
        for name in BASE:
            found = shutil.which(name)
            assert found, name
            (self.root / "bin" / name).symlink_to(found)
        self.tool("sleep")
        self.tool("mlnx_qos" if self.vendor else "dcb")
        for rail in self.cls.rails:
            if rail.place.rail not in self.missing:
                self.plug(rail.place.rail)

    @property
    def sys(self) -> Path:
        return self.root / "sys"

    def file(self, path: str, text: str = "") -> Path:
        target = self.sys / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        return target

    def plug(self, rail: int) -> None:
        shape = self.cls.rails[rail]
        for port in shape.members or (shape,):
            self.plug_port(port.interface, port.nic_bdf or f"0000:f{rail}:00.0")
        if not self.vendor:
            for name in CC_PARAMS:
                self.file(f"kernel/debug/mlx5/{self.address(rail)}/cc_params/{name}", "77\n")
        self.plug_rdma(rail)

    def address(self, rail: int) -> str:
        """PCI address of a NIC, that of its first port."""
        return self.cls.rails[rail].nic_bdf or f"0000:f{rail}:00.0"

    def plug_port(self, interface: str, bdf: str) -> None:
        (self.sys / "bus/pci/devices" / bdf).mkdir()
        net = self.sys / "class/net" / interface
        net.mkdir(parents=True)
        (net / "device").symlink_to(self.sys / "bus/pci/devices" / bdf)
        if self.vendor:
            for role in ("np", "rp"):
                for priority in range(8):
                    self.file(f"class/net/{interface}/ecn/roce_{role}/enable/{priority}", "1\n")
            for name in KNOBS:
                self.file(f"class/net/{interface}/ecn/{name}", "77\n")

    def plug_rdma(self, rail: int) -> None:
        name = self.cls.rails[rail].rdma
        (self.sys / "class/infiniband" / name).mkdir(parents=True)
        (self.sys / "class/infiniband" / name / "device").symlink_to(self.sys / "bus/pci/devices" / self.address(rail))
        self.file(f"kernel/config/rdma_cm/{name}/ports/1/default_roce_mode", "IB/RoCE v1\n")
        self.file(f"kernel/config/rdma_cm/{name}/ports/1/default_roce_tos", "0\n")

    def tool(self, name: str, body: str = "") -> None:
        """Install a tool that writes down its call, then does what ``body`` says."""
        target = self.root / "bin" / name
        target.write_text(f'#!/bin/sh\nprintf "%s\\n" "{name} $*" >>"{self.root}/calls"\n{body}\n')
        target.chmod(0o755)

    def firmware_tool(self, name: str, values: dict[str, tuple[str, str, str]]) -> None:
        """Install mlxconfig or mstconfig, which knows these keys: default, current and next value."""
        rows = "\n".join(
            f"{'*' if row[0] != row[2] or row[1] != row[2] else ' '}       {key:<48}"
            + " ".join(f"{v:<20}" for v in row)
            for key, row in values.items()
        )
        (self.root / "table").write_text(f"Device #1:\n\nConfigurations:   Default   Current   Next Boot\n{rows}\n")
        self.tool(name, f'case "$*" in *query*) cat "{self.root}/table" ;; esac')

    def calls(self, tool: str = "") -> list[str]:
        log = self.root / "calls"
        lines = log.read_text().splitlines() if log.exists() else []
        return [line for line in lines if line.startswith(f"{tool} " if tool else "")]

    def run(self, script: str, *arguments: str) -> Result:
        target = self.root / "script"
        target.write_text(script)
        environment = {"PATH": str(self.root / "bin"), "FABRICGEN_SYSFS": str(self.sys), "TMPDIR": str(self.root)}
        words = ["/bin/sh", str(target), *arguments]
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        return Result(done.returncode, done.stdout, done.stderr)

    def state(self) -> dict[str, tuple[str, int]]:
        return {
            str(path.relative_to(self.sys)): (path.read_text(), os.stat(path).st_mtime_ns)
            for path in sorted(self.sys.rglob("*"))
            if path.is_file()
        }

    def read(self, path: str) -> str:
        """A file below sys, without its line end."""
        return (self.sys / path).read_text().strip()


UNREACHABLE = re.compile(r"\[Route\](?=\nDestination=.*\nType=unreachable\n)")
"""A second section of the name Route, which networkd takes for another route."""


def generate(device: Host, root: Path) -> Path:
    """Return the folder of what netplan makes of the rendered file."""
    write(render(device), root)
    words = [judge("netplan"), "generate", "--root-dir", str(root)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return root / "run/systemd/network"


def networkd(device: Host, root: Path) -> dict[str, ConfigParser]:
    """Return what netplan makes of the rendered file, by file name."""
    found = {}
    for path in sorted(generate(device, root).iterdir()):
        parser = ConfigParser(interpolation=None)
        parser.optionxform = str
        parser.read_string(UNREACHABLE.sub("[Unreachable]", path.read_text()))
        found[path.name] = parser
    return found


def under_networkd(device: Host, root: Path, script: str) -> subprocess.CompletedProcess[str]:
    """Run a script where systemd-networkd has set rail0, rail1 and a management port up; skipped by name without it."""
    as_root()
    daemon = Path("/usr/lib/systemd/systemd-networkd")
    if not daemon.exists():
        pytest.skip("the judge systemd-networkd is not installed")
    folder = generate(device, root)
    for path in (root / "etc/systemd/network").glob("*"):
        shutil.copy(path, folder)
    management = "[Match]\nName=mgmt\n[Network]\nAddress=192.168.0.2/24\nGateway=192.168.0.1\n"
    (folder / "20-mgmt.network").write_text(management)
    start = (
        'mount -t tmpfs none /run && mkdir -p /run/systemd && cp -r "$1" /run/systemd && chmod -R a+rX /run/systemd && '
        "mount --bind /sys /sys && mount -o remount,bind,ro /sys && ip link set lo up && for i in mgmt rail0 rail1; do "
        "ip link add $i type veth peer name p$i && ip link set p$i up; done; "
        '"$2" >/dev/null 2>&1 & for i in $(seq 100); do [ $(ip rule | grep -c 172.16.1) = "$3" ] && '
        "ip route | grep -q default && break; sleep 0.1; done; trap 'kill $!' EXIT; "
    )
    rules = str(4 if device.cls.bgp else 2)
    words = [judge("unshare"), "-n", "-m", "sh", "-c", start + script, "sh", str(folder), str(daemon), rules]
    return subprocess.run(words, capture_output=True, text=True, check=False)
