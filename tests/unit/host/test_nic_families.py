"""Properties of mlx5 NICs: keys the firmware knows, and settings that agree with the switches."""

from __future__ import annotations

from dataclasses import replace

import pytest
from host_fixture import contract, host_class, of_group, reference

from fabricgen.catalog import load_catalog
from fabricgen.device.model import HostClass
from fabricgen.diagnostics import Bag
from fabricgen.platforms.mlx5.view import class_view
from tests import tally

CARDS = ("connectx7_400g", "connectx8_800g", "bluefield3_400g")
ADAPTIVE_ROUTING = "ROCE_ADAPTIVE_ROUTING_EN"


def settings(card: str, cls: HostClass) -> dict[str, int]:
    """Firmware settings of the class on a card of the shipped catalog."""
    bag = Bag()
    nics = {card: ("hosts", "gpu", "nic")}
    record = load_catalog(switches={}, nics=nics, servers={}, bag=bag).nics[card]
    assert not bag.has_errors
    cls = of_group(cls, out_of_order=record.out_of_order, embedded_cpu=record.embedded_cpu)
    return {setting.key: setting.value for setting in class_view(cls).firmware}


@pytest.mark.parametrize("card", CARDS)
def test_the_firmware_knows_every_key_and_value(card: str) -> None:
    known = reference("mlxconfig_keys.yaml")["keys"]
    for key, value in settings(card, replace(host_class(), reordered=True)).items():
        name, per_port = (key.removesuffix("_P1"), True) if key.endswith("_P1") else (key, False)
        row = known[name]
        assert per_port == row["scope"].startswith("per-port"), key
        legal = row.get("values", {"no": 0, "yes": 1} if row["type"] == "BOOL" else {})
        assert value in legal.values() if legal else value < 1 << row["bits"], key
        tally.count("mlxconfig", f"{key}={value}", refused=False, release=card)


@pytest.mark.parametrize("card", ["connectx8_800g", "bluefield3_400g"])
@pytest.mark.parametrize("reordered", [True, False])
def test_packets_may_overtake_where_switches_spray(card: str, reordered: bool) -> None:
    assert settings(card, replace(host_class(), reordered=reordered))[ADAPTIVE_ROUTING] == int(reordered)


def test_a_card_that_keeps_order_has_no_such_key() -> None:
    assert ADAPTIVE_ROUTING not in settings("connectx7_400g", host_class())


def test_only_the_one_with_cores_of_its_own_is_told_to_be_a_nic() -> None:
    found = {card: settings(card, host_class()).get("INTERNAL_CPU_OFFLOAD_ENGINE") for card in CARDS}
    assert found == {"connectx7_400g": None, "connectx8_800g": None, "bluefield3_400g": 1}


@pytest.mark.parametrize("card", CARDS)
def test_the_lossless_contract_is_the_same_on_all(card: str) -> None:
    ours, other = settings(card, host_class()), settings("connectx7_400g", host_class())
    assert {key: ours[key] for key in other} == other
    assert contract().mode == "dcqcn"
