"""Procedures of every platform: complete, in order, saved last, with a rollback; or a note without a public command."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from golden_patches import CONFIG_DB, DRAIN, EOS, EXPECTED, FRR, LINUX, NVUE, Edit, plan, swap

from fabricgen.platforms.patching.rollout import Core
from fabricgen.platforms.patching.steps import PatchStep
from fabricgen.platforms.sonic import rollout as sonic
from tests.property.switch_model import SwitchModel

AGENT, BGP = "etc/coop/agent.conf", "etc/coop/bgpcpp.conf"
NETPLAN = "etc/netplan/60-fabricgen.yaml"


def in_json(edit: Callable[[dict[str, Any]], object]) -> Edit:
    def changed(text: str) -> str:
        data = json.loads(text)
        edit(data)
        return json.dumps(data)

    return changed


MTU = in_json(lambda data: data["PORT"]["Ethernet0"].update(mtu="9000"))
POOL = in_json(lambda data: next(iter(data["BUFFER_POOL"].values())).update(size="1"))
BOARD = in_json(lambda data: data["DEVICE_METADATA"]["localhost"].update(hwsku="Other"))
FLAP = in_json(lambda data: data["PORT"]["Ethernet0"].update(fec="none"))
ROUTES = swap(r"^  maximum-paths .*$", "  maximum-paths 3")


def commands(lines: list[str]) -> list[str]:
    return [line for line in lines if line and not line.startswith("#")]


def in_order(lines: list[str], *patterns: str) -> None:
    """Each pattern matches a line behind that of the one before."""
    left = iter(lines)
    for pattern in patterns:
        assert any(re.search(pattern, line) for line in left), (pattern, lines)


def test_sonic_without_disturbance(tmp_path: Path) -> None:
    steps = plan(tmp_path, "conformance", {CONFIG_DB: MTU, FRR: ROUTES})
    for way in ("apply", "undo"):
        in_order(
            steps[way], "^# == back up", rf"^config checkpoint fabricgen-{way}-\w{{8}}$",
            "^cp -p /etc/sonic/config_db.json ", "^cp -p /etc/sonic/frr/frr.conf ",
            "^install -D -m 700 1-rollback /etc/fabricgen/rollback$",
            r"^systemd-run --collect --on-active=\d+m --unit=fabricgen-rollback /etc/fabricgen/rollback$",
            "^# == apply", "^# == verify", "show bgp summary", "^show interfaces status$", "^# == confirm",
            "^systemctl stop fabricgen-rollback.timer$", "^# == save", "^install .*frr.conf",
        )  # fmt: skip
        in_order(steps[way], r"^config apply-patch --dry-run \d-patch.json$", r"^config apply-patch \d-patch.json$")
        in_order(steps[way], "^docker cp ", "^docker exec bgp vtysh -C -f ", "^docker exec bgp vtysh -f ")
        assert commands(steps[way])[-1] == "config save -y"
        assert commands(steps[way]).count("config save -y") == 1
        assert not [line for line in steps[way] if "graceful-shutdown" in line], "nothing has to be drained"
    script = next((tmp_path / "patches").rglob("apply/1-rollback")).read_text()
    in_order(
        script.splitlines(),
        "^cp -p /etc/sonic/config_db.json.fabricgen-before ",
        "^cp -p /etc/sonic/frr/frr.conf.fabricgen-before ",
        r"^config rollback fabricgen-apply-\w{8} \|\| config reload -y$",
        "^systemctl restart bgp$",
    )
    assert commands(steps["rollback"])[0] == "systemctl stop fabricgen-rollback.timer || true"
    restored = r"^config rollback fabricgen-apply-\w{8} \|\| config reload -y$"
    in_order(steps["rollback"], restored, "^docker exec bgp vtysh -f ")


def test_sonic_reload_and_restart(tmp_path: Path) -> None:
    steps = plan(tmp_path / "reload", "conformance", {CONFIG_DB: POOL, FRR: ROUTES})
    in_order(
        steps["apply"], "^systemd-run ", "^install .* /etc/sonic/frr/frr.conf$", "'bgp graceful-shutdown'$",
        "^for .*show interfaces counters -p 10 -j", r"^config reload -y \d-config_db.json$",
        r"^diff \d-frr.conf /etc/sonic/frr/frr.conf$", "hget", "show bgp summary", "^systemctl stop ",
        "'no bgp graceful-shutdown'$", "^config save -y$",
    )  # fmt: skip
    assert not [line for line in commands(steps["apply"]) if "docker exec" in line], "bgp starts with the new file"
    in_order(steps["rollback"], r"^cp -p \S+/frr.conf.fabricgen-before ", "^config reload -y$", "'no bgp graceful")
    steps = plan(tmp_path / "drained", "conformance", {CONFIG_DB: POOL, FRR: DRAIN})
    ends = {way: any("'no bgp graceful-shutdown'" in line for line in lines) for way, lines in steps.items()}
    assert ends == {"apply": True, "undo": False, "rollback": False}, "what is configured as drained stays so"
    steps = plan(tmp_path / "restart", "conformance", {CONFIG_DB: BOARD})
    in_order(
        steps["apply"], "^cp -p /etc/sonic/config_db.json ", "'bgp graceful-shutdown'$", r"^config apply-patch \d",
        "^config save -y$", "^reboot$", "show bgp summary", "'no bgp graceful-shutdown'$", "^config save -y$",
    )  # fmt: skip
    in_order(steps["rollback"], "^cp -p /etc/sonic/config_db.json.fabricgen-before ", "^reboot$")
    assert not any("systemd-run" in line for way in steps.values() for line in way), "it does not survive a restart"


def test_a_drain_ends_under_the_as_number_that_the_router_has_then(tmp_path: Path) -> None:
    number = swap(r"^router bgp \d+$", "router bgp 65001")
    for fabric, path in (("conformance", FRR), ("conformance-frr", LINUX)):
        steps = plan(tmp_path / fabric, fabric, {path: number})
        text = next((EXPECTED / fabric / "config").glob(f"switches/*/{path}")).read_text()
        (intended,) = re.findall(r"^router bgp (\d+)$", text, re.M)
        in_order(steps["apply"], "'router bgp 65001' -c 'bgp graceful", f"'router bgp {intended}' -c 'no bgp graceful")
        in_order(steps["rollback"], "'router bgp 65001' -c 'no bgp graceful")


def test_a_comparison_expects_the_drain_that_is_not_over(tmp_path: Path) -> None:
    steps = plan(tmp_path / "drained", "conformance", {CONFIG_DB: FLAP})
    timer = "^systemd-run .* /etc/fabricgen/rollback vtysh .*'no bgp graceful-shutdown'$"
    left = "no difference but the end of the drain$"
    in_order(steps["apply"], timer, "'bgp graceful-shutdown'$", left, "'no bgp graceful")
    script = next((tmp_path / "drained").rglob("apply/1-rollback")).read_text()
    assert script.endswith('|| config reload -y\n"$@"\n'), "the timer ends the drain as well"
    steps = plan(tmp_path / "hitless", "conformance", {CONFIG_DB: MTU})
    in_order(steps["apply"], "prints no difference$")


def test_a_checkpoint_of_another_change_is_never_restored(tmp_path: Path) -> None:
    """A rollback on a switch that was never begun finds no checkpoint, not that of an earlier rollout."""
    found = []
    for name, edit in (("one", MTU), ("other", FLAP)):
        steps = plan(tmp_path / name, "conformance", {CONFIG_DB: edit})
        made = [line.split()[-1] for line in steps["apply"] if line.startswith("config checkpoint")]
        restored = [line.split()[2] for line in steps["rollback"] if line.startswith("config rollback")]
        assert made == restored
        found += made
    assert len(set(found)) == 2


def test_a_timer_outlasts_dry_runs_too() -> None:
    """A dry run takes as long as the patch itself, on a CPU that may be four times slower."""
    content = json.dumps([{"op": "replace", "path": "/DSCP_TO_TC_MAP/AZURE/1", "value": "0"}])
    patches = [PatchStep("config apply-patch {file}", "patch.json", content, "hitless", seconds=60.0)] * 10
    steps = sonic.frame_patch(Core("name", tuple(patches), (), ())).steps
    timer = next(step.command for step in steps if step.command.startswith("systemd-run"))
    assert int(timer.partition("--on-active=")[2].partition("m")[0]) >= 10 + 2 * 4 * 10


def test_a_checkpoint_takes_a_half_carried_out_patch_back(tmp_path: Path) -> None:
    steps = plan(tmp_path, "conformance", {CONFIG_DB: MTU})
    config = json.loads(next((tmp_path / "deployed").rglob("config_db.json")).read_text())
    switch, folder = SwitchModel(config), next((tmp_path / "patches").iterdir())
    for line in commands(steps["apply"])[:-1]:
        file = folder / "apply" / line.split()[-1]
        switch.run(line, file.read_text() if file.is_file() else "")
    assert switch.config["PORT"]["Ethernet0"]["mtu"] != "9000", "a dry run changes nothing, the patch does"
    switch.run(commands(steps["rollback"])[1].partition(" ||")[0], "")
    assert switch.config == config


def test_eos_changes_in_a_session_with_a_timer(tmp_path: Path) -> None:
    steps = plan(tmp_path, "conformance-eos", {EOS: swap(r"^   mtu \d+$", "   mtu 1500")})
    lines = steps["apply"]
    (session,) = {line.split()[2] for line in commands(lines) if line.startswith("configure session ")}
    in_order(
        lines, "^configure checkpoint save ", r"paste 1-startup-config.commands into the session",
        f"^configure session {session}$", "^show session-config diffs$", r"^commit timer \d\d:\d\d:\d\d$",
        "^# == verify", "^show ip bgp summary$", f"^configure session {session} commit$", "^# == save",
        "^write memory$",
    )  # fmt: skip
    assert commands(lines)[-1] == "write memory"
    in_order(steps["rollback"], f"^configure session {session} abort$", "^configure checkpoint restore ")
    for way in steps.values():
        assert not [line for line in commands(way) if "running-config" in line and line.startswith("copy")]


def test_eos_restarts_in_maintenance_and_is_saved_last(tmp_path: Path) -> None:
    lines = plan(tmp_path, "conformance-eos", {EOS: swap("^service routing protocols model .*\n", "")})["apply"]
    in_order(
        lines, "^maintenance$", "^unit System$", "^quiesce$", "^show maintenance$", "^configure session ",
        "^commit timer ", " commit$", "^write memory$", "^reload now$", "^no quiesce$", "^write memory$",
    )  # fmt: skip
    assert commands(lines)[-1] == "write memory"


def test_nvue_is_replaced_and_confirmed(tmp_path: Path) -> None:
    steps = plan(tmp_path, "conformance-cumulus_nvue", {NVUE: swap(r"mtu: \d+", "mtu: 1500")})
    in_order(
        steps["apply"], '^nv config replace "\\$PWD/1-startup.yaml"$', "^nv config diff$",
        "^nv config apply --confirm 10m --assume-yes$", "^# == verify", "^nv config apply --confirm-yes$",
        "^nv config apply --confirm-status$", "^nv config save$",
    )  # fmt: skip
    assert commands(steps["apply"])[-1] == "nv config save"
    in_order(steps["rollback"], "^nv config apply --confirm-no$")
    assert ("nv set router bgp graceful-shutdown enabled" in steps["apply"]) == (
        "nv unset router bgp graceful-shutdown" in steps["rollback"]
    )


def test_nvue_is_not_left_drained_by_a_rollback(tmp_path: Path) -> None:
    steps = plan(tmp_path, "conformance-cumulus_nvue", {NVUE: swap(r"router-id: .*", "router-id: 10.9.9.9")})
    in_order(steps["apply"], "^nv set router bgp graceful-shutdown enabled$")
    ends = ("^nv unset router bgp graceful-shutdown$", "^nv config apply --assume-yes$")
    in_order(steps["rollback"], "^nv config apply --confirm-no$", *ends)


def test_frr_is_tried_then_reloaded_then_saved(tmp_path: Path) -> None:
    steps = plan(tmp_path, "conformance-frr", {LINUX: ROUTES, NETPLAN: swap(r"mtu: \d+", "mtu: 1500")})
    in_order(steps["apply"], "frr-reload.py --test 1-frr.conf$", "frr-reload.py --reload 1-frr.conf$", "^# == verify")
    in_order(
        steps["apply"], "cp -p /etc/netplan/60-fabricgen.yaml ",
        "^systemd-run .* sh -c '.*60-fabricgen.yaml.fabricgen-before .*netplan apply; vtysh .*no bgp graceful-shutdown",
        "^# == apply", "install .* && netplan apply$", "^# == verify", "frr-reload.py --test ",
        "^systemctl stop fabricgen-rollback.timer$", "write memory",
    )  # fmt: skip
    assert commands(steps["apply"])[-1] == "vtysh -c 'write memory'"
    in_order(steps["rollback"], r"cp -p (\S+).fabricgen-before \1; .*netplan apply$", "frr-reload.py --reload ")


def test_frr_that_writes_as_numbers_in_dots_is_changed_by_commands(tmp_path: Path) -> None:
    """A reload compares lines as texts: ``no router bgp 64086.59904 as-notation dot``, and all sessions with it."""

    def dotted(text: str) -> str:
        text = ROUTES(text)
        number = re.search(r"(?m)^router bgp (\d+)$", text)
        high, low = divmod(int(number[1]), 1 << 16)
        return text.replace(number[0], f"router bgp {high}.{low} as-notation dot")

    steps = plan(tmp_path, "conformance-frr", {LINUX: dotted})
    for way in ("apply", "undo", "rollback"):
        assert not [line for line in steps[way] if "/frr-reload.py" in line]
        in_order(steps[way], r"^# hitless \(not frr-reload.py: ", r"^vtysh -f \d-frr.conf.commands$")
    assert commands(steps["apply"])[-1] == "vtysh -c 'write memory'"


def test_sonic_counts_members_where_next_hops_get_weights(tmp_path: Path) -> None:
    weighted = swap(r"^(route-map LOWER_OUT permit \d+)$", r"\1\n set extcommunity bandwidth 1")
    steps = plan(tmp_path, "conformance", {FRR: weighted})
    counts = {way: [line for line in steps[way] if line.startswith("crm show")] for way in ("apply", "undo")}
    assert sorted(counts.values()) == [[], ["crm show resources nexthop group member"]]


def test_fboss_says_what_no_public_command_does(tmp_path: Path) -> None:
    change = in_json(lambda data: data["sw"]["ports"][0].update(state=0))
    steps = plan(tmp_path, "conformance-fboss", {AGENT: change})
    kept, shown = "cp -p /etc/coop/agent.conf ", "^fboss2 show bgp summary$"
    in_order(steps["apply"], kept, "^install ", "^fboss2 config reload$", shown)
    assert not [line for line in steps["apply"] if "BGP++" in line], "its file does not change"
    in_order(steps["rollback"], "cp -p /etc/coop/agent.conf.fabricgen-before /etc/coop/agent.conf")
    width = in_json(lambda data: data["sw"]["switchSettings"].update(ecmpWidth=16))
    steps = plan(tmp_path / "width", "conformance-fboss", {AGENT: width})
    assert "fboss2 config reload" not in steps["apply"], "the running agent would refuse it"
    in_order(steps["apply"], "^install ", "^reboot$")
    in_order(steps["rollback"], "fabricgen-before", "^reboot$")
    policies = in_json(lambda data: data.update(router_id="192.0.2.1"))
    steps = plan(tmp_path / "bgp", "conformance-fboss", {BGP: policies})
    in_order(steps["apply"], "^install ", "^# note: .*BGP", "^fboss2 show bgp summary$")
    assert "fboss2 config reload" not in steps["apply"]
    in_order(steps["rollback"], "fabricgen-before", "^# note: .*BGP")


def test_a_restored_copy_disturbs_as_much_as_the_file_that_it_replaces(tmp_path: Path) -> None:
    script = "usr/local/sbin/fabricgen-roce"
    steps = plan(tmp_path, "conformance", {script: swap(r"^(rail\d+ \S+ )\d+ ", r"\g<1>999 ")}, "hosts")
    in_order(steps["apply"], "^# drain$", "^install ")
    in_order(steps["rollback"], "^# drain$", "fabricgen-before")
    # A whole file that is intended is written as it is rendered, however short the words of its comments are.
    assert not [line for way in steps.values() for line in way if "references to secrets" in line]
    written = next((tmp_path / "patches").glob("*/apply/*fabricgen-roce"))
    assert written.read_bytes() == (EXPECTED / "conformance/config/hosts" / written.parts[-3] / script).read_bytes()


def test_linux_changes_ecn_thresholds_in_place_and_back(tmp_path: Path) -> None:
    edit = swap(r" 124968 249936 0\.05 167$", " 100000 300000 0.1 167")
    steps = plan(tmp_path, "conformance-frr", {"usr/local/sbin/fabricgen-port": edit})
    for way in ("apply", "undo"):
        assert not [line for line in steps[way] if re.search("graceful-shutdown|systemctl restart", line)]
        in_order(steps[way], "^install .*/fabricgen-port$", r"^tc -batch \d-fabricgen-port.tc$")
    in_order(steps["rollback"], "^if test -e .*fabricgen-port", "^tc -batch ")
    assert " max 300000 " in next((tmp_path / "patches").rglob("rollback/*.tc")).read_text()


def test_a_host_is_drained_by_its_scheduler(tmp_path: Path) -> None:
    rules = "etc/udev/rules.d/60-rdma-persistent-naming.rules"
    steps = plan(tmp_path, "conformance", {rules: lambda text: text.replace("NAME=", "ENV{X}=", 1)}, "hosts")
    in_order(steps["apply"], "^# == back up", "have the scheduler move the jobs away$", "^install ", "^reboot$")
    in_order(steps["rollback"], "fabricgen-before")
