"""Secrets that a device has are in no file of a bundle, whatever the rollout does with the file that holds them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rollout_site import CONFIG_DB, FRR, HOST, LEAF, QUICKSTART, edit_intent, other_classes, rest_of, rolled_out

from fabricgen.api import compile_inventory
from fabricgen.api.render import RenderOptions, render_inventory
from fabricgen.diagnostics import Bag
from tests.command_line import run_here

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


@pytest.mark.sampled(1, of="where")
@pytest.mark.parametrize("where", PLANTED)
def test_planted_secret_is_in_no_file(where: str, inventory: Path, deployed: Path, tmp_path: Path) -> None:
    path, edit = PLANTED[where]
    file = deployed / "switches" / LEAF / path
    file.write_text(edit(file.read_text()))
    planned = rolled_out(inventory, deployed, tmp_path / "bundle")
    assert [name for name, data in planned.files.items() if SECRET.encode() in data] == []
    rest_of(tmp_path / "bundle", deployed, tmp_path / "rest")
    assert [each for each in (tmp_path / "rest").rglob("*") if each.is_file() and SECRET in each.read_text()] == []


def test_secret_is_in_no_state_between_two_phases(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    """Such a state has all that the device has, and goes to it as a whole where it takes a reload."""
    edit_json(deployed / "switches" / LEAF / CONFIG_DB, _reload)
    edit_intent(inventory, more=other_classes())
    planned = rolled_out(inventory, deployed, tmp_path / "bundle")
    assert len(planned.rollout.phases) > 1
    assert [name for name, data in planned.files.items() if SECRET.encode() in data] == []


def test_secret_of_a_host_is_in_no_file(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    netplan = deployed / "hosts" / HOST / "etc/netplan/60-fabricgen.yaml"
    text = netplan.read_text().replace("9100", "9000")
    points = f"      access-points: {{home: {{password: {SECRET}}}}}\n"
    netplan.write_text(f"# token: {SECRET}\n{text}  wifis:\n    wlan0:\n{points}")
    planned = rolled_out(inventory, deployed, tmp_path / "bundle", "FG-ROL-065")
    assert HOST in {device.name for device in planned.rollout.devices}
    assert [name for name, data in planned.files.items() if SECRET.encode() in data] == []


def edit_json(file: Path, change: Callable[[dict[str, Any]], object]) -> None:
    file.write_text(_in_json(change)(file.read_text()))


def test_undo_of_library_settings_has_their_values(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    """A setting without blanks around its equals sign is one word of its file, and was taken for a secret."""
    edit_intent(inventory, more=other_classes())
    settings = deployed / "hosts" / HOST / "etc/nccl.conf"
    settings.write_text(f"# MY_TOKEN={SECRET}\n{settings.read_text()}MY_TOKEN={SECRET}2\n")
    planned = rolled_out(inventory, deployed, tmp_path / "bundle")
    patches = [device.patch for device in planned.rollout.devices if device.name == HOST]
    undo, *_ = (file for patch in patches for file in (tmp_path / "bundle/patches" / patch).glob("undo/*-nccl.conf"))
    assert "NCCL_IB_TC=104\n" in undo.read_text()
    assert "MY_TOKEN=@fabricgen-secret:deployed:MY_TOKEN@" in undo.read_text()
    assert SECRET not in undo.read_text()


def test_values_of_secrets_are_in_no_digest_of_a_meaning(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    """A guess of a secret is not confirmed by it: the digest is that of the file without secrets."""
    digests = []
    for number, secret in enumerate((SECRET, "another")):
        side = Path(shutil.copytree(deployed, tmp_path / str(number)))
        file = side / "switches" / LEAF / CONFIG_DB
        edit_json(file, lambda data, key=secret: data["TACPLUS"]["global"].update(passkey=key))  # type: ignore[misc]
        planned = rolled_out(inventory, side, tmp_path / f"bundle-{number}")
        device = next(each for each in planned.rollout.devices if each.name == LEAF)
        digests.append([file.before.meaning for file in device.files if file.before])
    assert digests[0] == digests[1]
    assert digests[0][0]


def test_a_rotated_secret_is_named_and_is_rolled_out_from_a_tree_with_secrets(tmp_path: Path) -> None:
    """The inventory only refers to it; no file of the bundle has the old or the new one."""
    fabric = Path(shutil.copytree(QUICKSTART, tmp_path / "fabric"))
    edit_intent(fabric, more="routing: {security: {key: {secret: env:BGP_KEY}}}\nrollout: {floor: 0.5}\n")
    secrets = {"deployed": "oldKey99Aa", "private": "newKey99Aa"}
    for name, secret in secrets.items():
        bag = Bag()
        compiled = compile_inventory(fabric, (), bag)
        options = RenderOptions(environment={"TACACS_KEY": secret, "BGP_KEY": secret})
        assert render_inventory(compiled, tmp_path / name, options, bag) is not None
    shutil.rmtree(tmp_path / "deployed/manifest")
    done = run_here("rollout", "fabric", "deployed", "-o", "none", cwd=tmp_path).exits(0)
    assert "secret not compared: 12 places" in done.stderr
    assert "render INVENTORY -o private --with-secrets" in done.stderr
    assert "nothing to roll out" not in done.stderr
    run_here("rollout", "private", "deployed", "-o", "bundle", cwd=tmp_path).exits(3)
    texts = {path.name: path.read_text() for path in (tmp_path / "bundle").rglob("*") if path.is_file()}
    for way, side in (("apply", "intended"), ("undo", "deployed")):
        files = (tmp_path / "bundle").rglob(f"{way}/*-frr.conf.commands")
        assert {*re.findall(r" password @fabricgen-secret:(\w+):", "".join(file.read_text() for file in files))} == {
            side
        }
    for secret in secrets.values():
        assert [name for name, text in texts.items() if secret in text] == []
