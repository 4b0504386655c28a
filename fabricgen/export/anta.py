"""Inventory and catalog for ANTA, Arista's network test automation, from what the plan expects of each switch.

Every test carries the name of its switch as a tag: ANTA gives each device its own name as one. Tests of counters that
ANTA judges by their absolute value are left out, except for drops of lossless queues, of which there should be none.

Source:
    aristanetworks/anta 1.10.0: anta/tests (routing/bgp.py, connectivity.py, interfaces.py, bfd.py, software.py) and
    anta/input_models; anta/inventory/models.py.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from ipaddress import ip_network

from fabricgen.state.expected import Expected, ExpectedLink

NAME = "anta"
INVENTORY, CATALOG = "inventory.yml", "catalog.yml"
_SPEED_MAX_GBPS = 1000
"""Highest speed that the test of speeds takes."""
_BGP = "anta.tests.routing.bgp"


def export_anta(devices: Sequence[Expected], addresses: Mapping[str, str], aliased: Collection[str]) -> dict[str, str]:
    """Return inventory and catalog; ``addresses`` are for management, ``aliased`` switches announce ports by alias."""
    hosts: list[Data] = [{"host": addresses[each.name], "name": each.name, "tags": [each.tier]} for each in devices]
    tests: dict[str, list[Data]] = {}
    for device in devices:
        for module, test, inputs in _tests(device, aliased):
            filters: Data = {"tags": [device.name]}
            tests.setdefault(module, []).append({test: {**inputs, "filters": filters}})
    catalog: dict[str, Data] = {module: list(members) for module, members in sorted(tests.items())}
    files: dict[str, Data] = {INVENTORY: {"anta_inventory": {"hosts": hosts}}, CATALOG: catalog}
    return {name: "\n".join([*write_blocks(data), ""]) for name, data in files.items()}


def _tests(device: Expected, aliased: Collection[str]) -> Iterator[tuple[str, str, dict[str, Data]]]:
    """Yield module, test and inputs of each test of a switch."""
    if device.release:
        yield "anta.tests.software", "VerifyEOSVersion", {"versions": [device.release]}
    sessions = device.sessions
    if sessions:
        peers: list[Data] = [{"interface" if s.neighbor == s.port else "peer_address": s.neighbor} for s in sessions]
        yield _BGP, "VerifyBGPPeerSession", {"bgp_peers": peers}
        yield _BGP, "VerifyBGPPeerCount", {"address_families": list(_families(device))}
    watched: list[Data] = [
        {"peer_address": s.neighbor, "interface": s.port} for s in sessions if s.watched and s.neighbor != s.port
    ]
    if watched:
        yield "anta.tests.bfd", "VerifyBFDSpecificPeers", {"bfd_peers": watched}
    routes: list[Data] = list(_routes(device))
    if routes:
        yield _BGP, "VerifyBGPRouteECMP", {"route_entries": routes}
    if device.links:
        yield from _link_tests(device, aliased)


def _families(device: Expected) -> Iterator[Data]:
    """Yield the number of sessions that carry each family."""
    for family in ("ipv4", "ipv6"):
        count = sum(family in session.families for session in device.sessions)
        if count:
            yield {"afi": family, "safi": "unicast", "vrf": "default", "num_peers": count, "check_peer_state": True}


def _routes(device: Expected) -> Iterator[Data]:
    """Yield the width of every route; the test knows IPv4 only."""
    for width in device.widths:
        for prefix in width.prefixes:
            if width.next_hops and ":" not in prefix:
                yield {"prefix": str(ip_network(prefix)), "vrf": "default", "ecmp_count": width.next_hops}


def _link_tests(device: Expected, aliased: Collection[str]) -> Iterator[tuple[str, str, dict[str, Data]]]:
    links = device.links
    neighbors: list[Data] = [
        {"port": link.port, "neighbor_device": link.peer, "neighbor_port": _announced(link, aliased)} for link in links
    ]
    yield "anta.tests.connectivity", "VerifyLLDPNeighbors", {"require_fqdn": False, "neighbors": neighbors}
    states: list[Data] = [{"name": link.port, "status": "up"} for link in links]
    yield "anta.tests.interfaces", "VerifyInterfacesStatus", {"interfaces": states}
    known = [link for link in links if link.speed_gbps <= _SPEED_MAX_GBPS]
    speeds: list[Data] = [{"name": link.port, "auto": False, "speed": link.speed_gbps} for link in known]
    yield "anta.tests.interfaces", "VerifyInterfacesSpeed", {"interfaces": speeds}
    if device.lossless:
        ports: list[Data] = [link.port for link in links]
        classes: list[Data] = [f"TC{priority}" for priority in device.lossless]
        inputs: dict[str, Data] = {"interfaces": ports, "traffic_classes": classes, "queue_types": ["unicast"]}
        yield "anta.tests.interfaces", "VerifyInterfacesEgressQueueDrops", inputs


def _announced(link: ExpectedLink, aliased: Collection[str]) -> str:
    """Return what the other end calls its port in LLDP."""
    return link.peer_alias if link.peer in aliased and link.peer_alias else link.peer_port


Data = str | int | bool | list["Data"] | Mapping[str, "Data"]


def write_blocks(data: Data) -> Iterator[str]:
    """Yield the lines of data as YAML in block style; texts are quoted, so that none is read as a number or a date.

    Source:
        YAML 1.2.2, sections 7.3.1 and 8.2: a text in double quotes is written as in JSON.
    """
    if isinstance(data, Mapping):
        for key, value in data.items():
            if isinstance(value, Mapping | list) and value:
                yield f"{key}:"
                yield from (f"  {line}" for line in write_blocks(value))
            else:
                yield f"{key}: {json.dumps(value)}"
    elif isinstance(data, list):
        for item in data:
            first, *others = write_blocks(item)
            yield f"- {first}"
            yield from (f"  {line}" for line in others)
    else:
        yield json.dumps(data)
