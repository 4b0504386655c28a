"""Readers of transceivers and of counters that a device may not have, on answers as the programs print them."""

from __future__ import annotations

import json
from importlib import import_module

import pytest

from fabricgen.platforms.observations.content import LackingError, MisreadError
from fabricgen.platforms.observations.records import Counter, Level, Observation

QSFP28 = """\
Ethernet0: SFP EEPROM detected
        Connector: No separable connector
        Vendor SN: MT1706
        ChannelMonitorValues:
                RX1Power: 0.3802dBm
                RX2Power: -infdBm
                TX1Bias: 6.7500mA
        ChannelThresholdValues:
                RxPowerHighAlarm  : 3.4001dBm
                RxPowerLowAlarm   : -13.5067dBm
                TxBiasLowAlarm    : 0.5000mA
                TxBiasLowWarning  : 1.0000mA
        ModuleMonitorValues:
                Temperature: 30.9258C
                Vcc: UnknownVolts
        ModuleThresholdValues:
                TempHighAlarm  : 75.0000C

Ethernet4: SFP EEPROM Not detected

Ethernet8: SFP EEPROM is not applicable for RJ45 port

Ethernet64: SFP EEPROM detected
        Identifier: SFP/SFP+/SFP28
        MonitorData:
                RXPower: -3.1dBm
        ThresholdData:
                RxPowerLowAlarm   : -12.0dBm
"""
"""Of the form of tests/sfp_test.py in sonic-net/sonic-utilities 691b1bbc4: four lanes, none, none, and one lane."""


def read(platform: str, state: str, answer: object) -> list[Observation]:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    found: list[Observation] = import_module(f"fabricgen.platforms.{platform}.state").READERS[state](text.encode())
    return found


def test_transceivers_of_sonic() -> None:
    assert read("sonic", "optics", QSFP28) == [
        Level("Ethernet0", "receive power", 0.3802, -13.5067, 3.4001, 1),
        Level("Ethernet0", "receive power", float("-inf"), -13.5067, 3.4001, 2),
        Level("Ethernet0", "laser bias", 6.75, 0.5, None, 1),
        Level("Ethernet0", "temperature", 30.9258, None, 75.0),
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
    assert read("sonic", "fec", answer) == [Counter("Ethernet0", "codewords that FEC could not correct", 1003)]
    with pytest.raises(LackingError):
        read("sonic", "fec", {"Ethernet4": {"FEC_UNCORR": "N/A"}})
