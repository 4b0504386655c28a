"""Files and rules that SONiC's own programs make of rendered ones, for a lab: packet filter and lane map.

The rules of the control-plane ACL daemon are iptables arguments in the order in which caclmgrd installs them, on a
switch of one ASIC that is neither a chassis nor one of a pair that shares its hosts. The image of the virtual switch
takes which Linux interface is which front-panel port from two files: of both it keeps the lines of interfaces that are
there, ``ethN:LANES`` of lanemap.ini and the rows of port_config.ini with these lanes between blanks, and ends where a
line is missing.

Source:
    sonic-net/sonic-host-services scripts/caclmgrd: 202405 9082af7, 202411 a09889e, 202505 694a2c6,
    202511 8bece5c, 202605 327d795, master c2a4cdf.
    iptables(8), iptables-extensions(8), nft(8).
    sonic-net/sonic-buildimage platform/vs/docker-sonic-vs/start.sh, 202505 to 202605.
"""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

TYPES = {
    "neighbor-solicitation": "nd-neighbor-solicit",
    "neighbor-advertisement": "nd-neighbor-advert",
    "router-solicitation": "nd-router-solicit",
    "router-advertisement": "nd-router-advert",
}
"""Names of ICMPv6 types that differ."""
CHAINS = {
    ("", "INPUT"): ("filter", "input", 0),
    ("raw", "PREROUTING"): ("raw", "prerouting", -300),
    ("raw", "OUTPUT"): ("raw", "output", -300),
}
"""Table and chain of iptables to table, hook and priority of nftables."""
FAMILIES = {"4": "ip", "6": "ip6"}
CONFIG_DB = "etc/sonic/config_db.json"
OPEN = (
    ("4", "-A INPUT -s 127.0.0.1 -i lo -j ACCEPT"),
    ("6", "-A INPUT -s ::1 -i lo -j ACCEPT"),
    ("46", "-A INPUT -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT"),
    ("4", "-A INPUT -p icmp --icmp-type echo-request -j ACCEPT"),
    ("4", "-A INPUT -p icmp --icmp-type echo-reply -j ACCEPT"),
    ("4", "-A INPUT -p icmp --icmp-type destination-unreachable -j ACCEPT"),
    ("4", "-A INPUT -p icmp --icmp-type time-exceeded -j ACCEPT"),
    ("6", "-A INPUT -p icmpv6 --icmpv6-type echo-request -j ACCEPT"),
    ("6", "-A INPUT -p icmpv6 --icmpv6-type echo-reply -j ACCEPT"),
    ("6", "-A INPUT -p icmpv6 --icmpv6-type destination-unreachable -j ACCEPT"),
    ("6", "-A INPUT -p icmpv6 --icmpv6-type time-exceeded -j ACCEPT"),
    ("6", "-A INPUT -p icmpv6 --icmpv6-type neighbor-solicitation -j ACCEPT"),
    ("6", "-A INPUT -p icmpv6 --icmpv6-type neighbor-advertisement -j ACCEPT"),
    ("6", "-A INPUT -p icmpv6 --icmpv6-type router-solicitation -j ACCEPT"),
    ("6", "-A INPUT -p icmpv6 --icmpv6-type router-advertisement -j ACCEPT"),
    ("46", "-A INPUT -p udp --dport 67:68 -j ACCEPT"),
    ("46", "-A INPUT -p udp --dport 546:547 -j ACCEPT"),
    ("46", "-A INPUT -p tcp --dport 179 -j ACCEPT ! -i eth0"),
    ("6", "-t raw -A PREROUTING -p ipv6-icmp -j NOTRACK"),
    ("6", "-t raw -A OUTPUT -p ipv6-icmp -j NOTRACK"),
)
"""Packets accepted before any ACL. BFD and VXLAN would join if the ASIC ran sessions or tunnels; it runs none here."""
BGP_ON_ALL_PORTS = ("202405", "202411")
"""Releases that do not leave the management port out of the rule for BGP."""
TRACEROUTE = (
    ("4", "-A INPUT -p icmp -m ttl --ttl-lt 2 -j ACCEPT"),
    ("6", "-A INPUT -p ipv6-icmp -m hl --hl-lt 2 -j ACCEPT"),
    ("4", "-A INPUT -p udp -m ttl --ttl-lt 2 --dport 1025:65535 -j ACCEPT"),
    ("4", "-A INPUT -p tcp -m ttl --ttl-lt 2 --dport 1025:65535 -j ACCEPT"),
    ("6", "-A INPUT -p udp -m hl --hl-lt 2 --dport 1025:65535 -j ACCEPT"),
    ("6", "-A INPUT -p tcp -m hl --hl-lt 2 --dport 1025:65535 -j ACCEPT"),
)
SERVICES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "NTP": (("udp",), ("123",)),
    "SNMP": (("tcp", "udp"), ("161",)),
    "SSH": (("tcp",), ("22",)),
    "EXTERNAL_CLIENT": (("tcp",), ()),
    "ANY": (("",), ("",)),
}
"""Protocols and ports of a service; those of EXTERNAL_CLIENT stand in its rules."""
ADDRESSED = ("LOOPBACK_INTERFACE", "VLAN_INTERFACE", "PORTCHANNEL_INTERFACE", "INTERFACE")
Row = Mapping[str, Any]
_COLUMNS = ("lanes", "alias", "index", "speed")


