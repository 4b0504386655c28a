"""A check passes only what it has read: every answer of every platform, spoiled in every way, is no pass."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache

import pytest

from fabricgen.state.findings import CHECKS, CheckResult, Outcome
from fabricgen.state.judge import Observed, judge
from tests.unit.state.answers import WRITERS
from tests.unit.state.devices import device, read

CASES = [(platform, state) for platform, states in WRITERS.items() for state in states]
NO_PASS = {Outcome.expected, Outcome.single, Outcome.lacking, Outcome.unread}
FOREIGN = json.dumps({"PORT": {"Ethernet0": {"lanes": "1,2", "mtu": "9216"}}, "DEVICE_METADATA": {"localhost": {}}})
"""A configuration of SONiC in the place of an answer."""
WRONG_TYPES = json.dumps(
    {
        "ipv4Unicast": {"peers": {"a": 1}},
        "vrfs": {"default": {"peers": [], "routes": {"x": 1}, "ipv4Neighbors": {"a": {"peerStats": 1}}}},
        "lldp": [{"interface": [{"chassis": 1}]}],
        **{name: {"a": 1} for name in ("lldpNeighbors", "interfaces", "interfaceCounters", "intfQueueCounters")},
        **dict.fromkeys(("interfaceErrorCounters", "version", "10.0.0.0/8", "Ethernet0"), 1),
    }
)
ALIKE = {("fec", "fec_modes"), ("fec_modes", "fec")}
"""Answers of one program in one form; statistics that it leaves out are those of a driver that has none."""


class Spoiled:
    """A healthy device of a platform, and its answers, of which one is given in another form."""

    def __init__(self, platform: str) -> None:
        self.platform, healthy = platform, device(platform)
        self.expected, bench = healthy.expected, healthy.bench
        self.answers = {state: write(bench).encode() for state, write in WRITERS[platform].items()}
        self.whole = read(self.answers, platform)

    def judge(self, state: str, spoiled: bytes | None) -> list[CheckResult]:
        """Judge it with one answer in another form; the other answers and the earlier reading are whole."""
        found, lacking = dict(self.whole.read), dict(self.whole.lacking)
        if spoiled is not None:
            one = read({state: spoiled}, self.platform)
            del found[state]
            found |= one.read
            lacking |= one.lacking
        made = [check for check, states in CHECKS.items() if state in states]
        return judge(self.expected, Observed(found, lacking), self.whole, only=made)


@cache
def device_of(platform: str) -> Spoiled:
    """Each device is made once."""
    return Spoiled(platform)


def spoil(spoiled: Spoiled, state: str) -> Iterator[tuple[str, bytes]]:
    """Yield an answer in every wrong form, with what is wrong."""
    whole = spoiled.answers[state]
    yield "empty", b""
    yield "an empty object", b"{}"
    yield "an empty list", b"[]"
    yield "a configuration", FOREIGN.encode()
    yield "an error", b"% Invalid input at '^' marker.\n"
    yield "garbage", bytes(range(32, 127)) * 40
    yield "no text", b"\xff\xfe\x00\x01"
    yield "a number", b"7"
    yield "null", b"null"
    yield "no number", b'{"vrfs": NaN}'
    yield "escape sequences", b"\x1b]0;title\x07"
    yield "deep", b"[" * 100_000
    yield "long digits", b'{"ipv4Unicast": {"peers": {"a": {"state": "x", "remoteAs": ' + b"9" * 5000 + b"}}}}"
    yield "wrong types", WRONG_TYPES.encode()
    if state != "system":
        yield "half of it", whole[: len(whole) // 2]
    for other, data in spoiled.answers.items():
        if data != whole and (state, other) not in ALIKE:
            yield f"the answer about {other}", data


@pytest.mark.parametrize(("platform", "state"), CASES)
def test_spoiled_answer_is_no_pass(platform: str, state: str) -> None:
    spoiled = device_of(platform)
    assert {result.outcome for result in spoiled.judge(state, None)} <= NO_PASS
    for how, data in spoil(spoiled, state):
        for result in spoiled.judge(state, data):
            assert result.outcome not in NO_PASS, (how, result)


BY_PORT = [
    (platform, state)
    for platform, states in WRITERS.items()
    for state in ("queues", "errors", "fec", "optics", "ports", "ecn", "pfc", "contract")
    if state in states
]


@pytest.mark.parametrize(("platform", "state"), BY_PORT)
def test_answer_without_one_planned_port_is_no_pass(platform: str, state: str) -> None:
    spoiled = device_of(platform)
    port = spoiled.expected.links[3].port
    # The name is as long as the one it replaces, so that columns stay where they are.
    data = re.sub(rf"\b{port}\b", f"{port[:-1]}z", spoiled.answers[state].decode())
    assert data != spoiled.answers[state].decode()
    for result in spoiled.judge(state, data.encode()):
        assert result.outcome not in NO_PASS, result
        assert port in result.reason or any(port == finding.at for finding in result.findings), result


def test_examined_equals_the_plan_on_a_healthy_device() -> None:
    spoiled = device_of("sonic")
    results = judge(spoiled.expected, spoiled.whole, spoiled.whole)
    examined = {result.check: result.examined for result in results}
    ports, lossless = len(spoiled.expected.links), len(spoiled.expected.lossless)
    assert examined["drops"] == examined["watchdog"] == ports * lossless
    assert examined["errors"] == examined["fec"] == examined["optics"] == examined["ports"] == ports
    assert all(result.is_whole for result in results)
