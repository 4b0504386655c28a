"""frr.conf of leaf, spine and core, without BFD, and of a drained switch: judged by FRR's parsers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import sonic_fabric as fabric
import sonic_render

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
    assert sonic_render.frr_findings(DEVICES[name], tmp_path) == []
