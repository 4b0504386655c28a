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
PARENT = f"{SPINE}/etc/sonic"
FILE = f"{PARENT}/config_db.json"
HEADER, LOCK, JOURNAL = "manifest/header.json", "manifest/.lock", "manifest/.journal"


@dataclass
class Site:
    """A tree in a folder that every user may enter."""

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


def give_away(site: Site, *kept: Path, mode: int = 0o644) -> None:
    """Everything but some belongs to a user who is not root; of what is kept, a file has another mode."""
    site.call("chown", "-R", f"{NOBODY}:{NOBODY}", site.home)
    for path in kept:
        os.chown(path, 0, 0)
        if path.is_file():
            path.chmod(mode)


def put_on_disk(site: Site, options: str = "size=32m") -> None:
    """The tree lies on a small file system of its own."""
    disk = site.home / "disk"
    disk.mkdir()
    site.mount(disk, "-t", "tmpfs", "-o", options, "tmpfs")
    shutil.copytree(site.out, disk / "out")
    site.out = disk / "out"


def make_mounted(site: Site, path: str) -> None:
    """A copy of a file or folder is mounted over it."""
    source = site.home / "source"
    site.call("cp", "-a", site.out / path, source)
    site.mount(site.out / path, "--bind", source)


def make_sticky(site: Site) -> None:
    give_away(site, site.out / PARENT, site.out / FILE)
    (site.out / PARENT).chmod(0o1777)


def read_only_mount(site: Site) -> None:
    put_on_disk(site)
    site.call("mount", "-o", "remount,ro", site.out.parent)


def full_disk(site: Site) -> None:
    put_on_disk(site)
    free = os.statvfs(site.out)
    with (site.out.parent / "filler").open("wb") as file:
        file.write(b"x" * (free.f_bavail * free.f_frsize))


def no_inodes(site: Site) -> None:
    put_on_disk(site, "size=32m,nr_inodes=2000")
    for number in range(os.statvfs(site.out).f_ffree):
        (site.out.parent / f"filler{number}").touch()


def make_device(site: Site, path: str) -> None:
    """/dev/zero: whoever reads it without asking what it is never ends."""
    (site.out / path).unlink(missing_ok=True)
    site.call("mknod", site.out / path, "c", "1", "5")


class Obstacle(NamedTuple):
    """Something in the way, and what the writer says of it.

    ``text``: what its message begins with; OUT stands for the tree. ``user``: who renders; None for root.
    """

    name: str
    make: Callable[[Site], object]
    code: str
    text: str
    user: int | None = None


EPERM, EACCES, EROFS = "Operation not permitted (EPERM)", "Permission denied (EACCES)", "Read-only file system (EROFS)"
ENOSPC, EINVAL = "No space left on device (ENOSPC)", "it is not a regular file (EINVAL)"
EBUSY, EXDEV = "Device or resource busy (EBUSY)", "Invalid cross-device link (EXDEV)"
OBSTACLES = [
    *(Obstacle(f"{word} {letter}", lambda site, path=path, letter=letter: site.set_attribute(site.out / path, letter),
        "FG-OUT-013", f"cannot commit OUT: {EPERM} at 'OUT/{FILE}'")
        for word, path, letter in (("file", FILE, "i"), ("file", FILE, "a"), ("folder", PARENT, "i"))),
    Obstacle("immutable manifest", lambda site: site.set_attribute(site.out / "manifest", "i"),
        "FG-OUT-013", f"cannot open OUT: {EPERM} at 'OUT/{LOCK}'"),
    Obstacle("mounted file", lambda site: make_mounted(site, FILE),
        "FG-OUT-013", f"cannot commit OUT: {EBUSY} at 'OUT/{FILE}'"),
    Obstacle("mounted folder", lambda site: make_mounted(site, SPINE),
        "FG-OUT-013", f"cannot commit OUT: {EXDEV} at 'OUT/{FILE}'"),
    Obstacle("sticky folder", make_sticky, "FG-OUT-013", f"cannot commit OUT: {EPERM} at 'OUT/{FILE}'", NOBODY),
    Obstacle("read-only mount", read_only_mount, "FG-OUT-013", f"cannot open OUT: {EROFS} at 'OUT/{LOCK}'"),
    Obstacle("read-only folder", lambda site: give_away(site, site.out / PARENT),
        "FG-OUT-013", f"cannot commit OUT: {EACCES} at 'OUT/{FILE}'", NOBODY),
    Obstacle("full disk", full_disk, "FG-OUT-012", f"cannot open OUT: {ENOSPC} at 'OUT/{LOCK}'"),
    Obstacle("no inodes", no_inodes, "FG-OUT-012", f"cannot open OUT: {ENOSPC} at 'OUT/{LOCK}'"),
    Obstacle("device", lambda site: make_device(site, FILE), "FG-OUT-010", f"OUT/{FILE}: it is not a regular file"),
    *(Obstacle(f"device as {path}", lambda site, path=path: make_device(site, path),
        "FG-OUT-013", f"cannot open OUT: {EINVAL} at 'OUT/{path}'") for path in (HEADER, JOURNAL)),
    Obstacle("fifo as lock", lambda site: os.mkfifo(site.out / LOCK),
        "FG-OUT-013", f"cannot open OUT: {EINVAL} at 'OUT/{LOCK}'"),
    Obstacle("huge file", lambda site: os.truncate(site.out / FILE, 1 << 40),
        "FG-OUT-008", f"OUT/{FILE}: it was edited since it was rendered"),
    Obstacle("huge manifest", lambda site: os.truncate(site.out / HEADER, 1 << 40),
        "FG-OUT-013", f"cannot open OUT: it has more than 268435456 bytes (EFBIG) at 'OUT/{HEADER}'"),
    Obstacle("unreadable file", lambda site: give_away(site, site.out / FILE, mode=0),
        "FG-OUT-013", f"cannot stage '{FILE}': {EACCES} at 'OUT/{FILE}'", NOBODY),
    Obstacle("unreadable manifest", lambda site: give_away(site, site.out / HEADER, mode=0),
        "FG-OUT-013", f"cannot open OUT: {EACCES} at 'OUT/{HEADER}'", NOBODY),
]  # fmt: skip
