"""Somebody with running switches: seven planted drifts in six collected configurations, all found and nothing else."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.roles.session import WIDTHS, Session
from tests.acceptance.run import INVENTORIES, render_here

CONFIG_DB, FRR = "etc/sonic/config_db.json", "etc/sonic/frr/frr.conf"
Data = dict[str, Any]
PLANTED: dict[tuple[str, str], tuple[str, Callable[[Data], object]]] = {
    ("leaf-u001-r0", "port MTU different: 9,000 → 9,100 bytes on 1 port of 1 leaf"): (
        "hitless", lambda data: data["PORT"]["Ethernet0"].update(mtu="9000"),
    ),
    ("leaf-u001-r4", "NTP server missing"): ("hitless", lambda data: data.pop("NTP_SERVER")),
    ("leaf-u002-r0", "syslog server unexpected"): (
        "hitless", lambda data: data["SYSLOG_SERVER"].update({"192.0.2.9": {}}),
    ),
    ("spine-01", "FEC different: none → rs on 1 port of 1 spine"): (
        "port flap", lambda data: data["PORT"]["Ethernet0"].update(fec="none"),
    ),
    ("spine-01", "ECN Kmin different: 1 → "): (
        "hitless", lambda data: next(iter(data["WRED_PROFILE"].values())).update(green_min_threshold="1"),
    ),
    ("spine-02", "DSCP to traffic class different: 1 → 3 on 1 spine"): (
        "hitless", lambda data: next(iter(data["DSCP_TO_TC_MAP"].values())).update({"26": "1"}),
    ),
}  # fmt: skip
ROUTING = ("leaf-u002-r4", "BGP paths different: 3 → 16 on 1 leaf")


def shuffled(value: Any, rng: random.Random) -> Any:
    """The same JSON in another order, as a device may save it."""
    if isinstance(value, dict):
        return {key: shuffled(value[key], rng) for key in rng.sample(list(value), len(value))}
    return value


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An inventory, and what a collector brought from its six switches; it brought nothing from hosts."""
    folder, rng = tmp_path_factory.mktemp("switches"), random.Random(7)
    shutil.copytree(INVENTORIES / "quickstart", folder / "inventory")
    assert render_here(folder / "inventory", folder / "tree") == []
    shutil.copytree(folder / "tree/switches", folder / "collected")
    shutil.rmtree(folder / "tree")
    for (name, _), (_, plant) in PLANTED.items():
        file = folder / "collected" / name / CONFIG_DB
        data = json.loads(file.read_text())
        plant(data)
        data["FEATURE"] = {"lldp": {"state": "enabled"}}
        file.write_text(json.dumps(shuffled(data, rng)))
    file = folder / "collected" / ROUTING[0] / FRR
    text = file.read_text()
    assert "maximum-paths " in text
    file.write_text(text.replace("maximum-paths ", "maximum-paths 3\n  !", 1))
    return folder


@pytest.mark.nightly
@pytest.mark.sampled(1, of="width")
@pytest.mark.parametrize("width", WIDTHS)
def test_every_planted_drift_is_on_the_screen(folder: Path, width: int) -> None:
    session = Session(folder, width)
    shown = session.run("fabricgen diff inventory collected", expected=3)
    for name, words in [*PLANTED, ROUTING]:
        assert any(line.strip().startswith(words) for line in shown.splitlines()), (words, shown)
        assert f"    {name} etc/sonic/" in shown
    assert "not collected: all 8 hosts" in shown
    assert shown.endswith("7 differences on 6 of 6 devices, at worst: port flap\n")


@pytest.mark.nightly
def test_nothing_else_is_found_and_the_way_to_repair_it_is_there(folder: Path, tmp_path: Path) -> None:
    session = Session(folder)
    data = json.loads(session.run("fabricgen diff inventory collected --format json --details", expected=3))
    found = [(item["device"], group["disruption"]) for group in data["groups"] for item in group["details"]]
    wanted = [(name, disruption) for (name, _), (disruption, _) in PLANTED.items()]
    assert sorted(found) == sorted([*wanted, (ROUTING[0], "hitless")]), "seven, and none that is false"
    session.run(f"fabricgen diff inventory collected --patch {tmp_path}/patches", expected=3)
    assert {path.parts[-3] for path in (tmp_path / "patches").rglob("apply/steps")} == {name for name, _ in found}
