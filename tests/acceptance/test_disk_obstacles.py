"""Real obstacles on a disk, against the writer: named, and nothing half-done."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.render.tree.access import open_tree
from tests.acceptance.disk_obstacles import FILE, OBSTACLES, SPINE, Obstacle, Site

OTHER = "hosts/h/etc/motd"
OLD = {FILE: b"old\n", f"{SPINE}/etc/sonic/frr/frr.conf": b"old\n", OTHER: b"old\n", "hosts/gone/etc/motd": b"old\n"}
NEW = {FILE: b"new 2\n", f"{SPINE}/etc/sonic/frr/frr.conf": b"new 2\n", OTHER: b"new 2\n"}
State = dict[str, tuple[int, int, bytes]]


@pytest.fixture
def site() -> Iterator[Site]:
    """A folder that every user may enter; the tree is not there yet."""
    if os.geteuid() != 0:
        pytest.skip("only root can put these obstacles in the way")
    with ExitStack() as cleanup:
        home = Path(cleanup.enter_context(tempfile.TemporaryDirectory(prefix="fabricgen-disk-")))
        home.chmod(0o755)
        yield Site(home, home / "out", cleanup)


def state_of(root: Path) -> State:
    """Mode, owner and bytes of everything in a tree, whoever made it; of a huge file its size."""
    found = {}
    for path in sorted(root.rglob("*")):
        status = path.lstat()
        data = b""
        if stat.S_ISREG(status.st_mode):
            data = path.read_bytes() if status.st_size < 1 << 20 else str(status.st_size).encode()
        found[str(path.relative_to(root))] = (status.st_mode, status.st_uid, data)
    return found


def write(out: Path, files: dict[str, bytes]) -> list[str]:
    bag = Bag()
    transaction = open_tree(out, bag)
    if transaction is not None:
        with transaction:
            for path, data in files.items():
                transaction.put(path.split("/")[0], path, data)
            transaction.commit({"fabric": "test"})
    return [f"{item.code} {item.message}" for item in bag]


def write_as(user: int | None, out: Path, files: dict[str, bytes]) -> list[str]:
    """Write a tree as another user, in a process of its own."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        if user is not None:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
        os.write(writer, json.dumps(write(out, files)).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        told = json.loads(file.read())
    assert os.waitpid(child, 0)[1] == 0
    return told


@pytest.mark.parametrize("obstacle", OBSTACLES, ids=lambda obstacle: obstacle.name)
def test_the_writer_names_an_obstacle_and_changes_nothing(site: Site, obstacle: Obstacle) -> None:
    assert write(site.out, OLD) == []
    obstacle.make(site)
    before = state_of(site.out)
    (told,) = write_as(obstacle.user, site.out, NEW)
    assert told.startswith(f"{obstacle.code} {obstacle.text.replace('OUT', str(site.out))}")
    assert ("cannot commit" in told) is told.endswith(" steps were done, and are undone")
    assert state_of(site.out) == before
