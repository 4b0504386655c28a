"""Published figures on load balancing, reproduced: Meta, HPN, MegaScale."""

from __future__ import annotations

from math import prod

import pytest
from analysis_fabrics import inventory_plan

from fabricgen.analysis.hashing import HashStage, hashing_stages, path_choices
from fabricgen.physics.ecmp import busiest_link, max_over_mean

SEARCHES = {"HPN": (60,), "SuperPod": (64, 64), "Jupiter": (32, 64), "fat tree of 48 ports": (48, 48)}
"""Choices on a path by system, whose product is published alone: Qian et al., Alibaba HPN, SIGCOMM 2024."""
SIZES = {"HPN": 60, "SuperPod": 4096, "Jupiter": 2048, "fat tree of 48 ports": 2304}
STEPS = ((8, 8), (16, 32), (32, 64))
"""Flows, and uplinks as fast as the flows: Jiang et al., MegaScale, NSDI 2024, section 3.6."""


@pytest.mark.parametrize("system", SEARCHES)
def test_search_spaces(system: str) -> None:
    stages = [HashStage(tier, True, width, width, -1) for tier, width in enumerate(SEARCHES[system])]
    assert path_choices(stages) == prod(SEARCHES[system]) == SIZES[system]


def test_the_search_space_of_the_shipped_pod_of_hpn() -> None:
    assert path_choices(hashing_stages(inventory_plan("hpn7-pod"), ["leaf", "spine"])) == SIZES["HPN"]


def test_metas_lower_bound() -> None:
    """Gangidi et al., RDMA over Ethernet for Distributed AI Training at Meta Scale, SIGCOMM 2024."""
    assert max_over_mean(1000, 16) > 1.2


@pytest.mark.parametrize(("flows", "uplinks"), STEPS)
def test_faster_uplinks_make_conflicts_rarer(flows: int, uplinks: int) -> None:
    """Uplinks of twice the downlinks' speed carry two flows each at full rate, so fewer placements overload one."""
    conflict = 1 - busiest_link(flows, uplinks).probability(1)
    faster = 1 - busiest_link(flows, uplinks // 2).probability(2)
    assert 0 < faster < conflict <= 1
