"""Addresses and AS numbers: unique, inside their pools, the same at both ends, and unmoved by growth."""

from __future__ import annotations

import pickle
import random
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.device.lower import Lowering
from fabricgen.device.model import Host, Switch
from fabricgen.plan.model.fabric import FabricPlan
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
