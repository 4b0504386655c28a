"""Flows of a job and the load they make, held against counting pair by pair."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import ceil
from pathlib import Path

import pytest
from analysis_fabrics import document, plan_of, pods

from fabricgen.analysis.flows import Flows, job_flows, ring_flows, scattered_flows
from fabricgen.analysis.hashing import hashing_stages
from fabricgen.analysis.link_loads import HashMode, LinkLoad, load_links
from fabricgen.analysis.placement import Gpu, list_gpus
from fabricgen.plan.model.cabling import host_links_of_host
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import Coordinates, DeviceId, HostId, NicId
from fabricgen.plan.model.workload import Message, Workload

SWITCH = "dell_z9864f"
STATIC = HashMode("static")


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> FabricPlan:
    return plan_of(pods(), tmp_path_factory.mktemp("pods"))


def leaf_of(plan: FabricPlan, host: HostId, rail: int) -> DeviceId:
    return next(link.upper_end for link in host_links_of_host(plan, host) if link.rail == rail)


def loads_of(plan: FabricPlan, flows: Flows, functions: str = "abc") -> dict[tuple[str, bool], LinkLoad]:
    stages = [*hashing_stages(plan, functions[: len(plan.tiers)])]
    return {(load.link, load.upwards): load for load in load_links(plan, flows, stages)}


def counts(load: LinkLoad) -> Counter[int]:
    """Places by the number of their connections."""
    found: Counter[int] = Counter()
    for kind in load.kinds:
        found[kind.connections] += kind.places
    return found


def pairs_of_ring(gpus: list[Gpu]) -> list[tuple[HostId, HostId, int]]:
    hosts = [*dict.fromkeys(gpu.host for gpu in gpus)]
    rails = sorted({gpu.rail for gpu in gpus})
    return [(one, other, rail) for one, other in zip(hosts, [*hosts[1:], hosts[0]], strict=True) for rail in rails]


def counted(plan: FabricPlan, pairs: list[tuple[HostId, HostId, int]]) -> dict[tuple[str, bool], Counter[object]]:
    """Connections that leave and enter each leaf and each pod, pair by pair."""
    found: dict[tuple[str, bool], Counter[object]] = {
        (link, up): Counter() for link in ("leaf-spine", "spine-core") for up in (True, False)
    }
    for one, other, rail in pairs:
        first, last = leaf_of(plan, one, rail), leaf_of(plan, other, rail)
        if first != last:
            found["leaf-spine", True][first] += 1
            found["leaf-spine", False][last] += 1
        if one.where.pod != other.where.pod:
            found["spine-core", True][one.where.pod] += 1
            found["spine-core", False][other.where.pod] += 1
    return found


@pytest.mark.parametrize("ranks", [16, 40, 128])
def test_a_ring_is_counted_as_pair_by_pair(plan: FabricPlan, ranks: int) -> None:
    gpus = list_gpus(plan)[:ranks]
    loads = loads_of(plan, ring_flows(plan, "ring", iter([gpus])))
    for at, expected in counted(plan, pairs_of_ring(gpus)).items():
        assert counts(loads[at]) == Counter(expected.values()), at
    assert counts(loads["host-leaf", True]) == {1: ranks}


def test_rails_of_a_ring_are_chosen(plan: FabricPlan) -> None:
    gpus = list_gpus(plan)
    some = ring_flows(plan, "ring", iter([gpus]), (1, 5))
    pairs = [pair for pair in pairs_of_ring(gpus) if pair[2] in (1, 5)]
    assert some.connections == len(pairs) == 32
    place = "leaf-spine", True
    assert counts(loads_of(plan, some)[place]) == Counter(counted(plan, pairs)[place].values())


def test_a_scattered_ring_leaves_every_switch(plan: FabricPlan) -> None:
    nics = [NicId(gpu.host, gpu.rail) for gpu in list_gpus(plan)]
    loads = loads_of(plan, scattered_flows(plan, "scattered", nics))
    assert counts(loads["leaf-spine", True]) == {16: 8}
    assert counts(loads["spine-core", False]) == {64: 2}
    below_one = scattered_flows(plan, "scattered", nics[:32])
    assert not loads_of(plan, below_one)["leaf-spine", True].kinds


def test_all_to_all_is_counted_as_pair_by_pair(plan: FabricPlan) -> None:
    message = Message("experts", "all_to_all", "data", 1.0, 1)
    (flows,) = job_flows(plan, Workload("job", 1, 1, 96, 1, ("tensor", "pipeline", "data"), (message,), 1.0, 80))
    gpus = list_gpus(plan)[:96]
    pairs = [(one.host, other.host, other.rail) for one in gpus for other in gpus if one.domain != other.domain]
    loads = loads_of(plan, flows)
    assert flows.connections == len(pairs)
    for at, expected in counted(plan, pairs).items():
        assert counts(loads[at]) == Counter(expected.values()), at


def test_nics_that_send_nothing_have_no_load(plan: FabricPlan) -> None:
    message = Message("experts", "all_to_all", "tensor", 1.0, 1)
    (flows,) = job_flows(plan, Workload("job", 8, 16, 1, 1, ("tensor", "pipeline", "data"), (message,), 1.0, 80))
    assert not flows.connections
    assert not flows.up.nics
    assert not flows.down.nics


def test_pipeline_neighbors_exchange_in_both_directions(plan: FabricPlan) -> None:
    message = Message("activations", "exchange", "pipeline", 1.0, 1)
    (flows,) = job_flows(plan, Workload("job", 8, 16, 1, 1, ("tensor", "pipeline", "data"), (message,), 1.0, 80))
    assert flows.connections == 2 * 15 * 8
    assert counts(loads_of(plan, flows)["spine-core", True]) == {8: 2}


def test_polarisation_leaves_fewer_links(plan: FabricPlan) -> None:
    """Leafs choose among 16 uplinks; with the same hash a spine is left one of its 8 links to the cores."""
    nics = [NicId(gpu.host, gpu.rail) for gpu in list_gpus(plan)]
    flows = scattered_flows(plan, "scattered", nics)
    apart, alike = (loads_of(plan, flows, functions)["spine-core", True] for functions in ("abc", "aac"))
    assert (apart.kinds[0].links, alike.kinds[0].links) == (16, 2)
    down = loads_of(plan, flows, "aba")["spine-core", False]
    assert down.kinds[0].links < down.links == 16
    assert alike.spreads(STATIC, 1)[0][0].load.expected > 3 * apart.spreads(STATIC, 1)[0][0].load.expected


def test_sprayed_packets_load_links_evenly(plan: FabricPlan) -> None:
    load = loads_of(plan, ring_flows(plan, "ring", iter([list_gpus(plan)])))["leaf-spine", True]
    fine, balanced, sprayed = (
        load.spreads(mode, 2)[0][0]
        for mode in (HashMode("fine", 16), HashMode("flowlet", balanced=True), HashMode("spray", sprayed=True))
    )
    mean = float(balanced.mean * balanced.unit)
    assert fine.flows == 8 * balanced.flows
    assert mean == float(fine.mean * fine.unit)
    assert balanced.load.expected == ceil(balanced.mean)
    assert sprayed.ratio == 1 <= fine.ratio


def test_a_leaf_that_lost_uplinks_is_a_kind_of_its_own(tmp_path: Path) -> None:
    said = document(SWITCH)
    leaf, spine = (plan_of(said, tmp_path).tiers[tier].device_name(Coordinates()) for tier in (0, 1))
    said["exceptions"] = [{"link": [leaf, spine], "n": n, "state": "absent", "reason": "broken"} for n in (1, 2)]
    irregular = plan_of(said, tmp_path)
    nics = [NicId(gpu.host, gpu.rail) for gpu in list_gpus(irregular)]
    load = loads_of(irregular, scattered_flows(irregular, "scattered", nics))["leaf-spine", True]
    assert [(kind.links, kind.places) for kind in load.kinds] == [(14, 1), (16, 3)]


def test_ports_of_a_bond_are_chosen_by_hash(plan: FabricPlan) -> None:
    groups = tuple(replace(group, bond=True, nic_ports=2) for group in plan.hosts)
    gpus = list_gpus(plan)
    bonded = plan._replace(hosts=groups)
    load = loads_of(bonded, ring_flows(bonded, "ring", iter([gpus])))["host-leaf", True]
    assert (load.links, load.kinds[0].links) == (2, 2)
    assert load.spreads(STATIC, 2)[0][0].load.expected == 1.5
