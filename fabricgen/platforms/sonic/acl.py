"""Rows of SONiC's control-plane ACL: who may open which connections to the switch itself.

caclmgrd turns them into iptables rules. From the first of them on it drops, in both families and on every port, what no
rule accepts. What it opens by itself is left out here: answers to what the switch asked (NTP, syslog, DNS, TACACS+),
ICMP echo and errors, neighbour discovery, DHCP, and TCP 179.

Source:
    sonic-net/sonic-host-services c2a4cdf, scripts/caclmgrd (``IN_PORTS``: fe90cb1, 202505 on);
    sonic-net/sonic-swss-common, common/configdb.cpp
    (get_table: a std::map, so tables come in the order of their names).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, NamedTuple

from fabricgen.device.model import Access, SwitchClass

TOP_PRIORITY = 9999
LAST_PRIORITY = 1000
"""Priorities have four digits throughout: caclmgrd sorts them as text, the highest first."""

LINK_LOCAL = "fe80::/10"
"""Sources of BFD over links without addresses: RFC 4291 section 2.5.6."""
ITSELF = "127.0.0.1/32"
"""Source of ntpq, which asks ntpd in the management VRF; caclmgrd opens it on ``lo`` only. chronyc needs no port."""
_ACL = "Access.acl"


class Source(NamedTuple):
    """A prefix, the device-model field it is or comes from, and the only port it may come in by; empty for any."""

    prefix: str
    origin: str
    port: str = ""


ANYWHERE = {"": "0.0.0.0/0", "6": "::/0"}


@dataclass(frozen=True, slots=True)
class SonicAclRule:
    """A rule; ``source6`` stands for ``source`` in a table of IPv6, ``port`` is 0 where the service has its own."""

    table: Annotated[str, "Access.acl"]
    name: Annotated[str, "Access.acl"]
    priority: Annotated[int, "Access.acl"]
    action: Annotated[str, "Access.acl"]
    source: Annotated[str, "Access.management", "FabricPrefixes.fabric_links", "FabricPrefixes.host_links"]
    source6: Annotated[str, "Access.management6", "FabricPrefixes.fabric_links6", "SwitchClass.unnumbered"]
    port: Annotated[int, "Gnmi.port"]
    in_port: Annotated[str, "PortShape.name"]
    origins: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class AclTable:
    """A table of one service and one family, and its rules by descending priority."""

    name: Annotated[str, "Access.acl"]
    service: Annotated[str, "Access.acl"]
    description: Annotated[str, "Access.acl"]
    rules: Annotated[tuple[SonicAclRule, ...], "Access.management", "Access.management6"]


def control_plane_tables(cls: SwitchClass) -> tuple[AclTable, ...]:
    """Return the tables of a class of switches; none where the intent turns the ACL off.

    Services of management come before the fabric, whose tables accept every protocol and port: what the first ones
    refuse is then refused to neighbours and hosts as well.
    """
    access, services = cls.services.access, cls.services
    if not access.acl:
        return ()
    tables: list[AclTable] = []
    if services.gnmi:
        tables += _service_tables("ACCESS_GNMI", "EXTERNAL_CLIENT", "gNMI", access, services.gnmi.port)
    if services.snmp_community:
        tables += _service_tables("ACCESS_SNMP", "SNMP", "SNMP", access)
    tables += _service_tables("ACCESS_SSH", "SSH", "SSH", access)
    if services.ntp and not cls.release.knows("chrony"):
        tables.append(_table("ACCESS_NTP", "NTP", "ntpq of the switch itself", "", [Source(ITSELF, "Services.ntp")]))
    tables += (_fabric_table(cls, "", ()), _fabric_table(cls, "6", _link_local(cls)))
    return tuple(table for table in tables if table.rules)


def _fabric_table(cls: SwitchClass, family: str, bare: tuple[Source, ...]) -> AclTable:
    """Return the table of link peers in a family; ``bare`` are its sources on links without addresses."""
    names = [f"fabric_links{family}", *([f"host_links{family}"] if cls.hosts_bgp and cls.routing.bfd_lower else [])]
    known = cls.prefixes.permitted or (cls.prefixes,)
    pools = dict.fromkeys(Source(getattr(each, name), f"FabricPrefixes.{name}") for each in known for name in names)
    sources = [*(pool for pool in pools if pool.prefix), *bare]
    return _table("FABRIC", "ANY", "BFD and all else of link peers", family, sources)


def _link_local(cls: SwitchClass) -> tuple[Source, ...]:
    """Return the sources of BFD over links without addresses; beside hosts by the ports of these links alone."""
    if not (cls.unnumbered and cls.routing.bfd):
        return ()
    by_port = cls.host_groups and cls.release.knows("caclmgrd IN_PORTS")
    names = [port.name for port in cls.ports if port.peer_platform] if by_port else [""]
    return tuple(Source(LINK_LOCAL, "SwitchClass.unnumbered", name) for name in names)


def _service_tables(name: str, service: str, words: str, access: Access, port: int = 0) -> Iterator[AclTable]:
    """Yield a service in both families: from management only."""
    for family, prefixes in (("", access.management), ("6", access.management6)):
        sources = [Source(prefix, f"Access.management{family}") for prefix in prefixes]
        table = _table(name, service, f"{words} from management only", family, sources, port)
        last = _rule(table.name, len(prefixes) + 1, LAST_PRIORITY, "DROP", Source(ANYWHERE[family], _ACL), family, port)
        yield replace(table, rules=(*table.rules, last))


def _table(name: str, service: str, words: str, family: str, sources: Iterable[Source], port: int = 0) -> AclTable:
    """A table that accepts a service from some sources of one family."""
    name, first = name + family, TOP_PRIORITY
    rules = (_rule(name, at + 1, first - at, "ACCEPT", source, family, port) for at, source in enumerate(sources))
    return AclTable(name, service, words, tuple(rules))


def _rule(table: str, number: int, priority: int, action: str, source: Source, family: str, port: int) -> SonicAclRule:
    sources = ("", source.prefix) if family else (source.prefix, "")
    origins = {f"source{family}": (source.origin,)}
    return SonicAclRule(table, f"RULE_{number}", priority, action, *sources, port, source.port, origins)
