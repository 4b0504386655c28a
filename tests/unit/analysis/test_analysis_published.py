"""Published figures on load balancing, reproduced: Meta, HPN, MegaScale."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import pytest
from analysis_fabrics import inventory_plan

from fabricgen.analysis.hashing import HashStage, hashing_stages, path_choices
from fabricgen.physics.ecmp import busiest_link, max_over_mean

META = "Gangidi et al., RDMA over Ethernet for Distributed AI Training at Meta Scale, SIGCOMM 2024"
HPN = "Qian et al., Alibaba HPN: A Data Center Network for Large Language Model Training, SIGCOMM 2024"
MEGASCALE = "Jiang et al., MegaScale: Scaling Large Language Model Training to More Than 10,000 GPUs, NSDI 2024"


class Published(NamedTuple):
    """A search space: the choices on a path, its published size, and the source; the paper gives the size only."""

    what: str
    choices: tuple[int, ...]
    paths: int
    source: str


SEARCHES = (
    Published("HPN", (60,), 60, HPN),
    Published("SuperPod", (64, 64), 4096, HPN),
    Published("Jupiter", (32, 64), 2048, HPN),
    Published("fat tree of 48 ports", (48, 48), 2304, HPN),
)


class SpeedStep(NamedTuple):
    """Flows over uplinks as fast as the flows, and over half as many of twice the speed."""

    flows: int
    uplinks: int
    source: str


STEPS = tuple(SpeedStep(flows, uplinks, f"{MEGASCALE}, section 3.6") for flows, uplinks in ((8, 8), (16, 32), (32, 64)))


@pytest.mark.parametrize("row", SEARCHES, ids=lambda row: row.what)
def test_search_spaces(row: Published) -> None:
    stages = [HashStage(tier, True, width, width, -1) for tier, width in enumerate(row.choices)]
    assert path_choices(stages) == prod(row.choices) == row.paths, row.source


def test_the_search_space_of_the_shipped_pod_of_hpn() -> None:
    assert path_choices(hashing_stages(inventory_plan("hpn7-pod"), ["leaf", "spine"])) == SEARCHES[0].paths, HPN


def test_metas_lower_bound() -> None:
    assert max_over_mean(1000, 16) > 1.2, META


@pytest.mark.parametrize("row", STEPS, ids=lambda row: f"{row.flows} over {row.uplinks}")
def test_faster_uplinks_make_conflicts_rarer(row: SpeedStep) -> None:
    """Uplinks of twice the downlinks' speed carry two flows each at full rate, so fewer placements overload one."""
    conflict = 1 - busiest_link(row.flows, row.uplinks).probability(1)
    faster = 1 - busiest_link(row.flows, row.uplinks // 2).probability(2)
    assert 0 < faster < conflict <= 1, row.source
