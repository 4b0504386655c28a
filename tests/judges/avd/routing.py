"""The commands of EOS about routes: BGP, BFD, static routes, and the lists and maps they name."""

from __future__ import annotations

import re
from typing import Any

from .model import Rule, Values, add, child, fill, find, put, text_list

_SEQUENCE = r"seq (\d+) ((?:permit|deny) [\da-f:./]+(?: eq \d+| ge \d+ le \d+)?)"


def _router_bgp(data: dict[str, Any], found: Values) -> dict[str, Any]:
    speaker: dict[str, Any] = data.setdefault("router_bgp", {})
    speaker["as"] = found[0]
    return speaker


def _route_map(data: dict[str, Any], found: Values) -> dict[str, Any]:
    name, kind, number = found
    entry = find("route_maps", "name")(data, (name,))
    item = {"sequence": int(number), "type": kind}
    entry.setdefault("sequence_numbers", []).append(item)
    return item


def _is_address(name: str) -> bool:
    return bool(re.fullmatch(r"[0-9a-f]*[.:][0-9a-f.:]+", name))


def _sand(data: dict[str, Any], found: Values) -> dict[str, Any] | None:
    put("fields", "udp", "dst_port")(data, found)
    return child("fields", "udp")(data, found)


def _neighbor(*path: str, value: Any = None) -> Any:
    """A neighbor command: of an address, or of a group."""

    def act(data: dict[str, Any], found: Values) -> None:
        key, name = ("neighbors", "ip_address") if _is_address(found[0]) else ("peer_groups", "name")
        find(key, name, *path, value=value)(data, found)

    return act


def _remote_as(data: dict[str, Any], found: Values) -> None:
    key, name = ("neighbors", "ip_address") if _is_address(found[0]) else ("peer_groups", "name")
    item = find(key, name)(data, found[:1])
    item["remote_as"] = found[1]


def _community(data: dict[str, Any], found: Values) -> None:
    item = find("ip_community_lists", "name")(data, found[:1])
    item.setdefault("entries", []).append({"action": found[1], "communities": [found[2]]})


def _missing_policy(data: dict[str, Any], found: Values) -> None:
    group = find("peer_groups", "name")(data, found[:1])
    group.setdefault("missing_policy", {})[f"direction_{found[1]}"] = {"action": found[2]}


def _hop(found: Values) -> str | None:
    """The next hop of a static route, if it is no interface."""
    return found[2] if re.match(r"\d|[0-9a-f]*:", found[2]) else None


def _null(found: Values) -> str | None:
    return None if _hop(found) else found[2]


_MATCH = Rule(r"match (ip(?:v6)? address prefix-list \S+|community \S+)", text_list("match"))

_SET = Rule(r"set (community \S+ additive|local-preference \d+)", text_list("set"))


def _maximum_routes(data: dict[str, Any], found: Values) -> None:
    _neighbor("maximum_routes")(data, found[:2])
    _neighbor("maximum_routes_warning_limit")(data, (found[0], found[2]))


_FAMILY = (
    Rule(r"neighbor (\S+) activate", _neighbor("activate", value=True)),
    Rule(r"neighbor (\S+) route-map (\S+) in", _neighbor("route_map_in")),
    Rule(r"neighbor (\S+) prefix-list (\S+) in", _neighbor("prefix_list_in")),
    Rule(r"neighbor (\S+) route-map (\S+) out", _neighbor("route_map_out")),
    Rule(
        r"neighbor (\S+) next-hop address-family ipv6 originate",
        _neighbor("next_hop", "address_family_ipv6", value={"enabled": True, "originate": True}),
    ),
    Rule(r"network (\S+)", add("networks", prefix=0)),
    Rule(
        r"redistribute attached-host route-map (\S+)", fill("redistribute", "attached_host", enabled=True, route_map=0)
    ),
    Rule(r"redistribute connected route-map (\S+)", fill("redistribute", "connected", enabled=True, route_map=0)),
)

