"""Obstacles of a disk to a tree: mounts, attributes, other users, devices. Everything needs root."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

NOBODY = 65534
SPINE = "switches/spine-01"
FILE = f"{SPINE}/etc/sonic/config_db.json"
HEADER = "manifest/header.json"


@dataclass
class Site:
    """A tree in a folder that every user may enter.

    Attributes:
        home: That folder.
        out: The tree.
        cleanup: Ends every effect.
    """

    home: Path
    out: Path
    cleanup: ExitStack

    def call(self, *words: str | Path) -> None:
        """Run a program that needs root; its effect ends with the test."""
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"{words[0]} is not possible here: {done.stderr.strip()}")

    def mount(self, target: Path, *words: str | Path) -> None:
        self.call("mount", *words, target)
        self.cleanup.callback(subprocess.run, ["umount", str(target)], check=True)

    def set_attribute(self, path: Path, letter: str) -> None:
        self.call("chattr", f"+{letter}", path)
        self.cleanup.callback(subprocess.run, ["chattr", f"-{letter}", str(path)], check=True)


def give_away(site: Site) -> None:
    """Everything belongs to a user who is not root."""
    site.call("chown", "-R", f"{NOBODY}:{NOBODY}", site.home)


def put_on_disk(site: Site, options: str) -> None:
    """The tree lies on a small file system of its own."""
    disk = site.home / "disk"
    disk.mkdir()
    site.mount(disk, "-t", "tmpfs", "-o", options, "tmpfs")
    shutil.copytree(site.out, disk / "out")
    site.out = disk / "out"


def immutable_file(site: Site) -> None:
    site.set_attribute(site.out / FILE, "i")


def append_only_file(site: Site) -> None:
    site.set_attribute(site.out / FILE, "a")


def immutable_folder(site: Site) -> None:
    site.set_attribute((site.out / FILE).parent, "i")


def immutable_manifest(site: Site) -> None:
    site.set_attribute(site.out / "manifest", "i")


def mounted_file(site: Site) -> None:
    source = site.home / "source"
    shutil.copy(site.out / FILE, source)
    site.mount(site.out / FILE, "--bind", source)


def mounted_folder(site: Site) -> None:
    source = site.home / "source"
    shutil.copytree(site.out / SPINE, source)
    site.mount(site.out / SPINE, "--bind", source)


def sticky_folder(site: Site) -> None:
    give_away(site)
    folder = (site.out / FILE).parent
    os.chown(folder, 0, 0)
    os.chown(site.out / FILE, 0, 0)
    folder.chmod(0o1777)
    (site.out / FILE).chmod(0o644)


def read_only_mount(site: Site) -> None:
    put_on_disk(site, "size=32m")
    site.call("mount", "-o", "remount,ro", site.out.parent)


def read_only_folder(site: Site) -> None:
    give_away(site)
    os.chown((site.out / FILE).parent, 0, 0)


def full_disk(site: Site) -> None:
    put_on_disk(site, "size=32m")
    free = os.statvfs(site.out)
    with (site.out.parent / "filler").open("wb") as file:
        file.write(b"x" * (free.f_bavail * free.f_frsize))


def no_inodes(site: Site) -> None:
    put_on_disk(site, "size=32m,nr_inodes=2000")
    for number in range(os.statvfs(site.out).f_ffree):
        (site.out.parent / f"filler{number}").touch()


def device(site: Site) -> None:
    (site.out / FILE).unlink()
    site.call("mknod", site.out / FILE, "c", "1", "5")


def device_as_manifest(site: Site) -> None:
    """/dev/zero: whoever reads it without asking what it is never ends."""
    (site.out / HEADER).unlink()
    site.call("mknod", site.out / HEADER, "c", "1", "5")


def fifo_as_lock(site: Site) -> None:
    os.mkfifo(site.out / "manifest/.lock")


def device_as_journal(site: Site) -> None:
    site.call("mknod", site.out / "manifest/.journal", "c", "1", "5")


def huge_file(site: Site) -> None:
    os.truncate(site.out / FILE, 1 << 40)


def huge_manifest(site: Site) -> None:
    os.truncate(site.out / HEADER, 1 << 40)


def unreadable_file(site: Site) -> None:
    give_away(site)
    os.chown(site.out / FILE, 0, 0)
    (site.out / FILE).chmod(0)


def unreadable_manifest(site: Site) -> None:
    give_away(site)
    os.chown(site.out / HEADER, 0, 0)
    (site.out / HEADER).chmod(0)


Make = Callable[[Site], None]


class Obstacle(NamedTuple):
    """Something in the way, and what the writer says of it.

    Attributes:
        make: Puts it there.
        code: Code with which a render stops.
        text: What its message begins with; OUT stands for the tree.
        user: Who renders; None for root.
    """

    make: Make
    code: str
    text: str
    user: int | None = None


EPERM, EACCES, EROFS = "Operation not permitted (EPERM)", "Permission denied (EACCES)", "Read-only file system (EROFS)"
ENOSPC, EINVAL = "No space left on device (ENOSPC)", "it is not a regular file (EINVAL)"
EBUSY, EXDEV = "Device or resource busy (EBUSY)", "Invalid cross-device link (EXDEV)"
OBSTACLES = [
    *(Obstacle(make, "FG-OUT-013", f"cannot commit OUT: {EPERM} at 'OUT/{FILE}'")
        for make in (immutable_file, append_only_file, immutable_folder)),
    Obstacle(immutable_manifest, "FG-OUT-013", f"cannot open OUT: {EPERM} at 'OUT/manifest/.lock'"),
    Obstacle(mounted_file, "FG-OUT-013", f"cannot commit OUT: {EBUSY} at 'OUT/{FILE}'"),
    Obstacle(mounted_folder, "FG-OUT-013", f"cannot commit OUT: {EXDEV} at 'OUT/{FILE}'"),
    Obstacle(sticky_folder, "FG-OUT-013", f"cannot commit OUT: {EPERM} at 'OUT/{FILE}'", NOBODY),
    Obstacle(read_only_mount, "FG-OUT-013", f"cannot open OUT: {EROFS} at 'OUT/manifest/.lock'"),
    Obstacle(read_only_folder, "FG-OUT-013", f"cannot commit OUT: {EACCES} at 'OUT/{FILE}'", NOBODY),
    Obstacle(full_disk, "FG-OUT-012", f"cannot open OUT: {ENOSPC} at 'OUT/manifest/.lock'"),
    Obstacle(no_inodes, "FG-OUT-012", f"cannot open OUT: {ENOSPC} at 'OUT/manifest/.lock'"),
    Obstacle(device, "FG-OUT-010", f"OUT/{FILE}: it is not a regular file"),
    Obstacle(device_as_manifest, "FG-OUT-013", f"cannot open OUT: {EINVAL} at 'OUT/{HEADER}'"),
    Obstacle(fifo_as_lock, "FG-OUT-013", f"cannot open OUT: {EINVAL} at 'OUT/manifest/.lock'"),
    Obstacle(device_as_journal, "FG-OUT-013", f"cannot open OUT: {EINVAL} at 'OUT/manifest/.journal'"),
    Obstacle(huge_file, "FG-OUT-008", f"OUT/{FILE}: it was edited since it was rendered"),
    Obstacle(huge_manifest, "FG-OUT-013",
        f"cannot open OUT: it has more than 268435456 bytes (EFBIG) at 'OUT/{HEADER}'"),
    Obstacle(unreadable_file, "FG-OUT-013", f"cannot stage '{FILE}': {EACCES} at 'OUT/{FILE}'", NOBODY),
    Obstacle(unreadable_manifest, "FG-OUT-013", f"cannot open OUT: {EACCES} at 'OUT/{HEADER}'", NOBODY),
]  # fmt: skip
