"""A machine of its own: a network namespace with an OpenSSH server, and folders of the system that nobody else sees.

Whoever logs in is root of the machine, with the commands of ``commands`` before those of this system. Needs root.
"""

from __future__ import annotations

import fcntl
import os
import shlex
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO

from tests.waiting import PATIENCE_S, wait

SSHD = "/usr/sbin/sshd"
OUTSIDE = "fgo"
"""Begin of the names of the links by which this computer reaches machines."""
_CLAIMED: list[tuple[int, IO[str]]] = []
"""The block of addresses of this process, with its lock."""
_PRIVATE = ("etc/sonic", "etc/frr", "etc/netplan", "etc/fabricgen", "var/tmp", "mnt/flash", "var/lib/fabricgen")
"""Folders that each machine has to itself, below /."""


@dataclass(frozen=True)
class Machine:
    """One machine.

    ``number``: decides its addresses, within those of the process of the test run; 0 to 31. ``inside``: network
    namespace that it is in; empty for one of its own.
    """

    name: str
    folder: Path
    number: int
    key: Path
    inside: str = ""

    @property
    def subnet(self) -> str:
        """Return the first three bytes of its addresses: .2 behind .1 of this machine, of 198.18.0.0/15 (RFC 2544)."""
        half, block = divmod(_claim_block(), 8)
        return f"198.{18 + half}.{block * 32 + self.number}"

    @property
    def address(self) -> str:
        return f"{self.subnet}.2"

    @property
    def namespace(self) -> str:
        return self.inside or f"fgem{os.getpid()}-{self.number}"

    @property
    def root(self) -> Path:
        return self.folder / "root"

    def path(self, path: str) -> Path:
        return self.root / path.lstrip("/")

    def ssh(self, command: str) -> subprocess.CompletedProcess[str]:
        words = ["ssh", *self.options, f"root@{self.address}", command]
        return subprocess.run(words, capture_output=True, text=True, check=False, timeout=PATIENCE_S)

    @property
    def options(self) -> list[str]:
        """Return the options of ``ssh`` that reach it and check its key."""
        told = {"UserKnownHostsFile": self.known_hosts, "IdentitiesOnly": "yes", "BatchMode": "yes"}
        settings = [word for name, value in told.items() for word in ("-o", f"{name}={value}")]
        return ["-F", "none", "-i", str(self.key), *settings]

    @property
    def known_hosts(self) -> Path:
        return self.folder / "known_hosts"


def make_key(folder: Path, name: str) -> Path:
    path = folder / name
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    return path


@cache
def _claim_block() -> int:
    """Return the block of addresses, 0 to 15, that this process alone holds on this computer while it lives."""
    wait(lambda: any(map(_is_free, range(16))))
    return _CLAIMED[0][0]