_BGP = (
    Rule(r"router-id (\S+)", put("router_id")),
    Rule(r"update wait-install", put("updates", "wait_install", value=True)),
    Rule(r"no bgp default ipv4-unicast", put("bgp", "default", "ipv4_unicast", value=False)),
    Rule(r"maximum-paths (\d+) ecmp (\d+)", fill("maximum_paths", paths=0, ecmp=1)),
    Rule(r"neighbor (\S+) peer group", _neighbor()),
    Rule(r"neighbor (\S+) peer group (\S+)", _neighbor("peer_group")),
    Rule(r"neighbor (\S+) remote-as (\S+)", _remote_as),
    Rule(r"neighbor (\S+) description (.+)", _neighbor("description")),
    Rule(r"neighbor (\S+) bfd", _neighbor("bfd", value=True)),
    Rule(r"neighbor (\S+) ttl maximum-hops (\d+)", _neighbor("ttl_maximum_hops")),
    Rule(r"neighbor (\S+) timers (.+)", _neighbor("timers")),
    Rule(r"neighbor (\S+) local-as (\S+) no-prepend replace-as", _neighbor("local_as")),
    Rule(
        r"neighbor interface (\S+) peer-group (\S+) remote-as (\S+)",
        add("neighbor_interfaces", name=0, peer_group=1, remote_as=2),
    ),
    Rule(
        r"neighbor interface (\S+) peer-group (\S+) peer-filter (\S+)",
        add("neighbor_interfaces", name=0, peer_group=1, peer_filter=2),
    ),
    Rule(r"neighbor (\S+) send-community (\S+)", _neighbor("send_community")),
    Rule(r"neighbor (\S+) maximum-routes (\d+) warning-limit (\d+ percent)", _maximum_routes),
    Rule(r"neighbor (\S+) missing-policy address-family all direction (in|out) action (\S+)", _missing_policy),
    Rule(r"address-family ipv4", child("address_family_ipv4"), _FAMILY),
    Rule(r"address-family ipv6", child("address_family_ipv6"), _FAMILY),
)

ROUTING: tuple[Rule, ...] = (
    Rule(r"ip route (?:vrf (\S+) )?(\S+) (\S+)",
        add("static_routes", vrf=0, prefix=1, interface=_null, next_hop=_hop)),
    Rule(r"ipv6 route (?:vrf (\S+) )?(\S+) (\S+)",
        add("ipv6_static_routes", vrf=0, prefix=1, interface=_null, next_hop=_hop)),
    Rule(r"service routing protocols model (\S+)", put("service_routing_protocols_model")),
    Rule(r"ip hardware fib load-balance distribution dynamic",
        put("ip_hardware", "fib", "load_balance_distribution", "dynamic", "enabled", value=True)),
    Rule(r"port-channel load-balance trident udf eth-type IP(v[46]) ip-protocol (\w+) header (\w+) (\w+)"
        r" offset (\d+) mask (\w+)",
        add("port_channel", "load_balance_trident_udf", eth_type=lambda found: f"ip{found[0]}", ip_protocol=1,
            header=lambda found: f"{found[2]}_{found[3]}", offset=4, mask=5)),
    Rule(r"load-balance policies", child("load_balance", "policies"),
        (Rule(r"load-balance sand profile (\S+)", add("sand_profiles", name=0),
            (Rule(r"fields udp dst-port (\d+)", _sand, (Rule(r"payload bytes (\S+)", fill(payload_bytes=0)),)),)),)),
    Rule(r"ip routing", put("ip_routing", value=True)),
    Rule(r"ip routing ipv6 interfaces", put("ip_routing_ipv6_interfaces", value=True)),
    Rule(r"ipv6 unicast-routing", put("ipv6_unicast_routing", value=True)),
    Rule(r"ip community-list (\S+) (permit|deny) (\S+)", _community),
    Rule(r"ip prefix-list (\S+)", add("prefix_lists", name=0),
        (Rule(_SEQUENCE, add("sequence_numbers", sequence=0, action=1)),)),
    Rule(r"ipv6 prefix-list (\S+)", add("ipv6_prefix_lists", name=0),
        (Rule(_SEQUENCE, add("sequence_numbers", sequence=0, action=1)),)),
    Rule(r"route-map (\S+) (permit|deny) (\d+)", _route_map, (_MATCH, _SET)),
    Rule(r"router bfd", child("router_bfd"),
        (Rule(r"interval (\d+) min-rx (\d+) multiplier (\d+) default", fill(interval=0, min_rx=1, multiplier=2)),)),
    Rule(r"peer-filter (\S+)", add("peer_filters", name=0),
        (Rule(r"(\d+) match (as-range \S+ result \w+)", add("sequence_numbers", sequence=0, match=1)),)),
    Rule(r"router bgp (\S+)", _router_bgp, _BGP),
)  # fmt: skip
"""Every command about routes; the first pattern that fits the whole line counts."""
