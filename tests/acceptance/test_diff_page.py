"""docs/diff.md shows what the product prints: the first screen of a comparison, word for word."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.acceptance.run import INVENTORIES, REPOSITORY, render_here, run

CONFIG_DB = "etc/sonic/config_db.json"


def test_the_first_screen_of_the_page(tmp_path: Path) -> None:
    shutil.copytree(INVENTORIES / "quickstart", tmp_path / "fabric")
    assert render_here(tmp_path / "fabric", tmp_path / "tree") == []
    shutil.copytree(tmp_path / "tree/switches", tmp_path / "collected")
    for folder in sorted((tmp_path / "collected").glob("leaf-*")):
        file = folder / CONFIG_DB
        data = json.loads(file.read_text())
        for profile in data["WRED_PROFILE"].values():
            profile["green_max_threshold"] = "1500000"
        if folder.name == "leaf-u001-r0":
            data["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"] = "1"
            data["NTP_SERVER"] = {}
        data["VLAN"] = {"Vlan10": {"vlanid": "10"}}
        data["CRM"] = {"Config": {"polling_interval": "300"}}
        file.write_text(json.dumps(data))
    done = run("diff", "fabric", "collected", cwd=tmp_path).exits(3)
    page = (REPOSITORY / "docs/diff.md").read_text(encoding="utf-8")
    assert f"```text\n{done.stdout}```\n" in page, done.stdout