def _is_free(block: int) -> bool:
    lock = (Path(tempfile.gettempdir()) / f"fabricgen-test-addresses-{block}.lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        return False
    _CLAIMED.append((block, lock))
    return True


@contextmanager
def running(
    name: str,
    number: int,
    folder: Path,
    key: Path,
    *,
    commands: Path | None = None,
    env: Mapping[str, str] | None = None,
    shell: Sequence[str] = (),
    inside: str = "",
    mounts: Mapping[str, Path] | None = None,
) -> Iterator[Machine]:
    """Run a machine while the block lasts; the public half of ``key`` lies beside it, every session gets ``shell``."""
    machine = Machine(name, folder, number, key, inside)
    for path in (*_PRIVATE, "root"):
        machine.path(path).mkdir(parents=True, exist_ok=True)
    host_key = make_key(folder, "host_key")
    public = (folder / "host_key.pub").read_text().split()
    machine.known_hosts.write_text(f"{machine.address} {public[0]} {public[1]}\n")
    config = folder / "sshd_config"
    config.write_text(_sshd_config(machine, host_key, commands, env or {}, shell))
    try:
        _link(machine)
        script = "; ".join([*_mounts(machine, mounts or {}), f"exec {SSHD} -D -e -f {shlex.quote(str(config))}"])
        inside = ["ip", "netns", "exec", machine.namespace, "unshare", "--mount", "sh", "-c", script]
        with (folder / "sshd.log").open("w") as log:
            server = subprocess.Popen(inside, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            _wait(machine, server)
            yield machine
        finally:
            server.terminate()
            server.wait(PATIENCE_S)
    finally:
        _unlink(machine)


def put_commands(folder: Path, names: Sequence[str], words: Sequence[str]) -> Path:
    """Write a folder of commands, each of which calls ``words`` with its own name and arguments."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        file = folder / name
        file.write_text(f'#!/bin/sh\nexec {shlex.join(words)} {name} "$@"\n')
        file.chmod(0o755)
    return folder


def _sshd_config(
    machine: Machine, host_key: Path, commands: Path | None, env: Mapping[str, str], shell: Sequence[str]
) -> str:
    path = os.environ["PATH"] if commands is None else f"{commands}:{os.environ['PATH']}"
    # A shell would read what its user on this system wrote for sessions, at every command.
    own = {"PATH": path, "HOME": str(machine.path("root")), "HOSTNAME": machine.name, **env}
    told = " ".join(f'"{name}={value}"' for name, value in own.items())
    return "\n".join(
        ["Port 22", f"ListenAddress {machine.address}", f"HostKey {host_key}", f"AuthorizedKeysFile {machine.key}.pub",
            "StrictModes no", "UsePAM no", "PasswordAuthentication no", "PermitRootLogin prohibit-password",
            f"PidFile {machine.folder}/sshd.pid", "Subsystem sftp internal-sftp", f"SetEnv {told}",
            *([f"ForceCommand {shlex.join(shell)}"] if shell else []), ""],
    )  # fmt: skip


def _mounts(machine: Machine, more: Mapping[str, Path]) -> Iterator[str]:
    yield "set -e"
    yield "mount --make-rprivate /"
    yield "mkdir -p /run/sshd"
    for path in _PRIVATE:
        yield f"mkdir -p /{path}"
        yield f"mount --bind {shlex.quote(str(machine.path(path)))} /{path}"
    for path, folder in more.items():
        yield f"test -e {path} || mkdir -p {path}; mount --bind {shlex.quote(str(folder))} {path}"


def _link(machine: Machine) -> None:
    inside, outside = f"fgi{machine.number}-{os.getpid()}"[:15], _outside(machine)
    if not machine.inside:
        _run("ip", "netns", "add", machine.namespace)
    _run("ip", "link", "add", outside, "type", "veth", "peer", "name", inside, "netns", machine.namespace)
    _run("ip", "address", "add", f"{machine.subnet}.1/30", "dev", outside)
    _run("ip", "link", "set", outside, "up")
    for words in (
        ("address", "add", f"{machine.address}/30", "dev", inside),
        ("link", "set", inside, "up"),
        ("link", "set", "lo", "up"),
    ):
        _run("ip", "-n", machine.namespace, *words)


def _unlink(machine: Machine) -> None:
    """Take away the machine's namespace, or what joined another's to this one."""
    if machine.inside:
        subprocess.run(["ip", "link", "delete", _outside(machine)], check=False, capture_output=True)
        return
    _run("ip", "netns", "pids", machine.namespace, kill=True)
    subprocess.run(["ip", "netns", "delete", machine.namespace], check=False, capture_output=True)


def _outside(machine: Machine) -> str:
    return f"{OUTSIDE}{machine.number}-{os.getpid()}"[:15]


def _wait(machine: Machine, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end and server.poll() is None:
        try:
            with socket.create_connection((machine.address, 22), 1):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"{machine.name} does not answer: {(machine.folder / 'sshd.log').read_text()}")


def _run(*words: str, kill: bool = False) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=not kill)
    if kill:
        for pid in done.stdout.split():
            subprocess.run(["kill", "-9", pid], check=False, capture_output=True)
