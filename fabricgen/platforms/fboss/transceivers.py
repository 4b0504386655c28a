"""Transceivers of an FBOSS switch: temperature and voltage, and the alarms that they raise themselves.

The model has values of light without their thresholds or alarms, so light is not judged.

Source:
    facebook/fboss 14ec47ec32: fboss/cli/fboss2/commands/show/transceiver/model.thrift; FlagLevels in
    fboss/qsfp_service/if/transceiver.thrift.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.platforms.fboss.models import only_model
from fabricgen.platforms.observations.content import as_map, as_measure, members
from fabricgen.platforms.observations.records import TEMPERATURE, VOLTAGE, Level, Module, Observation

_QUANTITIES = (("temperature", "tempFlags", TEMPERATURE), ("voltage", "vccFlags", VOLTAGE))


def read_optics(data: bytes) -> list[Observation]:
    """Return temperature and voltage of the transceivers of ``show transceiver``, with what raises an alarm."""
    ports = only_model(data).get("transceivers")
    found: list[Observation] = []
    for name, row in members(ports, "port"):
        if row.get("isPresent"):
            found += [Module(name), *_levels(name, row)]
    return found


def _levels(port: str, row: Mapping[str, Any]) -> Iterator[Level]:
    for key, flags_key, name in _QUANTITIES:
        if key in row:
            alarm = as_map(as_map(row.get(flags_key, {}), f"{port} {flags_key}").get("alarm", {}), f"{port} alarm")
            raised = next((end for end in ("low", "high") if alarm.get(end) is True), "none")
            yield Level(port, name, as_measure(row[key], f"{port} {key}"), alarm=raised)
