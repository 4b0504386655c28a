"""A switch all of whose neighbours are absent: its files are whole, on every platform."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fabricgen.api.render import RenderOptions, render_inventory
from fabricgen.diagnostics import Severity
from tests.acceptance.operator_faults import MODELS
from tests.acceptance.run import diagnose


def inventory(folder: Path, platform: str) -> None:
    """Core switches that meet one of two spines, of which one is absent."""
    box = {"model": MODELS[platform], "platform": platform}
    if platform == "fboss":
        box["board_data"] = "board.yaml"
        (folder / "board.yaml").write_text("asicConfig: {common: {yamlConfig: LOSSY_AND_LOSSLESS}}\n", encoding="utf-8")
    link = {"speed": "400G", "cable": {"media": "smf", "length_m": 30}}
    data = {
        "fabric": "lonely",
        "operations": {"tacacs": {"servers": ["192.168.0.12"], "key": {"secret": "env:TACACS_KEY"}}},
        "hosts": {"server": "dgx_h100_8", "nic": "connectx7_400g", "per_unit": 1},
        "units": 2,
        "attachment": {"rails_per_leaf": 8},
        "tiers": {"leaf": box, "spine": {**box, "count": 2}, "core": {**box, "count": 2}},
        "links": {
            "host-leaf": {"speed": "400G", "cable": {"media": "dac", "length_m": 3}},
            "leaf-spine": link,
            "spine-core": {**link, "pattern": {"stripe": "index"}},
        },
        "exceptions": [{"device": "spine-01", "state": "absent", "reason": "not delivered"}],
    }
    (folder / "fabric.yaml").write_text(json.dumps(data), encoding="utf-8")


@pytest.mark.parametrize("platform", MODELS)
def test_a_switch_without_links_has_whole_files(platform: str, tmp_path: Path) -> None:
    inventory(tmp_path, platform)
    made, bag = diagnose(tmp_path)
    assert render_inventory(made, tmp_path / "out", RenderOptions(), bag) is not None
    assert [d.message for d in bag if d.severity is Severity.ERROR] == []
    texts = [path.read_text(encoding="utf-8") for path in (tmp_path / "out/switches/core-01").rglob("*.json")]
    assert all("PFC_WD" not in json.loads(text) for text in texts)
