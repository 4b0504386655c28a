"""Odd revisions, trees and names of git: told, never a crash, and never the loss of a device that is as it was."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.property.deployed_sites import Site, commit_all
from tests.property.hostile_runs import Bench, bench, judge_run, run
from tests.sampling import EVERYTHING, FRESH

__all__ = ["bench"]
SIDES = (
    "HEAD:", "HEAD:.", "HEAD:./", "HEAD:switches/..", "HEAD:./switches/../.", "HEAD:hosts", "HEAD:nope",
    "HEAD:/", "HEAD:/etc", "HEAD::", ":", ":.", "::", "HEAD", "HEAD:../x", "nope:.", "-h:.", "--help:.",
    "--upload-pack=x:.", "-:.", "--:x", "@:.", "@{0}:.", "@{-1}:.", "@{now}:.", "HEAD^{tree}:.",
    "HEAD^{blob}:.", "HEAD~9:.", "HEAD^^^:.", "HEAD^{/x}:.", "HEAD^{/(((}:.", ":/x:.", ":0:switches",
    "HEAD:.\n", "HEAD\nHEAD:.", "HE\tAD:.", "HEAD:\x1b[31m", "HEAD:\udcff", "\udcff:.", "r" * 300 + ":.",
    "r" * 9000 + ":.", "HEAD:" + "p" * 300, "HEAD:" + "p/" * 5000, "HEAD:link", "HEAD:out", "HEAD:loop",
    "HEAD:switches/../../..", "main..HEAD:.", "HEAD:*", "HEAD:(glob)**", "0" * 40 + ":.", "f" * 7 + ":.", "é:é",
    "a b:c d", "$(reboot):.", ";:.", "HEAD:deployed", "refs/heads/odd\"name:.",
)  # fmt: skip
"""Names that a user may give a side at a revision; the working folder is a repository with a deployed side."""


def _links(folder: Path) -> None:
    for name, to in (("link", "switches"), ("out", "/etc"), ("loop", "loop"), ("hosts/out", "../../../../etc")):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).symlink_to(to)


def _git(*words: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        names = ("-c", "user.name=x", "-c", "user.email=x@example.net", "-c", "protocol.file.allow=always")
        subprocess.run(["git", "-C", str(folder), *names, *words], check=True, capture_output=True)

    return change


def _lose_object(folder: Path) -> None:
    """Delete the object of one file of the first leaf."""
    name = "HEAD:switches/leaf-u001-r0/etc/sonic/frr/frr.conf"
    digest = subprocess.run(
        ["git", "-C", str(folder), "rev-parse", name], check=True, capture_output=True, text=True
    ).stdout.strip()
    (folder / ".git/objects" / digest[:2] / digest[2:]).unlink()


def _spoil_config(folder: Path) -> None:
    """A repository that wants programs to be run."""
    with (folder / ".git/config").open("a") as stream:
        stream.write('[filter "x"]\nsmudge = touch ran\n[core]\nfsmonitor = touch ran\npager = touch ran\n')
    (folder / ".git/info/attributes").write_text("* filter=x export-ignore\n")


CHANGES: dict[str, Callable[[Path], None]] = {
    "as it is": lambda folder: None,
    "a lost object": _lose_object,
    "programs to be run": _spoil_config,
    "shallow": lambda folder: (folder / ".git/shallow").write_bytes(
        subprocess.run(["git", "-C", str(folder), "rev-parse", "HEAD"], check=True, capture_output=True).stdout
    ) and None,
    "detached": _git("checkout", "-q", "--detach"),
    "an odd branch": _git("branch", 'odd"name'),
    "a branch named like a side": _git("branch", "HEAD.json"),
    "a lock": lambda folder: (folder / ".git/index.lock").touch(),
    "no index": lambda folder: (folder / ".git/index").unlink(),
    "a bare repository": _git("config", "core.bare", "true"),
}  # fmt: skip
WANTED = {"a lost object": 1}


@pytest.fixture(scope="module")
def site(bench: Bench) -> Site:
    return bench.site("sonic")


def test_odd_names_of_sides_are_told(site: Site) -> None:
    folder = site.deploy("paths", {}, "").where / "deployed"
    _links(folder)
    commit_all(folder)
    for side in SIDES if EVERYTHING else random.Random(FRESH).sample(SIDES, 8):
        for sides in ((str(site.out), side), (side, str(site.out)), (side, side)):
            ran = run(["diff", *sides, "--format", "json"], folder)
            fault = judge_run(ran) if ran.code != 2 or not side.startswith("-") else ""
            assert not fault, f"{side[:80]!r}: {fault}\n{ran.err[-2000:]}"


@pytest.mark.parametrize("name", CHANGES if EVERYTHING else random.Random(FRESH).sample(sorted(CHANGES), 4))
def test_odd_repositories_lose_no_device(site: Site, name: str) -> None:
    folder, side, _ = site.deploy("git", {}, "")
    known = run(["diff", str(site.out), side, "--details"], folder)
    assert known.code == 3, known.err
    CHANGES[name](folder)
    ran = run(["diff", str(site.out), side, "--details"], folder)
    assert not judge_run(ran), ran.err
    assert ran.code == WANTED.get(name, 3), ran.err
    assert "spine-01 etc/sonic/config_db.json PORT" in ran.out
    assert not (folder / "ran").exists()


def test_a_temporary_folder_that_cannot_be_made_is_reported(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a side at a revision needs one."""
    site = bench.site("sonic")
    deployed = site.deploy("git", {}, "")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    ran = run(["diff", str(site.out), deployed.side], deployed.where)
    assert (ran.code, "FG-DIF-001" in ran.err, "set TMPDIR to a folder" in ran.err) == (1, True, True), ran
    assert run(["diff", str(site.out), str(site.out)], tmp_path).code == 0
