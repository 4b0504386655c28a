"""Facts of config_db.json that the other ends of links rely on.

Source:
    sonic-net/sonic-buildimage 086b03bd, src/sonic-yang-models: PORT, PORT_QOS_MAP and the maps it refers to, INTERFACE.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from fabricgen.platforms.reading.link_facts import Fact, Matter, pairs
from fabricgen.platforms.reading.reader import Tree, number_of

_OF_PORT = {Matter.MTU: "mtu", Matter.SPEED: "speed", Matter.FEC: "fec"}
_MAPS = {
    Matter.DSCP: ("dscp_to_tc_map", "DSCP_TO_TC_MAP"),
    Matter.GROUPS: ("tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP"),
    Matter.QUEUES: ("tc_to_queue_map", "TC_TO_QUEUE_MAP"),
}
_GLOBAL = "global"


def list_facts(tree: Tree) -> Iterator[Fact]:
    """The facts of ports, their addresses, and the AS number."""
    for port, row in tree.get("PORT", {}).items():
        for matter, key in _OF_PORT.items():
            yield Fact(matter, port, str(row.get(key, "none")), (("PORT", port, key),))
    rows = tree.get("PORT_QOS_MAP", {})
    said = cache(lambda table, named: _said(tree, table, named))
    for port, row in rows.items():
        if port != _GLOBAL:
            priorities = ",".join(sorted(filter(None, str(row.get("pfc_enable", "")).split(","))))
            yield Fact(Matter.PFC, port, priorities or "none", (("PORT_QOS_MAP", port, "pfc_enable"),))
            yield from _maps(said, port, row)
    addresses: dict[str, list[str]] = {}
    for key in tree.get("INTERFACE", {}):
        port, _, address = key.partition("|")
        addresses.setdefault(port, []).extend([address] if address else [])
    for port, found in addresses.items():
        keys = tuple(("INTERFACE", f"{port}|{address}") for address in found)
        yield Fact(Matter.ADDRESS, port, " ".join(sorted(found)) or "none", keys or (("INTERFACE", port),))
    asn = tree.get("DEVICE_METADATA", {}).get("localhost", {}).get("bgp_asn")
    if asn is not None:
        yield Fact(Matter.ASN, "", str(asn), (("DEVICE_METADATA", "localhost", "bgp_asn"),))


def _maps(said: Callable[[str, str], str], port: str, row: Tree) -> Iterator[Fact]:
    """The maps a port refers to, by what they say; a name may stand in brackets with its table."""
    for matter, (key, table) in _MAPS.items():
        named = str(row.get(key, "")).strip("[]").rpartition("|")[2]
        yield Fact(matter, port, said(table, named), ((table, named), ("PORT_QOS_MAP", port, key)))


def _said(tree: Tree, table: str, named: str) -> str:
    """A map in one line; none where it is not there or maps what are no numbers."""
    found = tree.get(table, {}).get(named)
    return pairs(found) if found and all(number_of(name) is not None for name in found) else "none"
