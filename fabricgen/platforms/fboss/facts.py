"""Facts of agent.conf and bgpcpp.conf that the other ends of links rely on.

Source:
    facebook/fboss 14ec47ec, fboss/agent/switch_config.thrift and
    configerator/structs/neteng/fboss/bgp/bgp_config.thrift.
"""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.platforms.reading.link_facts import Fact, Matter, pairs
from fabricgen.platforms.reading.reader import Tree

_POLICIES = ("sw", "qosPolicies")


def list_facts(tree: Tree) -> Iterator[Fact]:
    """The facts of ports and interfaces, the AS number, and those of neighbours."""
    switch = tree.get("sw", {})
    maps = list(_maps(switch))
    for port, row in switch.get("ports", {}).items():
        at = ("sw", "ports", port)
        yield Fact(Matter.SPEED, port, str(row.get("speed")), ((*at, "speed"),))
        yield Fact(Matter.FEC, port, f"port profile {row.get('profileID')}", ((*at, "profileID"),))
        yield _pauses(switch, port, row)
        for matter, value, path in maps:
            yield Fact(matter, port, value, (path,))
    for number, row in switch.get("interfaces", {}).items():
        if row.get("name") in switch.get("ports", {}):
            at = ("sw", "interfaces", number)
            yield Fact(Matter.MTU, row["name"], str(row.get("mtu")), ((*at, "mtu"),))
            yield Fact(
                Matter.ADDRESS, row["name"], " ".join(row.get("ipAddresses", [])) or "none", ((*at, "ipAddresses"),)
            )
    if "local_as_4_byte" in tree:
        yield Fact(Matter.ASN, "", str(tree["local_as_4_byte"]), (("local_as_4_byte",),))
    for address, peer in tree.get("peers", {}).items():
        value = str(peer.get("remote_as_4_byte"))
        yield Fact(Matter.PEER_ASN, address, value, (("peers", address, "remote_as_4_byte"),))


def _pauses(switch: Tree, port: str, row: Tree) -> Fact:
    """The priority groups of a port with headroom, as long as it pauses and obeys a pause."""
    pfc = row.get("pfc", {})
    name = str(pfc.get("portPgConfigName", ""))
    groups = switch.get("portPgConfigs", {}).get(name, {})
    paused = sorted(number for number, group in groups.items() if group.get("headroomLimitBytes"))
    value = ",".join(paused) if pfc.get("tx") and pfc.get("rx") else ""
    return Fact(Matter.PFC, port, value or "none", (("sw", "ports", port, "pfc"), ("sw", "portPgConfigs", name)))


def _maps(switch: Tree) -> Iterator[tuple[Matter, str, tuple[str, ...]]]:
    """The maps of the policy that all ports have."""
    name = str(switch.get("dataPlaneTrafficPolicy", {}).get("defaultQosPolicy", ""))
    maps = switch.get("qosPolicies", {}).get(name, {}).get("qosMap", {})
    at = (*_POLICIES, name, "qosMap")
    points = {
        str(point): entry.get("internalTrafficClass")
        for entry in maps.get("dscpMaps", {}).values()
        for point in entry.get("fromDscpToTrafficClass", [])
    }
    yield Matter.DSCP, pairs(points) or "none", (*at, "dscpMaps")
    for matter, key in ((Matter.QUEUES, "trafficClassToQueueId"), (Matter.GROUPS, "trafficClassToPgId")):
        yield matter, pairs(maps.get(key, {})) or "none", (*at, key)
