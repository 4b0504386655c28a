"""The kernel as the lab uses it: namespaces, the ip command, settings, and which process is where."""

from __future__ import annotations

import ctypes
import json
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from fabricgen.files import Refused, read_file

NAMESPACES = Path("/run/netns")
LOG_MAX_BYTES = 64 << 20
_CLONE_NEWNET = 0x40000000
_SIX = "-6 "
"""Start of lines about IPv6 that do not show it to the ip command, which takes no option within a batch."""
_LIBC = ctypes.CDLL(None, use_errno=True)


class CommandError(Exception):
    """A command that had to work did not; the text is what it said."""


def run(command: list[str], *, text: str | None = None, timeout_s: float = 120) -> str:
    """Run a command, and return its output; raises CommandError if it fails or does not end in time."""
    try:
        done = subprocess.run(  # noqa: S603 - commands of the lab only
            command, input=text, capture_output=True, text=True, check=False, timeout=timeout_s
        )
    except subprocess.TimeoutExpired as error:
        raise CommandError(f"{' '.join(command)}: no answer in {timeout_s:.0f} s") from error
    if done.returncode:
        raise CommandError(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()[:2000]}")
    return done.stdout


def run_daemon(command: list[str], log: Path, *, timeout_s: float = 120) -> None:
    """Run a command that leaves a daemon behind, its output in a file; raises CommandError with what that holds."""
    with log.open("w") as output:
        try:
            done = subprocess.run(  # noqa: S603 - commands of the lab only
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, check=False, timeout=timeout_s
            )
        except subprocess.TimeoutExpired as error:
            raise CommandError(f"{' '.join(command)}: no answer in {timeout_s:.0f} s") from error
    if done.returncode:
        logged = read_file(log, LOG_MAX_BYTES)
        text = logged.reason if isinstance(logged, Refused) else logged.decode(errors="replace").strip()
        raise CommandError(text[:2000] or f"exit code {done.returncode}")


def run_ip(lines: Iterable[str], namespace: str = "") -> None:
    """Run lines of the ip command in one process, ``-6`` ones last; raises CommandError at the first that fails."""
    todo = list(lines)
    six = [line.removeprefix(_SIX) for line in todo if line.startswith(_SIX)]
    for family, batch in (([], [line for line in todo if not line.startswith(_SIX)]), (["-6"], six)):
        if batch:
            text = "".join(f"{line}\n" for line in batch)
            run(["ip", *family, *(["-n", namespace] if namespace else []), "-batch", "-"], text=text)


def ask_ip(namespace: str, *words: str) -> list[dict[str, Any]]:
    """Return what the ip command answers inside a namespace, as data."""
    answer = run(["ip", "-n", namespace, "-N", "-j", *words])
    found = json.loads(answer) if answer.strip() else []
    return [item for item in found if item]


def list_namespaces() -> list[str]:
    """Every named network namespace of this machine."""
    with suppress(FileNotFoundError):
        return sorted(path.name for path in NAMESPACES.iterdir())
    return []


@contextmanager
def inside(namespace: str) -> Iterator[None]:
    """Put this thread into a namespace: sockets made here stay there, and /proc/sys/net is that of the namespace."""
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        there = os.open(NAMESPACES / namespace, os.O_RDONLY | os.O_CLOEXEC)
        try:
            _enter(there)
        finally:
            os.close(there)
        try:
            yield
        finally:
            _enter(home)
    finally:
        os.close(home)


def _enter(descriptor: int) -> None:
    if _LIBC.setns(descriptor, _CLONE_NEWNET):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), "setns")


def write_settings(settings: Mapping[str, int]) -> list[str]:
    """Write kernel settings of the namespace this thread is in; those the kernel does not have are returned."""
    missing = []
    for name, value in settings.items():
        try:
            Path("/proc/sys", name).write_text(f"{value}\n")
        except FileNotFoundError:
            missing.append(name)
    return missing


def read_counters() -> dict[str, int]:
    """Bytes each interface of the namespace this thread is in has sent."""
    found = {}
    for line in Path("/proc/thread-self/net/dev").read_text().splitlines()[2:]:
        name, _, fields = line.partition(":")
        found[name.strip()] = int(fields.split()[8])
    return found


def read_forwarded() -> int:
    """Packets of both families that the namespace this thread is in has forwarded; its own do not count."""
    names, values = Path("/proc/thread-self/net/snmp").read_text().splitlines()[:2]
    found = int(dict(zip(names.split(), values.split(), strict=True))["ForwDatagrams"])
    for line in Path("/proc/thread-self/net/snmp6").read_text().splitlines():
        name, _, count = line.partition(" ")
        if name == "Ip6OutForwDatagrams":
            found += int(count)
    return found


def find_processes(namespaces: Iterable[str]) -> dict[str, list[int]]:
    """Processes by the namespace they are in; those in none of the given ones are left out."""
    by_inode = {}
    for name in namespaces:
        with suppress(OSError):
            by_inode[(NAMESPACES / name).stat().st_ino] = name
    found: dict[str, list[int]] = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        with suppress(OSError):
            inode = re.search(r"\d+", os.readlink(f"/proc/{entry}/ns/net"))
            if inode and int(inode[0]) in by_inode:
                found.setdefault(by_inode[int(inode[0])], []).append(int(entry))
    return found


def available_memory_bytes() -> int:
    """Memory that programs can still get."""
    return _read_bytes("/proc/meminfo", "MemAvailable:")


def summed_memory_bytes(processes: Iterable[int]) -> int:
    """Proportional share of memory of some processes, summed."""
    return sum(_read_bytes(f"/proc/{process}/smaps_rollup", "Pss:") for process in processes)


def _read_bytes(path: str, name: str) -> int:
    """Return a size that the kernel shows in KiB; 0 where it does not."""
    with suppress(OSError):
        lines = map(str.split, Path(path).read_text().splitlines())
        return next((int(words[1]) * 1024 for words in lines if words[0] == name), 0)
    return 0


def wait_for(done: Callable[[], bool], patience_s: float, pause_s: float = 0.2) -> bool:
    """Ask again until it is so or patience ends; whether it was so."""
    deadline = time.monotonic() + patience_s
    while not done():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause_s)
    return True
