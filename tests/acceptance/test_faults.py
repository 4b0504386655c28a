"""A user's tree after a fault (law 8)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.acceptance.run import REPOSITORY, config_of, copy_inventory, read_tree, render, run
from tests.acceptance.test_growth import GROWTH
from tests.command_line import Done

QUICKSTART = REPOSITORY / "inventories/quickstart"


def test_an_edited_file_is_kept_until_force(tmp_path: Path) -> None:
    out = tmp_path / "out"
    render(QUICKSTART, out)
    edited = out / "switches/spine-01/etc/sonic/frr/frr.conf"
    edited.write_text("! by hand\n")
    foreign = out / "notes.txt"
    foreign.write_text("mine\n")
    done = run("render", str(QUICKSTART), "-o", str(out)).exits(1)
    assert "error[FG-OUT-008]" in done.stderr
    assert "switches/spine-01/etc/sonic/frr/frr.conf" in done.stderr
    assert "--force" in done.stderr
    assert edited.read_text() == "! by hand\n"
    render(QUICKSTART, out, "--force")
    assert edited.read_text() != "! by hand\n"
    assert foreign.read_text() == "mine\n"


def test_check_tells_what_differs_and_writes_nothing(tmp_path: Path) -> None:
    out = tmp_path / "out"
    absent = run("render", str(QUICKSTART), "-o", str(out), "--check")
    assert (absent.returncode, out.exists()) == (3, False)
    assert re.fullmatch(r"added    \d+ files: \S+ does not exist\n", absent.stdout)
    render(QUICKSTART, out)
    run("render", str(QUICKSTART), "-o", str(out), "--check").exits(0)
    before = read_tree(out)
    grown = copy_inventory("quickstart", tmp_path / "grown", GROWTH["quickstart"])
    differs = run("render", str(grown), "-o", str(out), "--check").exits(3)
    assert "changed  switches/spine-01/etc/sonic/config_db.json" in differs.stdout
    assert "leaf-u001" not in differs.stdout
    assert read_tree(out) == before


def test_only_leaves_other_devices_alone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    render(QUICKSTART, out)
    old = config_of(read_tree(out))
    grown = copy_inventory("quickstart", tmp_path / "grown", GROWTH["quickstart"])
    render(grown, out, "--only", "spine-01")
    new = config_of(read_tree(out))
    assert {path for path in new if new[path] != old.get(path)} == {
        "switches/spine-01/etc/sonic/config_db.json",
        "switches/spine-01/etc/sonic/frr/frr.conf",
    }
    assert set(old) == set(new)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("render", str(QUICKSTART)), 2),
        (("validate", "--no-such-option"), 2),
        (("validate", "does/not/exist"), 1),
        (("show", str(QUICKSTART), "nonsense"), 2),
        (("explain", "FG-XXX-999"), 1),
        (("explain", "README.md:1"), 1),
        (("validate", str(QUICKSTART)), 0),
    ],
)
def test_exit_codes(words: tuple[str, ...], code: int) -> None:
    assert "Traceback" not in run(*words).exits(code).stderr


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m fabricgen show inventories/rail-1k links --format csv | head -n 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )
    assert done.stdout.startswith("link,")
    assert "Traceback" not in done.stderr
    Done.of(done).exits(0)
