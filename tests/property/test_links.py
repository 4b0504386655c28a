"""Cabling: both ends agree, and the graph is the one that brute force builds."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise, product

from hypothesis import given

from fabricgen.plan.model.cabling import downlinks, host_links_of_host, host_links_of_leaf, link_of, uplinks
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import Coordinates
from fabricgen.plan.model.topology import Tier
from tests.property.fabrics import RAILS, Data, fabrics, plan_fabric

Device = tuple[object, ...]


def every_link(plan: FabricPlan) -> set[object]:
    return {link for tier in plan.tiers for where in tier.coordinates() for link in uplinks(plan, tier, where)}


@given(fabrics())
def test_the_peer_of_a_peer_is_oneself(data: Data) -> None:
    plan = plan_fabric(data)
    from_above = [
        link for tier in plan.tiers[1:] for where in tier.coordinates() for link in downlinks(plan, tier, where)
    ]
    assert len(from_above) == len(set(from_above))
    assert set(from_above) == every_link(plan)
    from_leafs = [link for where in plan.tiers[0].coordinates() for link in host_links_of_leaf(plan, where)]
    from_hosts = [link for host in plan.all_hosts() for link in host_links_of_host(plan, host)]
    assert len(from_leafs) == len(set(from_leafs))
    assert set(from_leafs) == set(from_hosts)
    assert all(link_of(plan, link.id) == link for link in (*from_above, *from_hosts))


@given(fabrics())
def test_no_port_has_two_links(data: Data) -> None:
    plan = plan_fabric(data)
    for tier in plan.tiers:
        for where in tier.coordinates():
            up = [link.lower_position for link in uplinks(plan, tier, where)]
            below = downlinks(plan, tier, where) if tier.number else ()
            down = [link.upper_position for link in below]
            down += [link.upper_position for link in host_links_of_leaf(plan, where)] if not tier.number else []
            slots = [tier.up.slots[at] for at in up] if tier.up else []
            slots += [tier.down.slots[at] for at in down]
            assert len(slots) == len(set(slots))


@given(fabrics())
def test_the_graph_is_the_one_of_brute_force(data: Data) -> None:
    plan = plan_fabric(data)
    ranks = _ranks(plan)
    found: Counter[tuple[Device, Device]] = Counter()
    for tier in plan.tiers:
        for where in tier.coordinates():
            for link in uplinks(plan, tier, where):
                found[(_name(plan, ranks, tier, where), _name(plan, ranks, plan.tiers[link.number], link.upper))] += 1
    assert found == _brute_force(data)
    hosts = Counter(
        (plan.host_name(link.host), link.rail, _name(plan, ranks, plan.tiers[0], link.upper))
        for host in plan.all_hosts()
        for link in host_links_of_host(plan, host)
    )
    assert hosts == _brute_force_hosts(data)


def _ranks(plan: FabricPlan) -> dict[tuple[int, int, int, int], int]:
    """Rank of every switch within its scope and stripe group, whatever room its numbering leaves."""
    members: defaultdict[tuple[int, int, int], list[int]] = defaultdict(list)
    for tier in plan.tiers:
        for where in tier.coordinates():
            pod, group, index = map(int, tier.device_name(where).split("-")[1:])
            members[(tier.number, pod, group)].append(index)
    return {(*key, index): rank for key, indices in members.items() for rank, index in enumerate(sorted(set(indices)))}


def _name(plan: FabricPlan, ranks: dict[tuple[int, int, int, int], int], tier: Tier, where: Coordinates) -> Device:
    """Return what a switch is called here: leafs by pod, unit and rail group, others by pod, stripe group and rank."""
    pod, middle, last = map(int, plan.tiers[tier.number].device_name(where).split("-")[1:])
    if tier.number == 0:
        return (tier.name, pod, middle, last)
    return (tier.name, pod if tier.scope == "pod" else 1, middle, ranks[(tier.number, pod, middle, last)])


def _number(count: object) -> int:
    return int(count["count"]) if isinstance(count, dict) else int(str(count))


def _devices(data: Data, tier: str) -> list[Device]:
    """Every switch of a tier, by nested loops over what the intent says."""
    pods, units = range(1, _number(data.get("pods", 1)) + 1), range(1, _number(data["units"]) + 1)
    if tier == "leaf":
        groups = range(RAILS // data["attachment"]["rails_per_leaf"])
        return [("leaf", pod, unit, group) for pod, unit, group in product(pods, units, groups)]
    said = data["tiers"][tier]
    links = next(link for name, link in data["links"].items() if name.endswith(f"-{tier}"))
    stripe = links.get("pattern", {}).get("stripe")
    lower = "leaf" if tier == "spine" else "spine"
    groups = {"rail": RAILS // data["attachment"]["rails_per_leaf"], "index": 0, None: 1}[stripe]
    if stripe == "index":
        groups = _number(data["tiers"][lower]["count"])
    members = _number(said["count"]) // groups
    scopes = pods if said["per"] == "pod" else [1]
    return [(tier, pod, group, rank) for pod, group, rank in product(scopes, range(groups), range(members))]


def _brute_force(data: Data) -> Counter[tuple[Device, Device]]:
    """Every pair of switches that are cabled, with how many cables, by asking of each pair whether it is."""
    found: Counter[tuple[Device, Device]] = Counter()
    order = [tier for tier in ("leaf", "spine", "core") if tier in data["tiers"]]
    for lower, upper in pairwise(order):
        links = data["links"][f"{lower}-{upper}"]
        stripe = links.get("pattern", {}).get("stripe")
        per_pod = data["tiers"][upper]["per"] == "pod"
        for one, other in product(_devices(data, lower), _devices(data, upper)):
            if per_pod and one[1] != other[1]:
                continue
            if stripe == "rail" and one[3] != other[2]:
                continue
            if stripe == "index" and one[3] != other[2]:
                continue
            found[(one, other)] += links["per_pair"]
    return found


def _brute_force_hosts(data: Data) -> Counter[tuple[str, int, Device]]:
    found: Counter[tuple[str, int, Device]] = Counter()
    pods, units = range(1, _number(data.get("pods", 1)) + 1), range(1, _number(data["units"]) + 1)
    for pod, unit, host, rail in product(
        pods, units, range(1, _number(data["hosts"]["gpu"]["per_unit"]) + 1), range(RAILS)
    ):
        group = rail // data["attachment"]["rails_per_leaf"]
        found[(f"host-{pod}-{unit}-{host}", rail, ("leaf", pod, unit, group))] += 1
    return found
