"""What sets the families of mlx5 NICs apart: keys the firmware knows, and settings that agree with the switches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module

import pytest
from host_fixture import contract, host_class, reference

from fabricgen.device.model import HostClass
from fabricgen.platforms.mlx5.view import NicView

FAMILIES = ("connectx7", "connectx8", "bluefield3")
ADAPTIVE_ROUTING = "ROCE_ADAPTIVE_ROUTING_EN"


def settings(family: str, cls: HostClass) -> dict[str, int]:
    view: Callable[[HostClass], NicView] = import_module(f"fabricgen.platforms.{family}.view").class_view
    return {setting.key: setting.value for setting in view(cls).firmware}


@pytest.mark.parametrize("family", FAMILIES)
def test_the_firmware_knows_every_key_and_value(family: str) -> None:
    known = reference("mlxconfig_keys.yaml")["keys"]
    for key, value in settings(family, replace(host_class(), reordered=True)).items():
        name, per_port = (key.removesuffix("_P1"), True) if key.endswith("_P1") else (key, False)
        row = known[name]
        assert per_port == row["scope"].startswith("per-port"), key
        legal = row.get("values", {"no": 0, "yes": 1} if row["type"] == "BOOL" else {})
        assert value in legal.values() if legal else value < 1 << row["bits"], key


@pytest.mark.parametrize("family", ["connectx8", "bluefield3"])
@pytest.mark.parametrize("reordered", [True, False])
def test_packets_may_overtake_where_switches_spray(family: str, reordered: bool) -> None:
    assert settings(family, replace(host_class(), reordered=reordered))[ADAPTIVE_ROUTING] == int(reordered)


def test_a_family_that_keeps_order_has_no_such_key() -> None:
    assert ADAPTIVE_ROUTING not in settings("connectx7", host_class())


def test_only_the_one_with_cores_of_its_own_is_told_to_be_a_nic() -> None:
    found = {family: settings(family, host_class()).get("INTERNAL_CPU_OFFLOAD_ENGINE") for family in FAMILIES}
    assert found == {"connectx7": None, "connectx8": None, "bluefield3": 1}


@pytest.mark.parametrize("family", FAMILIES)
def test_the_lossless_contract_is_the_same_on_all(family: str) -> None:
    ours, other = settings(family, host_class()), settings("connectx7", host_class())
    assert {key: ours[key] for key in other} == other
    assert contract().mode == "dcqcn"
