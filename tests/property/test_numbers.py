"""Addresses and AS numbers: unique, inside their pools, the same at both ends, and unmoved by growth."""

from __future__ import annotations

import pickle
import random
from copy import deepcopy
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.device.lower import Lowering
from fabricgen.device.model import Host, Switch
from fabricgen.diagnostics import Bag
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.render.tree.layout import check_moved, describe_layout
from tests.acceptance.run import compile_clean, plan_of
from tests.property.fabrics import Data, fabrics, plan_fabric
from tests.sampling import shuffled

FABRICS = Path(__file__).parents[1] / "fabrics"
INVENTORIES = Path(__file__).parents[2] / "inventories"
PLAN_BYTES_MAX = 1024 * 1024


def lower_all(plan: FabricPlan) -> tuple[dict[str, Switch], dict[str, Host]]:
    lowering = Lowering(plan)
    switches = [lowering.lower_switch(device) for device in plan.switches()]
    hosts = [lowering.lower_host(host) for host in plan.all_hosts()]
    return {switch.hostname: switch for switch in switches}, {host.hostname: host for host in hosts}


@given(fabrics(), st.sampled_from(["units", "pods"]))
def test_growth_moves_nothing(data: Data, dimension: str) -> None:
    """One unit or pod more: hosts and leafs stay as they are, upper tiers only get ports."""
    data = deepcopy(data)
    count = data.get(dimension, 1)
    number = count["count"] if isinstance(count, dict) else count
    inner = dimension == "units" and "pods" in data
    data[dimension] = {"count": number, "max": number + 1} if inner or isinstance(count, dict) else number
    grown = deepcopy(data)
    grown[dimension] = {"count": number + 1, "max": number + 1} if isinstance(data[dimension], dict) else number + 1
    before, after = lower_all(plan_fabric(data)), lower_all(plan_fabric(grown))
    for hostname, host in before[1].items():
        assert after[1][hostname] == host
    for hostname, switch in before[0].items():
        now = after[0][hostname]
        if switch.cls.role == "leaf":
            assert now == switch
        else:
            assert _identity(now) == _identity(switch)
            kept = {port.shape.name: port for port in now.ports}
            assert all(kept[port.shape.name] == port for port in switch.ports)


@given(fabrics())
def test_no_two_devices_have_a_number(data: Data) -> None:
    """Also where series put them in another order; both ends of a link agree on its addresses."""
    switches, hosts = lower_all(plan_fabric(data))
    for kind in ("loopback", "management"):
        assert len({getattr(switch, kind) for switch in switches.values()}) == len(switches)
    leafs = [switch for switch in switches.values() if switch.cls.role == "leaf"]
    assert len({switch.asn for switch in leafs}) == len(leafs)
    ends = [(port.address, port.peer_address) for switch in switches.values() for port in switch.ports]
    between = [pair for pair in ends if pair[::-1] in set(ends)]
    rails = {rail.address: rail.gateway for host in hosts.values() for rail in host.rails}
    assert len(set(ends)) == len(ends) == len(between) + len(rails)
    assert {peer: own for own, peer in set(ends) - set(between)} == rails
    for leaf in leafs:
        block = ip_network(leaf.aggregate)
        assert all(ip_address(port.address) in block for port in leaf.ports if port.shape.side == "down")


@pytest.mark.parametrize(
    ("pool", "series", "moved"),
    [
        ("host_links", {"order": ["unit", "host", "port", "group"]}, "host addresses"),
        ("host_links", {"order": ["unit", "group", "port", "host"]}, "host addresses"),
        ("host_links", {"first": "172.16.0.1"}, "host addresses"),
        ("fabric_links", {"order": ["unit", "port", "group"]}, "link addresses"),
        ("loopbacks", {"first": "10.255.128.0"}, "loopbacks"),
        ("host_links", {"order": ["unit", "group", "host", "port"]}, ""),
    ],
)
def test_another_order_is_a_renumbering(pool: str, series: Data, moved: str, tmp_path: Path) -> None:
    """Of numbers that stay the same nothing is said, and a unit more moves none in any order."""
    data = yaml.safe_load((INVENTORIES / "quickstart/fabric.yaml").read_text(encoding="utf-8"))
    layouts = []
    for count, own in ((2, {}), (2, {pool: series}), (3, {pool: series})):
        changed = {**data, "units": count, "expect": {}}
        changed["addressing"] = {**data["addressing"], "series": {"leaf": own}}
        (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(changed), encoding="utf-8")
        layouts.append(describe_layout(plan_of(tmp_path)))
    bag, grown = Bag(), Bag()
    check_moved(layouts[0], layouts[1], bag)
    check_moved(layouts[1], layouts[2], grown)
    assert [d.message for d in grown] == []
    assert [d.message.split(": ")[1].split(" of ")[0] for d in bag if "'leaf'" in d.message] == [moved] * bool(moved)


def _identity(switch: Switch) -> tuple[Any, ...]:
    """All of an upper switch but its ports."""
    return (
        switch.asn, switch.loopback, switch.management, switch.place, switch.cls.routing, switch.cls.buffers,
        switch.cls.ecn, switch.cls.modes, [shape.name for shape in switch.cls.ports],
    )  # fmt: skip


@pytest.mark.parametrize("name", ["quickstart", "rail-1k"])
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_keys_means_nothing(name: str, seed: int, tmp_path: Path) -> None:
    file = INVENTORIES / name / "fabric.yaml"
    data = shuffled(yaml.safe_load(file.read_text(encoding="utf-8")), random.Random(seed))
    (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    assert plan_of(file) == plan_of(tmp_path)


@given(fabrics(), st.randoms(use_true_random=False))
def test_the_order_of_keys_means_nothing_in_any_fabric(data: Data, rng: random.Random) -> None:
    assert plan_fabric(shuffled(data, rng)) == plan_fabric(data)


def test_the_plan_of_131072_gpus_is_small() -> None:
    plan = compile_clean(FABRICS / "scale-131k").plan
    assert sum(tier.size for tier in plan.tiers) == 8 * 8 * 32 + 64 * 32 + 1024
    assert len(pickle.dumps(plan)) <= PLAN_BYTES_MAX
