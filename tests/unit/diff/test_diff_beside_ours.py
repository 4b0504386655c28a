"""Settings of operators beside ours stay where a patch puts a whole file in place."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from golden_patches import CONFIG_DB, FRR, LINUX, NVUE, plan, swap

OSPF = "ip nht resolve-via-default\n!\nrouter ospf\n ospf router-id 1.1.1.1\nexit\n!\n"


def whole_file(folder: Path, way: str, name: str) -> str:
    """Return a file that the patch of the only device puts in place."""
    (file,) = (folder / "patches").glob(f"*/{way}/*{name}")
    return file.read_text()


@pytest.mark.parametrize(("fabric", "path"), [("conformance-frr", LINUX), ("conformance", FRR)])
def test_frr_keeps_the_routing_of_others(fabric: str, path: str, tmp_path: Path) -> None:
    foreign, renamed = swap("^router bgp", f"{OSPF}router bgp"), swap(" description spine", " description old-spine")
    plan(tmp_path, fabric, {path: lambda text: renamed(foreign(text))})
    whole, before = (whole_file(tmp_path, way, "frr.conf") for way in ("apply", "undo"))
    assert {"ip nht resolve-via-default", "router ospf", " ospf router-id 1.1.1.1"} <= {*whole.splitlines()}
    assert "old-spine" not in whole
    assert OSPF in before
    assert "old-spine" in before


def test_nvue_keeps_the_services_of_others(tmp_path: Path) -> None:
    foreign, lowered = swap("^- set:\n", "- set:\n    evpn:\n      state: enabled\n"), swap("mtu: 9100", "mtu: 9000")
    plan(tmp_path, "conformance-cumulus_nvue", {NVUE: lambda text: lowered(foreign(text))})
    whole = whole_file(tmp_path, "apply", "startup.yaml")
    settings = {key: value for item in yaml.safe_load(whole) for key, value in item.items()}["set"]
    assert settings["evpn"] == {"state": "enabled"}
    assert "9000" not in whole


def test_a_database_without_rows_is_loaded_whole(tmp_path: Path) -> None:
    lines = plan(tmp_path, "conformance", {CONFIG_DB: lambda _: '{"PORT": {}}\n'})["apply"]
    steps = [line for line in lines if line and not line.startswith("#")]
    assert [line for line in steps if "config_db.json" in line] == [
        "cp -p /etc/sonic/config_db.json /etc/sonic/config_db.json.fabricgen-before",
        "config reload -y 2-config_db.json",
    ]
    assert steps[-1] == "config save -y"
