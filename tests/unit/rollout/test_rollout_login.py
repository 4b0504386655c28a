"""Changes that cut logins: a disruption and a wave of their own, and addresses by the wave that moves them."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from rollout_site import LEAF, QUICKSTART, edit_intent, rolled_out

from fabricgen.diagnostics import Bag
from fabricgen.diff.device import DeviceComparer, DeviceDiff
from fabricgen.diff.kinds import load_kinds
from fabricgen.diff.sides import File, SideDevice
from fabricgen.rollout.login import find_former, list_cuts
from tests.command_line import run_here

GOLDEN = Path(__file__).resolve().parents[2] / "golden/expected"
NAME, ADDRESS = "leaf-p1-u01-r0", "192.168.1.12"
FILES = {
    "conformance": "etc/sonic/config_db.json",
    "conformance-eos": "mnt/flash/startup-config",
    "conformance-cumulus_nvue": "etc/nvue.d/startup.yaml",
    "conformance-frr": "etc/netplan/60-fabricgen.yaml",
}
KINDS = load_kinds(None, Bag())


def compared(fabric: str, old: str, new: str) -> DeviceDiff:
    """A rendered leaf against one whose file has another text in place of an old one."""
    path = FILES[fabric]
    text = (GOLDEN / fabric / "config/switches" / NAME / path).read_text(encoding="utf-8")
    assert re.search(old, text), old
    sides = [
        SideDevice(NAME, "switches", {path: File(each.encode, path)}, []) for each in (text, re.sub(old, new, text))
    ]
    bag = Bag()
    found = DeviceComparer(KINDS, frozenset([NAME]), bag, whole=True).compare(*sides)
    assert not list(bag)
    return found


@pytest.mark.parametrize("fabric", FILES)
def test_the_deployed_address_is_where_the_intended_one_stands(fabric: str) -> None:
    found = compared(fabric, re.escape(ADDRESS), "192.168.9.9")
    assert any("management" in cut for cut in list_cuts(found))
    assert {change.disruption for _, change in found.changes} <= {"login", "hitless"}
    assert find_former(found, ADDRESS) == "192.168.9.9"


@pytest.mark.parametrize("fabric", FILES)
def test_another_gateway_cuts_the_login_and_moves_nothing(fabric: str) -> None:
    found = compared(fabric, r"192\.168\.0\.1\b(?!/)", "192.168.0.254")
    assert list_cuts(found)
    assert find_former(found, ADDRESS) == ""


def test_a_device_without_a_known_address_is_called_by_its_name() -> None:
    found = compared("conformance-eos", rf"   ip address {re.escape(ADDRESS)}/16\n", "")
    assert find_former(found, ADDRESS) == NAME


@pytest.mark.parametrize(
    ("fabric", "old", "new"),
    [
        ("conformance-eos", "(?m)^management ssh$", "management ssh\n   idle-timeout 3"),
        ("conformance-eos", r"aaa authentication login default .*", "aaa authentication login default local"),
        ("conformance-eos", r"(ip access-list standard \S+\n   10 permit )\S+", r"\g<1>192.0.2.0/24"),
        ("conformance", '"ACCESS_SSH"', '"ACCESS_SSHX"'),
        ("conformance", '"mgmtVrfEnabled": "true"', '"mgmtVrfEnabled": "false"'),
        ("conformance-cumulus_nvue", r"(ssh-server:\n\s+vrf:\n\s+)mgmt", r"\1default"),
    ],
)
def test_ssh_aaa_vrf_and_access_lists_are_logins(fabric: str, old: str, new: str) -> None:
    assert {change.disruption for _, change in compared(fabric, old, new).changes} == {"login"}


def grown(tmp_path: Path, *changes: tuple[str, str]) -> Path:
    return edit_intent(Path(shutil.copytree(QUICKSTART, tmp_path / "intended")), *changes)


FLOOR = ("fabric: quickstart", "fabric: quickstart\nrollout: {floor: 0.5}")
MOVE = ("management: 192.168.0.0/16", "management: 10.200.0.0/16")


def test_a_moved_management_pool_is_a_rollout_of_logins(deployed: Path, tmp_path: Path) -> None:
    done = run_here("rollout", grown(tmp_path, MOVE), deployed, "-o", tmp_path / "bundle").exits(3)
    assert " login " in done.stdout
    assert "hitless" not in done.stdout
    assert "cuts the login (SSH access list, management address): 6 devices: leaf-u001-r0" in done.stdout
    runbook = (tmp_path / "bundle/runbook.md").read_text()
    assert "The change cuts the login (`login`): have a session open on the console." in runbook
    (address,) = re.findall(r"spine-01,(192\.168\.[0-9.]+),", (tmp_path / "bundle/devices.csv").read_text())
    moved = json.loads((tmp_path / "bundle/devices/spine-01.json").read_text())["waves"].values()
    assert [each["moves_to"] for each in moved] == [f"10.200.{address.partition('168.')[2]}"]


def test_addresses_are_the_deployed_ones_until_the_wave_that_moves_them(deployed: Path, tmp_path: Path) -> None:
    cables = ("media: smf, length_m: 30", "media: smf, length_m: 100")
    planned = rolled_out(grown(tmp_path, MOVE, cables, FLOOR), deployed, tmp_path / "bundle", "FG-ROL-011")
    moved: dict[str, str] = {}
    asked = {each.name: each.address for each in planned.rollout.neighbors}
    for wave in planned.rollout.waves:
        for device in wave.devices:
            assert device.disruption != "hitless"
            assert device.address.startswith("192.168.")
        moved |= {device.name: device.moves_to for device in wave.devices}
    assert asked
    assert all(address.startswith("192.168.") for address in asked.values())
    inventory = planned.files["ansible/inventory.yml"].decode()
    number = next(wave.number for wave in planned.rollout.waves if LEAF in {each.name for each in wave.devices})
    assert f"'{moved[LEAF]}' if rollout_number | default(0) | int > {number} else '192.168." in inventory
    assert b'"moves_to": "10.200.' in planned.files[f"devices/{planned.rollout.devices[0].name}.json"]


def test_what_an_approver_reads_first(deployed: Path, tmp_path: Path) -> None:
    grows = (("count: 2, max: 8", "count: 3, max: 8"), ("gpus: 64", "gpus: 96"), FLOOR)
    new = "new: 6 devices: leaf-u003-r0, leaf-u003-r4, gpu-u003-h01 … gpu-u003-h04"
    done = run_here("rollout", grown(tmp_path, *grows), QUICKSTART, "-o", tmp_path / "bundle").exits(3)
    change = "intent: units 2 → 3, expect.gpus 64 → 96, rollout.floor 0.5 is new, 64 → 96 GPUs"
    assert done.stdout.startswith(f"{change}\n{new}\n")
    assert f"* `{change}`\n* `{new}`\n" in (tmp_path / "bundle/runbook.md").read_text()
