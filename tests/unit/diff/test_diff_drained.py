"""Drains that no procedure ends: before the checks, or at all where the files of a switch have it drained."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from fabricgen.api.diff import DiffOptions, diff
from fabricgen.diagnostics import Bag
from tests.acceptance.run import REPOSITORY

EXPECTED = REPOSITORY / "tests/golden/expected"
RELOAD = Path("/usr/lib/frr/frr-reload.py")
POOL = ("etc/sonic/config_db.json", r'"size": *"\d+"', '"size": "1"')
HASH = ("etc/sysctl.d/90-fabricgen.conf", r"(fib_multipath_hash_policy *= *)\d", r"\g<1>0")


def plan(folder: Path, switch: str) -> Path:
    """The folder of the patches of a switch, of which both sides lie in a folder."""
    bag, patches = Bag(), folder / "patches"
    options = DiffOptions(folder, only=(switch,), causes=False, patches=patches)
    assert diff(str(folder / "intended"), str(folder / "deployed"), options, bag) is not None
    return patches / switch


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
    patches = plan(tmp_path, switch.name)
    steps = {way: (patches / way / "steps").read_text() for way in ("apply", "undo", "rollback")}
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
    patches = plan(tmp_path, switch.name)
    steps = {way: (patches / way / "steps").read_text() for way in ("apply", "undo", "rollback")}
    for way, kept in (("apply", stays), ("undo", was)):
        words = [
            line for line in steps[way].splitlines() if re.match("nv (set|unset|config (replace|apply|save))", line)
        ]
        drain, applies, save = (
            "nv set router bgp graceful-shutdown enabled",
            "nv config apply --assume-yes",
            "nv config save",
        )
        held, ended = ([], []) if kept else ([drain], ["nv unset router bgp graceful-shutdown", applies, save])
        assert words[:2] == [drain, applies]
        assert words[3:] == [
            *held, "nv config apply --confirm 10m --assume-yes", "nv config apply --confirm-yes",
            "nv config apply --confirm-status", save, *ended,
        ], "the drain goes on until nothing is rolled back any more"  # fmt: skip
    assert ("nv unset router bgp graceful-shutdown" in steps["rollback"]) is not was


def test_eos_ends_no_maintenance_mode_before_the_checks_nor_in_a_rollback(tmp_path: Path) -> None:
    switch = min((EXPECTED / "conformance-eos/config/switches").iterdir())
    for side in ("deployed", "intended"):
        shutil.copytree(switch, tmp_path / side / "switches" / switch.name)
    file = tmp_path / "deployed/switches" / switch.name / "mnt/flash/startup-config"
    text, count = re.subn(r"(?m)^   router-id .*", "   router-id 10.9.9.9", file.read_text(), count=1)
    assert count
    file.write_text(f"{text}maintenance\n   unit System\n      quiesce\n")
    patches = plan(tmp_path, switch.name)
    ends = {way: "no quiesce" in (patches / way / "steps").read_text() for way in ("apply", "undo", "rollback")}
    assert ends == {"apply": True, "undo": False, "rollback": False}
    lines = {way: (patches / way / "1-startup-config.commands").read_text() for way in ("apply", "undo")}
    assert "maintenance" not in lines["apply"], "the same commit would end the mode"
    assert "maintenance\n   unit System\n      quiesce\n" in lines["undo"]


def would_do(folder: Path, running: str, file: str) -> str:
    """The lines that FRR's own reload would delete or add, with a running configuration in place of daemons."""
    (folder / "running").write_text(running)
    (folder / "file").write_text(file)
    words = [str(RELOAD), "--test", "--input", "running", "--bindir", "/usr/bin", "--confdir", ".", "file"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.partition("Lines To ")[2]


def test_a_reload_of_frr_ends_no_drain(tmp_path: Path) -> None:
    if not RELOAD.exists():
        pytest.skip("frr-reload.py (frr-pythontools) is not installed")
    switch = min((EXPECTED / "conformance-frr/config/switches").iterdir())
    shutil.copytree(switch, tmp_path / "intended/switches" / switch.name)
    shutil.copytree(switch, tmp_path / "deployed/switches" / switch.name)
    after = (switch / "etc/frr/frr.conf").read_text()
    before, count = re.subn(r"(?m)^ bgp router-id .*", " bgp router-id 10.9.9.9", after, count=1)
    assert count
    (tmp_path / "deployed/switches" / switch.name / "etc/frr/frr.conf").write_text(before)
    patches = plan(tmp_path, switch.name)
    drained = [
        re.sub("(?m)^ bgp router-id", " bgp graceful-shutdown\n bgp router-id", each) for each in (before, after)
    ]
    steps = (patches / "apply/steps").read_text()
    used = re.findall(r"(?m)^\S*frr-reload.py (--\w+) (\S+)$", steps[steps.index("'bgp graceful-shutdown'") :])
    assert [option for option, _ in used] == ["--reload", "--test"]
    reloaded, compared = ((patches / "apply" / name).read_text() for _, name in used)
    done = would_do(tmp_path, drained[0], reloaded)
    assert "no bgp router-id 10.9.9.9" in done
    assert "graceful-shutdown" not in done
    assert would_do(tmp_path, drained[1], compared) == "", "the drain has not ended yet"
    restored = (patches / "rollback/1-frr.conf").read_text()
    assert would_do(tmp_path, drained[0], restored) == "", "nor does a rollback end it before sessions are back"
    in_use = (patches / "rollback/steps").read_text()
    order = [in_use.index(sign) for sign in ("--reload 1-frr.conf", "cp -p ", "'no bgp graceful-shutdown'")]
    assert order == sorted(order)
