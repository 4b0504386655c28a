"""PFC of an EOS switch: frames by priority, and storms that the watchdog counted.

Source:
    aristanetworks/anta 68667e0ed, VerifyInterfacesPFCCounters: frames of all priorities together.
    facebook/DNE-TaaC, health checks dsf_pfc and pfc_wd of switches on EOS: keys of frames by priority, and of storms; a
    port and a queue that had no storm are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.platforms.observations.content import MisreadError, as_map, as_number, members, read_document
from fabricgen.platforms.observations.records import PFC_RECEIVED, PFC_SENT, Counter, Observation, Storms, Watchdog

_WAYS = ((PFC_RECEIVED, "rxFrames"), (PFC_SENT, "txFrames"))


def read_pfc(data: bytes) -> list[Observation]:
    """Return the PFC frames by priority of ``show priority-flow-control counters detail``.

    Without ``detail`` they are those of all priorities together.
    """
    document = as_map(read_document(data), "the answer")
    if "interfaces" in document:
        return [
            counter
            for name, facts in members(document["interfaces"], "port")
            for priority, row in members(facts.get("priorities", {}), f"{name} priority")
            for counter in _frames(name, row, as_number(priority, f"{name} priority"))
        ]
    ports = document.get("interfaceCounters")
    return [counter for name, row in members(ports, "port") for counter in _frames(name, row, None)]


def _frames(port: str, row: Mapping[str, Any], priority: int | None) -> Iterator[Counter]:
    for counter, key in _WAYS:
        if key in row:
            yield Counter(port, counter, as_number(row[key], f"{port} {key}"), priority)


def read_watchdog(data: bytes) -> list[Observation]:
    """Return the storms by queue of ``show priority-flow-control counters watchdog``."""
    ports = as_map(read_document(data), "the answer").get("interfaces")
    if ports is None:
        raise MisreadError("it has no interfaces")
    queues = (
        Watchdog(
            name,
            as_number(queue, f"{name} queue"),
            "",
            as_number(row.get("stuckCount", 0), f"{name} stuckCount"),
            as_number(row.get("recoveryCount", 0), f"{name} recoveryCount"),
        )
        for name, facts in members(ports, "port")
        for queue, row in members(facts.get("txQueues"), f"{name} queue")
    )
    return [Storms(tuple(queues))]
