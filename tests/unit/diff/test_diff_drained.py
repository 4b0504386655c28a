"""Drains that no procedure ends: before the checks, or at all where the files of a switch have it drained."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from golden_patches import CONFIG_DB, DRAIN, EOS, FRR, LINUX, NVUE, Edit, plan, swap

RELOAD = Path("/usr/lib/frr/frr-reload.py")
POOL = swap(r'"size": *"\d+"', '"size": "1"')
HASH = swap(r"(fib_multipath_hash_policy *= *)\d", r"\g<1>0")


@pytest.mark.parametrize("drained", [True, False], ids=["drained", "in service"])
@pytest.mark.parametrize(
    ("fabric", "routing", "edit"),
    [("conformance", FRR, {CONFIG_DB: POOL}), ("conformance-frr", LINUX, {"etc/sysctl.d/90-fabricgen.conf": HASH})],
    ids=["SONiC", "Linux"],
)
def test_unchanged_file_has_the_last_word_on_the_end_of_a_drain(
    drained: bool, fabric: str, routing: str, edit: dict[str, Edit], tmp_path: Path
) -> None:
    both = {routing: DRAIN} if drained else {}
    steps = {way: "\n".join(lines) for way, lines in plan(tmp_path, fabric, both | edit, intended=both).items()}
    assert re.search(r"-c 'router bgp \d+' -c 'bgp graceful-shutdown'", steps["apply"]), "the file has the AS number"
    ends = {"-c 'no bgp graceful-shutdown'" in text for text in steps.values()}
    assert ends == {not drained}


@pytest.mark.parametrize("stays", [True, False], ids=["intended drained", "intended in service"])
@pytest.mark.parametrize("was", [True, False], ids=["was drained", "was in service"])
def test_nvue_ends_no_drain_that_the_configuration_has(was: bool, stays: bool, tmp_path: Path) -> None:
    pattern, line, shutdown = "^        router-id: .*", "        router-id: ", "        graceful-shutdown: enabled\n"
    deployed, intended = (
        {NVUE: swap(pattern, f"{shutdown * drained}{line}{new}")}
        for drained, new in ((was, "10.9.9.9"), (stays, "10.9.9.8"))
    )
    steps = plan(tmp_path, "conformance-cumulus_nvue", deployed, intended=intended)
    drain, unset = "nv set router bgp graceful-shutdown enabled", "nv unset router bgp graceful-shutdown"
    applies, save = "nv config apply --assume-yes", "nv config save"
    for way, kept in (("apply", stays), ("undo", was)):
        words = [line for line in steps[way] if re.match("nv (set|unset|config (replace|apply|save))", line)]
        held, ended = ([], []) if kept else ([drain], [unset, applies, save])
        assert words[:2] == [drain, applies]
        assert words[3:] == [
            *held, "nv config apply --confirm 10m --assume-yes", "nv config apply --confirm-yes",
            "nv config apply --confirm-status", save, *ended,
        ], "the drain goes on until nothing is rolled back any more"  # fmt: skip
    assert (unset in steps["rollback"]) is not was


def test_eos_ends_no_maintenance_mode_before_the_checks_nor_in_a_rollback(tmp_path: Path) -> None:
    mode, renumber = "maintenance\n   unit System\n      quiesce\n", swap("^   router-id .*", "   router-id 10.9.9.9")
    steps = plan(tmp_path, "conformance-eos", {EOS: lambda text: renumber(text) + mode})
    ends = {way: any("no quiesce" in line for line in lines) for way, lines in steps.items()}
    assert ends == {"apply": True, "undo": False, "rollback": False}
    (patches,) = (tmp_path / "patches").iterdir()
    lines = {way: (patches / way / "1-startup-config.commands").read_text() for way in ("apply", "undo")}
    assert "maintenance" not in lines["apply"], "the same commit would end the mode"
    assert mode in lines["undo"]


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
    steps = plan(tmp_path, "conformance-frr", {LINUX: swap("^ bgp router-id .*", " bgp router-id 10.9.9.9")})
    before, after = (DRAIN(next((tmp_path / side).rglob("frr.conf")).read_text()) for side in ("deployed", "intended"))
    (patches,) = (tmp_path / "patches").iterdir()
    done = "\n".join(steps["apply"])
    used = re.findall(r"(?m)^\S*frr-reload.py (--\w+) (\S+)$", done[done.index("'bgp graceful-shutdown'") :])
    assert [option for option, _ in used] == ["--reload", "--test"]
    reloaded, compared = ((patches / "apply" / name).read_text() for _, name in used)
    done = would_do(tmp_path, before, reloaded)
    assert "no bgp router-id 10.9.9.9" in done
    assert "graceful-shutdown" not in done
    assert would_do(tmp_path, after, compared) == "", "the drain has not ended yet"
    restored = (patches / "rollback/1-frr.conf").read_text()
    assert would_do(tmp_path, before, restored) == "", "nor does a rollback end it before sessions are back"
    in_use = "\n".join(steps["rollback"])
    order = [in_use.index(sign) for sign in ("--reload 1-frr.conf", "cp -p ", "'no bgp graceful-shutdown'")]
    assert order == sorted(order)
