"""Disks that refuse: a lab comes up or it does not, the reason is told, and another lab is not touched."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.lab import stages as life
from fabricgen.lab.lifecycle import state
from tests.unit.lab.fabrics import lab_of

ERRORS = (errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EPERM)
os_open = os.open
CALLS = ((Path, "mkdir"), (Path, "chmod"), (Path, "write_text"), (os, "open"))


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of all labs, on a machine whose only namespaces are those of a lab that runs."""
    lab_of("quickstart")
    root = tmp_path / "run/fabricgen"
    limits = tmp_path / "limits"
    for family in ("ipv4", "ipv6"):
        for name in state._NEIGHBOURS:
            limit = limits / family / "neigh/default" / name
            limit.parent.mkdir(parents=True, exist_ok=True)
            limit.write_text("128\n")
    monkeypatch.setattr(state, "ROOT", root)
    monkeypatch.setattr(state, "_NETWORK", limits)
    monkeypatch.setattr(state, "list_namespaces", list)
    monkeypatch.setattr(state, "find_processes", lambda _: {})
    monkeypatch.setattr(state, "run_ip", list)
    monkeypatch.setattr(life, "check_machine", lambda *_: True)
    monkeypatch.setattr(life, "check_memory", lambda *_: True)
    monkeypatch.setattr(life, "find_dead", lambda *_: [])
    monkeypatch.setattr(life, "boot", lambda *_: None)
    monkeypatch.setattr(life, "wait_converged", lambda *_: [])
    return root


def bring_up() -> tuple[bool, list[tuple[str, str]]]:
    bag = Bag()
    running = life.bring_up(lab_of("quickstart"), bag, lambda *_: None)
    return running, [(found.code, found.message) for found in bag if found.code != "FG-SRC-042"]


def files(folder: Path) -> dict[str, str]:
    return {str(path): path.read_text() for path in sorted(folder.parent.parent.rglob("*")) if path.is_file()}


class Faults:
    """Lets one call of a disk fail, or that one and every later one."""

    def __init__(self, at: int, error: int, *, lasting: bool, patch: pytest.MonkeyPatch) -> None:
        self.calls, self.failed = 0, False
        for holder, name in CALLS:
            patch.setattr(holder, name, self._failing(getattr(holder, name), at, error, lasting=lasting))

    def _failing(self, real: Callable[..., Any], at: int, error: int, *, lasting: bool) -> Callable[..., Any]:
        def call(path: Any, *words: Any, **options: Any) -> Any:
            if real is os_open and not str(path).endswith(".lock"):
                return real(path, *words, **options)
            number, self.calls = self.calls, self.calls + 1
            if number == at or (lasting and number > at):
                self.failed = True
                raise OSError(error, os.strerror(error), str(path))
            return real(path, *words, **options)

        return call


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("another", [False, True], ids=["alone", "beside another lab"])
def test_every_call_that_can_fail(another: bool, lasting: bool, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if another:
        (root / "other").mkdir(parents=True)
        (root / "other/blueprint.json").write_text("{}")
        (root / "neighbours.json").write_text("{}")
    before, tried = files(root), 0
    for at in range(100):
        with monkeypatch.context() as patch:
            error = ERRORS[at % len(ERRORS)]
            faults = Faults(at, error, lasting=lasting, patch=patch)
            running, said = bring_up()
        if not faults.failed:
            break
        tried += 1
        assert not running
        assert [code for code, _ in said] == ["FG-SRC-043"], (at, said)
        assert os.strerror(error) in said[0][1]
        assert "[Errno" not in said[0][1]
        assert str(root.parent.parent) in said[0][1]
        assert (root / "test").exists() == (f"; {root / 'test'} is left" in said[0][1]), (at, said)
        assert lasting or not (root / "test").exists()
        shutil.rmtree(root / "test", ignore_errors=True)
        if lasting and not another and (root / "neighbours.json").exists():
            # A limit that cannot be set back is not forgotten: the next lab that goes sets it back.
            assert set(json.loads((root / "neighbours.json").read_text()).values()) == {128}
            assert state.erase("test") == []
        left = {path: text for path, text in files(root).items() if not path.endswith(".lock")}
        assert left == before, (at, said)
        assert another or lasting or not root.exists(), at
    assert tried >= 5
    assert running, (said, tried)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (Path.touch, "it is a file, not a directory"),
        (os.mkfifo, "it is a FIFO, not a directory"),
        (lambda path: path.symlink_to("nowhere"), "it is a symlink to nowhere, which does not exist"),
    ],
)
def test_what_is_in_the_way_of_the_folder(make: Callable[[Path], object], reason: str, root: Path) -> None:
    root.parent.mkdir()
    make(root)
    assert bring_up() == (False, [("FG-SRC-043", f"{root}: {reason}")])
    assert state.list_labs() == []
    assert state.erase("test") == [f"{root}: {reason}"]


def test_a_lab_that_runs_outlives_one_of_its_name_that_cannot_be_claimed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert bring_up() == (True, [])
    before = files(root)
    Faults(0, errno.EROFS, lasting=True, patch=monkeypatch)
    running, said = bring_up()
    assert (running, [code for code, _ in said]) == (False, ["FG-SRC-043"])
    assert files(root) == before


def test_what_is_left_of_a_lab_that_did_not_come_up_is_told(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def boot(*_: object) -> None:
        monkeypatch.setattr("fabricgen.lab.lifecycle.state.shutil.rmtree", lambda *_, **__: None)
        raise OSError(errno.ENOSPC, "No space left on device", "frr.conf")

    monkeypatch.setattr(life, "boot", boot)
    running, said = bring_up()
    assert not running
    assert said == [
        ("FG-SRC-043", "frr.conf: No space left on device"),
        ("FG-LAB-096", f"lab test is not completely removed: {root / 'test'} cannot be removed"),
    ]
