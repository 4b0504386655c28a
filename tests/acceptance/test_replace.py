"""``fabricgen replace``: the asset list byte by byte, what is refused, and a switch replaced from drain to return."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from fabricgen.render.tree.durability import replace_file
from fabricgen.render.tree.filesystem import Filesystem
from tests.acceptance.run import REPOSITORY, copy_inventory, render
from tests.command_line import Done, run_here

MAC = "02:00:00:00:09:01"
LIST = (
    b"\xef\xbb\xbfserial , hostname,mac,rail\r\n"
    b'"OLD 1", leaf-u001-r0 ,"02:00:00:00:00:AA",\r\n'
    b"\r\n"
    b' S-2 ,"spine-01",02:00:00:00:00:ab,\r\n'
    b",gpu-u001-h01,02:00:00:00:00:ac,0\r\n"
).replace(b"OLD 1", b"OLD-1")


@pytest.fixture
def fabric(tmp_path: Path) -> Path:
    """Quickstart with an asset list as a spreadsheet writes it."""
    folder = copy_inventory(
        "quickstart",
        tmp_path / "fabric",
        {"fabric: quickstart": "fabric: quickstart\nassets: a.csv\nrollout: {floor: 0.5}"},
    )
    (folder / "a.csv").write_bytes(LIST)
    return folder


def replace(folder: Path, *words: str | Path) -> Done:
    return run_here("replace", folder, *words)


def steps(done: Done) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for each in json.loads(done.stdout)["steps"]:
        found.setdefault(each["step"], []).append(each["action"])
    return found


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        (["leaf-u001-r0", "--serial", "NEW-1"], b'"OLD-1"', b'"NEW-1"'),
        (["leaf-u001-r0", "--mac", MAC.upper()], b"02:00:00:00:00:AA", MAC.encode()),
        (["spine-01", "--serial", "NEW-1"], b" S-2 ,", b" NEW-1 ,"),
        (["gpu-u001-h01", "--mac", f"0={MAC}"], b"02:00:00:00:00:ac", MAC.encode()),
        (["gpu-u001-h01", "--serial", "H"], b"\r\n,gpu", b"\r\nH,gpu"),
        (["gpu-u001-h01", "--mac", f"1={MAC}"], b"ac,0\r\n", b"ac,0\r\n,gpu-u001-h01," + MAC.encode() + b",1\r\n"),
        (["spine-02", "--serial", "N"], b"ac,0\r\n", b"ac,0\r\nN,spine-02,,\r\n"),
    ],
)
def test_one_row_changes_and_no_other_byte(fabric: Path, words: list[str], old: bytes, new: bytes) -> None:
    replace(fabric, *words, "--check").exits(3)
    assert (fabric / "a.csv").read_bytes() == LIST
    replace(fabric, *words).exits(0)
    assert (fabric / "a.csv").read_bytes() == LIST.replace(old, new)
    before = os.stat(fabric / "a.csv")
    again = replace(fabric, *words, "--check").exits(0)
    assert "has these values already" in replace(fabric, *words).exits(0).stdout + again.stdout
    assert os.stat(fabric / "a.csv") == before
    assert not list(fabric.glob("*fabricgen-new*"))


def test_a_column_that_is_missing_is_added_to_every_row(fabric: Path) -> None:
    (fabric / "a.csv").write_bytes(b"hostname\nspine-01\nleaf-u001-r0")
    replace(fabric, "leaf-u001-r0", "--mac", MAC).exits(0)
    assert (fabric / "a.csv").read_bytes() == b"hostname,mac\nspine-01,\nleaf-u001-r0," + MAC.encode()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["leaf-u001-r0", "--serial", "S-2"], "serial S-2 belongs to leaf-u001-r0 and to spine-01"),
        (["spine-02", "--mac", "02:00:00:00:00:ac"], "belongs to rail 0 of gpu-u001-h01 and to spine-02"),
        (["leaf-u01-r0", "--serial", "N"], "no device leaf-u01-r0\n   hint: did you mean leaf-u001-r0?"),
        (["gpu-u001-h01", "--mac", MAC], "a.csv:6:1: gpu-u001-h01 is a host, whose MAC addresses are those of rails"),
        (["gpu-u001-h01", "--mac", f"9={MAC}"], "gpu-u001-h01 has no rail 9; its rails are 0 to 7"),
        (["leaf-u001-r0", "--mac", f"0={MAC}"], "leaf-u001-r0 is a switch and has no rail 0"),
    ],
)  # fmt: skip
def test_what_is_refused_leaves_the_list_and_no_bundle(fabric: Path, words: list[str], expected: str) -> None:
    done = replace(fabric, *words, "-o", fabric / "kit").exits(1)
    assert expected in done.stderr
    assert "the asset list is unchanged" in done.stderr
    assert (fabric / "a.csv").read_bytes() == LIST
    assert not (fabric / "kit").exists()


@pytest.mark.parametrize(
    "words", [[], ["--mac", "02:00"], ["--mac", "0="], ["--serial", "a b"], ["--mac", "x=02:00:00:00:00:01"]]
)
def test_malformed_values_are_errors_of_usage(fabric: Path, words: list[str]) -> None:
    replace(fabric, "spine-01", *words).exits(2)


def test_a_list_that_the_intent_does_not_name_is_made_and_named_first(tmp_path: Path) -> None:
    folder = copy_inventory("quickstart", tmp_path / "fabric")
    done = replace(folder, "leaf-u001-r0", "--serial", "N1", "--mac", MAC, "--format", "json").exits(0)
    assert (folder / "assets.csv").read_text() == f"hostname,serial,mac\nleaf-u001-r0,N1,{MAC}\n"
    assert steps(done)["name"] == ["add assets: assets.csv to fabric.yaml, which names no asset list yet"]
    intent = folder / "fabric.yaml"
    intent.write_text(intent.read_text() + "assets: assets.csv\n")
    assert "name" not in steps(replace(folder, "leaf-u001-r0", "--serial", "N1", "--format", "json").exits(0))


def test_the_list_has_the_old_bytes_or_the_new_ones(tmp_path: Path) -> None:
    class Failing(Filesystem):
        def rename(self, source: str, target: str) -> None:
            raise OSError(28, "No space left on device", target)

    path = tmp_path / "a.csv"
    path.write_bytes(b"old")
    path.chmod(0o600)
    with pytest.raises(OSError, match="No space"):
        replace_file(Failing(), str(path), b"new")
    assert [each.read_bytes() for each in tmp_path.iterdir()] == [b"old"]
    replace_file(Filesystem(), str(path), b"new")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o600)


def wave_of(folder: Path) -> dict[str, Any]:
    """Return the only wave of a bundle."""
    (wave,) = json.loads((folder / "plan.json").read_text())["waves"]
    return wave


def test_a_switch_is_replaced_from_drain_to_return(fabric: Path, tmp_path: Path) -> None:
    render(fabric, tmp_path / "deployed")
    kit, out = tmp_path / "kit", tmp_path / "out"
    done = replace(fabric, "spine-01", "--mac", MAC, "-o", kit, "--format", "json").exits(0)
    made, found = json.loads(done.stdout), steps(done)
    assert made["files"] == ["switches/spine-01/etc/sonic/config_db.json"]

    assert made["bundles"] == [str(kit / "1-drain"), str(kit / "2-return")]
    # The way out begins at what is deployed, with the address of the old switch.
    run_here("rollout", "verify", kit / "1-drain", tmp_path / "deployed").exits(0)
    assert [each["name"] for each in wave_of(kit / "1-drain")["devices"]] == ["spine-01"]
    # The new switch is loaded with the exception that the first step names, and the way back begins there.
    entry = re.search(r"add (- \{.*\}) to exceptions", found["drain"][0])
    assert entry
    intent = (fabric / "fabric.yaml").read_text()
    (fabric / "fabric.yaml").write_text(f"{intent}exceptions:\n  {entry[1]}\n")
    render(fabric, out)
    loaded = (out / "switches/spine-01/etc/sonic/config_db.json").read_text()
    assert MAC in loaded
    run_here("rollout", "verify", kit / "2-return", out).exits(0)
    done = replace(fabric, "spine-01", "--mac", MAC, "--format", "json").exits(0)
    assert "drain" not in steps(done)
    (fabric / "fabric.yaml").write_text(intent)
    render(fabric, tmp_path / "after")
    run_here("rollout", "resume", kit / "2-return", tmp_path / "after").exits(0)
    # Without the bundle the step of the return plans the same.
    run_here("rollout", fabric, out, "-o", tmp_path / "back").exits(3)
    assert wave_of(tmp_path / "back")["devices"] == wave_of(kit / "2-return")["devices"]


def test_the_files_of_a_host_with_another_nic_are_one_change(fabric: Path, tmp_path: Path) -> None:
    render(fabric, tmp_path / "deployed")
    replace(fabric, "gpu-u001-h01", "--mac", f"0={MAC}", "-o", tmp_path / "kit").exits(0)
    run_here("rollout", "verify", tmp_path / "kit/change", tmp_path / "deployed").exits(0)
    wave = wave_of(tmp_path / "kit/change")
    assert (wave["kind"], [each["name"] for each in wave["devices"]]) == ("hosts", ["gpu-u001-h01"])


def test_a_switch_that_the_limits_of_rollouts_keep_in_place_is_replaced_all_the_same(tmp_path: Path) -> None:
    folder = copy_inventory("quickstart", tmp_path / "fabric")
    found = steps(replace(folder, "spine-01", "--serial", "N1", "--format", "json").exits(0))
    assert any(each.startswith("limits of the rollout do not let it leave: at a floor of") for each in found["wave"])


def test_the_steps_name_the_overlay(fabric: Path, tmp_path: Path) -> None:
    found = steps(replace(fabric, "leaf-u001-r0", "--serial", "N", "--overlay", "eos", "--format", "json").exits(0))
    commands = [found["render"][0], found["exchange"][0].removesuffix(" lists the cables"), *found["check"]]
    assert all(f" {fabric} --overlay eos " in each for each in commands)
    for command in commands[:2]:
        run_here(*shlex.split(command)[1:], cwd=tmp_path).exits(0)
    assert found["load"][1].startswith("eos: ")


def test_the_commands_of_the_page_run(fabric: Path, tmp_path: Path) -> None:
    fabric.rename(tmp_path / "my-fabric")
    page = (REPOSITORY / "docs/replace.md").read_text(encoding="utf-8")
    commands = re.findall(r"^fabricgen (replace .*)$", page, re.MULTILINE)
    assert len(commands) == 3
    for command in commands:
        run_here(*shlex.split(command), cwd=tmp_path).exits(0)
    assert {each.name for each in (tmp_path / "kit").iterdir()} == {"1-drain", "2-return"}
    done = run_here(*shlex.split(commands[0])[:-2], "--format", "json", cwd=tmp_path)
    assert steps(done).keys() == set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    assert json.loads(done.stdout).keys() == set(re.findall(r"`(\w+)`", page.partition("--format json` has")[2]))
