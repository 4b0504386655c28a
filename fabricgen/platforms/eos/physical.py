"""Physical layer of an EOS switch's ports: transceivers, FEC modes, codewords that FEC could not correct.

Source:
    TechBlueprints/disunified, docs/fixtures/arista-eos-4.26.14M: answers of a switch; aristanetworks/anta 68667e0ed,
    tests/units/anta_tests/test_interfaces.py: VerifyInterfacesOpticsReceivePower, VerifyInterfacesBER.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.platforms.observations.content import (
    as_list,
    as_map,
    as_measure,
    as_number,
    as_text,
    members,
    read_document,
    refuse_nothing,
)
from fabricgen.platforms.observations.records import (
    BIAS,
    RX_POWER,
    TEMPERATURE,
    TX_POWER,
    UNCORRECTED,
    VOLTAGE,
    Counter,
    Level,
    Module,
    Observation,
    PortState,
)

_QUANTITIES = {
    "rxPower": RX_POWER,
    "txPower": TX_POWER,
    "txBias": BIAS,
    "temperature": TEMPERATURE,
    "voltage": VOLTAGE,
}
_WHOLE = "-"
"""Channel of what is measured once in a transceiver."""
_MODES = {"reedSolomon": "rs", "reedSolomon544": "rs", "fireCode": "fc", "disabled": "none"}
_UNCORRECTED = re.compile(r"FEC uncorrected codewords +([0-9]+)")


def read_optics(data: bytes) -> list[Observation]:
    """Return what transceivers measure in ``show interfaces transceiver dom thresholds``."""
    ports = as_map(read_document(data), "the answer").get("interfaces")
    found: list[Observation] = []
    for name, facts in members(ports, "port"):
        found += [Module(name), *_levels(name, facts)]
    return found


def _levels(port: str, facts: Mapping[str, Any]) -> Iterator[Level]:
    """Yield the levels of a port; a copper cable and an empty cage have none."""
    if facts:
        as_text(facts.get("displayName"), f"{port} displayName")
    parameters = as_map(facts.get("parameters", {}), f"{port} parameters")
    for key, name in _QUANTITIES.items():
        row = as_map(parameters.get(key, {}), f"{port} {key}")
        limits = as_map(row.get("threshold", {}), f"{port} {key} threshold")
        low, high = (
            as_measure(limits[end], f"{port} {key} {end}") if end in limits else None
            for end in ("lowAlarm", "highAlarm")
        )
        for channel, value in as_map(row.get("channels", {}), f"{port} {key}").items():
            lane = None if channel == _WHOLE else as_number(channel, f"{port} {key} channel")
            yield Level(port, name, as_measure(value, f"{port} {key}"), low, high, lane)


def read_fec_modes(data: bytes) -> list[Observation]:
    """Return the FEC in operation on each port of ``show interfaces error-correction``, in words of the catalog."""
    ports = as_map(read_document(data), "the answer").get("interfaceErrCorrStatuses")
    found: list[Observation] = []
    for name, row in members(ports, "port"):
        mode = as_text(row.get("errCorrEncodingStatus", ""), f"{name} errCorrEncodingStatus")
        found.append(PortState(name, fec=_MODES.get(mode, "")))
    return found


def read_fec(data: bytes) -> list[Observation]:
    """Return the codewords of each port of ``show interfaces phy detail`` that no part of it could correct.

    Older releases have the same as text inside the document.
    """
    ports = as_map(read_document(data), "the answer").get("interfacePhyStatuses")
    found: list[Observation] = []
    for name, facts in members(ports, "port"):
        parts = [as_map(part, f"{name} part") for part in as_list(facts.get("phyStatuses", []), f"{name} phyStatuses")]
        counts = [count for part in parts for count in _uncorrected(name, part)]
        if counts:
            found.append(Counter(name, UNCORRECTED, sum(counts)))
    refuse_nothing(found, "port", "no port counts codewords of FEC" if ports else "")
    return found


def _uncorrected(port: str, part: Mapping[str, Any]) -> Iterator[int]:
    """Yield the codewords that one part between switch chip and cable could not correct."""
    row = as_map(as_map(part.get("fec", {}), f"{port} fec").get("uncorrectedCodewords", {}), f"{port} fec")
    if "value" in row:
        yield as_number(row["value"], f"{port} uncorrectedCodewords")
    else:
        text = as_text(part.get("text", ""), f"{port} text")
        yield from (as_number(each, f"{port} codewords") for each in _UNCORRECTED.findall(text))
