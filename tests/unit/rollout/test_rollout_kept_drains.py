"""A switch that frr.conf has drained while a stage changes config_db.json alone: that stage does not undrain it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from rollout_site import CONFIG_DB, FRR, QUICKSTART, SPINE, plan

from fabricgen.platforms.patching.timer import UNIT

DSCP = """
lossless:
  mode: dcqcn
  classes:
    roce: {dscp: [26, 30], priority: 3, lossless: true, weight_pct: 75}
    cnp: {dscp: 48, priority: 6, strict: true}
    control: {dscp: 56, priority: 7, strict: true}
    default: {priority: 0, weight_pct: 25}
"""
HASH = "routing: {ecmp: {hash: [five_tuple, ingress_port]}}\n"
EXCEPTION = f"exceptions:\n  - {{device: {SPINE}, state: drained, reason: optics}}\n"
ENDS = "'no bgp graceful-shutdown'"


def edit(file: Path, pattern: str, new: str) -> None:
    """Change what a switch has."""
    text, count = re.subn(pattern, new, file.read_text(), count=1)
    assert count
    file.write_text(text)


@pytest.mark.sampled(3, of="stays,was,before")
@pytest.mark.parametrize("stays", [True, False], ids=["intended drained", "intended in service"])
@pytest.mark.parametrize("was", [True, False], ids=["was drained", "was in service"])
@pytest.mark.parametrize("before", [True, False], ids=["before frr.conf", "after frr.conf"])
def test_stage_of_another_file_leaves_the_drain_as_it_is_then(
    before: bool, was: bool, stays: bool, deployed: Path, tmp_path: Path
) -> None:
    """Code points are accepted before a prefix is announced, and the hash changes after it."""
    fabric = Path(shutil.copytree(QUICKSTART, tmp_path / "fabric"))
    file = fabric / "fabric.yaml"
    change = DSCP if before else HASH
    file.write_text(f"{file.read_text()}\nrollout: {{floor: 0}}\n{change}{EXCEPTION if stays else ''}")
    switch = deployed / "switches" / SPINE
    edit(switch / FRR, r"(?m)^  network .*\n", "")
    if was:
        edit(switch / FRR, r"(?m)^ bgp router-id", " bgp graceful-shutdown\n bgp router-id")
    if before:
        edit(switch / CONFIG_DB, r'"size": *"\d+"', '"size": "1"')
    planned, codes = plan(fabric, deployed, tmp_path / "bundle")
    assert planned is not None, codes
    devices = [device for device in planned.rollout.devices if device.name == SPINE]
    (step,) = [device for device in devices if [each.path for each in device.files] == [CONFIG_DB]]
    assert devices.index(step) == (0 if before else len(devices) - 1)
    assert len(devices) > 1
    drained = was if before else stays
    done = planned.rollout.procedure_of(step)
    for steps in (done.steps, done.undo, done.rollback):
        assert any(ENDS in each.command for each in steps if UNIT not in each.command) is not drained
    assert any("-c 'bgp graceful-shutdown'" in each.command for each in done.steps)
    assert any(check.when == "undrained" for check in done.checks) is (not drained and not stays)
