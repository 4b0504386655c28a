"""Readers of answers: whatever a device sends is records or one plain complaint."""

from __future__ import annotations

import json
from random import Random

import pytest

from fabricgen.platforms.observations import records as seen
from fabricgen.platforms.observations.content import LackingError, MisreadError, read_tables
from tests.unit.lab.fabrics import plan_of
from tests.unit.state.answers import NVUE, WRITERS
from tests.unit.state.bench import healthy
from tests.unit.state.collected import host_bench
from tests.unit.state.readers import readers_of

CASES = [(platform, state) for platform, states in WRITERS.items() for state in states]


def reader(platform: str, state: str) -> seen.Reader:
    return readers_of(platform)[state]


@pytest.mark.parametrize("state", NVUE)
def test_answer_of_nvue_gives_the_records_of_the_one_by_ssh(state: str) -> None:
    """Both say the same; NVUE alone has the seconds since the start."""
    bench, read = healthy(plan_of("quickstart"), "spine-01"), reader("cumulus_nvue", state)
    bench.ports[next(iter(bench.ports))][0] = False
    over_ssh, by_nvue = (read(write[state](bench).encode()) for write in (WRITERS["cumulus_nvue"], NVUE))

    def plain(records: list[seen.Observation]) -> set[str]:
        kept = [record for record in records if getattr(record, "port", "") != "lo"]
        if state == "system":
            return {record.version.removeprefix("Cumulus Linux ") for record in kept if isinstance(record, seen.System)}
        return {str(r._replace(description="") if isinstance(r, seen.LldpNeighbor) else r) for r in kept}

    assert plain(by_nvue) == plain(over_ssh)
    assert by_nvue


@pytest.mark.sampled(25, of="platform,state")
@pytest.mark.parametrize(("platform", "state"), CASES)
def test_damaged_answer_never_fails_otherwise(platform: str, state: str) -> None:
    """Every cut, and bytes turned at random."""
    plan = plan_of("quickstart")
    bench = host_bench(plan, "gpu-u001-h01") if platform == "ubuntu" else healthy(plan, "spine-01")
    whole = WRITERS[platform][state](bench).encode()
    read, dice = reader(platform, state), Random(7)
    for _ in range(150):
        data = bytearray(whole[: dice.randrange(len(whole))] if dice.random() < 0.3 else whole)
        for _ in range(dice.randrange(4)):
            if data:
                data[dice.randrange(len(data))] = dice.randrange(256)
        try:
            read(bytes(data))
        except (LackingError, MisreadError):
            continue


def test_table_with_empty_cells_is_cut_where_the_dashes_are() -> None:
    text = "Uptime line\n  A      B\n---  -----\n  1\n       x y\n\nTotal: 2\n"
    assert list(read_tables(text)) == [(("A", "B"), ["1", ""]), (("A", "B"), ["", "x y"])]


def test_ports_of_sonic() -> None:
    text = (
        "  Interface    Lanes    Speed    MTU    FEC    Alias    Vlan    Oper    Admin    Type    Asym PFC\n"
        "-----------  -------  -------  -----  -----  -------  ------  ------  -------  ------  ----------\n"
        "  Ethernet0      1,2     400G   9100     rs     etp1  routed    down       up     N/A         off\n"
    )
    (found,) = reader("sonic", "ports")(text.encode())
    assert found == seen.PortState("Ethernet0", False, True, 400.0, "rs", 9100, "none")


def test_quiet_watchdog_and_one_that_is_off() -> None:
    text = (
        "      QUEUE       STATUS    STORM DETECTED/RESTORED\n"
        "-----------  -----------  -------------------------\n"
        "Ethernet0:3  operational                        2/1\n"
        "Ethernet0:4          N/A                        0/0\n"
    )
    assert reader("sonic", "watchdog")(text.encode()) == [
        seen.QueueWatchdog("Ethernet0", 3, "operational", 2, 1),
        seen.QueueWatchdog("Ethernet0", 4, "off", 0, 0),
    ]


def test_counts_with_commas() -> None:
    text = "  Port Rx    PFC0    PFC3\n---------  ------  ------\nEthernet0       0  12,345\n"
    found = reader("sonic", "pfc")(text.encode())
    assert seen.Counter("Ethernet0", "PFC frames received", 12345, 3) in found


def test_session_in_two_families_is_one() -> None:
    peer = {"remoteAs": 65001, "state": "Established"}
    answer = {f"ipv{n}Unicast": {"peers": {"swp1": {**peer, "pfxRcd": n - 1}}} for n in (4, 6)}
    (found,) = reader("frr", "sessions")(json.dumps(answer).encode())
    assert found == seen.BgpSession("swp1", "established", 65001, None, {"ipv4": 3, "ipv6": 5})


def test_dead_next_hops_and_other_protocols_do_not_count() -> None:
    routes = [
        {"dst": "10.0.0.1", "protocol": "bgp", "gateway": "10.1.1.1", "dev": "swp1", "flags": ["linkdown"]},
        {"dst": "10.0.0.2", "protocol": "186", "gateway": "10.1.1.1", "dev": "swp1", "flags": []},
        {"dst": "10.0.0.3", "protocol": "kernel", "dev": "swp1"},
    ]
    found = reader("frr", "routes")(json.dumps(routes).encode())
    assert found == [seen.InstalledRoute("10.0.0.1/32", ()), seen.InstalledRoute("10.0.0.2/32", ("swp1",))]


def test_link_local_neighbor_of_eos_is_named_by_its_port() -> None:
    peer = {"peerState": "Established", "peerAsn": "65001", "ipv4Unicast": {"nlrisAccepted": 3}}
    answer = {"vrfs": {"default": {"asn": "65000", "peers": {"fe80::2%Et1/1": peer}}}}
    (found,) = reader("eos", "sessions")(json.dumps(answer).encode())
    assert found == seen.BgpSession("Ethernet1/1", "established", 65001, 65000, {"ipv4": 3})


def test_neighbors_of_eos_in_both_forms() -> None:
    brief = {"lldpNeighbors": [{"port": "Ethernet1/1", "neighborDevice": "spine-01", "neighborPort": "Ethernet2/1"}]}
    peer = {"interfaceId": '"Ethernet2/1"', "interfaceDescription": "down"}
    item = {"systemName": "spine-01", "chassisId": "001c.73a0.fc18", "neighborInterfaceInfo": peer}
    detail = {"lldpNeighbors": {"Ethernet1/1": {"lldpNeighborInfo": [item]}}}
    read = reader("eos", "lldp")
    assert read(json.dumps(brief).encode()) == [seen.LldpNeighbor("Ethernet1/1", "spine-01", "Ethernet2/1")]
    (found,) = read(json.dumps(detail).encode())
    assert found == seen.LldpNeighbor("Ethernet1/1", "spine-01", "Ethernet2/1", "down", "001c.73a0.fc18")
