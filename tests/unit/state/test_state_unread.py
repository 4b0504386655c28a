"""A check passes only what it has read: every answer of every platform, spoiled in every way, is no pass."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache

import pytest

from fabricgen.platforms.observations.content import LackingError, MisreadError
from fabricgen.state.expected import Expectations, Expected
from fabricgen.state.findings import CHECKS, CheckResult, Outcome
from fabricgen.state.judge import Observed, judge
from tests.unit.lab.fabrics import plan_of
from tests.unit.state.answers import WRITERS
from tests.unit.state.bench import Bench, healthy
from tests.unit.state.collected import host_bench, with_files
from tests.unit.state.readers import readers_of

CASES = [(platform, state) for platform, states in WRITERS.items() for state in states]
NO_PASS = {Outcome.expected, Outcome.single, Outcome.lacking, Outcome.unread}
FOREIGN = json.dumps({"PORT": {"Ethernet0": {"lanes": "1,2", "mtu": "9216"}}, "DEVICE_METADATA": {"localhost": {}}})
"""A configuration of SONiC in the place of an answer."""
ALIKE = {("fec", "fec_modes"), ("fec_modes", "fec")}
"""Answers of one program in one form; statistics that it leaves out are those of a driver that has none."""


class Device:
    """A healthy device of a platform, and its answers."""

    def __init__(self, platform: str) -> None:
        plan = plan_of("quickstart")
        if platform != "ubuntu":
            plan = plan._replace(tiers=tuple(tier._replace(platform=platform) for tier in plan.tiers))
        name = "gpu-u001-h01" if platform == "ubuntu" else "leaf-u001-r0"
        expected = Expectations(plan).of(name)
        assert expected is not None
        self.expected: Expected = with_files(expected) if platform == "ubuntu" else expected
        self.readers = readers_of(platform)
        self.bench: Bench = host_bench(plan, name) if platform == "ubuntu" else healthy(plan, name)
        self.answers = {state: write(self.bench).encode() for state, write in WRITERS[platform].items()}

        self.whole = self.observe(self.answers)

    def judge(self, state: str, spoiled: bytes | None) -> list[CheckResult]:
        """Judge it with one answer in another form; the other answers and the earlier reading are whole."""
        read, lacking = dict(self.whole.read), dict(self.whole.lacking)
        if spoiled is not None:
            one = self.observe({state: spoiled})
            del read[state]
            read |= one.read
            lacking |= one.lacking
        made = [check for check, states in CHECKS.items() if state in states]
        return judge(self.expected, Observed(read, lacking), self.whole, only=made)

    def observe(self, answers: dict[str, bytes]) -> Observed:
        read, lacking = {}, {}
        for state, data in answers.items():
            try:
                read[state] = self.readers[state](data)
            except LackingError as error:
                lacking[state] = (Outcome.lacking, str(error))
            except MisreadError as error:
                lacking[state] = (Outcome.unreadable, str(error))
        return Observed(read, lacking)


@cache
def device_of(platform: str) -> Device:
    """Each device is made once."""
    return Device(platform)


def spoil(device: Device, state: str) -> Iterator[tuple[str, bytes]]:
    """Yield an answer in every wrong form, with what is wrong."""
    whole = device.answers[state]
    yield "empty", b""
    yield "an empty object", b"{}"
    yield "an empty list", b"[]"
    yield "a configuration", FOREIGN.encode()
    yield "an error", b"% Invalid input at '^' marker.\n"
    yield "garbage", bytes(range(32, 127)) * 40
    if state != "system":
        yield "half of it", whole[: len(whole) // 2]
    for other, data in device.answers.items():
        if data != whole and (state, other) not in ALIKE:
            yield f"the answer about {other}", data


@pytest.mark.parametrize(("platform", "state"), CASES)
def test_spoiled_answer_is_no_pass(platform: str, state: str) -> None:
    device = device_of(platform)
    assert {result.outcome for result in device.judge(state, None)} <= NO_PASS
    for how, data in spoil(device, state):
        for result in device.judge(state, data):
            assert result.outcome not in NO_PASS, (how, result)


BY_PORT = [
    (platform, state)
    for platform, states in WRITERS.items()
    for state in ("queues", "errors", "fec", "optics", "ports", "ecn", "pfc", "contract")
    if state in states
]


@pytest.mark.parametrize(("platform", "state"), BY_PORT)
def test_answer_without_one_planned_port_is_no_pass(platform: str, state: str) -> None:
    device = device_of(platform)
    port = device.expected.links[3].port
    # The name is as long as the one it replaces, so that columns stay where they are.
    data = re.sub(rf"\b{port}\b", f"{port[:-1]}z", device.answers[state].decode())
    assert data != device.answers[state].decode()
    for result in device.judge(state, data.encode()):
        assert result.outcome not in NO_PASS, result
        assert port in result.reason or any(port == finding.at for finding in result.findings), result


def test_examined_equals_the_plan_on_a_healthy_device() -> None:
    device = device_of("sonic")
    everything = device.observe(device.answers)
    results = judge(device.expected, everything, everything)
    examined = {result.check: result.examined for result in results}
    ports, lossless = len(device.expected.links), len(device.expected.lossless)
    assert examined["drops"] == examined["watchdog"] == ports * lossless
    assert examined["errors"] == examined["fec"] == examined["optics"] == examined["ports"] == ports
    assert all(result.is_whole for result in results)
