"""Transceivers of a SONiC switch as ``show interfaces transceiver eeprom --dom`` prints them, port after port.

A port begins with a line ``Ethernet0: SFP EEPROM detected``; below it, each line is a name and a value with its unit.
A value that the transceiver does not have is left out, or is N/A.

Source:
    sonic-net/sonic-utilities 691b1bbc4: scripts/sfpshow (maps of names and units), tests/sfp_test.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from fabricgen.platforms.observations.content import MisreadError, as_measure, decode_text
from fabricgen.platforms.observations.records import (
    BIAS,
    RX_POWER,
    TEMPERATURE,
    TX_POWER,
    VOLTAGE,
    Level,
    Module,
    Observation,
)

_PORT = re.compile(r"^(\S+): SFP EEPROM (Not detected|detected|is not applicable.*)", re.IGNORECASE | re.MULTILINE)
_VALUE = re.compile(r"^\s+([A-Za-z0-9 ]+?)\s*: (-?(?:inf|[0-9.]+(?:e-?[0-9]+)?))(?:dBm|mA|C|Volts)$", re.MULTILINE)
_LANES = re.compile(r"^\s+Media Lane Count: ([0-9]+)\s*$", re.MULTILINE)
_BY_LANE = re.compile(r"(RX|TX)([0-9]*)(Power|Bias)")
_NAMES = {"RXPower": (RX_POWER, "RxPower"), "TXPower": (TX_POWER, "TxPower"), "TXBias": (BIAS, "TxBias")}
_WHOLE = {"Temperature": (TEMPERATURE, "Temp"), "Vcc": (VOLTAGE, "Vcc")}


def read_optics(data: bytes) -> list[Observation]:
    """Return what the transceivers measure, with their alarm thresholds; an empty cage measures nothing."""
    text = decode_text(data)
    heads = list(_PORT.finditer(text))
    if not heads:
        raise MisreadError("it has no line of a port with its SFP EEPROM")
    ends = [*(head.start() for head in heads[1:]), len(text)]
    return [
        each
        for head, end in zip(heads, ends, strict=True)
        for each in _read_port(head[1], head[2], text[head.end() : end])
    ]


def _read_port(port: str, word: str, text: str) -> Iterator[Module | Level]:
    """Yield the module of a port and its levels; lanes beyond those of the medium carry no light."""
    if not word.lower().startswith("not"):
        yield Module(port)
    values = {match[1]: as_measure(match[2], f"{port} {match[1]}") for match in _VALUE.finditer(text)}
    lanes = _LANES.search(text)
    for name, value in values.items():
        if name in _WHOLE:
            quantity, threshold = _WHOLE[name]
            yield _level(port, quantity, value, threshold, None, values)
        elif match := _BY_LANE.fullmatch(name):
            lane = int(match[2] or 1)
            if f"{match[1]}{match[3]}" in _NAMES and not (lanes and 0 < int(lanes[1]) < lane):
                quantity, threshold = _NAMES[f"{match[1]}{match[3]}"]
                yield _level(port, quantity, value, threshold, lane, values)


def _level(port: str, name: str, value: float, threshold: str, lane: int | None, values: Mapping[str, float]) -> Level:
    return Level(port, name, value, values.get(f"{threshold}LowAlarm"), values.get(f"{threshold}HighAlarm"), lane)
