"""Commands of manifests that loop over ports, run by a shell with programs that answer as the real ones do."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.collect.target import spell_command
from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.manifest.load import load_all
from fabricgen.platforms.manifest.readings import ABSENT, Reading
from tests.unit.state import answers_of_ethtool as nic
from tests.unit.state.bench import Bench
from tests.unit.state.readers import readers_of

SPECS = {**load_all("switch", Bag(), [template_root()]), **load_all("host", Bag(), [template_root()])}
NICS = load_all("nic", Bag(), [template_root()])
OPTIONS = {
    ("ubuntu", "optics"): ("-m", nic.ethtool_optics),
    ("ubuntu", "fec"): ("-I --show-fec", nic.ethtool_fec),
    ("frr", "fec_modes"): ("--show-fec", nic.ethtool_fec_modes),
    ("cumulus_nvue", "pfc"): ("-S", nic.cumulus_pfc),
    ("mlx5", "pfc"): ("-S", nic.mlx5_pfc),
    ("mlx5", "queues"): ("-S", nic.mlx5_queues),
}


def reading(platform: str, state: str) -> Reading:
    spec = SPECS.get(platform) or NICS[platform]
    return next(each for each in spec.collect if each.state == state)


def bench() -> Bench:
    found = Bench("host", 0)
    found.ports["lo"] = [True, 400, "rs", 9000]
    found.pauses["lo"], found.watchdogs["lo"] = [0, 0, 0, 17, 0, 0, 0, 0], ["operational", 1, 1]
    found.drops["lo"], found.uncorrected["lo"] = [9, 0, 0, 1, 0, 0, 0, 0], 6
    found.optics["lo"] = {"rx": [-1.5] * 4, "tx": [0.5] * 4, "degrees": 41.0, "volts": 3.3}
    return found


def block_of_loopback(text: str) -> str:
    """Lines of an answer below that of the loopback; a second line of it has nothing below."""
    chunks = (chunk.partition("\n") for chunk in text.split("port "))
    return next(rest for head, _, rest in chunks if head == "lo" and rest.strip())


@pytest.mark.parametrize(("platform", "state"), OPTIONS)
def test_loop_over_ports_gives_what_its_reader_takes(tmp_path: Path, platform: str, state: str) -> None:
    """The machine's own ports are asked; a program in the place of ethtool answers for the loopback and no other."""
    option, write = OPTIONS[platform, state]
    (tmp_path / "answer").write_text(block_of_loopback(write(bench())))
    program = tmp_path / "ethtool"
    program.write_text(f'#!/bin/sh\n[ "$*" = "{option} lo" ] && exec cat {tmp_path}/answer\nexit 94\n')
    program.chmod(0o755)
    command = spell_command(reading(platform, state), sudo=False)
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    done = subprocess.run(["sh", "-c", command], capture_output=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    found = readers_of("ubuntu" if platform == "mlx5" else platform)[state](done.stdout)
    assert {observation.port for observation in found} == {"lo"}


@pytest.mark.parametrize(("platform", "state"), OPTIONS)
def test_system_without_ethtool_says_so(tmp_path: Path, platform: str, state: str) -> None:
    command = spell_command(reading(platform, state), sudo=False).replace(":/usr/sbin:/sbin", "")
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, env={"PATH": str(tmp_path)}, check=False)
    assert (done.returncode, done.stdout) == (ABSENT, b"")


def test_release_of_sonic_without_counters_of_marks_says_so(tmp_path: Path) -> None:
    command = spell_command(reading("sonic", "ecn"), sudo=True)
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, env={"PATH": str(tmp_path)}, check=False)
    assert done.returncode == ABSENT, done.stderr


