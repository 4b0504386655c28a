"""The one door to other people's files: what it refuses, that it never waits, and that nothing leads out."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.files import Refused, Why, is_beneath, open_file, read_file, read_handed
from fabricgen.files import regular as walk

MOST = 1 << 16
OBSTACLES: dict[str, tuple[Callable[[Path], object], Why, str]] = {
    "fifo": (os.mkfifo, Why.NOT_REGULAR, "is a FIFO, not a regular file"),
    "socket": (lambda path: _bind(path), Why.NOT_REGULAR, "is a socket, not a regular file"),
    "device": (lambda path: path.symlink_to("/dev/zero"), Why.NOT_REGULAR, "is a character device"),
    "folder": (Path.mkdir, Why.FOLDER, "is a directory, not a file"),
    "dangling": (lambda path: path.symlink_to("nowhere"), Why.MISSING, "symlink to nowhere, which does not exist"),
    "loop": (lambda path: path.symlink_to(path.name), Why.UNREADABLE, "Too many levels of symbolic links"),
    "absent": (lambda path: None, Why.MISSING, "does not exist"),
    "large": (lambda path: _make_sparse(path, 5 << 30), Why.TOO_LARGE, "the most that is read: it has 5,368,709,120"),
}


def _bind(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        here = os.open(path.parent, os.O_RDONLY)
        try:
            server.bind(f"/proc/self/fd/{here}/{path.name}")
        finally:
            os.close(here)


def _make_sparse(path: Path, size: int) -> None:
    with path.open("wb") as file:
        file.truncate(size)


@pytest.mark.parametrize("inside", [True, False], ids=["inside", "anywhere"])
@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_refused_without_waiting(obstacle: str, inside: bool, tmp_path: Path) -> None:
    make, why, words = OBSTACLES[obstacle]
    path = tmp_path / "input"
    make(path)
    found = read_file(path, MOST, inside=tmp_path if inside else None)
    assert isinstance(found, Refused)
    assert (found.why, words in found.reason) == (why, True), found


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_for_this_user(tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_text("x")
    path.chmod(0)
    assert read_file(path, MOST) == Refused(Why.UNREADABLE, "cannot be read: Permission denied")


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    before = sorted(os.listdir("/proc/self/fd"))
    for name, (make, *_) in OBSTACLES.items():
        make(tmp_path / name)
        read_file(tmp_path / name, MOST, inside=tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/file").write_text("x")
    assert read_file(tmp_path / "sub/file", MOST, inside=tmp_path) == b"x"
    assert sorted(os.listdir("/proc/self/fd")) == before


LINKS_IN = {"file": "sub/file", "sub/up": "../sub/./file", "sub/far": "../sub/../sub//file", "chain": "sub/far"}
LINKS_OUT = {
    "absolute": "{outside}/secret",
    "above": "../outside/secret",
    "deep": "sub/../../outside/secret",
    "back": "../inside/sub/file",
    "to itself": "{inside}/sub/file",
}


@pytest.mark.parametrize("name", LINKS_IN)
def test_link_that_stays_inside_is_followed(name: str, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/file").write_text("here")
    for link, target in LINKS_IN.items():
        if not (tmp_path / link).exists():
            (tmp_path / link).symlink_to(target)
    assert read_file(tmp_path / name, MOST, inside=tmp_path) == b"here"


@pytest.mark.parametrize("target", LINKS_OUT.values(), ids=LINKS_OUT)
@pytest.mark.parametrize("of", ["file", "folder"])
def test_link_that_leads_out_is_refused(target: str, of: str, tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for folder in (inside / "sub", outside):
        folder.mkdir(parents=True)
    (outside / "secret").write_text("secret")
    (inside / "sub/file").write_text("here")
    text = target.format(outside=outside, inside=inside)
    where = inside / "link"
    where.symlink_to(text if of == "file" else os.path.dirname(text))
    asked = where if of == "file" else where / os.path.basename(text)
    found = read_file(asked, MOST, inside=inside)
    assert isinstance(found, Refused)
    assert found.why is Why.OUTSIDE
    assert str(inside) in found.reason
    assert "secret" not in found.reason.replace("outside/secret", "")
    assert not is_beneath(inside, asked) or target.endswith("sub/file")


@pytest.mark.parametrize("asked", ["../outside/secret", "sub/../../outside/secret"])
def test_path_that_leads_out_is_refused(asked: str, tmp_path: Path) -> None:
    (tmp_path / "inside/sub").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret").write_text("secret")
    found = read_file(tmp_path / "inside" / asked, MOST, inside=tmp_path / "inside")
    assert isinstance(found, Refused)
    assert found.why is Why.OUTSIDE
    other = read_file(tmp_path / "outside/secret", MOST, inside=tmp_path / "inside")
    assert isinstance(other, Refused)
    assert other.why is Why.OUTSIDE


@pytest.mark.parametrize("folder", [".", "", "inside", "./inside", "link", "inside/../inside"])
def test_the_folder_itself_may_be_named_anyhow(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "inside")
    for path in ("inside/file", "file"):
        (tmp_path / path).write_text("here")
    monkeypatch.chdir(tmp_path)
    assert read_file(Path(folder) / "file", MOST, inside=Path(folder)) == b"here"
    assert read_file(f"{folder}/file" if folder else "file", MOST, inside=folder) == b"here"


def test_folder_that_becomes_a_link_while_it_is_walked_leads_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody swaps each entry for a link out right before, or right after, it is opened."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    seen = set()
    for swapped in ("a", "a/b", "a/b/file"):
        for when in ("before", "after"):
            _plant(inside, outside)
            monkeypatch.setattr(walk.os, "open", _swapping(inside / swapped, outside / swapped, when))
            found = read_file(inside / "a/b/file", MOST, inside=inside)
            monkeypatch.undo()
            assert (inside / swapped).is_symlink(), "the attack did not take place"
            seen.add(found if isinstance(found, bytes) else found.why)
    assert seen == {b"here", Why.OUTSIDE}


def _plant(inside: Path, outside: Path) -> None:
    for root, text in ((inside, "here"), (outside, "secret")):
        if root.exists():
            root.rename(root.with_name(f"{root.name}-{len(list(root.parent.iterdir()))}"))
        (root / "a/b").mkdir(parents=True)
        (root / "a/b/file").write_text(text)


def _swapping(entry: Path, target: Path, when: str) -> Callable[..., int]:
    real = os.open

    def opened(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        mine = path == entry.name and not entry.is_symlink()
        if mine and when == "before":
            _swap(entry, target)
        descriptor = real(path, flags, mode, dir_fd=dir_fd)
        if mine and when == "after":
            _swap(entry, target)
        return descriptor

    return opened


def _swap(entry: Path, target: Path) -> None:
    entry.rename(entry.with_name("moved"))
    entry.symlink_to(target)


def test_file_that_grows_while_it_is_read_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"x" * 100)
    real, given = os.read, []

    def growing(descriptor: int, size: int) -> bytes:
        with path.open("ab") as file:
            file.write(b"x" * 10_000)
        data = real(descriptor, size)
        given.append(len(data))
        return data

    monkeypatch.setattr(os, "read", growing)
    found = read_file(path, MOST)
    assert isinstance(found, Refused)
    assert found.why is Why.TOO_LARGE
    assert sum(given) <= MOST + (1 << 20)


def test_what_is_replaced_after_it_was_opened_is_what_was_opened(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("x")
    descriptor = open_file(path, inside=tmp_path)
    assert isinstance(descriptor, int)
    path.unlink()
    os.mkfifo(path)
    assert os.read(descriptor, 9) == b"x"
    os.close(descriptor)


@pytest.mark.parametrize("path", ["a\0b", "x" * 300, "/".join(["x" * 200] * 40)])
def test_no_name_raises(path: str, tmp_path: Path) -> None:
    for inside in (None, tmp_path):
        assert isinstance(read_file(f"{tmp_path}/{path}", MOST, inside=inside), Refused)


def test_open_pipe_of_the_shell_is_no_regular_file() -> None:
    source, sink = os.pipe()
    for inside in (None, "/dev/fd"):
        assert read_file(f"/dev/fd/{source}", MOST, inside=inside) == Refused(
            Why.NOT_REGULAR, "is a FIFO, not a regular file"
        )
    os.close(source)
    os.close(sink)


def test_stream_is_read_to_its_end_and_no_further() -> None:
    source, sink = os.pipe()
    os.write(sink, b"x" * 1000)
    assert read_handed(source, 600) == b"x" * 600
    os.close(sink)
    os.close(source)
    assert read_handed(source, 600) == b""
