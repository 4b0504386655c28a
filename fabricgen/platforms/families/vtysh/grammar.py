"""Words of a vtysh command, split into the name of a thing and its value.

A command that is not listed is a name as a whole: it is there or it is not. ``*`` stands for a word that is part of the
name, such as an address; what follows the words of an entry is the value.

Source:
    FRR user guide (doc/user of FRRouting/frr): basic, bgp, bfd, filter, routemap, static, zebra.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

COMMANDS = (
    *("frr version", "frr defaults", "hostname", "domainname", "log syslog", "log file"),
    *("log timestamp precision", "password", "enable password", "fpm address", "ip protocol * route-map"),
    *("ipv6 protocol * route-map", "ip nht route-map", "zebra nexthop-group keep", "detect-multiplier"),
    *("receive-interval", "transmit-interval", "echo receive-interval", "echo transmit-interval"),
    *("minimum-ttl", "description", "on-match", "call", "match as-path", "match community"),
    *("match extcommunity", "match interface", "match ip address", "match ip address prefix-list"),
    *("match ip address prefix-len", "match ip next-hop", "match ip next-hop prefix-list"),
    *("match ipv6 address", "match ipv6 address prefix-list", "match large-community"),
    *("match local-preference", "match metric", "match peer", "match source-protocol", "match tag"),
    *("set as-path exclude", "set as-path prepend", "set comm-list * delete", "set community"),
    *("set extcommunity bandwidth", "set ip next-hop", "set ipv6 next-hop global", "set large-community"),
    *("set local-preference", "set metric", "set origin", "set src", "set table", "set tag", "set weight"),
    *("bgp router-id", "bgp cluster-id", "bgp confederation identifier", "bgp default local-preference"),
    *("bgp graceful-restart restart-time", "bgp graceful-restart select-defer-time"),
    *("bgp graceful-restart stalepath-time", "bgp listen limit", "bgp listen range * peer-group"),
    *("bgp max-med on-startup", "bgp update-delay", "bgp minimum-holdtime", "bgp dampening", "coalesce-time"),
    *("distance bgp", "maximum-paths", "maximum-paths ibgp", "read-quanta", "timers bgp", "write-quanta"),
    *("bandwidth", "ipv6 nd ra-interval", "ipv6 nd ra-lifetime"),
)
NEIGHBOR = (
    *("addpath-tx-all-paths", "advertisement-interval", "allowas-in", "bfd", "bfd profile", "description"),
    *("ebgp-multihop", "local-as", "local-role", "maximum-prefix", "maximum-prefix-out", "password"),
    *("peer-group", "port", "remote-as", "shutdown message", "timers", "timers connect", "timers delayopen"),
    *("ttl-security hops", "update-source", "weight"),
)
DIRECTED = frozenset({"route-map", "prefix-list", "filter-list", "distribute-list", "unsuppress-map"})
"""Settings of a neighbour whose value stands in the middle: ``route-map NAME in``."""
LISTS = (
    ("ip", "prefix-list", 3),
    ("ipv6", "prefix-list", 3),
    ("bgp", "community-list", 4),
    ("bgp", "large-community-list", 4),
    ("bgp", "extcommunity-list", 4),
    ("bgp", "as-path", 4),
    ("ip", "access-list", 3),
    ("access-list", "", 2),
)
"""First two words of a numbered list, and how many words its name has with them."""
SECTIONS = (
    *("router ", "route-map ", "interface ", "vrf ", "key chain ", "line ", "pbr-map ", "nexthop-group "),
    *("mpls ldp", "l2vpn ", "rpki "),
)
"""Commands at the top that open a section, and nowhere else."""
OPTIMIZATION = " optimization"
"""End of a line about a route map as a whole, which opens no section."""
SECTION_WORDS = frozenset({"bfd", "rpki", "segment-routing"})
INNER = ("address-family ", "profile ", "peer ", "vni ", "pseudowire ", "segment-routing ", "bmp targets ")
"""Commands that open a section inside another."""
TOP_WORDS = frozenset(
    command.split()[0]
    for command in (
        *("bfd", "bgp", "domainname", "fpm", "frr version", "hostname", "interface", "ip", "ipv6", "line", "log"),
        *("route-map", "router", "service", "vrf", "zebra"),
    )
)
ROUTER_WORDS = frozenset(
    (
        *("address-family", "aggregate-address", "bgp", "coalesce-time", "distance", "maximum-paths", "neighbor"),
        *("network", "redistribute", "timers"),
    )
)
"""First words of most commands at the top and below a router; what begins otherwise is looked up in commands.txt."""
FAMILY_WORDS = ("aggregate-address ", "maximum-paths ", "network ", "redistribute ")
FAMILY_SETTINGS = frozenset(
    (
        *("activate", "addpath-tx-all-paths", "addpath-tx-bestpath-per-AS", "allowas-in", "as-override"),
        *("attribute-unchanged", "default-originate", "distribute-list", "filter-list", "maximum-prefix"),
        *("maximum-prefix-out", "next-hop-self", "prefix-list", "remove-private-AS", "route-map"),
        *("route-reflector-client", "route-server-client", "send-community", "soft-reconfiguration", "unsuppress-map"),
        *("weight",),
    )
)
"""Lines below a router, by their beginning or a neighbour's setting, which FRR takes as those of IPv4 unicast."""
AS_WORDS = frozenset({"remote-as", "local-as", "interface", "rd", "rt", "route-target"})
AS_LINES = ("set ", "bgp confederation", "bgp extcommunity-list", "bgp large-community-list", "rd ", "rt ", "route-t")
"""First words of what is set of a neighbour, and beginnings of other lines, in which AS numbers may stand."""
LEAVING = frozenset({"exit", "exit-address-family", "exit-vrf", "exit-vni", "exit-peer", "quit", "end"})

_VALUE = ""


def _grow(entries: Iterable[str]) -> dict[str, Any]:
    """A tree of words; an empty key marks a place behind which the value begins."""
    root: dict[str, Any] = {}
    for entry in entries:
        node = root
        for word in entry.split():
            node = node.setdefault(word, {})
        node[_VALUE] = True
    return root


_COMMANDS = _grow(COMMANDS)
_NEIGHBOR = _grow(NEIGHBOR)


def opens_section(line: str) -> bool:
    """Return whether a command opens a section at the top."""
    return line in SECTION_WORDS or (line.startswith(SECTIONS) and not line.endswith(OPTIMIZATION))


def name_length(words: list[str], *, of_neighbor: bool = False) -> int:
    """Return how many words of a command are its name; all of them if it has no value."""
    node: dict[str, Any] | None = _NEIGHBOR if of_neighbor else _COMMANDS
    best = 0
    for count, word in enumerate(words, 1):
        node = node.get(word) or node.get("*") if node else None
        if node is None:
            break
        if _VALUE in node:
            best = count
    return best or len(words)
