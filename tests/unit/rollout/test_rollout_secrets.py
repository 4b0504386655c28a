"""Secrets that a device has are in no file of a bundle, whatever the rollout does with the file that holds them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rollout_site import CONFIG_DB, FRR, HOST, LEAF, plan, resume

SECRET = "hunter2-of-the-device"


def _in_json(change: Callable[[dict[str, Any]], object]) -> Callable[[str], str]:
    def edit(text: str) -> str:
        data = json.loads(text)
        change(data)
        return json.dumps(data)

    return edit


def _reload(data: dict[str, Any]) -> None:
    """Change what takes a reload: the whole file goes with the steps."""
    next(iter(data["BUFFER_POOL"].values())).update(size="1")
    data["TACPLUS"]["global"]["passkey"] = SECRET
    data["SNMP_COMMUNITY"] = {SECRET: {"TYPE": "RO"}}
    data["MY_TABLE"] = {"row": {"password": SECRET, "note": f"key {SECRET}"}}


PLANTED: dict[str, tuple[str, Callable[[str], str]]] = {
    "key of TACACS+": (CONFIG_DB, _in_json(lambda data: data["TACPLUS"]["global"].update(passkey=SECRET))),
    "whole file": (CONFIG_DB, _in_json(_reload)),
    "password of a neighbor": (FRR, lambda text: text.replace("\nrouter bgp", f"\npassword {SECRET}\nrouter bgp", 1)),
    "comment": (FRR, lambda text: f"! the password is {SECRET}\n{text}"),
}


@pytest.mark.parametrize("where", PLANTED)
def test_planted_secret_is_in_no_file(where: str, inventory: Path, deployed: Path, tmp_path: Path) -> None:
    path, edit = PLANTED[where]
    file = deployed / "switches" / LEAF / path
    file.write_text(edit(file.read_text()))
    planned, codes = plan(inventory, deployed, tmp_path / "bundle")
    assert codes == set()
    assert planned is not None
    assert [name for name, data in planned.files.items() if SECRET.encode() in data] == []
    rest, told = resume(tmp_path / "bundle", deployed, tmp_path / "rest")
    assert (rest is not None, told) == (True, [])
    assert [each for each in (tmp_path / "rest").rglob("*") if each.is_file() and SECRET in each.read_text()] == []


def test_secret_of_a_host_is_in_no_file(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    netplan = deployed / "hosts" / HOST / "etc/netplan/60-fabricgen.yaml"
    text = netplan.read_text().replace("9100", "9000")
    points = f"      access-points: {{home: {{password: {SECRET}}}}}\n"
    netplan.write_text(f"# token: {SECRET}\n{text}  wifis:\n    wlan0:\n{points}")
    planned, _ = plan(inventory, deployed, tmp_path / "bundle")
    assert planned is not None
    assert HOST in {device.name for device in planned.rollout.devices}
    assert [name for name, data in planned.files.items() if SECRET.encode() in data] == []


def edit_json(file: Path, change: Callable[[dict[str, Any]], object]) -> None:
    file.write_text(_in_json(change)(file.read_text()))


def test_values_of_secrets_are_in_no_digest_of_a_meaning(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    """A guess of a secret is not confirmed by it: the digest is that of the file without secrets."""
    digests = []
    for number, secret in enumerate((SECRET, "another")):
        side = Path(shutil.copytree(deployed, tmp_path / str(number)))
        file = side / "switches" / LEAF / CONFIG_DB
        edit_json(file, lambda data, key=secret: data["TACPLUS"]["global"].update(passkey=key))  # type: ignore[misc]
        planned, _ = plan(inventory, side, tmp_path / f"bundle-{number}")
        assert planned is not None
        device = next(each for each in planned.rollout.devices if each.name == LEAF)
        digests.append([file.before.meaning for file in device.files if file.before])
    assert digests[0] == digests[1]
    assert digests[0][0]
