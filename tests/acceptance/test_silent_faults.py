"""Slips that used to pass in silence: each is told on several platforms, at the line that mends it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.operator_faults import Fault, judge, lines_with, plant

ALL = ("sonic", "eos", "cumulus_nvue", "fboss", "frr")
ROCE, CNP = "roce: {dscp: 26, priority: 3", "cnp: {dscp: 46, priority: 6, strict: true}"


def _edit(code: str, severity: str, at: str, also: str, hint: str, *edits: tuple[str, str]) -> Fault:
    return Fault(code, severity, at, (also,) if also else (), hint, edits)


def _added(code: str, severity: str, at: str, also: str, hint: str, added: str) -> Fault:
    return Fault(code, severity, at, (also,) if also else (), hint, added=added)


def _rows(code: str, severity: str, at: str, also: str, hint: str, *rows: str) -> Fault:
    return Fault(code, severity, at, (also,) if also else (), hint, assets="\n".join(rows))


def _access(prefix: str) -> tuple[str, str]:
    return "operations: {", f"operations: {{access: {{management: [{prefix}]}}, "


def _collectives(text: str) -> str:
    return f"collectives: {{{text}}}\n"


def _exception(text: str) -> str:
    return f"exceptions:\n  - {{{text}, reason: a trial}}\n"


FAULTS = {
    "no ramp": _added("FG-QOS-082", "warning", "ecn:", "ecn:", "use kmax_bytes: 400000",
        "  ecn: {kmin_bytes: 200000, kmax_bytes: 200001, pmax_pct: 5}\n"),
    "unmarked packets are lossless": _edit("FG-QOS-083", "error", "roce:", "default:", "dscp: 26",
        (ROCE, "roce: {dscp: 0, priority: 3")),
    "weights of two classes swapped": _edit("FG-QOS-084", "warning", "roce:", "default:", "raise weight_pct of roce",
        ("weight_pct: 95", "weight_pct: 4"), ("weight_pct: 5}", "weight_pct: 96}")),
    "CNPs with a weight": _edit("FG-QOS-044", "warning", "cnp:", "mode:", "strict: true",
        (CNP, "cnp: {dscp: 46, priority: 6, weight_pct: 1}"), ("weight_pct: 95", "weight_pct: 94")),
    "lossless on priority 0": _edit("FG-QOS-087", "error", "roce:", "cnp:", "use priority: 3",
        (ROCE, "roce: {dscp: 26, priority: 0"), ("default: {priority: 0", "default: {priority: 1")),
    "kilometres": _edit("FG-TOP-043", "warning", "leaf-spine:", "leaf-spine:", "write length_m: 30",
        ("length_m: 30", "length_m: 0.03")),
    "uplinks of a quarter of the speed": _edit("FG-TOP-044", "info", "leaf-spine:", "host-leaf:", 'leaf: "4:1"',
        ("leaf-spine: {speed: 400G", "leaf-spine: {speed: 100G")),
    "half of the spines on their way": Fault("FG-TOP-045", "warning", "expect:", ("spine-01", "spine-02"),
        "bring the switches back",
        added='expect: {oversubscription: {leaf: "1:1"}}\nexceptions:\n' + "".join(
            f"  - {{device: spine-0{number}, state: absent, reason: late}}\n" for number in (1, 2))),
    "retries for hours": _added("FG-HST-056", "warning", "collectives:", "", "timeout_exponent: 24",
        _collectives("timeout_exponent: 31")),
    "no retries": _added("FG-HST-056", "warning", "collectives:", "", "retry_count: 7", _collectives("retry_count: 0")),
    "telemetry into /etc": _added("FG-HST-058", "error", "collectives:", "collectives:", "/var/log/collectives",
        _collectives("telemetry: true, telemetry_path: /etc")),
    "a switch's address by hand": _rows("FG-HST-059", "warning", "leaf-u001-r0", "management:", "use 192.168.",
        "hostname,management_ip", "leaf-u001-r0,192.168.0.99"),
    "one serial number twice": _rows("FG-HST-022", "error", "leaf-u001-r4", "", "", "hostname,serial",
        "leaf-u001-r0,S1", "leaf-u001-r4,S1"),
    "one management MAC twice": _rows("FG-HST-022", "error", "leaf-u001-r4", "", "", "hostname,management_mac",
        "leaf-u001-r0,02:00:00:00:00:01", "leaf-u001-r4,02:00:00:00:00:01"),
    "NTP on the broadcast address": _edit("FG-ADR-014", "error", "operations:", "management:", "own address",
        ("operations: {", "operations: {ntp: [192.168.255.255], ")),
    "logins from everywhere": _edit("FG-ADR-033", "warning", "operations:", "loopbacks:", "operators",
        _access("0.0.0.0/0")),
    "logins from the hosts": _edit("FG-ADR-033", "warning", "operations:", "host_links:", "operators",
        _access("172.20.0.0/16")),
    "the leaf is gone, its hosts are not": _added("FG-EXC-087", "warning", "leaf-u001-r4", "host-leaf:",
        "drain or remove the hosts", _exception("device: leaf-u001-r4, state: absent")),
    "one leaf with half of its paths": _added("FG-RTE-011", "error", "leaf-u001-r4", "leaf-spine:", "use 16 or more",
        _exception("device: leaf-u001-r4, set: {routing.ecmp.max_paths: 8}")),
    "one switch asks another for the time": _added("FG-ADR-011", "error", "leaf-u001-r4", "management:",
        "use an address below", _exception("device: leaf-u001-r4, set: {operations.ntp: [192.168.1.1]}")),
}  # fmt: skip


@pytest.mark.sampled(40, of="name,platform")
@pytest.mark.parametrize("platform", ALL)
@pytest.mark.parametrize("name", FAULTS)
def test_slip_is_told(name: str, platform: str, tmp_path: Path) -> None:
    judge(FAULTS[name], platform, tmp_path)


@pytest.mark.parametrize("platform", ["sonic", "eos", "cumulus_nvue", "frr"])
def test_a_collector_is_no_address_of_the_fabric(platform: str, tmp_path: Path) -> None:
    edit = ("operations: {", "operations: {sflow: {collector: 10.0.0.5}, ")
    text, found = plant(_edit("FG-ADR-011", "error", "operations:", "fabric_links:", "", edit), platform, tmp_path)
    told = [d for d in found if d.code == "FG-ADR-011"]
    assert [d.place.line for d in told if d.place] == list(lines_with(text, "operations:"))


def test_pools_of_the_fabric_give_way_to_a_management_network_that_is_there(tmp_path: Path) -> None:
    """FG-ADR-010 and FG-ADR-011 give one hint: a prefix with neither the network nor its services."""
    edits = (("192.168.0.0/16", "10.0.0.0/16"), ("operations: {", "operations: {ntp: [10.0.0.10], dns: [10.16.0.1], "))
    _, found = plant(_edit("FG-ADR-010", "error", "management:", "", "", *edits), "sonic", tmp_path)
    hints = [d.hint.partition(";")[0] for d in found if d.code in ("FG-ADR-010", "FG-ADR-011")]
    assert len(hints) >= 2
    assert {*hints} == {"move addressing.fabric_links.ipv4, for example to 10.32.0.0/12"}


def test_samples_that_travel_through_the_fabric_may_end_in_it(tmp_path: Path) -> None:
    edit = ("operations: {", "operations: {sflow: {collector: 172.16.0.5}, ")
    _, found = plant(_edit("", "", "", "", "", edit), "fboss", tmp_path)
    assert [d.message for d in found if d.code == "FG-ADR-011"] == []
