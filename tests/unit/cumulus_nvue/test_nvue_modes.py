"""startup.yaml under other contracts: what must appear does, what must not is gone."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from fabricgen.device.model import SwitchClass
from tests.judges.nvue.__main__ import findings
from tests.unit.conformance_files import settings, startup_texts

LEAF, SPINE, CORE, DRAINED = "leaf-p1-u01-r0", "spine-p01-01", "core-01", "spine-p02-02"
MODE, REASON = ("lossless", "mode"), ("lossless", "reason")


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return startup_texts()


def test_pfc_alone_marks_nothing_not_even_by_default() -> None:
    changes = {MODE: "pfc_only", REASON: "paced by the receiver"}
    root = settings(startup_texts(changes, without=(("lossless", "ecn"), ("lossless", "dcqcn")))[LEAF])
    assert root["qos"]["congestion-control"] == {
        "default-global": {"traffic-class": {"0": {"ecn": "disable", "red": "disable"}}}
    }
    assert "congestion-control" not in root["interface"]["swp1s0"]["qos"]
    assert "pfc" in root["interface"]["swp1s0"]["qos"]


def test_ecn_alone_pauses_nothing() -> None:
    root = settings(startup_texts({MODE: "ecn_only", REASON: "a lossy trial"})[LEAF])
    assert not {"pfc", "pfc-watchdog", "traffic-pool"} & set(root["qos"])
    assert set(root["interface"]["swp1s0"]["qos"]) == {"congestion-control"}


def test_detection_is_a_number_of_polls() -> None:
    root = settings(startup_texts({("lossless", "watchdog", "detection_ms"): 500})[LEAF])
    assert root["qos"]["pfc-watchdog"] == {"polling-interval": 100, "robustness": 5}


def test_a_drained_switch_shuts_down_gracefully(texts: dict[str, str]) -> None:
    assert settings(texts[DRAINED])["router"]["bgp"]["graceful-shutdown"] == "enabled"
    assert "graceful-shutdown" not in settings(texts[SPINE])["router"]["bgp"]


def spraying(cls: SwitchClass) -> SwitchClass:
    return replace(cls, routing=replace(cls.routing, load_balancing="adaptive"))


@pytest.mark.parametrize("name", [LEAF, SPINE, CORE])
def test_adaptive_routing_covers_every_link_between_switches(name: str) -> None:
    text = startup_texts(reshape=spraying)[name]
    assert findings(text) == []
    root = settings(text)
    assert root["router"]["adaptive-routing"] == {"state": "enabled"}
    ports = {name: row for name, row in root["interface"].items() if name.startswith("swp")}
    adaptive = {name for name, row in ports.items() if "router" in row}
    fabric = {name for name, row in ports.items() if re.match("leaf|spine|core", row.get("description", ""))}
    assert adaptive
    assert adaptive == fabric
