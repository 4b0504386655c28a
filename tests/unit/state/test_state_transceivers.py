"""Readers of transceivers and of counters that a device may not have, on answers as the programs print them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fabricgen.platforms.observations.content import LackingError, MisreadError
from fabricgen.platforms.observations.records import BgpSession, Counter, Level, Module, Observation, Storms
from tests.unit.state.readers import readers_of

UNCORRECTED = "codewords that FEC could not correct"
QSFP28 = (Path(__file__).parent / "printed/sonic_optics.txt").read_text()
"""Of the form of tests/sfp_test.py in sonic-net/sonic-utilities 691b1bbc4: four lanes, none, none, and one lane."""


def read(platform: str, state: str, answer: object) -> list[Observation]:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return list(readers_of(platform)[state](text.encode()))


def test_transceivers_of_sonic() -> None:
    assert read("sonic", "optics", QSFP28) == [
        Module("Ethernet0"),
        Level("Ethernet0", "receive power", 0.3802, -13.5067, 3.4001, 1),
        Level("Ethernet0", "receive power", float("-inf"), -13.5067, 3.4001, 2),
        Level("Ethernet0", "laser bias", 6.75, 0.5, None, 1),
        Level("Ethernet0", "temperature", 30.9258, None, 75.0),
        Module("Ethernet8"),
        Module("Ethernet64"),
        Level("Ethernet64", "receive power", -3.1, -12.0, None, 1),
    ]
    with pytest.raises(MisreadError, match="expected a measured value"):
        read("sonic", "optics", QSFP28.replace("0.3802", "0.3.8"))


def test_marks_of_sonic_are_those_of_unicast_queues() -> None:
    def row(marked: str) -> dict[str, str]:
        return {"ecnmarkedbytes": "N/A", "ecnmarkedpacket": marked, "wreddropbytes": "0", "wreddroppacket": "0"}

    port = {"UC3": row("678"), "UC4": row("N/A"), "MC10": row("74"), "cached_time": "2026-01-01"}
    assert read("sonic", "ecn", {"Ethernet0": port}) == [Counter("Ethernet0", "packets marked", 678, 3)]
    with pytest.raises(LackingError, match="no queue counts marks"):
        read("sonic", "ecn", {"Ethernet0": {"UC3": row("N/A"), "ALL20": row("N/A")}})


def test_codewords_of_sonic() -> None:
    answer = {"Ethernet0": {"FEC_UNCORR": "1,003", "FLR(O)": "0"}, "Ethernet4": {"FEC_UNCORR": "N/A"}}
    assert read("sonic", "fec", answer) == [Counter("Ethernet0", UNCORRECTED, 1003)]
    with pytest.raises(LackingError):
        read("sonic", "fec", {"Ethernet4": {"FEC_UNCORR": "N/A"}})


def test_transceivers_of_eos() -> None:
    """Of the form of an answer of EOS 4.26.14M (TechBlueprints/disunified): an optic, a copper cable or empty cage."""
    power = {
        "channels": {"1": -0.98, "2": -3.8},
        "threshold": {"highAlarm": 5.5, "highWarn": 2.5, "lowAlarm": -10.0, "lowWarn": -8.1},
        "unit": "dBm",
    }
    heat = {"channels": {"-": 28.7}, "unit": "C"}
    optic = {
        "displayName": "Ethernet49/1",
        "mediaType": "100GBASE-CWDM4",
        "parameters": {"rxPower": power, "temperature": heat, "aggrRxPwr": {"channels": {"-": 5.45}}},
        "vendorSn": "scrubbed",
    }
    answer = {"interfaces": {"Ethernet49/1": optic, "Ethernet50/1": {"displayName": "Ethernet50/1"}}}
    assert read("eos", "optics", answer) == [
        Module("Ethernet49/1"),
        Level("Ethernet49/1", "receive power", -0.98, -10.0, 5.5, 1),
        Level("Ethernet49/1", "receive power", -3.8, -10.0, 5.5, 2),
        Level("Ethernet49/1", "temperature", 28.7),
        Module("Ethernet50/1"),
    ]


def test_codewords_of_eos_as_numbers_and_as_text() -> None:
    """Of the forms of ANTA's VerifyInterfacesBER, and of 4.26.14M, whose JSON has the text of the command in it."""
    count = {"value": 2, "changes": 1, "lastChange": 0.0}
    parts = [{"fec": {"uncorrectedCodewords": count}}, {"description": {"phyChipName": "CRT50216"}}]
    text = "  FEC corrected codewords     1    577   2:39:43 ago\n  FEC uncorrected codewords   5    9  10:32:09 ago\n"
    seen = {
        "Ethernet1/1": {"phyStatuses": parts, "transceiver": {}},
        "Ethernet49/1": {"phyStatuses": [{"text": text}]},
        "Ethernet2/1": {"phyStatuses": []},
    }
    assert read("eos", "fec", {"interfacePhyStatuses": seen}) == [
        Counter("Ethernet1/1", UNCORRECTED, 2),
        Counter("Ethernet49/1", UNCORRECTED, 5),
    ]
    with pytest.raises(LackingError):
        read("eos", "fec", {"interfacePhyStatuses": {"Ethernet2/1": {"phyStatuses": []}}})


def test_pauses_of_eos_in_both_forms() -> None:
    whole = {"interfaceCounters": {"Ethernet3/1/1": {"rxFrames": 7, "txFrames": 0}}}
    assert read("eos", "pfc", whole) == [
        Counter("Ethernet3/1/1", "PFC frames received", 7),
        Counter("Ethernet3/1/1", "PFC frames sent", 0),
    ]
    detail = {"interfaces": {"Ethernet1/1": {"priorities": {"3": {"rxFrames": 7, "txFrames": 2}}}}}
    assert read("eos", "pfc", detail) == [
        Counter("Ethernet1/1", "PFC frames received", 7, 3),
        Counter("Ethernet1/1", "PFC frames sent", 2, 3),
    ]


def test_storms_of_eos_where_none_came() -> None:
    assert read("eos", "watchdog", {"interfaces": {}}) == [Storms(())]


def test_alarms_that_transceivers_of_fboss_raise() -> None:
    flags = {"alarm": {"high": True, "low": False}, "warn": {"high": True, "low": False}}
    optic = {"isPresent": True, "temperature": 81.0, "tempFlags": flags, "rxPower": [-40.0]}
    answer = {"transceivers": {"eth1/1/1": optic, "eth1/2/1": {"isPresent": False}}}
    level = Level("eth1/1/1", "temperature", 81.0, alarm="high")
    assert read("fboss", "optics", {"localhost": answer}) == [Module("eth1/1/1"), level]
    with pytest.raises(MisreadError, match="models of 0 hosts"):
        read("fboss", "optics", {})


def test_state_of_a_session_of_fboss_is_a_number() -> None:
    peer = {"peer_state": 7, "local_as_4_byte": 65001, "remote_as_4_byte": 65002}
    (found,) = read("fboss", "sessions", {"localhost": {"sessions": [{"peer": peer, "peer_addr": "10.0.0.1"}]}})
    assert found == BgpSession("10.0.0.1", "idle (admin)", 65002, 65001, {})
