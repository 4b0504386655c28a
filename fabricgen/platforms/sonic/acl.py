"""Rows of SONiC's control-plane ACL: who may open which connections to the switch itself.

caclmgrd turns them into iptables rules. From the first of them on it drops, in both families and on every port, what no
rule accepts. What it opens by itself is left out here: answers to what the switch asked (NTP, syslog, DNS, TACACS+),
ICMP echo and errors, neighbour discovery, DHCP, and TCP 179.

Source:
    sonic-net/sonic-host-services c2a4cdf, scripts/caclmgrd; sonic-net/sonic-swss-common, common/configdb.cpp
    (get_table: a std::map, so tables come in the order of their names).
"""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.device.model import Access, SwitchClass

TOP_PRIORITY = 9999
LAST_PRIORITY = 1000
"""Priorities have four digits throughout: caclmgrd sorts them as text, the highest first."""

LINK_LOCAL = "fe80::/10"
"""Sources of sessions over links without addresses, of MLD and of a router's answers: RFC 4291 section 2.5.6."""

ANYWHERE = {"": "0.0.0.0/0", "6": "::/0"}


@dataclass(frozen=True, slots=True)
class AclRule:
    """A rule; ``source6`` stands for ``source`` in a table of IPv6, ``port`` is 0 where the service has its own."""

    table: str
    name: str
    priority: int
    action: str
    source: str
    source6: str
    port: int


@dataclass(frozen=True, slots=True)
class AclTable:
    """A table of one service and one family, and its rules by descending priority."""

    name: str
    service: str
    description: str
    rules: tuple[AclRule, ...]


def control_plane_tables(cls: SwitchClass) -> tuple[AclTable, ...]:
    """The tables of a class of switches; none where the intent turns the ACL off.

    Services of management come before the fabric, whose tables accept every protocol and port: what the first ones
    refuse is then refused to neighbours and hosts as well.
    """
    access, services = cls.services.access, cls.services
    if not access.acl:
        return ()
    tables = _service_tables("ACCESS_GNMI", "EXTERNAL_CLIENT", "gNMI", access, services.gnmi_port)
    if services.snmp_community:
        tables += _service_tables("ACCESS_SNMP", "SNMP", "SNMP", access)
    tables += _service_tables("ACCESS_SSH", "SSH", "SSH", access)
    pools, pools6 = [cls.prefixes.fabric_links], [cls.prefixes.fabric_links6]
    if cls.hosts_bgp and cls.routing.bfd_lower:
        pools.append(cls.prefixes.host_links)
        pools6.append(cls.prefixes.host_links6)
    tables.append(_table("FABRIC", "ANY", "BFD and all else of link peers", "", [*filter(None, pools)]))
    tables.append(_table("FABRIC", "ANY", "BFD and all else of link peers", "6", [*filter(None, pools6), LINK_LOCAL]))
    return tuple(table for table in tables if table.rules)


def _service_tables(name: str, service: str, words: str, access: Access, port: int = 0) -> list[AclTable]:
    """A service in both families: from management only."""
    found = []
    for family, prefixes in (("", access.management), ("6", access.management6)):
        table = _table(name, service, f"{words} from management only", family, list(prefixes), port)
        last = _rule(table.name, len(prefixes) + 1, LAST_PRIORITY, "DROP", ANYWHERE[family], family, port)
        found.append(AclTable(table.name, table.service, table.description, (*table.rules, last)))
    return found


def _table(name: str, service: str, words: str, family: str, sources: list[str], port: int = 0) -> AclTable:
    """A table that accepts a service from some sources of one family."""
    rules = tuple(
        _rule(name + family, number, TOP_PRIORITY + 1 - number, "ACCEPT", source, family, port)
        for number, source in enumerate(sources, 1)
    )
    return AclTable(name + family, service, words, rules)


def _rule(table: str, number: int, priority: int, action: str, source: str, family: str, port: int) -> AclRule:
    sources = ("", source) if family else (source, "")
    return AclRule(table, f"RULE_{number}", priority, action, *sources, port)


ACL_ORIGINS: dict[str, dict[str, str | tuple[str, ...]]] = {
    "AclTable": {
        "name": "Access.acl",
        "service": "Access.acl",
        "description": "Access.acl",
        "rules": ("Access.management", "Access.management6"),
    },
    "AclRule": {
        "table": "Access.acl",
        "name": "Access.acl",
        "priority": "Access.acl",
        "action": "Access.acl",
        "source": ("Access.management", "FabricPrefixes.fabric_links", "FabricPrefixes.host_links"),
        "source6": ("Access.management6", "FabricPrefixes.fabric_links6", "FabricPrefixes.host_links6"),
        "port": "Services.gnmi_port",
    },
}
"""View field to the device-model fields it derives from."""
