"""Families number alike and each by itself: adding one moves nothing of the other; no address is a reserved one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from ipaddress import IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.device.lower import Lowering
from fabricgen.device.model import Host, Switch
from fabricgen.diagnostics import Bag
from fabricgen.intent.fabric import FabricIntent
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.planner import PlatformFacts, build_plan
from fabricgen.render.tree.layout import check_moved, describe_layout
from tests.property.fabrics import NIC, SERVER, SWITCH, Data, catalog, fabrics, plan_fabric

INVENTORIES = Path(__file__).parents[2] / "inventories"
POOLS4 = {"loopbacks": "10.255.0.0/16", "fabric_links": "10.0.0.0/10", "host_links": "172.16.0.0/12"}
POOLS6 = {"loopbacks": "fd00:0:0:ff::/64", "fabric_links": "fd00:0:0:1::/64", "host_links": "fd00:0:0:2::/64"}
LOW_64_BITS = (1 << 64) - 1
RESERVED_LAST = 128
"""RFC 2526: the highest interface identifiers of a subnet are anycast addresses; RFC 6164 section 5.2 leaves them."""


def with_families(data: Data, *families: str, unnumbered: bool = False) -> Data:
    """The fabric with pools in these families."""
    data = deepcopy(data)
    of = {"ipv4": POOLS4, "ipv6": POOLS6}
    pools: dict[str, Any] = {name: {family: of[family][name] for family in families} for name in POOLS4}
    if unnumbered:
        pools["fabric_links"] = "unnumbered"
    data["addressing"] = {"families": list(families), **pools}
    return data


def lowered(plan: FabricPlan) -> tuple[list[Switch], list[Host]]:
    lowering = Lowering(plan)
    switches = [lowering.lower_switch(device) for device in plan.switches()]
    return switches, [lowering.lower_host(host) for host in plan.all_hosts()]


def numbers(plan: FabricPlan, six: str = "") -> list[tuple[Any, ...]]:
    """Every number of a family with its place; fields of IPv6 end in ``6``."""

    def of(item: object, *names: str) -> tuple[Any, ...]:
        return tuple(getattr(item, f"{name}{six}") for name in names)

    switches, hosts = lowered(plan)
    found: list[tuple[Any, ...]] = [(s.hostname, s.management, *of(s, "loopback", "aggregate")) for s in switches]
    found += [] if six else [(switch.hostname, switch.router_id) for switch in switches]
    found += [(p.shape.name, *of(p, "address", "peer_address", "prefix_len")) for s in switches for p in s.ports]
    return found + [(h.hostname, *of(rail, "address", "gateway")) for h in hosts for rail in h.rails]


def addresses6(plan: FabricPlan) -> Iterator[tuple[str, IPv6Address]]:
    """Every IPv6 address that a device has, with the pool it comes from."""
    switches, hosts = lowered(plan)
    for switch in switches:
        yield "loopbacks", IPv6Address(switch.loopback6)
        for port in switch.ports:
            yield "fabric_links" if port.peer_asn else "host_links", IPv6Address(port.address6)
    for host in hosts:
        yield from (("host_links", IPv6Address(rail.address6)) for rail in host.rails)


def moved(before: FabricPlan, after: FabricPlan) -> list[str]:
    """Return what the manifest's layout says would move."""
    bag = Bag()
    check_moved(describe_layout(before), describe_layout(after), bag)
    return [found.message for found in bag]


@given(fabrics(), st.booleans())
def test_a_second_family_moves_nothing_of_the_first(data: Data, unnumbered: bool) -> None:
    one, both, other = (
        plan_fabric(with_families(data, *families, unnumbered=unnumbered))
        for families in (("ipv4",), ("ipv4", "ipv6"), ("ipv6",))
    )
    assert numbers(one) == numbers(both)
    assert numbers(other, "6") == numbers(both, "6")
    for before in (one, other):
        assert moved(before, both) == moved(both, before) == []


