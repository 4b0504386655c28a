"""Devices of quickstart on any platform: what is expected of each, and a healthy one to spoil, observed and judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.platforms.observations.content import LackingError, MisreadError
from fabricgen.state.expected import Expectations, Expected
from fabricgen.state.findings import CheckResult, Outcome
from fabricgen.state.judge import Observed, judge
from tests.unit.lab.fabrics import plan_of
from tests.unit.state.answers import WRITERS
from tests.unit.state.bench import Bench, healthy
from tests.unit.state.collected import host_bench, with_files
from tests.unit.state.readers import readers_of

HOST = "gpu-u001-h01"


def observe(bench: Bench, platform: str) -> Observed:
    return read({state: write(bench).encode() for state, write in WRITERS[platform].items()}, platform)


def read(answers: Mapping[str, bytes], platform: str) -> Observed:
    """Read answers as ``check`` does."""
    found, lacking = {}, {}
    readers = readers_of(platform)
    for state, data in answers.items():
        try:
            found[state] = readers[state](data)
        except LackingError as error:
            lacking[state] = (Outcome.lacking, str(error))
        except MisreadError as error:
            lacking[state] = (Outcome.unreadable, str(error))
    assert all(reason.isprintable() and len(reason) < 300 for _, reason in lacking.values())
    return Observed(found, lacking)


def plan_on(platform: str) -> FabricPlan:
    """The quickstart with other software in the plan's words; ports keep the names of the catalog."""
    plan = plan_of("quickstart")
    if platform == "ubuntu":
        return plan
    return plan._replace(tiers=tuple(tier._replace(platform=platform) for tier in plan.tiers))


@dataclass
class Device:
    """One device: what is expected of it, and a healthy one to spoil."""

    platform: str
    expected: Expected
    bench: Bench

    def judge(self, before: Bench | None = None, **options: Any) -> dict[str, CheckResult]:
        earlier = observe(before, self.platform) if before else None
        results = judge(self.expected, observe(self.bench, self.platform), earlier, **options)
        return {result.check: result for result in results}


def device(platform: str, name: str = "leaf-u001-r0") -> Device:
    """A healthy switch of a platform; on ``ubuntu`` a host."""
    plan, is_host = plan_on(platform), platform == "ubuntu"
    expected = Expectations(plan, counts_prefixes=not is_host).of(HOST if is_host else name)
    if is_host:
        return Device(platform, with_files(expected), host_bench(plan, HOST))
    return Device(platform, expected, healthy(plan, name))


def wrong(results: Mapping[str, CheckResult]) -> dict[str, CheckResult]:
    return {check: result for check, result in results.items() if result.findings}
