"""Demand of a job: against every pair of GPUs by hand, published totals, and irregular fabrics."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise, product
from math import isclose
from pathlib import Path

import pytest
from analysis_fabrics import Document, document, plan_of, pods

from fabricgen.analysis.demand import analyze_demand, backup_demands
from fabricgen.analysis.placement import free_hosts, list_gpus, list_groups
from fabricgen.plan.model.cabling import host_links_of_host
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.workload import Message, Workload
from tests.unit.physics.vector_files import vectors_file

SWITCH = "dell_z9864f"
GB = 1e9


def job(*messages: Message, order: str = "tpd", **degrees: int) -> Workload:
    sizes = [degrees.get(name, 1) for name in ("tensor", "pipeline", "data", "expert")]
    names = {"t": "tensor", "p": "pipeline", "d": "data"}
    return Workload("job", *sizes, tuple(names[c] for c in order), messages, 1.0, 80)


def message(collective: str, over: str, payload: float = GB, times: int = 1) -> Message:
    return Message("it", collective, over, payload, times)


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> FabricPlan:
    return plan_of(pods(), tmp_path_factory.mktemp("pods"))


@dataclass
class Counted:
    """Bytes by NIC, and those that climb from a leaf and from a pod, counted pair by pair."""

    nics: defaultdict[tuple[str, int], float] = field(default_factory=lambda: defaultdict(float))
    leafs: defaultdict[object, float] = field(default_factory=lambda: defaultdict(float))
    pods: defaultdict[object, float] = field(default_factory=lambda: defaultdict(float))

    def send(self, plan: FabricPlan, one: int, other: int, volume: float) -> None:
        """One GPU sends to another over its own rail; the leafs at both ends are looked up in the cabling."""
        gpus = list_gpus(plan)
        source, target = gpus[one], gpus[other]
        if source.host == target.host:
            return
        rail = one % 8
        mine, theirs = (
            next(link.upper for link in host_links_of_host(plan, gpu.host) if link.rail == rail)
            for gpu in (source, target)
        )
        self.nics[plan.host_name(source.host), rail] += volume
        if mine != theirs:
            self.leafs[mine] += volume
        if mine.pod != theirs.pod:
            self.pods[mine.pod] += volume


def compare(plan: FabricPlan, workload: Workload, counted: Counted) -> None:
    """The busiest NIC, leaf and pod of the analysis are those that were counted."""
    found = analyze_demand(plan, workload)
    needed = {demand.link: demand.needed_gbps for demand in found.links}
    for link, by_hand in (("host-leaf", counted.nics), ("leaf-spine", counted.leafs), ("spine-core", counted.pods)):
        assert isclose(needed[link], max(by_hand.values(), default=0.0) * 8 / GB), link
    turning = [sum(volume) for volume in zip(*(t.turning_bytes for t in found.traffic), strict=True)]
    assert isclose(sum(turning), sum(counted.nics.values()))
    assert isclose(turning[1] + turning[2], sum(counted.leafs.values()))
    assert isclose(turning[2], sum(counted.pods.values()))


def test_all_to_all_equals_every_pair(plan: FabricPlan) -> None:
    workload = job(message("all_to_all", "expert"), data=128, expert=32)
    counted = Counted()
    for first in range(0, 128, 32):
        for one in range(first, first + 32):
            for other in range(first, first + 32):
                if one != other:
                    counted.send(plan, one, other, GB / 32)
    compare(plan, workload, counted)


def around(plan: FabricPlan, size: int, share: float) -> Counted:
    """Rings of a rail each among so many GPUs in a row, in which each passes a share to its neighbour."""
    counted = Counted()
    for first, rail in product(range(0, 128, size), range(8)):
        ring = [*range(first + rail, first + size, 8)]
        for one, other in zip(ring, [*ring[1:], ring[0]], strict=True):
            counted.send(plan, one, other, share)
    return counted


@pytest.mark.parametrize("collective", ["all_reduce", "all_gather", "reduce_scatter"])
def test_rings_equal_every_neighbour(collective: str, plan: FabricPlan) -> None:
    workload = job(message(collective, "data", times=3), tensor=8, data=16)
    share = 3 * GB * 15 / 16 * (2 if collective == "all_reduce" else 1)
    compare(plan, workload, around(plan, 128, share))


@pytest.mark.parametrize(("order", "stride"), [("tpd", 8), ("tdp", 32)])
def test_stages_exchange_with_their_neighbours(order: str, stride: int, plan: FabricPlan) -> None:
    workload = job(message("exchange", "pipeline"), tensor=8, pipeline=4, data=4, order=order)
    counted = Counted()
    for rank in range(128):
        if rank // stride % 4 == 0:
            for one, other in pairwise(rank + stride * stage for stage in range(4)):
                counted.send(plan, one, other, GB)
                counted.send(plan, other, one, GB)
    compare(plan, workload, counted)


def test_a_ring_leaves_a_host_once_through_all_the_nics_of_its_members(plan: FabricPlan) -> None:
    found = analyze_demand(plan, job(message("all_reduce", "data"), data=128))
    once = 2 * GB * 127 / 128
    nic, leaf, spine = (demand.needed_gbps for demand in found.links)
    assert isclose(nic, once / 8 * 8 / GB)
    assert isclose(leaf, once / 2 * 8 / GB), "half of the rails meet each leaf of a unit"
    assert isclose(spine, once * 8 / GB)
    assert isclose(sum(found.traffic[0].turning_bytes), 16 * once)


def test_what_stays_in_a_host_asks_nothing_of_the_fabric(plan: FabricPlan) -> None:
    found = analyze_demand(plan, job(message("all_reduce", "tensor", times=320), tensor=8, data=16))
    assert [demand.needed_gbps for demand in found.links] == [0.0, 0.0, 0.0]
    assert isclose(found.traffic[0].inside_bytes, 16 * 8 * 320 * 2 * GB * 7 / 8)


def test_replicas_of_experts_are_apart_by_the_expert_group(plan: FabricPlan) -> None:
    far = analyze_demand(plan, job(message("all_reduce", "replica"), data=128, expert=64))
    assert (far.traffic[0].ranks, far.traffic[0].groups) == (2, 64)
    assert isclose(far.traffic[0].turning_bytes[2], 128 * GB)


def test_every_rank_of_a_sequence_and_a_replica_is_in_one_group_of_each_kind() -> None:
    order = ("tensor", "context", "pipeline", "data")
    shape = job(tensor=2, pipeline=3, data=8, expert=4)._replace(context=2, order=order)
    sizes = {"tensor": 2, "context": 2, "pipeline": 3, "data": 8, "expert": 4, "copy": 16, "replica": 4}
    for over, size in sizes.items():
        found = [*list_groups(shape, over)]
        assert {len(ranks) for ranks in found} == {size}, over
        assert sorted(rank for ranks in found for rank in ranks) == [*range(96)], over
    copies = next(iter(list_groups(shape, "copy")))
    assert {rank % 2 for rank in copies} == {0}, "ranks of a copy hold the same part of each layer"
    assert {rank // 4 % 3 for rank in copies} == {0}, "and the same stage"


def test_keys_and_values_equal_every_neighbour(plan: FabricPlan) -> None:
    order = ("tensor", "context", "pipeline", "data")
    shape = job(message("all_gather", "context", times=3), tensor=8, data=4)._replace(context=4, order=order)
    compare(plan, shape, around(plan, 32, 3 * GB * 3 / 4))


def test_a_tree_passes_one_edge_less_than_domains(plan: FabricPlan) -> None:
    found = analyze_demand(plan, job(message("all_reduce", "data"), message("all_gather", "data"), tensor=8, data=16))
    assert [each.tree_bytes for each in found.traffic] == [8 * 2 * 15 * GB, None]
    assert isclose(sum(found.traffic[0].turning_bytes), 8 * 2 * 15 * GB), "one rank of each domain: as a ring"
    wide = analyze_demand(plan, job(message("all_reduce", "data"), data=128)).traffic[0]
    assert wide.tree_bytes == 2 * 15 * GB
    assert isclose(sum(wide.turning_bytes), 16 * 2 * GB * 127 / 128)


def test_jobs_beside_each_other_add_up_where_they_meet(plan: FabricPlan) -> None:
    ring = job(message("all_reduce", "data"), tensor=8, data=8)
    hosts = [*free_hosts(plan)]
    one = ring._replace(name="one", placed=(*hosts[:3], *hosts[8:13]))
    other = ring._replace(name="other", placed=(*hosts[3:8], *hosts[13:]), step_s=2.0)
    both = analyze_demand(plan, one, other)
    alone = [analyze_demand(plan, each) for each in (one, other)]
    assert [each.job for each in both.traffic] == ["one", "other"]
    pods = [found.links[2].needed_gbps for found in alone]
    assert pods[0] == pytest.approx(2 * pods[1])
    assert both.links[2].needed_gbps == pytest.approx(sum(pods))
    assert both.links[0].needed_gbps == pytest.approx(alone[0].links[0].needed_gbps), "each NIC has one job"


def test_a_job_larger_than_the_fabric_asks_nothing(plan: FabricPlan) -> None:
    assert analyze_demand(plan, job(data=129)) is None
    assert analyze_demand(plan, job(data=128)).gpus == 128


def test_offers_are_what_the_cabling_has(plan: FabricPlan) -> None:
    found = analyze_demand(plan, job(message("all_reduce", "data"), tensor=8, data=16))
    assert [demand.offered_gbps for demand in found.links] == [400, 2 * 8 * 400, 2 * 2 * 4 * 400]
    assert [demand.rail for demand in found.rails] == list(range(8))


def excepted(*exceptions: Document) -> Document:
    return document(SWITCH) | {"exceptions": [{"reason": "a trial", **each} for each in exceptions]}


@pytest.mark.parametrize(
    ("exception", "offered"),
    [
        ({"device": "spine-02", "state": "drained"}, 8 * 400),
        ({"device": "spine-02", "state": "absent"}, 8 * 400),
        ({"link": ["leaf-u001-r0", "spine-01"], "n": 1, "state": "absent"}, 15 * 400),
        ({"link": ["leaf-u001-r0", "spine-01"], "state": "drained"}, 8 * 400),
        ({"device": "leaf-u001-r0", "state": "drained"}, 0),
    ],
)
def test_what_is_out_of_service_offers_nothing(exception: Document, offered: int, tmp_path: Path) -> None:
    ring = job(message("all_reduce", "data"), tensor=8, data=8)
    assert analyze_demand(plan_of(excepted(exception), tmp_path), ring).links[1].offered_gbps == offered


def test_hosts_that_are_out_and_spares_take_no_rank(tmp_path: Path) -> None:
    said = excepted({"host": "gpu-u001-h02", "state": "absent"}, {"host": "gpu-u002-h01", "state": "drained"})
    said["hosts"]["backup_per_unit"] = 1
    plan = plan_of(said, tmp_path)
    names = {plan.host_name(gpu.host) for gpu in list_gpus(plan)}
    assert len(list_gpus(plan)) == 6 * 8
    assert not names & {"gpu-u001-h02", "gpu-u002-h01", "gpu-u001-h05"}


def test_an_nvlink_domain_of_several_hosts_keeps_their_traffic(tmp_path: Path) -> None:
    said = document(SWITCH)
    said["hosts"] = {"server": "gb200_tray_4", "nic": "connectx7_400g", "per_unit": 4, "nvlink_domain": 2}
    found = analyze_demand(plan_of(said, tmp_path), job(message("all_reduce", "tensor"), tensor=8, data=4))
    assert sum(found.traffic[0].turning_bytes) == 0
    found = analyze_demand(plan_of(said, tmp_path), job(message("all_reduce", "tensor"), tensor=16, data=2))
    once = 2 * GB * 15 / 16
    assert isclose(sum(found.traffic[0].turning_bytes), 2 * 2 * once)
    assert isclose(found.links[0].needed_gbps, once / 8 * 8 / GB), "all eight NICs of a domain share its edge"


def test_totals_are_those_published_for_three_dimensions(tmp_path: Path) -> None:
    """Pipeline bytes are equal; of all pairs, as the article counts gradients, a ring needs one in half a group."""
    from fabricgen.intent.workload import Model, Parallelism, Step
    from fabricgen.intent.workload import WorkloadIntent as File
    from fabricgen.plan.planner.workload import build_workload

    vectors = vectors_file("traffic_vectors.yaml")
    published, inputs = vectors["three_d_parallel"], vectors["inputs"]
    batches = inputs["N_minibatches"]
    file = File(
        name="article",
        model=Model(parameters_billion=70.0, layers=80, hidden=8192),
        parallelism=Parallelism(tensor=8, pipeline=8, data=16),
        step=Step(sequences=1, sequence_tokens=round(inputs["T_tokens"] / batches), seconds=1.0),
    )
    said = document(SWITCH, spines=4)
    said["hosts"]["per_unit"], said["units"] = 32, {"count": 4, "max": 4}
    said["attachment"] = {"rails_per_leaf": 2}
    found = analyze_demand(plan_of(said, tmp_path), build_workload(file))
    terms = {term["id"]: term["eb"] * 1e18 for term in published["terms_eb"]}
    totals = {t.message.name: t.sent_bytes * t.ranks * t.groups * batches for t in found.traffic}
    assert found.workload.ranks == published["gpus"]
    assert totals["activations between stages"] == pytest.approx(terms["back_pp"] + terms["fwd_pp"], rel=1e-4)
    assert totals["gradients"] * published["Gdp"] / 2 == pytest.approx(terms["back_dp"], rel=1e-4)
    forwards = totals["activations of layers"] / 2 * published["Gtp"] / 2
    assert forwards == pytest.approx(terms["fwd_tp"], rel=1e-4)
    outside = {t.message.name for t in found.traffic if sum(t.turning_bytes)}
    assert outside == {"activations between stages", "gradients"}


def test_a_job_stays_on_the_groups_it_names(tmp_path: Path) -> None:
    said = document(SWITCH)
    server = {"nic": "connectx7_400g", "per_unit": 2}
    said["hosts"] = {"a": {"server": "dgx_h100_8", **server}, "b": {"server": "mi300x_8", **server}}
    plan = plan_of(said, tmp_path)
    assert len(list_gpus(plan)) == 64
    assert {plan.hosts[gpu.host.group].name for gpu in list_gpus(plan, ("b",))} == {"b"}
    ring = job(message("all_reduce", "data"), tensor=8, data=4)._replace(hosts=("b",))
    found = analyze_demand(plan, ring)
    assert found.gpus == 32
    assert {demand.place.split("-")[0] for demand in found.rails} == {"b"}


def test_a_backup_carries_its_neighbours_traffic_as_well(plan: FabricPlan) -> None:
    found = analyze_demand(plan, job(message("all_reduce", "data"), tensor=8, data=16))
    both = {demand.rail: (demand.needed_gbps, failed.rail) for demand, failed in backup_demands(found)}
    one = found.rails[0].needed_gbps
    assert both == {rail: (2 * one, rail ^ 1) for rail in range(8)}
