"""Target of ``init``: a new folder, the empty one the shell is in, and none that leads nowhere."""

from __future__ import annotations

from pathlib import Path

from tests.command_line import run


def test_the_folder_of_the_shell_is_filled_and_stays_itself(tmp_path: Path) -> None:
    here = tmp_path / "My.Lab"
    here.mkdir()
    before = here.stat().st_ino
    done = run("init", ".", cwd=here)
    assert (done.returncode, here.stat().st_ino) == (0, before), done.stderr
    assert "\nfabric: my-lab\n" in (here / "fabric.yaml").read_text(encoding="utf-8")
    run("validate", ".", cwd=here).exits(0)
    assert [path.name for path in tmp_path.iterdir()] == ["My.Lab"]


def test_a_loop_of_links_is_an_error_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    for folder in ("a", "a/new"):
        done = run("init", folder, cwd=tmp_path).exits(1)
        assert done.stderr.startswith(f"error[FG-SRC-043] {folder}: ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
