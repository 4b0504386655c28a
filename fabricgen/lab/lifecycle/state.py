"""State of a running lab on the machine: its folder, its namespaces, the limits it raised."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fabricgen.files import Refused, check_folder, open_file, read_file
from fabricgen.lab.lifecycle.kernel import CommandError, find_processes, list_namespaces, run_ip
from fabricgen.lab.model.blueprint import NAMESPACE_PREFIX, Blueprint, LabNode, from_text, lab_of, to_text

ROOT = Path("/run/fabricgen")
"""Folder of all labs: one folder each, with a folder for every device that runs daemons."""
_BLUEPRINT, _FILES = "blueprint.json", "files"
_BLUEPRINT_MAX_BYTES = 1 << 30
_LIMITS, _LOCK = "neighbours.json", ".lock"
"""Files in that folder: the limits of the machine before the first lab, and what is locked while they change."""
_NETWORK, _TABLES = Path("/proc/sys/net"), "ipv[46]/neigh/default/*"
_NEIGHBOURS = {"gc_thresh1": 8192, "gc_thresh2": 32768, "gc_thresh3": 65536}
"""Neighbour tables are one for all namespaces; the defaults overflow above about 500 links."""
_TRAVERSABLE = 0o711
"""The daemons run as a user of their own and must reach their folders."""


def folder_of(lab: str) -> Path:
    """Folder of a lab."""
    return ROOT / lab


def device_folder(lab: str, device: str) -> Path:
    """Folder of a device: sockets, process ids, configuration and logs."""
    return ROOT / lab / device


def files_folder(lab: str, device: str) -> Path:
    """Folder with a device's files that no daemon of the lab reads, under the paths that they have on the device."""
    return device_folder(lab, device) / _FILES


def keep_files(lab: str, node: LabNode) -> None:
    """Put the files of a device, if it comes with any, in place of those that it has; raises OSError."""
    folder = files_folder(lab, node.name)
    if node.files:
        shutil.rmtree(folder, ignore_errors=True)
    for path, text in node.files:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


@contextmanager
def machine_lock() -> Iterator[None]:
    """Let one lab at a time change what all share."""
    _make(ROOT)
    descriptor = os.open(ROOT / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def alone(lab: str) -> Iterator[bool]:
    """Be the only process that tests a lab; False if another one does."""
    descriptor = open_file(folder_of(lab) / _BLUEPRINT, inside=folder_of(lab))
    if isinstance(descriptor, Refused):
        raise FileNotFoundError(f"{folder_of(lab) / _BLUEPRINT} {descriptor.reason}")
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


def list_labs() -> list[str]:
    """Every lab that runs or left something behind."""
    found = {lab_of(name) for name in list_namespaces()} - {""}
    with suppress(FileNotFoundError, NotADirectoryError):
        found.update(path.name for path in ROOT.iterdir() if path.is_dir())
    return sorted(found)


def claim(blueprint: Blueprint) -> bool:
    """Take a lab's name and write down its blueprint; False if something has that name.

    If that raises OSError, the name is not taken, and nothing is left that its text does not name.
    """
    with machine_lock():
        if blueprint.lab in list_labs():
            return False
        folder = folder_of(blueprint.lab)
        try:
            _make(folder)
            (folder / _BLUEPRINT).write_text(to_text(blueprint))
            _raise_limits()
        except OSError as error:
            _remove(blueprint.lab)
            left = f"; {folder} is left" if os.path.lexists(folder) else ""
            raise OSError(error.errno, f"{error.strerror}{left}", error.filename) from None
    return True


def rewrite(blueprint: Blueprint) -> None:
    """Write down what a running lab has become; a lock on it stays. Raises OSError."""
    (folder_of(blueprint.lab) / _BLUEPRINT).write_text(to_text(blueprint))
    for node in blueprint.nodes:
        keep_files(blueprint.lab, node)


def load(lab: str) -> Blueprint | None:
    """The blueprint of a lab that was booted; None if there is no such lab."""
    try:
        found = read_file(folder_of(lab) / _BLUEPRINT, _BLUEPRINT_MAX_BYTES, inside=folder_of(lab))
        return None if isinstance(found, Refused) else from_text(found.decode())
    except (ValueError, KeyError, TypeError):
        return None


def erase(lab: str) -> list[str]:
    """Take away everything a lab has made, and return what could not be taken away."""
    names = [name for name in list_namespaces() if name.startswith(f"{NAMESPACE_PREFIX}{lab}.")]
    left = _end_processes(names)
    try:
        run_ip(f"netns del {name}" for name in names)
    except CommandError as error:
        left.append(str(error))
    try:
        with machine_lock():
            _remove(lab)
    except OSError as error:
        left.append(describe(error))
    if os.path.lexists(folder_of(lab)):
        left.append(f"{folder_of(lab)} cannot be removed")
    return left


def describe(error: OSError) -> str:
    """A fault of the disk in words: the file, and what the system says."""
    named = f"{error.filename}: " if error.filename else ""
    return f"{named}{error.strerror or error}"


def _remove(lab: str) -> None:
    """Take away a lab's folder, and what the last lab leaves behind."""
    shutil.rmtree(folder_of(lab), ignore_errors=True)
    if list_labs():
        return
    with suppress(OSError):
        _restore_limits()
        (ROOT / _LOCK).unlink(missing_ok=True)
        ROOT.rmdir()


def _end_processes(namespaces: list[str], patience_s: float = 10) -> list[str]:
    """End every process of some namespaces; nothing of a lab is worth a farewell."""
    deadline = time.monotonic() + patience_s
    while found := find_processes(namespaces):
        if time.monotonic() > deadline:
            return [f"{name}: processes {pids} do not end" for name, pids in found.items()]
        for pids in found.values():
            for pid in pids:
                if pid != os.getpid():
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)
    return []


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        refused = check_folder(folder)
        raise FileExistsError(error.errno, f"it {refused.reason if refused else 'exists'}", str(folder)) from None
    folder.chmod(_TRAVERSABLE)


def _raise_limits() -> None:
    """Raise the neighbour limits, and remember what they were unless another lab has."""
    if (ROOT / _LIMITS).exists():
        return
    before = {str(path): int(path.read_text()) for path in _NETWORK.glob(_TABLES) if path.name in _NEIGHBOURS}
    (ROOT / _LIMITS).write_text(json.dumps(before))
    for path, value in before.items():
        Path(path).write_text(f"{max(value, _NEIGHBOURS[Path(path).name])}\n")


def _restore_limits() -> None:
    """Set the neighbour limits back; what they were stays written down until all of them are."""
    try:
        before = json.loads((ROOT / _LIMITS).read_text())
    except (OSError, ValueError):
        before = {}
    for path, value in before.items():
        Path(path).write_text(f"{value}\n")
    (ROOT / _LIMITS).unlink(missing_ok=True)
