"""A change that needs two ends becomes phases of a bundle, or is refused by name."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from rollout_site import CONFIG_DB, FLOOR, FRR, HOST, LEAF, edit_intent, other_classes, plan_and_tell, rolled_out

from fabricgen.platforms.reading.semantics import ENDS
from fabricgen.rollout.two_ends import WORDS

pytestmark = pytest.mark.sampled(2, of="")
MTU = "  leaf-spine: {speed: 400G, per_pair: 8,"
HOST_MTU = ("  host-leaf: {speed: 400G,", "  host-leaf: {speed: 400G, mtu: 4200,")
ASN = "routing: {asn: {scheme: rfc7938, base: BASE}}\n"


def test_every_kind_of_the_semantics_is_looked_for() -> None:
    assert {*ENDS} == {*WORDS, "none"}


def test_shorter_packets_leave_the_hosts_before_the_switches_drop_long_ones(
    inventory: Path, deployed: Path, tmp_path: Path
) -> None:
    edit_intent(inventory, (MTU, MTU + " mtu: 4200,"), HOST_MTU)
    data = json.loads(rolled_out(inventory, deployed, tmp_path / "bundle").files["plan.json"])
    assert [phase["title"] for phase in data["phases"]] == [
        "expand",
        "contract (hosts): MTU",
        "contract (switches): MTU",
    ]
    order = [(wave["phase"], device["name"]) for wave in data["waves"] for device in wave["devices"]]
    assert (1, HOST) in order
    assert (2, LEAF) in order
    assert order == sorted(order, key=lambda pair: pair[0])


def test_states_of_a_device_follow_each_other(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    edit_intent(inventory, more=other_classes())
    planned = rolled_out(inventory, deployed, tmp_path / "bundle")
    devices = [device for wave in planned.rollout.waves for device in wave.devices if device.name == LEAF]
    states = [file for device in devices for file in device.files if file.path == CONFIG_DB]
    assert len(states) == 2
    assert states[0].after == states[1].before
    assert states[0].before != states[1].after


def test_hash_changes_tier_after_tier_on_drained_switches(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    edit_intent(inventory, more=FLOOR + "routing: {ecmp: {hash: [five_tuple, ingress_port]}}\n")
    planned = rolled_out(inventory, deployed, tmp_path / "bundle", "FG-ROL-011")
    phases = planned.rollout.phases
    assert [phase.title for phase in phases] == ["ECMP hash: tier spine", "ECMP hash: tier leaf"]
    tiers = [
        {device.tier for wave in planned.rollout.waves if wave.phase == at for device in wave.devices} for at in (0, 1)
    ]
    assert tiers == [{"spine"}, {"leaf"}]
    for device in planned.rollout.devices:
        steps = planned.rollout.procedure_of(device).steps
        order = [step.phase for step in steps if step.disruption == "drain" or step.phase in ("drain", "undrain")]
        assert order.index("drain") < order.index("apply") < order.index("undrain"), device.name


def test_seed_of_a_linux_switch_changes_on_a_drained_switch(inventory: Path, tmp_path: Path) -> None:
    deployed = Path(shutil.copytree(inventory, tmp_path / "other"))
    edit_intent(inventory, more="routing: {ecmp: {decorrelate: 'off'}}\n" + FLOOR)
    planned = rolled_out(inventory, deployed, tmp_path / "bundle", "FG-ROL-011", base="", overlays=("frr",))
    assert {device.name for device in planned.rollout.devices} == {"spine-01", "spine-02"}
    for device in planned.rollout.devices:
        steps = planned.rollout.procedure_of(device).steps
        commands = [step.command for step in steps if "graceful-shutdown" in step.command]
        assert [bool(re.search(r" -c 'router bgp \d+' ", command)) for command in commands] == [True, True]
        assert ["'no bgp graceful-shutdown'" in command for command in commands] == [False, True]
    told = planned.files["runbook.md"].decode().partition("## Procedures")[2]
    moments = (
        "'bgp graceful-shutdown'",
        "Once it is drained",
        "sysctl --system",
        "Before the configuration",
        "'no bgp",
        "once it is saved",
    )
    assert sorted(moments, key=told.index) == list(moments)


def test_runbook_of_phases_is_safe_by_night(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    """Checks of a host come before its timer stops, jobs are waited for, and waves are taken back in reverse."""
    edit_intent(inventory, HOST_MTU)
    runbook = rolled_out(inventory, deployed, tmp_path / "bundle").files["runbook.md"].decode()
    of_host = runbook.partition("\n### `ubuntu-")[2].partition("\n### ")[0]
    moments = ("netplan apply", "Before the configuration", "stops the timer")
    assert sorted(moments, key=of_host.index) == list(moments)
    assert "bgp graceful-shutdown" not in of_host
    waiting = runbook.partition("have the scheduler move the jobs away")[2].partition("## ")[0]
    assert "sinfo --Node --noheader --nodes={hosts}" in waiting
    assert "`gpu-u002-h[01-04]`" in waiting
    assert "undo it on each device, the last wave first" in " ".join(runbook.split())


def test_longer_cables_get_their_headroom_at_both_ends_in_one_phase(
    inventory: Path, deployed: Path, tmp_path: Path
) -> None:
    edit_intent(inventory, ("length_m: 30", "length_m: 100"), more=FLOOR)
    planned = rolled_out(inventory, deployed, tmp_path / "bundle", "FG-ROL-011")
    assert [phase.title for phase in planned.rollout.phases] == [""]
    assert {device.tier for device in planned.rollout.devices} == {"leaf", "spine"}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        pytest.param(other_classes(26, 4), "FG-ROL-063", id="priority"),
        pytest.param("\n" + ASN.replace("BASE", "4200000001"), "FG-ROL-060", id="AS numbers"),
    ],
)
def test_what_no_state_carries_over_is_refused(
    change: str, code: str, inventory: Path, deployed: Path, tmp_path: Path
) -> None:
    edit_intent(inventory, more=change)
    planned, told = plan_and_tell(inventory, deployed, tmp_path / "bundle")
    assert planned is None
    assert code in {item.code for item in told}
    assert not any("--only" in item.hint for item in told)


def test_devices_that_are_left_out_of_an_order_are_warned_of(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    """Hosts alone would mark what no switch maps yet."""
    edit_intent(inventory, (MTU, MTU + " mtu: 4200,"), HOST_MTU)
    rolled_out(inventory, deployed, tmp_path / "hosts", "FG-ROL-067", only=("gpu-*",))
    rolled_out(inventory, deployed, tmp_path / "all")


def test_switches_that_were_not_collected_are_warned_of(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    """A collection of hosts alone left the switches out without a word, and hosts marked what no switch maps yet."""
    edit_intent(inventory, (MTU, MTU + " mtu: 4200,"), HOST_MTU)
    collected = tmp_path / "collected"
    shutil.copytree(deployed / "hosts", collected / "hosts")
    found, told = plan_and_tell(inventory, collected, tmp_path / "bundle")
    assert found is not None
    assert {item.code for item in told} == {"FG-ROL-067", "FG-ROL-069"}
    assert [item.message for item in told if item.code == "FG-ROL-069"] == [
        f"left out: 6 switches, of which {collected} has no configuration"
    ]


def test_files_that_were_not_collected_are_warned_of(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    """Tools that back configurations up keep CONFIG_DB alone, so that frr.conf is in no step."""
    edit_intent(inventory, ("fabric_links: 10.0.0.0/12", "fabric_links: 10.64.0.0/12"), more=FLOOR)
    (collected := tmp_path / "collected").mkdir()
    for switch in (deployed / "switches").iterdir():
        shutil.copy(switch / "etc/sonic/config_db.json", collected / f"{switch.name}.json")
    found, told = plan_and_tell(inventory, collected, tmp_path / "bundle")
    assert found is not None
    messages = [item.message for item in told if item.code == "FG-ROL-069"]
    assert f"left out: {FRR} of 6 switches, which {collected} does not have" in messages
    assert "FG-ROL-067" in {item.code for item in told}
