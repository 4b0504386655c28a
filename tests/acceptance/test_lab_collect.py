"""``fabricgen collect`` from the lab: FRR's daemons behind OpenSSH servers, each in the namespace of its device."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fabricgen.collect.readings import read_record
from fabricgen.lab.lifecycle import state
from fabricgen.lab.lifecycle.boot import vtysh
from fabricgen.lab.model.blueprint import Blueprint, Node
from tests.acceptance.laboratory import Lab, machine_to_oneself, running, skip_if_told
from tests.acceptance.run import INVENTORIES, REPOSITORY, render_here, run
from tests.command_line import Done, succeed

SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin")
CLIENT, PREFIX = "192.168.255.254", 16
QUICKSTART = INVENTORIES / "quickstart"
_SERVER = """\
HostKey {folder}/{device}.key
PidFile {folder}/{device}.pid
ListenAddress {address}
AuthorizedKeysFile {folder}/client.pub
ForceCommand {folder}/{device}.sh
PermitRootLogin yes
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
# Every command has a shell, which would read what its user wrote for sessions.
SetEnv HOME={folder}
"""
_ANSWERS = """\
#!/bin/sh
# Answers of {device}: routing of its own daemons, neighbors of its own lldpd, files as they were rendered.
case "$SSH_ORIGINAL_COMMAND" in
"sonic-cfggen -d --print-data") exec cat {tree}/etc/sonic/config_db.json ;;
"vtysh -c 'show running-config'") {vtysh} -c 'show running-config' {undo} ;;
"vtysh -c '"*) eval "exec {vtysh} ${{SSH_ORIGINAL_COMMAND#vtysh}}" ;;
*"lldpcli -f json0 show neighbors") exec lldpcli -u {lldp} -f json0 show neighbors ;;
"ip "* | "uname "*) exec $SSH_ORIGINAL_COMMAND ;;
"sh -c 'test -e /"*) eval "$(printf %s "$SSH_ORIGINAL_COMMAND" | sed 's# /# {tree}/#g')" ;;
*) exit 127 ;;
esac
"""


@pytest.fixture(autouse=True)
def _alone() -> Iterator[None]:
    skip_if_told()
    if SSHD is None:
        pytest.skip("OpenSSH's server (openssh-server) is not installed")
    with machine_to_oneself():
        yield


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@contextmanager
def management(blueprint: Blueprint, addresses: dict[str, str]) -> Iterator[str]:
    """Join the devices in a management network of its own; yield the namespace of who manages them."""
    name = f"fgm{os.getpid()}"
    ip("netns", "add", name)
    try:
        ip("-n", name, "link", "add", "br0", "type", "bridge")
        ip("-n", name, "address", "add", f"{CLIENT}/{PREFIX}", "dev", "br0")
        ip("-n", name, "link", "set", "br0", "up")
        for number, (device, address) in enumerate(addresses.items()):
            there = blueprint.namespace(device)
            ip("-n", name, "link", "add", f"m{number}", "type", "veth", "peer", "name", "mgmt0", "netns", there)
            ip("-n", name, "link", "set", f"m{number}", "master", "br0", "up")
            ip("-n", there, "address", "add", f"{address}/{PREFIX}", "dev", "mgmt0")
            ip("-n", there, "link", "set", "mgmt0", "up")
        yield name
    finally:
        ip("netns", "delete", name)


def start_server(blueprint: Blueprint, node: Node, address: str, tree: Path, folder: Path) -> None:
    """Start the SSH server of a device; it ends with the lab."""
    name, kind = node.name, "switches" if node.is_switch else "hosts"
    key = folder / f"{name}.key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    answers = folder / f"{name}.sh"
    answers.write_text(
        _ANSWERS.format(
            device=name,
            tree=tree / kind / name,
            vtysh=shlex.join(vtysh(blueprint, name)),
            lldp=state.device_folder(blueprint.lab, name) / "lldpd.socket",
            undo=_undo(node),
        )
    )
    answers.chmod(0o755)
    config = folder / f"{name}.conf"
    config.write_text(_SERVER.format(folder=folder, device=name, address=address))
    Path("/run/sshd").mkdir(exist_ok=True)
    command = ["nsenter", f"--net=/run/netns/{blueprint.namespace(name)}", str(SSHD), "-f", str(config)]
    subprocess.run(command, check=True, capture_output=True)


def _undo(node: Node) -> str:
    """Return a filter that takes back what the lab changes of a rendered configuration, see ``lab status``."""
    lines = [text.partition(": ")[2] for text in node.adapted if text.startswith("left out: ")]
    added = [text.partition(": ")[2] for text in node.adapted if text.startswith("added: ")]
    words = [f"-e '/^{line}$/d'" for line in added]
    words += [
        f"-e '/^router bgp/a\\ {line}'" if line.startswith("bgp ") else f"-e '/^frr defaults/a {line}'"
        for line in reversed(lines)
    ]
    return f"| sed {' '.join(words)}" if words else ""


def write_known_hosts(folder: Path, addresses: dict[str, str]) -> Path:
    """Write the devices' own keys, as an operator takes them from their consoles."""
    lines = []
    for device, address in addresses.items():
        lines.append(f"{address} {(folder / f'{device}.key.pub').read_text()}")
    file = folder / "known_hosts"
    file.write_text("".join(lines))
    return file


