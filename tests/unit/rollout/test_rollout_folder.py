"""A new folder is written whole or not at all, whatever fails and whenever the process dies."""

from __future__ import annotations

import errno
import stat
from pathlib import Path

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.render.tree.filesystem import Filesystem
from fabricgen.render.tree.new_folder import write_new_folder
from fabricgen.rollout.rollout_codes import NO_BUNDLE_FOLDER
from tests.unit.writer.faulty_disk import FaultyDisk, run_until_death

FILES = {"plan.json": b"{}\n", "patches/1/undo/1-patch": b"[]\n", "patches/1/apply/1-patch": b"[]\n"}
CALLS = ("make_folder", "open", "write", "chmod", "sync", "rename", "lock", "names")


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
    assert {stat.S_IMODE(path.stat().st_mode) for path in (out, *out.rglob("*"))} == {0o700, 0o600}
    assert beside(out) == []
    assert write(out) == (False, ["FG-ROL-050"])
    assert content(out) == FILES


@pytest.mark.parametrize("error", [errno.EIO, None], ids=["fails", "dies"])
def test_folder_is_whole_or_not_there_whichever_call_goes_wrong(error: int | None, tmp_path: Path) -> None:
    """A call that fails leaves nothing beside it; what a dead process leaves, the next one clears away."""
    tried = 0
    for at in range(200):
        out = tmp_path / str(at) / "bundle"
        out.parent.mkdir()
        disk = FaultyDisk(at, error=error)
        found = run_until_death(disk, lambda disk, out=out: write(out, disk))
        if at >= len(disk.calls):
            break
        assert not out.exists() or content(out) == FILES
        if disk.calls[at].split()[0] not in CALLS:
            continue
        tried += 1
        if error is not None:
            done, codes = found
            assert done or codes
            assert beside(out) == []
        else:
            assert out.exists() or write(out) == (True, [])
            assert (content(out), beside(out)) == (FILES, [])
    assert tried > 20


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
