"""Neighbors of an EOS switch: ``show lldp neighbors``, with ``detail`` or without, as JSON, or without as text.

Source:
    aristanetworks/anta 68667e0ed, data of its test of LLDP; napalm-automation/napalm, eos get_lldp_neighbors;
    networktocode/ntc-templates, tests/arista_eos/show_lldp_neighbors: texts of three releases, with a rule and without.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.platforms.observations.content import (
    MisreadError,
    as_list,
    as_map,
    as_text,
    decode_text,
    members,
    read_document,
)
from fabricgen.platforms.observations.records import Neighbor, Observation

_HEADS = re.compile(r"Port +Neighbor Device ID +Neighbor Port ID +TTL")
_GAP = re.compile(r" {2,}")
_PROMPT = re.compile(r"[\w.()@-]+[#>]")
_MAC = re.compile(r"[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}")
_LONG = {"Et": "Ethernet", "Ma": "Management"}


def read_neighbors(data: bytes) -> list[Observation]:
    """Return the neighbors by port; a port may have several."""
    text = decode_text(data)
    if not text.lstrip().startswith("{"):
        return list(_read_text(text))
    heard = as_map(read_document(data), "the answer").get("lldpNeighbors")
    if isinstance(heard, list):
        rows = [as_map(item, "neighbor") for item in heard]
        return [
            _brief(*(as_text(row.get(key), key) for key in ("port", "neighborDevice", "neighborPort"))) for row in rows
        ]
    return [
        _detailed(port, as_map(item, port))
        for port, facts in members(heard, "port")
        for item in as_list(facts.get("lldpNeighborInfo", []), port)
    ]


def _brief(port: str, device: str, peer_port: str) -> Neighbor:
    """Return a neighbor; one without name is shown by its chassis' MAC address."""
    return Neighbor(port, "", peer_port, "", device) if _MAC.fullmatch(device) else Neighbor(port, device, peer_port)


def _detailed(port: str, facts: Mapping[str, Any]) -> Neighbor:
    peer = as_map(facts.get("neighborInterfaceInfo", {}), port)
    return Neighbor(
        port,
        as_text(facts.get("systemName", ""), port),
        as_text(peer.get("interfaceId_v2", peer.get("interfaceId", "")), port).strip('"'),
        as_text(peer.get("interfaceDescription", ""), port),
        as_text(facts.get("chassisId", ""), port),
    )


def _read_text(text: str) -> Iterator[Neighbor]:
    """Yield the rows of the table, to an empty line, a prompt or the end.

    Raises:
        MisreadError: There is no such table, or a line of it is not whole.
    """
    lines = iter(text.splitlines())
    if not any(_HEADS.fullmatch(line.strip()) for line in lines):
        raise MisreadError("it is neither JSON nor the table of show lldp neighbors")
    for line in lines:
        if not line.strip() or _PROMPT.match(line):
            return
        if not line.strip("- "):
            continue
        head, _, ttl = line.strip().rpartition(" ")
        row = _GAP.split(head.strip())
        if len(row) != 3 or not ttl.isdecimal():
            raise MisreadError(f"the line of {line.split()[0][:40]} is not whole")
        yield _brief(re.sub(r"^(?:Et|Ma)(?=\d)", lambda short: _LONG[short[0]], row[0]), *row[1:])