def choose_addresses(blueprint: Blueprint) -> dict[str, str]:
    """Return the planned management addresses of switches, and free ones for hosts, which the plan has none of."""
    rows = json.loads(succeed("show", str(QUICKSTART), "devices", "--format", "json"))
    planned = {row["name"]: row["management"] for row in rows}
    hosts = (f"192.168.2.{number}" for number in range(1, 255))
    return {node.name: planned[node.name] or next(hosts) for node in blueprint.nodes}


def collect(lab: Lab, addresses: dict[str, str], folder: Path, tree: Path) -> Done:
    blueprint = state.load(lab.name)
    assert blueprint is not None
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "client"], check=True)
    for node in blueprint.nodes:
        start_server(blueprint, node, addresses[node.name], tree, folder)
    (folder / "addresses").write_text("".join(f"{name} {address}\n" for name, address in addresses.items()))
    words = ["--user", "root", "--no-sudo", "--key", folder / "client", "--addresses", folder / "addresses"]
    words += ["--known-hosts", write_known_hosts(folder, addresses), "-o", folder / "collected"]
    there = ["nsenter", f"--net=/run/netns/fgm{os.getpid()}", sys.executable, "-m", "fabricgen"]
    done = subprocess.run(
        [*there, "collect", QUICKSTART, *words], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    return Done.of(done)


def test_what_is_collected_from_the_lab_is_what_the_inventory_says(tmp_path: Path) -> None:
    tmp_path.chmod(tmp_path.stat().st_mode | stat.S_IXOTH)
    assert render_here(QUICKSTART, tmp_path / "tree") == []
    with running(QUICKSTART, "collect") as lab:
        blueprint = state.load(lab.name)
        assert blueprint is not None
        addresses = choose_addresses(blueprint)
        with management(blueprint, addresses):
            done = collect(lab, addresses, tmp_path, tmp_path / "tree")
    done.exits(0)
    assert "14 of 14 devices collected" in done.stderr
    compared = run("diff", QUICKSTART, tmp_path / "collected")
    assert (compared.returncode, compared.stdout.strip()) == (0, "no difference on 14 devices"), compared.stdout
    for node in blueprint.nodes:
        judge_states(tmp_path / "collected", node)


def judge_states(root: Path, node: Node) -> None:
    """Compare the states of a device with the lab: sessions of switches, cables of all."""
    kind = "switches" if node.is_switch else "hosts"
    record = read_record(root, kind, node.name)
    assert record is not None
    heard = json.loads((root / record.answers["lldp"].file).read_text())["lldp"][0]["interface"]
    assert {interface["name"] for interface in heard} == {interface.name for interface in node.interfaces}
    if node.is_switch:
        sessions = json.loads((root / record.answers["sessions"].file).read_text())
        peers = sessions["ipv4Unicast"]["peers"]
        assert peers
        assert {peer["state"] for peer in peers.values()} == {"Established"}
