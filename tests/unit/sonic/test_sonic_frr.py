"""frr.conf of leaf, spine and core: judged by FRR's parsers, and what its policy lets through."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import sonic_fabric as fabric
import sonic_render
from sonic_render import frr_lines

from fabricgen.device.model import Switch


def quiet_leaf() -> Switch:
    """A leaf without BFD."""
    cls = fabric.leaf_class()
    return fabric.leaf(replace(cls, routing=replace(cls.routing, bfd_upper=False, bfd_lower=False)))


def drained_spine() -> Switch:
    """A spine that is being emptied."""
    device = fabric.spine()
    device.state, device.reason = "drained", "optics RMA"
    return device


DEVICES = {
    "leaf": fabric.leaf(),
    "spine": fabric.spine(),
    "core": fabric.core(),
    "without bfd": quiet_leaf(),
    "drained": drained_spine(),
}


@pytest.mark.parametrize("name", DEVICES)
def test_judge_finds_nothing(name: str, tmp_path: Path) -> None:
    findings = sonic_render.frr_findings(DEVICES[name], tmp_path)
    if findings is None:
        pytest.skip("FRR or root rights are missing")
    assert findings == []


@pytest.mark.parametrize("name", DEVICES)
def test_nothing_else_is_originated_or_let_in(name: str) -> None:
    text = "\n".join(frr_lines(DEVICES[name]))
    for word in ("redistribute", "aggregate-address", "default-originate", "allowas-in", "0.0.0.0/0", "as-override"):
        assert word not in text


def test_bfd_only_where_asked() -> None:
    lines = frr_lines(fabric.leaf())
    assert "neighbor UPPER bfd profile FABRIC" in lines
    assert {"detect-multiplier 3", "receive-interval 300", "transmit-interval 300"} <= set(lines)
    assert not [line for line in frr_lines(quiet_leaf()) if "bfd" in line]


def test_drained_switch_asks_to_be_avoided_and_says_why() -> None:
    lines = frr_lines(drained_spine())
    assert "bgp graceful-shutdown" in lines
    assert "! drained: optics RMA" in lines
    assert "bgp graceful-shutdown" not in frr_lines(fabric.spine())
