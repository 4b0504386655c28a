"""A change of a lab, from collection to collection: no difference, as planned, interrupted, resumed, as intended."""

from __future__ import annotations

import csv
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from fabricgen.lab.lifecycle.state import device_folder
from tests.acceptance import frr_roots
from tests.acceptance.laboratory import Lab, running
from tests.acceptance.laboratory import alone as alone
from tests.acceptance.run import INVENTORIES, run
from tests.command_line import Done

pytestmark = pytest.mark.nightly


def collect(lab: Lab, folder: Path) -> Path:
    """Collect a lab into a folder, over what was collected before."""
    assert "14 of 14 devices collected" in lab.ask("collect", "-o", str(folder)).exits(0).stderr
    return folder


def changes_of(bundle: Path) -> list[tuple[str, Path]]:
    """Return the devices of a bundle with their patches, in the order of the waves."""
    with (bundle / "devices.csv").open() as file:
        return [(row["device"], bundle / "patches" / row["patch"]) for row in csv.DictReader(file)]


def carry_out(lab: Lab, device: str, patch: Path) -> None:
    """Give the daemons of a device the commands of its steps; a foreign FRR sees the folder of the device only."""
    (commands,) = patch.glob("apply/*.commands")
    lab.on(device, "vtysh", "-f", str(shutil.copy(commands, device_folder(lab.name, device))))


def states_of(done: Done) -> dict[str, str]:
    rows = [line.split() for line in done.stdout.splitlines()[2:]]
    return {row[0]: row[1] for row in rows}


@pytest.mark.parametrize("root", frr_roots.ALL)
def test_a_lab_is_collected_changed_interrupted_and_resumed(root: str, tmp_path: Path) -> None:
    deployed, intended = INVENTORIES / "quickstart", tmp_path / "intended"
    shutil.copytree(deployed, intended)
    with (intended / "fabric.yaml").open("a") as file:
        file.write("routing: {ecmp: {max_paths: 32}}\n")
    bundle, rest = tmp_path / "bundle", tmp_path / "rest"
    with running(deployed, "trip", *frr_roots.words_of(root)) as lab:
        now = collect(lab, tmp_path / "now")
        assert run("diff", deployed, now).exits(0).stdout == "no difference on 14 devices\n"
        run("rollout", intended, now, "-o", bundle).exits(3)
        verified = run("rollout", "verify", bundle, collect(lab, now)).exits(0)
        assert f"14 devices are as {bundle} was planned on" in verified.stderr
        (canary, *patch), (second, *another), *others = changes_of(bundle)
        carry_out(lab, canary, *patch)
        carry_out(lab, second, *another)
        verified = run("rollout", "verify", bundle, collect(lab, now)).exits(3)
        assert states_of(verified) == {canary: "done", second: "done"}
        half = lab.judge().exits(1)
        assert {found["device"] for found in half["configuration"]} == {canary, second}
        run("rollout", "resume", bundle, now, "-o", rest).exits(3)
        left = changes_of(rest)
        assert [name for name, _ in left] == [name for name, _ in others]
        for change in left:
            carry_out(lab, *change)
        run("rollout", "resume", bundle, collect(lab, now)).exits(0)
        assert run("diff", intended, now).exits(0).stdout == "no difference on 14 devices\n"
        run("check", intended, now).exits(0)
        replace(lab, inventory=intended).judge().exits(0)