class IptablesRule(NamedTuple):
    """A rule: ``4`` for iptables, ``6`` for ip6tables; and its arguments."""

    family: str
    arguments: str


def packet_filter(files: Mapping[str, bytes]) -> str:
    """The rules of a switch as nftables takes them, given its rendered files by their path on it."""
    return to_nft(control_plane_rules(json.loads(files[CONFIG_DB])))


def control_plane_rules(data: Mapping[str, Mapping[str, Row]]) -> list[IptablesRule]:
    """The rules of a switch that has loaded a config_db.json."""
    schema = str(data.get("VERSIONS", {}).get("DATABASE", {}).get("VERSION", ""))
    found = [*_both(OPEN)]
    if any(f"_{release}_" in schema for release in BGP_ON_ALL_PORTS):
        found = [rule._replace(arguments=rule.arguments.removesuffix(" ! -i eth0")) for rule in found]
    acl = [*_acl_rules(data)]
    found += [*acl, *_own_addresses(data), *_both(TRACEROUTE)]
    return found + ([*_both((("46", "-A INPUT -j DROP"),))] if acl else [])


def _both(rules: tuple[tuple[str, str], ...]) -> Iterator[IptablesRule]:
    """Rules of one family or of both."""
    for families, arguments in rules:
        for family in families:
            yield IptablesRule(family, arguments)


def _own_addresses(data: Mapping[str, Mapping[str, Row]]) -> Iterator[IptablesRule]:
    """The network address of every interface row is dropped; of a VLAN the first host address."""
    for table in ADDRESSED:
        for key in sorted(data.get(table, {})):
            _, bar, prefix = key.partition("|")
            if not bar:
                continue
            network = ipaddress.ip_network(prefix, strict=False)
            address = next(iter(network.hosts())) if table == "VLAN_INTERFACE" else network.network_address
            yield IptablesRule(str(network.version), f"-A INPUT -d {address}/{network.max_prefixlen} -j DROP")


def _acl_rules(data: Mapping[str, Mapping[str, Row]]) -> Iterator[IptablesRule]:
    """The rules of all CTRLPLANE tables, in the order of their names: swss-common's get_table is a sorted map."""
    for name, table in sorted(data.get("ACL_TABLE", {}).items()):
        if table.get("type") != "CTRLPLANE":
            continue
        rows = [row for key, row in sorted(data.get("ACL_RULE", {}).items()) if key.partition("|")[0] == name]
        family = next((found for row in rows if (found := _family(row))), "")
        for service in table.get("services", ()):
            yield from _service_rules(service, [row for row in rows if _family(row) in ("", family)], family)


def _service_rules(service: str, rows: list[Row], family: str) -> Iterator[IptablesRule]:
    """The rules of one service, by descending priority as text; of two equal ones the later stays."""
    if service not in SERVICES or not family:
        return
    protocols, ports = SERVICES[service]
    ports = ports or tuple(str(row["L4_DST_PORT"]) for row in rows if "L4_DST_PORT" in row)[-1:]
    by_priority = {str(row["PRIORITY"]): row for row in rows if "PRIORITY" in row}
    for priority in sorted(by_priority, reverse=True):
        row = by_priority[priority]
        for protocol in protocols if "PACKET_ACTION" in row else ():
            for port in ports:
                yield IptablesRule(family, _arguments(row, protocol, port))


