"""Judgement of hosts: what their NICs answer, and every planted fault found at its port."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabricgen.platforms.observations.content import MisreadError
from fabricgen.state.expected import Expectations
from fabricgen.state.findings import Outcome
from fabricgen.state.judge import Observed, judge
from tests.unit.state import answers_of_ethtool
from tests.unit.state.answers_of_ethtool import mlx5_contract, mlx5_contract_of_linux
from tests.unit.state.bench import Bench
from tests.unit.state.devices import device, observe, plan_on, wrong
from tests.unit.state.faults import GONE, Fault, add, change
from tests.unit.state.readers import readers_of

PORT = "rail3"


def test_healthy_host_is_judged_by_its_nics_too() -> None:
    host = device("ubuntu")
    results = host.judge(host.bench, idle=True)
    assert wrong(results) == {}
    assert {result.outcome for result in results.values()} == {Outcome.expected}
    examined = {check: result.examined for check, result in results.items()}
    assert {"cables", "ports", "errors", "fec", "optics", "drops", "pfc", "ecn", "contract", "files"} == examined.keys()
    assert all(examined.values())


stop_rdma, lose_rdma = change("rdma", "DOWN", at=PORT), change("rdma", GONE, at=PORT)
FAULTS = [
    ("pfc", change("pauses", [0] * 8, at=PORT)),  # the driver shows pauses of a priority only while PFC is on
    ("pfc", change("pauses", 4, 5, at=PORT)),
    ("pfc", change("watchdogs", add(1), 1, at=PORT)),
    ("drops", change("drops", add(2), 3, at=PORT)),
    ("ecn", change("cnps", add(900), 0, at=PORT)),  # marked packets without CNPs
    ("ecn", change("cnps", add(5), 3, at=PORT)),  # ignored CNPs
    ("ecn", change("cnps", [0, 0, 0, 0], at=PORT)),
    ("fec", change("uncorrected", add(1), at=PORT)),
    ("optics", change("optics", -12.0, "rx", 1, at=PORT)),
    ("optics", change("optics", float("-inf"), "rx", 3, at=PORT)),
    ("ports", stop_rdma),
    ("ports", lose_rdma),
    ("contract", change("contract", "pcp", "trust", at=PORT)),
    ("contract", change("contract", 1, "pfc", 4, at=PORT)),
    ("contract", change("contract", 0, "dscp", 26, at=PORT)),
    ("contract", change("contract", 0, "tos", at=PORT)),
    ("contract", change("contract", (4, 6), "cnp", at=PORT)),
    ("contract", change("contract", [], "np", at=PORT)),
    ("contract", change("contract", [*range(8)], "rp", at=PORT)),
    ("contract", change("contract", "28.39.1002", "firmware", at=PORT)),
]


@pytest.mark.parametrize(("check", "fault"), FAULTS)
def test_planted_fault_is_found_at_its_port_and_nowhere_else(check: str, fault: Fault) -> None:
    host, before = device("ubuntu"), device("ubuntu").bench
    fault(host.bench)
    found = wrong(host.judge(before))
    assert list(found) == [check]
    assert {finding.at for finding in found[check].findings} == {PORT}


def test_firmware_of_the_intent_is_wanted_of_every_port() -> None:
    """Without it the NICs of a host are compared with each other, and all of them may be wrong."""
    plan = plan_on("ubuntu")
    named = plan._replace(hosts=tuple(replace(group, firmware="28.45.1200") for group in plan.hosts))
    host, name = device("ubuntu"), next(iter(plan.all_hosts()))
    host.expected = Expectations(named, counts_prefixes=False).host(name)
    assert {finding.expected for finding in wrong(host.judge())["contract"].findings} == {"firmware 28.45.1200"}


def test_idle_host_neither_sends_nor_gets_cnps() -> None:
    host, before = device("ubuntu"), device("ubuntu").bench
    host.bench.cnps[PORT] = [41, 13, 9, 0]
    assert wrong(host.judge(before)) == {}
    found = wrong(host.judge(before, idle=True))
    assert {finding.at for finding in found["ecn"].findings} == {PORT}


def test_ports_of_a_bond_share_an_rdma_device() -> None:
    host = device("ubuntu")
    host.expected = replace(host.expected, bonded=True)
    lose_rdma(host.bench)
    assert wrong(host.judge()) == {}
    stop_rdma(host.bench)
    assert wrong(host.judge()).keys() == {"ports"}


def test_congestion_notification_is_not_judged_where_the_intent_has_none() -> None:
    host = device("ubuntu")
    host.expected = replace(host.expected, dcqcn=False)
    assert "ecn" not in host.judge()


def test_contract_is_read_from_linux_own_driver_too() -> None:
    bench = device("ubuntu").bench
    read = readers_of("ubuntu")["contract"]
    own, vendor = (set(read(write(bench).encode())) for write in (mlx5_contract_of_linux, mlx5_contract))
    assert own == vendor
    bench.contract[PORT] |= {"trust": "pcp", "np": [3, 5]}
    found = {setting[1:] for setting in read(mlx5_contract_of_linux(bench).encode()) if setting[0] == PORT}
    assert {("trust", "pcp"), ("priorities that send CNPs", "3,5"), ("firmware", "28.43.2026")} <= found


@pytest.mark.parametrize(
    "lost", ["Priority trust", "\tprio:", "\tenabled", "default_roce_tos", "cnp_dscp", "roce_np/enable", "firmware"]
)
def test_contract_is_no_pass_where_the_answer_leaves_a_setting_out(lost: str) -> None:
    lines = mlx5_contract(device("ubuntu").bench).split("\n")
    start = lines.index(f"port {PORT}")
    for kept in ([line for line in lines if lost not in line], lines[:start]):
        read = readers_of("ubuntu")["contract"]
        seen = Observed({"contract": read("\n".join(kept).encode())})
        (result,) = judge(device("ubuntu").expected, seen, only=["contract"])
        assert (result.outcome, result.is_whole) == (Outcome.partial, False)


def test_another_commands_answer_is_no_contract() -> None:
    read = readers_of("ubuntu")["contract"]
    for other in ("mlx5_pfc", "mlx5_queues", "ethtool_fec"):
        with pytest.raises(MisreadError):
            read(getattr(answers_of_ethtool, other)(device("ubuntu").bench).encode())


def test_ports_of_a_bond_share_the_traffic_class_of_their_rdma_device() -> None:
    bench = device("ubuntu").bench
    lines = [line for line in mlx5_contract(bench).split("\n") if "/mlx5_3/" not in line]
    seen = Observed({"contract": readers_of("ubuntu")["contract"]("\n".join(lines).encode())})
    (alone,) = judge(device("ubuntu").expected, seen, only=["contract"])
    (bonded,) = judge(replace(device("ubuntu").expected, bonded=True), seen, only=["contract"])
    assert (alone.outcome, bonded.outcome) == (Outcome.partial, Outcome.expected)


def override(bench: Bench, state: str, old: str, new: str) -> None:
    assert old in bench.shown[state]
    bench.shown[state] = bench.shown[state].replace(old, new, 1)


ANOTHER = "addresses:\n        - 10.9.9.9/24\n"


@pytest.mark.parametrize(
    ("state", "old", "new", "wanted"),
    [
        ("sysctl", "rail3.rp_filter = 2", "rail3.rp_filter = 1", "net.ipv4.conf.rail3.rp_filter 2"),
        ("netplan", "mtu: 9100", "mtu: 1500", "network > ethernets > rail0 > mtu 9100"),
        ("netplan", "link-local: []", "link-local: [ipv4]", "network > ethernets > rail0 > link-local none"),
        ("netplan", "addresses:\n", ANOTHER, "network > ethernets > rail0 > addresses 172."),
        ("units", "Nice=5", "ExecStart=\nExecStart=/bin/true", "Service > ExecStart /usr/local/sbin/fabricgen-roce %i"),
    ],
)
def test_another_value_in_effect_than_a_file_sets_is_found(state: str, old: str, new: str, wanted: str) -> None:
    host = device("ubuntu")
    override(host.bench, state, old, new)
    (result,) = wrong(host.judge()).values()
    assert result.check == "files"
    (found,) = result.findings
    assert (found.at, found.expected.startswith(wanted)) == (state, True)


def test_a_value_that_no_answer_shows_is_no_pass() -> None:
    host = device("ubuntu")
    override(host.bench, "sysctl", "net.ipv4.conf.rail3.rp_filter = 2\n", "")
    (result,) = host.judge(only=["files"]).values()
    assert (result.outcome, result.is_whole) == (Outcome.partial, False)
    assert result.reason == "the answer leaves out the net.ipv4.conf.rail3.rp_filter of sysctl"
    seen = observe(host.bench, "ubuntu")
    lost = Observed({"units": seen.read["units"]}, {"netplan": (Outcome.lacking, "no netplan")})
    (result,) = judge(host.expected, lost, only=["files"])
    assert result.outcome is Outcome.missing
