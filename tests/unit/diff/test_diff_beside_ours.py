"""Settings of operators beside ours stay where a patch puts a whole file in place."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from fabricgen.api.diff import DiffOptions, diff
from fabricgen.diagnostics import Bag
from tests.acceptance.run import INVENTORIES, render_here

LEAF = "leaf-u001-r0"
OSPF = "ip nht resolve-via-default\n!\nrouter ospf\n ospf router-id 1.1.1.1\nexit\n!\n"


def patched(overlay: str, path: str, folder: Path, edit: dict[str, str]) -> tuple[dict[str, str], str]:
    """Return the files of the patch of a leaf whose file has other texts, and how the summary counts it."""
    assert render_here(INVENTORIES / "quickstart", folder / "out", overlays=[overlay] if overlay else []) == []
    shutil.copytree(folder / "out", folder / "have")
    file = folder / "have/switches" / LEAF / path
    text = file.read_text()
    for old, new in edit.items():
        assert old in text
        text = text.replace(old, new, 1)
    file.write_text(text)
    options = DiffOptions(folder, patches=folder / "patches", only=(LEAF,))
    summary = diff(str(folder / "out"), str(folder / "have"), options, Bag())
    assert summary is not None
    made = folder / "patches" / LEAF
    return {each.relative_to(made).as_posix(): each.read_text() for each in made.rglob("*") if each.is_file()}, text


@pytest.mark.parametrize(("overlay", "path"), [("frr", "etc/frr/frr.conf"), ("", "etc/sonic/frr/frr.conf")])
def test_frr_keeps_the_routing_of_others(overlay: str, path: str, tmp_path: Path) -> None:
    files, _ = patched(
        overlay, path, tmp_path, {"\nrouter bgp": f"\n{OSPF}router bgp", " description spine": " description old-spine"}
    )
    (whole,) = (text for name, text in files.items() if name.startswith("apply/") and name.endswith("frr.conf"))
    assert {"ip nht resolve-via-default", "router ospf", " ospf router-id 1.1.1.1"} <= {*whole.splitlines()}
    assert "old-spine" not in whole
    (before,) = (text for name, text in files.items() if name.startswith("undo/") and name.endswith("frr.conf"))
    assert OSPF in before
    assert "old-spine" in before


def test_nvue_keeps_the_services_of_others(tmp_path: Path) -> None:
    path = "etc/nvue.d/startup.yaml"
    edit = {"\n- set:\n": "\n- set:\n    evpn:\n      state: enabled\n", "mtu: 9100": "mtu: 9000"}
    files, _ = patched("nvue", path, tmp_path, edit)
    (whole,) = (text for name, text in files.items() if name.startswith("apply/") and name.endswith("startup.yaml"))
    settings = {key: value for item in yaml.safe_load(whole) for key, value in item.items()}["set"]
    assert settings["evpn"] == {"state": "enabled"}
    assert "9000" not in whole


def test_a_database_without_rows_is_loaded_whole(tmp_path: Path) -> None:
    file = tmp_path / "out/switches" / LEAF / "etc/sonic/config_db.json"
    assert render_here(INVENTORIES / "quickstart", tmp_path / "out") == []
    edit = {file.read_text(): '{"PORT": {}}\n'}
    shutil.rmtree(tmp_path / "out")
    files, _ = patched("", "etc/sonic/config_db.json", tmp_path, edit)
    steps = [line for line in files["apply/steps"].splitlines() if line and not line.startswith("#")]
    assert [line for line in steps if "config_db.json" in line] == [
        "cp -p /etc/sonic/config_db.json /etc/sonic/config_db.json.fabricgen-before",
        "config reload -y 2-config_db.json",
    ]
    assert steps[-1] == "config save -y"
