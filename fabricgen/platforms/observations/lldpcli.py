"""Neighbors that ``lldpcli -f json0 show neighbors`` lists.

Source:
    lldpd, lldpcli(8): json0 keeps the structure of the XML output, so an element is a list whatever its number.
"""

from __future__ import annotations

from typing import Any

from fabricgen.platforms.observations.content import as_list, as_map, read_document
from fabricgen.platforms.observations.records import Neighbor, Observation


def read_neighbors(data: bytes) -> list[Observation]:
    """Return the neighbors by port; a port may have several."""
    found: list[Observation] = []
    for lldp in as_list(as_map(read_document(data), "the answer").get("lldp"), "lldp"):
        for item in as_list(as_map(lldp, "lldp").get("interface", []), "interface"):
            port = as_map(item, "interface")
            name = port.get("name")
            chassis, peer = _first(port.get("chassis")), _first(port.get("port"))
            found.append(
                Neighbor(
                    port=name if isinstance(name, str) else "",
                    device=_value(chassis, "name"),
                    peer_port=_value(peer, "id"),
                    description=_value(peer, "descr"),
                    chassis=_value(chassis, "id"),
                )
            )
    return found


def _first(value: Any) -> Any:
    items = as_list(value if value is not None else [], "chassis or port")
    return as_map(items[0], "chassis or port") if items else {}


def _value(record: Any, key: str) -> str:
    """Return the text of an element; empty where it is not there."""
    element = _first(record.get(key))
    value = element.get("value", "") if element else ""
    return value if isinstance(value, str) else ""
