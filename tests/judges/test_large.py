"""The largest inventory before the cross-device reader: all of it agrees, and a fault on its very last device is found.

Outside judges see the first and the last device of each kind: all others share their text but for names and numbers.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from .crossread import Fabric, prove, read_tree
from .outside import JUDGES, Judge, judge_tree, must_be_there
from .test_inventories import OF_OVERLAYS, Rendered, expectation, render

NAME = "rail-8k"
LAST_LEAF, LAST_HOST = "leaf-u016-r7", "gpu-u016-h64"
SAMPLE = ("switches/leaf-u001-r0", f"switches/{LAST_LEAF}", "switches/spine-01", "switches/spine-64")
SAMPLE += ("hosts/gpu-u001-h01", f"hosts/{LAST_HOST}")
CONFIG = "etc/sonic/config_db.json"
FAULTS = {
    "DSCP of the last leaf": (f"switches/{LAST_LEAF}/{CONFIG}", r'"26": "3"', '"26": "0"', LAST_LEAF),
    "marking of the last spine": (f"switches/spine-64/{CONFIG}", r'"ecn": "ecn_all"', '"ecn": "ecn_none"', "spine-64"),
    "class of the last host": (f"hosts/{LAST_HOST}/etc/nccl.conf", r"(?m)^NCCL_IB_TC=\d+$", "NCCL_IB_TC=0", LAST_HOST),
}


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Rendered:
    return render(NAME, (), tmp_path_factory.mktemp(NAME))


@pytest.fixture(scope="module")
def fabric(rendered: Rendered) -> Fabric:
    return read_tree(rendered.out)


def test_all_devices_agree(rendered: Rendered, fabric: Fabric) -> None:
    assert len(fabric.hosts()) * 8 == rendered.intent["expect"]["gpus"] == 8192
    assert prove(fabric, expectation(rendered.intent)) == []


def test_faults_on_the_last_devices_are_found(rendered: Rendered) -> None:
    kept = {rendered.out / path: (rendered.out / path).read_bytes() for path, _, _, _ in FAULTS.values()}
    for path, old, new, _ in FAULTS.values():
        target = rendered.out / path
        text, changes = re.subn(old, new, target.read_text(encoding="utf-8"))
        assert changes, f"{path} has no {old!r}"
        target.write_text(text, encoding="utf-8")
    found = prove(read_tree(rendered.out), expectation(rendered.intent))
    for path, data in kept.items():
        path.write_bytes(data)
    for name, (_, _, _, device) in FAULTS.items():
        assert any(device in line for line in found), (name, found[:5])


@pytest.fixture(scope="module")
def sample(rendered: Rendered, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("sample")
    for device in SAMPLE:
        shutil.copytree(rendered.out / device, out / device)
    return out


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.name)
def test_outside_judge(judge: Judge, sample: Path) -> None:
    (verdict,) = judge_tree(sample, (judge,))
    assert not must_be_there(verdict), verdict.missing
    if verdict.missing or (not verdict.files and judge.name in OF_OVERLAYS):
        pytest.skip(f"{judge.name}: {verdict.missing or 'no file of its kind here'}")
    assert verdict.distinct > 0
    assert verdict.findings == ()