@given(fabrics())
def test_ipv6_addresses_are_unique_inside_their_pools_and_never_reserved(data: Data) -> None:
    plan = plan_fabric(with_families(data, "ipv6"))
    found = list(addresses6(plan))
    assert len({address for _, address in found}) == len(found)
    for pool, address in found:
        assert address in IPv6Network(POOLS6[pool])
        assert 0 < int(address) & LOW_64_BITS <= LOW_64_BITS - RESERVED_LAST
    for switch in lowered(plan)[0]:
        for port in switch.ports:
            assert int(IPv6Address(port.address6)) ^ int(IPv6Address(port.peer_address6)) == 1
            assert port.peer_asn or IPv6Address(port.address6) in ip_network(switch.aggregate6)


@given(fabrics(), st.sampled_from([("ipv4",), ("ipv6",), ("ipv4", "ipv6")]))
def test_router_ids_are_unique_and_never_zero(data: Data, families: tuple[str, ...]) -> None:
    switches, _ = lowered(plan_fabric(with_families(data, *families)))
    ids = [switch.router_id for switch in switches]
    assert len(set(ids)) == len(ids)
    assert "0.0.0.0" not in ids


@given(fabrics(), st.sampled_from(sorted(POOLS6)))
def test_a_pool_of_ipv6_too_small_is_told_which_size_fits(data: Data, pool: str) -> None:
    data = with_families(data, "ipv4", "ipv6")
    base = POOLS6[pool].partition("/")[0]
    data["addressing"][pool]["ipv6"] = f"{base}/127"
    (fault,) = _faults(data)
    assert (fault.code, fault.path) == ("FG-ADR-001", ("addressing", pool, "ipv6"))
    fits = int(re.search(r"/(\d+) or larger", fault.hint)[1])
    data["addressing"][pool]["ipv6"] = f"{base}/{fits}"
    assert _faults(data) == []
    size = 1 << (128 - fits)
    assert all(
        int(address) <= int(IPv6Address(base)) + size - 1 - RESERVED_LAST
        for name, address in addresses6(plan_fabric(data))
        if name == pool
    )
    data["addressing"][pool]["ipv6"] = f"{base}/{fits + 1}"
    assert [fault.code for fault in _faults(data)] == ["FG-ADR-001"]


def _faults(data: Data) -> list[Any]:
    """Errors of planning a fabric, but for oversubscription."""
    bag = Bag()
    build_plan(FabricIntent.model_validate(data), catalog(), {"any": PlatformFacts(bfd=True)}, {}, bag)
    return [found for found in bag if found.severity.value == "error" and found.code != "FG-TOP-013"]


@pytest.mark.parametrize(
    ("pool", "gateway", "address"),
    [
        ("192.168.0.0/16", "first", "192.168.0.1"),
        ("192.168.0.0/16", "last", "192.168.255.254"),
        ("fd00:0:0:aa::/64", "first", "fd00:0:0:aa::1"),
        ("fd00:0:0:aa::/64", "last", "fd00::aa:ffff:ffff:ffff:ff7f"),
    ],
)
def test_the_management_gateway_is_no_reserved_address(pool: str, gateway: str, address: str) -> None:
    data = yaml.safe_load((INVENTORIES / "quickstart/fabric.yaml").read_text(encoding="utf-8"))
    hosts, tiers = {**data["hosts"], "server": SERVER, "nic": NIC}, data["tiers"]
    data |= {"hosts": {"gpu": hosts}, "tiers": {n: {**t, "model": SWITCH, "platform": "any"} for n, t in tiers.items()}}
    data["addressing"]["management"] = {"pool": pool, "gateway": gateway}
    for switch in lowered(plan_fabric(data))[0]:
        assert switch.management_gateway == address
        assert ip_address(switch.management) in ip_network(pool)
        assert switch.management != address
