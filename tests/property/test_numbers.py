"""Addresses and AS numbers: unique, inside their pools, the same at both ends, and unmoved by growth."""

from __future__ import annotations

import pickle
import random
from collections import Counter
from copy import deepcopy
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.api import compile_inventory
from fabricgen.device.lower import Lowering
from fabricgen.device.model import Host, Switch
from fabricgen.diagnostics import Bag
from fabricgen.plan.model.fabric import FabricPlan
from tests.property.fabrics import Data, fabrics, plan_fabric

FABRICS = Path(__file__).parents[1] / "fabrics"
INVENTORIES = Path(__file__).parents[2] / "inventories"
PLAN_BYTES_MAX = 1024 * 1024


def lower_all(plan: FabricPlan) -> tuple[dict[str, Switch], dict[str, Host]]:
    lowering = Lowering(plan)
    switches = [lowering.lower_switch(device) for device in plan.switches()]
    hosts = [lowering.lower_host(host) for host in plan.all_hosts()]
    return {switch.hostname: switch for switch in switches}, {host.hostname: host for host in hosts}


@given(fabrics())
def test_identities_are_unique_and_inside_their_pools(data: Data) -> None:
    plan = plan_fabric(data)
    switches, hosts = lower_all(plan)
    assert len(switches) == sum(tier.size for tier in plan.tiers)
    assert len(hosts) == sum(1 for _ in plan.all_hosts())
    for name, pool in (("loopback", "10.255.0.0/16"), ("management", "192.168.0.0/16")):
        addresses = [ip_address(getattr(switch, name)) for switch in switches.values()]
        assert len(set(addresses)) == len(addresses)
        assert all(address in ip_network(pool) for address in addresses)
    assert all(switch.management != switch.management_gateway for switch in switches.values())
    leafs = [switch for switch in switches.values() if switch.cls.role == "leaf"]
    assert len({leaf.asn for leaf in leafs}) == len(leafs)
    assert not {leaf.asn for leaf in leafs} & {switch.asn for switch in switches.values() if switch not in leafs}
    assert len({leaf.aggregate for leaf in leafs}) == len(leafs)


@given(fabrics())
def test_both_ends_of_a_link_agree(data: Data) -> None:
    switches, hosts = lower_all(plan_fabric(data))
    used: Counter[str] = Counter()
    for switch in switches.values():
        for port in switch.ports:
            used[port.address] += 1
            near, far = ip_address(port.address), ip_address(port.peer_address)
            assert int(near) ^ int(far) == 1
            if port.peer_asn:
                assert near in ip_network("10.0.0.0/10")
                peer = switches[port.peer]
                back = [other for other in peer.ports if other.shape.name == port.peer_port]
                assert [(b.peer, b.peer_port, b.address, b.peer_asn) for b in back] == [
                    (switch.hostname, port.shape.name, port.peer_address, switch.asn)
                ]
                assert peer.asn == port.peer_asn != switch.asn
            else:
                assert near in ip_network(switch.aggregate)
                assert far in ip_network(switch.aggregate)
    for host in hosts.values():
        for rail in host.rails:
            used[rail.address] += 1
            ends = [port for port in switches[rail.peer].ports if port.shape.name == rail.peer_port]
            assert [(port.address, port.peer, port.peer_address) for port in ends] == [
                (rail.gateway, host.hostname, rail.address)
            ]
    assert max(used.values()) == 1


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


def _identity(switch: Switch) -> tuple[Any, ...]:
    """All of an upper switch but its ports."""
    return (
        switch.asn, switch.loopback, switch.management, switch.place, switch.cls.routing, switch.cls.buffers,
        switch.cls.ecn, switch.cls.modes, [shape.name for shape in switch.cls.ports],
    )  # fmt: skip


def _shuffled(value: Any, rng: random.Random) -> Any:
    """The same data with the keys of every mapping in another order."""
    if isinstance(value, dict):
        keys = list(value)
        rng.shuffle(keys)
        return {key: _shuffled(value[key], rng) for key in keys}
    return [_shuffled(item, rng) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", ["quickstart", "rail-1k"])
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_keys_means_nothing(name: str, seed: int, tmp_path: Path) -> None:
    file = INVENTORIES / name / "fabric.yaml"
    data = _shuffled(yaml.safe_load(file.read_text(encoding="utf-8")), random.Random(seed))
    (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    written, shuffled = compile_inventory(file, (), Bag()), compile_inventory(tmp_path, (), Bag())
    assert written is not None
    assert shuffled is not None
    assert written.plan is not None
    assert written.plan == shuffled.plan


@given(fabrics(), st.randoms(use_true_random=False))
def test_the_order_of_keys_means_nothing_in_any_fabric(data: Data, rng: random.Random) -> None:
    assert plan_fabric(_shuffled(data, rng)) == plan_fabric(data)


def test_the_plan_of_131072_gpus_is_small() -> None:
    bag = Bag()
    compiled = compile_inventory(FABRICS / "scale-131k", (), bag)
    assert not bag.has_errors, [d.message for d in bag]
    assert compiled is not None
    assert compiled.plan is not None
    assert sum(tier.size for tier in compiled.plan.tiers) == 8 * 8 * 32 + 64 * 32 + 1024
    assert len(pickle.dumps(compiled.plan)) <= PLAN_BYTES_MAX