@pytest.mark.parametrize(("tool", "write"), [("mlnx_qos", nic.mlx5_contract), ("dcb", nic.mlx5_contract_of_linux)])
def test_settings_of_nics_are_asked_of_the_tool_there(tmp_path: Path, tool: str, write: Callable[[Bench], str]) -> None:
    """The loopback stands for a NIC: programs in the place of the real ones answer for it, and for nothing else."""
    made = bench()
    priorities = [3 if point == 26 else 0 for point in range(64)]
    made.contract["lo"] = {"trust": "dscp", "pfc": [0, 0, 0, 1, 0, 0, 0, 0], "dscp": priorities, "tos": 104}
    made.contract["lo"] |= {"cnp": (46, 6), "np": [3], "rp": [3], "firmware": "28.43.2026"}
    text = block_of_loopback(write(made))
    heads = {"mlnx_qos": "", "dcb": "dscp-prio|prio-pfc", "mstconfig": "ROCE_CC", "ethtool": "firmware-version"}
    answers = {name: [line for line in text.split("\n") if re.search(head, line)] for name, head in heads.items()}
    answers["mlnx_qos"] = [line for line in text.split("\n") if not line.startswith(("/sys", "firmware"))]
    wanted = {
        "mlnx_qos": "-i lo",
        "dcb": "-N app show dev lo dscp-prio",
        "mstconfig": "-d 0000:1a:00.1 -e query ROCE_CC_PRIO_MASK_P2",
        "ethtool": "-i lo",
    }
    for name in (tool, "mstconfig", "ethtool"):
        (tmp_path / f"{name}.answer").write_text("\n".join([*answers[name], ""]))
        program(tmp_path / name, f'[ "$*" = "{wanted[name]}" ] && exec cat {tmp_path}/{name}.answer\nexit 94')
    program(tmp_path / "readlink", 'case "$1" in -f) echo /sys/devices/0000:1a:00.1 ;; */lo/*) echo mlx5_core ;; esac')
    command = spell_command(reading("mlx5", "contract"), sudo=False).replace(":/usr/sbin:/sbin", "")
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    done = subprocess.run(["sh", "-c", command], capture_output=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    found = {setting[1:] for setting in readers_of("ubuntu")["contract"](done.stdout) if setting[0] == "lo"}
    assert {("trust", "dscp"), ("code points of priority 3", "26"), ("firmware", "28.43.2026")} <= found
    assert (("priorities that slow down", "3") in found) is (tool == "dcb"), "without ecn/ the firmware is asked"


def test_netplan_shows_its_files_together_and_no_password(tmp_path: Path) -> None:
    """The real netplan, over files of its own."""
    (tmp_path / "etc/netplan").mkdir(parents=True)
    rail = {"mtu": 9100, "addresses": ["172.16.0.1/31"], "routes": [{"to": "172.16.0.0/12", "via": "172.16.0.0"}]}
    secret = {"auth": {"key-management": "802.1x", "password": "hush-hush"}}
    for name, ethernets in (("60-ours", {"rail0": rail}), ("90-local", {"rail0": {"mtu": 1500}, "eth0": secret})):
        text = json.dumps({"network": {"version": 2, "ethernets": ethernets}})
        (tmp_path / f"etc/netplan/{name}.yaml").write_text(text)
    found = shutil.which("netplan", path="/usr/sbin:/usr/bin")
    assert found, "netplan is missing: apt-get install netplan.io"
    (tmp_path / "bin").mkdir()
    program(tmp_path / "bin/netplan", f'exec {found} "$@" --root-dir {tmp_path}')
    data = run(tmp_path / "bin", "netplan")
    settings = {setting[1:] for setting in readers_of("ubuntu")["netplan"](data)}
    above = "network > ethernets > rail0"
    assert {(f"{above} > mtu", "1500"), (f"{above} > routes", "to=172.16.0.0/12 via=172.16.0.0")} <= settings
    assert b"hush" not in data


def test_sysctl_shows_each_port_of_the_kernel(tmp_path: Path) -> None:
    found = {setting.name: setting.value for setting in readers_of("ubuntu")["sysctl"](run(tmp_path, "sysctl"))}
    value = Path("/proc/sys/net/ipv4/conf/lo/arp_ignore").read_text().strip()
    assert found["net.ipv4.conf.lo.arp_ignore"] == value
    assert all(name.startswith(("net.ipv4.conf.", "net.ipv6.conf.")) for name in found)


def run(folder: Path, state: str) -> bytes:
    """Run a command of hosts with programs of a folder before those of the machine."""
    command = spell_command(reading("ubuntu", state), sudo=False)
    env = {"PATH": f"{folder}:/usr/bin:/bin"}
    done = subprocess.run(["sh", "-c", command], capture_output=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def program(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
