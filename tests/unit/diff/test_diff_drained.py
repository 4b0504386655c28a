"""Switches that their files keep drained: no procedure ends that, also where the file that has it stays as it is."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from fabricgen.api.diff import DiffOptions, diff
from fabricgen.diagnostics import Bag
from tests.acceptance.run import REPOSITORY

EXPECTED = REPOSITORY / "tests/golden/expected"
POOL = ("etc/sonic/config_db.json", r'"size": *"\d+"', '"size": "1"')
HASH = ("etc/sysctl.d/90-fabricgen.conf", r"(fib_multipath_hash_policy *= *)\d", r"\g<1>0")


@pytest.mark.parametrize("drained", [True, False], ids=["drained", "in service"])
@pytest.mark.parametrize(
    ("fabric", "routing", "edit"),
    [("conformance", "etc/sonic/frr/frr.conf", POOL), ("conformance-frr", "etc/frr/frr.conf", HASH)],
    ids=["SONiC", "Linux"],
)
def test_unchanged_file_has_the_last_word_on_the_end_of_a_drain(
    drained: bool, fabric: str, routing: str, edit: tuple[str, str, str], tmp_path: Path
) -> None:
    switch = min((EXPECTED / fabric / "config/switches").iterdir())
    path, pattern, new = edit
    for side in ("intended", "deployed"):
        shutil.copytree(switch, tmp_path / side / "switches" / switch.name)
        file = tmp_path / side / "switches" / switch.name / routing
        text = re.sub(r"(?m)^ bgp router-id", " bgp graceful-shutdown\n bgp router-id", file.read_text(), count=1)
        file.write_text(text if drained else file.read_text())
    file = tmp_path / "deployed/switches" / switch.name / path
    text, count = re.subn(pattern, new, file.read_text(), count=1)
    assert count
    file.write_text(text)
    bag, patches = Bag(), tmp_path / "patches"
    options = DiffOptions(tmp_path, only=(switch.name,), causes=False, patches=patches)
    assert diff(str(tmp_path / "intended"), str(tmp_path / "deployed"), options, bag) is not None
    steps = {way: (patches / switch.name / way / "steps").read_text() for way in ("apply", "undo", "rollback")}
    assert re.search(r"-c 'router bgp \d+' -c 'bgp graceful-shutdown'", steps["apply"]), "the file has the AS number"
    ends = {"-c 'no bgp graceful-shutdown'" in text for text in steps.values()}
    assert ends == {not drained}


@pytest.mark.parametrize("stays", [True, False], ids=["intended drained", "intended in service"])
@pytest.mark.parametrize("was", [True, False], ids=["was drained", "was in service"])
def test_nvue_ends_no_drain_that_the_configuration_has(was: bool, stays: bool, tmp_path: Path) -> None:
    switch = min((EXPECTED / "conformance-cumulus_nvue/config/switches").iterdir())
    for side, drained, new in (("deployed", was, "10.9.9.9"), ("intended", stays, "10.9.9.8")):
        shutil.copytree(switch, tmp_path / side / "switches" / switch.name)
        file = tmp_path / side / "switches" / switch.name / "etc/nvue.d/startup.yaml"
        shutdown = "graceful-shutdown: enabled\n        " if drained else ""
        text, count = re.subn(
            r"(?m)^        router-id: .*", f"        {shutdown}router-id: {new}", file.read_text(), count=1
        )
        assert count
        file.write_text(text)
    bag, patches = Bag(), tmp_path / "patches"
    options = DiffOptions(tmp_path, only=(switch.name,), causes=False, patches=patches)
    assert diff(str(tmp_path / "intended"), str(tmp_path / "deployed"), options, bag) is not None
    steps = {way: (patches / switch.name / way / "steps").read_text() for way in ("apply", "undo", "rollback")}
    assert "nv set router bgp graceful-shutdown enabled" in steps["apply"]
    assert ("nv config apply ended the drain" in steps["apply"]) is not stays
    assert ("nv config apply ended the drain" in steps["undo"]) is not was
    assert ("nv unset router bgp graceful-shutdown" in steps["rollback"]) is not was
