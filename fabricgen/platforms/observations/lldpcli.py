"""Neighbors that lldpd lists: ``lldpcli show neighbors`` and ``lldpctl``, as JSON of both kinds and as text.

Source:
    lldpd, lldpcli(8): json0 keeps the structure of the XML output, so an element is a list whatever its number; json
    names objects by what they are, and makes an object of a list of one. tests/integration/test_lldpcli.py has all
    three forms; Cumulus Linux, *Link Layer Discovery Protocol*, shows the text of a switch.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.platforms.observations.content import MisreadError, as_list, as_map, decode_text, read_map
from fabricgen.platforms.observations.records import LldpNeighbor, Observation

_HEAD = re.compile(r"^LLDP neighbors:[ \t\r]*$", re.MULTILINE)
_RULE = re.compile(r"^-{20,}[ \t\r]*$", re.MULTILINE)
_ENTRY = re.compile(r"^Interface:[ \t]+([^\s,]+),", re.MULTILINE)
_FIELD = re.compile(r"^ +(ChassisID|SysName|PortID|PortDescr):(.*)$", re.MULTILINE)


def read_neighbors(data: bytes) -> list[Observation]:
    """Return the neighbors by port; a port may have several."""
    text = decode_text(data)
    if not text.lstrip().startswith("{"):
        return list(_read_text(text))
    lldp = read_map(data).get("lldp")
    return list(_read_json(lldp) if isinstance(lldp, dict) else _read_json0(lldp))


def _read_json0(found: Any) -> Iterator[LldpNeighbor]:
    for lldp in as_list(found, "lldp"):
        for item in as_list(as_map(lldp, "lldp").get("interface", []), "interface"):
            port = as_map(item, "interface")
            name = port.get("name")
            chassis, peer = _first(port.get("chassis")), _first(port.get("port"))
            yield LldpNeighbor(
                port=name if isinstance(name, str) else "",
                device=_value(chassis, "name"),
                peer_port=_value(peer, "id"),
                description=_value(peer, "descr"),
                chassis=_value(chassis, "id"),
            )


def _first(value: Any) -> Any:
    items = as_list(value if value is not None else [], "chassis or port")
    return as_map(items[0], "chassis or port") if items else {}


def _value(record: Any, key: str) -> str:
    """Return the text of an element; empty where it is not there."""
    element = _first(record.get(key))
    value = element.get("value", "") if element else ""
    return value if isinstance(value, str) else ""


def _read_json(lldp: Mapping[str, Any]) -> Iterator[LldpNeighbor]:
    found = lldp.get("interface", [])
    for item in found if isinstance(found, list) else [found]:
        for name, facts in as_map(item, "interface").items():
            parts = as_map(facts, name)
            chassis, peer = as_map(parts.get("chassis", {}), name), as_map(parts.get("port", {}), name)
            device = "" if set(chassis) & {"id", "mgmt-ip", "capability"} else next(iter(chassis), "")
            chassis = as_map(chassis[device], name) if device else chassis
            described = peer.get("descr", "")
            yield LldpNeighbor(
                name, device, _id_of(peer, name), described if isinstance(described, str) else "", _id_of(chassis, name)
            )


def _id_of(record: Mapping[str, Any], name: str) -> str:
    value = as_map(record.get("id", {}), f"{name} id").get("value", "")
    return value if isinstance(value, str) else ""


def _read_text(text: str) -> Iterator[LldpNeighbor]:
    """Yield the neighbors of a text, whose entries each end with a rule.

    Raises:
        MisreadError: It is another text, or its end is missing.
    """
    head = _HEAD.search(text)
    if not head:
        raise MisreadError("it is neither JSON nor the text of lldpctl, which begins with 'LLDP neighbors:'")
    rules = [rule.start() for rule in _RULE.finditer(text, head.end())]
    for entry in _ENTRY.finditer(text, head.end()):
        after = bisect(rules, entry.end())
        if after == len(rules):
            raise MisreadError(f"it ends within the entry of {entry[1]}")
        fields: dict[str, str] = {}
        for name, value in _FIELD.findall(text, entry.end(), rules[after]):
            fields.setdefault(name, value.strip())
        chassis, port = (fields.get(key, "").partition(" ")[2] for key in ("ChassisID", "PortID"))
        yield LldpNeighbor(entry[1], fields.get("SysName", ""), port, fields.get("PortDescr", ""), chassis)
