"""A new folder is written whole or not at all, whatever fails and whenever the process dies."""

from __future__ import annotations

import errno
import os
import signal
import stat
from pathlib import Path

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.render.tree.filesystem import Filesystem
from fabricgen.render.tree.new_folder import write_new_folder
from fabricgen.rollout.rollout_codes import NO_BUNDLE_FOLDER

FILES = {"plan.json": b"{}\n", "patches/1/undo/1-patch": b"[]\n", "patches/1/apply/1-patch": b"[]\n"}
CALLS = ("make_folder", "open", "write", "chmod", "sync", "rename", "lock", "names")


class Faulty(Filesystem):
    """System calls of which one fails, or kills the process, when it is made for the n-th time."""

    __slots__ = ("_at", "_deadly", "_name", "_seen")

    def __init__(self, name: str, at: int, *, deadly: bool) -> None:
        self._name, self._at, self._deadly, self._seen = name, at, deadly, 0

    def __getattribute__(self, name: str) -> object:
        if name != object.__getattribute__(self, "_name"):
            return object.__getattribute__(self, name)
        self._seen += 1
        if self._seen == self._at:
            if self._deadly:
                os.kill(os.getpid(), signal.SIGKILL)
            raise OSError(errno.EIO, "input/output error")
        return object.__getattribute__(self, name)


def write(out: Path, filesystem: Filesystem | None = None) -> tuple[bool, list[str]]:
    bag = Bag()
    return write_new_folder(out, FILES, bag, NO_BUNDLE_FOLDER, filesystem=filesystem), [item.code for item in bag]


def content(out: Path) -> dict[str, bytes]:
    return {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}


def beside(out: Path) -> list[str]:
    return sorted(path.name for path in out.parent.iterdir() if path != out)


@pytest.mark.parametrize("existing", [False, True])
def test_folder_is_private_and_complete(existing: bool, tmp_path: Path) -> None:
    out = tmp_path / "a" / "bundle"
    if existing:
        out.mkdir(parents=True)
    assert write(out) == (True, [])
    assert content(out) == FILES
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (out, *out.rglob("*"))}
    assert modes == {0o700, 0o600}
    assert beside(out) == []
    assert write(out) == (False, ["FG-ROL-050"])
    assert content(out) == FILES


@pytest.mark.parametrize("name", CALLS)
def test_call_that_fails_leaves_nothing(name: str, tmp_path: Path) -> None:
    out = tmp_path / "bundle"
    for at in range(1, 40):
        done, codes = write(out, Faulty(name, at, deadly=False))
        if done:
            break
        assert codes
        # A folder that is there is complete: what comes last only makes it durable.
        assert not out.exists() or content(out) == FILES
        assert beside(out) == []
        if out.exists():
            return
    else:
        pytest.fail("never written")
    assert content(out) == FILES


@pytest.mark.sampled(3, of="name")
@pytest.mark.parametrize("name", CALLS)
def test_process_that_dies_leaves_no_half_folder(name: str, tmp_path: Path) -> None:
    out = tmp_path / "bundle"
    for at in range(1, 40):
        child = os.fork()
        if not child:
            try:
                write(out, Faulty(name, at, deadly=True))
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        assert not out.exists() or content(out) == FILES
        if not os.WIFSIGNALED(status):
            break
        if out.exists():
            break
    # The next one clears away what the dead have left.
    if not out.exists():
        assert write(out) == (True, [])
    assert content(out) == FILES
    assert beside(out) == []


def test_foreign_things_beside_it_stay(tmp_path: Path) -> None:
    (tmp_path / ".bundle.fabricgen-new.1").write_text("mine")
    (tmp_path / ".bundle.fabricgen-new.2").symlink_to("/etc")
    assert write(tmp_path / "bundle") == (True, [])
    assert beside(tmp_path / "bundle") == [".bundle.fabricgen-new.1", ".bundle.fabricgen-new.2"]


def test_link_to_a_folder_is_followed_and_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert write(tmp_path / "link") == (True, [])
    assert content(tmp_path / "real") == FILES
    (tmp_path / "file").touch()
    assert write(tmp_path / "file") == (False, ["FG-ROL-050"])
