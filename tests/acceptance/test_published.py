"""Published fabrics come out as published."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache, reduce
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabricgen.api import compile_inventory
from fabricgen.catalog import Catalog
from fabricgen.device.lower import Lowering
from fabricgen.device.model import Switch
from fabricgen.diagnostics import Bag, Severity
from fabricgen.plan.model.fabric import DeviceId, FabricPlan
from fabricgen.plan.model.numbering import Coordinates
from tests.command_line import run_here
from tools.docs.published_facts import Figure, list_facts

REPOSITORY = Path(__file__).parents[2]
PUBLISHED = {
    path.parent.name: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in sorted(REPOSITORY.glob("inventories/*/published.yaml"))
}
FIGURES = [(name, row) for name, told in PUBLISHED.items() for row in told["figures"]]
"""Inventories with every figure that a paper or guide prints of the fabric: what, key, published and source."""


def round_as(computed: Figure, published: Figure) -> Figure:
    """A computed figure with as many digits as the published one."""
    if isinstance(computed, str) or isinstance(published, str):
        return computed
    digits = str(published).partition(".")[2]
    return round(computed, len(digits)) if digits else round(computed)


@cache
def compiled_of(inventory: str) -> tuple[FabricPlan, Catalog | None]:
    """The plan of an inventory that has no errors, and the models that it names."""
    bag = Bag()
    compiled = compile_inventory(REPOSITORY / "inventories" / inventory, (), bag)
    assert [d.message for d in bag if d.severity is Severity.ERROR] == []
    assert compiled is not None
    assert compiled.plan is not None
    return compiled.plan, compiled.catalog


def plan_of(inventory: str) -> FabricPlan:
    """The plan of an inventory."""
    return compiled_of(inventory)[0]


@cache
def facts_of(inventory: str) -> dict[str, Figure]:
    """Every figure of an inventory's plan."""
    return list_facts(*compiled_of(inventory))


def plan() -> FabricPlan:
    """The Llama 3 cluster: "The Llama 3 Herd of Models", section 3.3.1; Gangidi et al., SIGCOMM 2024, section 3."""
    return plan_of("meta-llama3-24k")


def hpn() -> FabricPlan:
    """A pod of HPN 7.0: Qian et al., SIGCOMM 2024, sections 4 and 5."""
    return plan_of("hpn7-pod")


def first(tier: int) -> Switch:
    """The first switch of a tier."""
    return Lowering(plan()).lower_switch(DeviceId(tier, Coordinates()))


@pytest.mark.parametrize(("name", "row"), FIGURES, ids=[f"{name}: {row['what']}" for name, row in FIGURES])
def test_every_published_figure_comes_out_to_its_last_digit(name: str, row: dict[str, Any]) -> None:
    assert round_as(facts_of(name)[row["key"]], row["published"]) == row["published"]
    assert row["source"].partition(":")[0] in PUBLISHED[name]["sources"]


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_summary_has_the_published_counts_and_ratios(name: str) -> None:
    said = json.loads(run_here("show", REPOSITORY / "inventories" / name, "summary", "--format", "json").stdout)
    of_summary = [row for row in PUBLISHED[name]["figures"] if row["key"].partition(".")[0] in said]
    assert of_summary
    for row in of_summary:
        found = reduce(lambda level, key: level[key], row["key"].split("."), said)
        assert round_as(found, row["published"]) == row["published"], row["what"]


def test_eight_pods_of_3072_gpus() -> None:
    hosts = list(plan().all_hosts())
    assert sum(plan().hosts[host.group].gpus for host in hosts) == 24576
    assert sum(8 for host in hosts if host.where.pod == 0) == 3072
    assert [tier.size for tier in plan().tiers] == [8 * 192, 8 * 16, 28]


def test_a_rack_switch_is_not_oversubscribed_and_a_pod_is_one_to_seven() -> None:
    leaf, spine = first(0), first(1)
    sides = {name: sum(port.shape.side == name for port in spine.ports) for name in ("down", "up")}
    assert sides == {"down": 192, "up": 28}
    assert round(Fraction(sides["down"], sides["up"])) == 7
    assert sum(port.shape.side == "down" for port in leaf.ports) == sum(port.shape.side == "up" for port in leaf.ports)


def test_the_aggregation_tier_is_full_and_uses_every_switch_of_a_pod() -> None:
    core = first(2)
    assert len(core.ports) == 128
    assert core.cls.routing.max_paths == 16
    assert {port.shape.fec for port in (*core.ports, *first(1).ports, *first(0).ports)} == {"rs"}


def test_a_segment_of_hpn_has_1024_gpus_and_64_spare_ones_below_16_leafs() -> None:
    in_first = [host for host in hpn().all_hosts() if host.where.unit == 0]
    (group,) = hpn().hosts
    spare = [host for host in in_first if host.host >= group.per_unit]
    assert ((len(in_first) - len(spare)) * group.gpus, len(spare) * group.gpus) == (1024, 64)
    assert sum(where.unit == 0 for where in hpn().tiers[0].coordinates()) == 16
    assert sum(not host.host >= group.per_unit for host in hpn().all_hosts()) * group.gpus == 15360


def test_a_leaf_of_hpn_is_full_and_16_to_15() -> None:
    leaf = Lowering(hpn()).lower_switch(DeviceId(0, Coordinates()))
    down = [port.shape for port in leaf.ports if port.shape.side == "down"]
    up = [port.shape for port in leaf.ports if port.shape.side == "up"]
    assert (len(down), {port.speed_gbps for port in down}) == (136, {200})
    assert (len(up), {port.speed_gbps for port in up}) == (60, {400})
    assert {port.cage for port in (*down, *up)} == set(range(1, 65))
    assert Fraction(128 * 200, 60 * 400) == Fraction(16, 15)


def test_planes_of_hpn_meet_at_the_hosts_only() -> None:
    lowering, tier = Lowering(hpn()), hpn().tiers[1]
    above = {where.plane: lowering.lower_switch(DeviceId(1, where)) for where in tier.coordinates() if not where.index}
    assert [sum(where.plane == plane for where in tier.coordinates()) for plane in (0, 1)] == [60, 60]
    below = {plane: {port.peer for port in switch.ports} for plane, switch in above.items()}
    assert [len(below[0]), len(below[1])] == [120, 120]
    assert not below[0] & below[1]
    host = lowering.lower_host(next(hpn().all_hosts()))
    assert all({link.peer[-1] for link in rail.links} == {"a", "b"} for rail in host.rails)


def test_both_leafs_of_a_bond_of_hpn_answer_as_one() -> None:
    lowering = Lowering(hpn())
    pair = [lowering.lower_switch(DeviceId(0, Coordinates(plane=plane))) for plane in (0, 1)]
    subnets = [leaf.host_subnet for leaf in pair if leaf.host_subnet]
    assert len({(s.lacp_system_id, s.gateway, s.gateway_mac, s.prefix, s.vlan) for s in subnets}) == 1
    assert subnets[0].lacp_system_id == "00:00:5e:00:01:01"
    assert [(s.lacp_first_port_id, s.lacp_last_port_id) for s in subnets] == [(1, 300), (301, 600)]
    assert len({leaf.asn for leaf in pair}) == 2