def _arguments(row: Row, protocol: str, port: str) -> str:
    source, target = row.get("SRC_IPV6") or row.get("SRC_IP"), row.get("DST_IPV6") or row.get("DST_IP")
    words = [
        "-A INPUT",
        f"-p {protocol}" if protocol else "",
        f"-s {source}" if source else "",
        f"-d {target}" if target else "",
        f"-i {row['IN_PORTS']}" if row.get("IN_PORTS") else "",
        f"--dport {port}" if port else "",
        f"-j {row['PACKET_ACTION']}",
    ]
    return " ".join(filter(None, words))


def _family(row: Row) -> str:
    if row.get("SRC_IPV6") or row.get("DST_IPV6"):
        return "6"
    return "4" if row.get("SRC_IP") or row.get("DST_IP") else ""


def to_nft(rules: Iterable[tuple[str, str]]) -> str:
    """A script for ``nft -f``: rules in their order, policies accept; raises ValueError for an unknown argument."""
    lines = []
    for family in FAMILIES.values():
        for table, hook, priority in CHAINS.values():
            lines.append(f"add table {family} {table}")
            chain = f"{{ type filter hook {hook} priority {priority}; policy accept; }}"
            lines.append(f"add chain {family} {table} {hook} {chain}")
    lines += [_statement(FAMILIES[version], arguments) for version, arguments in rules]
    return "".join(f"{line}\n" for line in lines)


def _statement(family: str, arguments: str) -> str:
    """One rule."""
    options = dict(_options(arguments.split()))
    table, hook, _ = CHAINS[options.pop("-t", ""), options.pop("-A")]
    verdict = options.pop("-j").lower()
    words = [*_matches(family, options)]
    if options:
        raise ValueError(f"{arguments}: {', '.join(options)} is not known")
    return " ".join([f"add rule {family} {table} {hook}", *words, verdict])


def _options(words: list[str]) -> Iterator[tuple[str, str]]:
    """Each option and its value; a negated one begins with an exclamation mark."""
    rest = iter(words)
    for word in rest:
        name = f"!{next(rest)}" if word == "!" else word
        yield name, next(rest)


def _matches(family: str, options: dict[str, str]) -> Iterator[str]:
    """Yield what a rule looks at; what has been said is taken out of the options."""
    protocol = options.pop("-p", "").replace("icmpv6", "ipv6-icmp")
    options.pop("-m", "")
    for option, words in (("-s", f"{family} saddr"), ("-d", f"{family} daddr")):
        if option in options:
            yield f"{words} {options.pop(option)}"
    for option, words in (("-i", "iifname"), ("!-i", "iifname !=")):
        if option in options:
            yield f'{words} "{options.pop(option)}"'
    if "--ctstate" in options:
        yield f"ct state {options.pop('--ctstate').lower()}"
    for option, words in (("--ttl-lt", "ip ttl"), ("--hl-lt", "ip6 hoplimit")):
        if option in options:
            yield f"{words} < {options.pop(option)}"
    for option, words in (("--icmp-type", "icmp"), ("--icmpv6-type", "icmpv6")):
        if option in options:
            kind = options.pop(option)
            yield f"{words} type {TYPES.get(kind, kind)}"
            return
    if "--dport" in options:
        yield f"{protocol} dport {options.pop('--dport').replace(':', '-')}"
    elif protocol:
        yield f"meta l4proto {protocol}"


def container_files(files: Mapping[str, bytes], interfaces: Mapping[str, str]) -> dict[str, bytes]:
    """Return lanemap.ini and port_config.ini of a switch, given the Linux interface of each port that has a cable."""
    ports: dict[str, dict[str, str]] = json.loads(files[CONFIG_DB])["PORT"]
    lanes = [f"{interface}:{ports[name]['lanes']}" for name, interface in interfaces.items()]
    rows = ["# name lanes alias index speed"]
    rows += (" ".join([name, *(row[column] for column in _COLUMNS)]) for name, row in ports.items())
    return {"lanemap.ini": _text(lanes), "port_config.ini": _text(rows)}


def _text(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
