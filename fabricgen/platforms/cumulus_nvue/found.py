"""A switch as its startup.yaml describes it, for imports: ports, sessions, contract, services.

The tree is that of ``reader``: names are expanded and spelled as in 5.15, whichever release wrote them.

Source:
    Cumulus Linux user guide and NVUE reference: defaults of what is not written, which are an MTU of 9216 and FRR's
    datacenter timers; Quality of Service, RoCE: what ``qos roce`` sets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from fabricgen.platforms import found_settings
from fabricgen.platforms.cumulus_nvue.view import HASH_KEYS, TIMEZONES
from fabricgen.platforms.found import FoundPort, FoundSession, FoundSetting, FoundSwitch, Spot, Trees
from fabricgen.platforms.found_links import find_linked, is_address, is_interface, is_pool, split_description
from fabricgen.platforms.reading.reader import Tree, look_up, number_of

FILE = "etc/nvue.d/startup.yaml"
_own = partial(Spot, FILE)
_BGP = ("vrf", "default", "router", "bgp")
_PORT = re.compile(r"swp([0-9]+)(?:s([0-9]+))?")
_SPEED = re.compile(r"([0-9]+)G")
_DEFAULT_MTU = 9216
_TIMERS = {
    "keepalive_s": ("timers > keepalive", 0, "3"),
    "hold_s": ("timers > hold", 0, "9"),
    "connect_retry_s": ("timers > connection-retry", 0, "10"),
    "advertisement_s": ("timers > route-advertisement", 0, "0"),
}
_MEANT = {"none": "0", "auto": "", "disabled": "", "off": ""}
"""Words that are no value of their own: those of a default are as if nothing was there."""
_MARKS = ("min-threshold", "max-threshold", "probability")
_POINTS = {point: point // 8 if point // 8 in (3, 6) else 0 for point in range(64)}
_ROCE = found_settings.Queues(_POINTS, {3}, {6}, {0: 50, 3: 50}, {3: (150_000, 1_500_000, 100)})
"""found_settings.Queues of ``qos roce`` in its lossless mode."""
_DEFAULT_LISTS = "acl-default-"
_SSH_PORT, _GNMI_PORT = "22", 9339
"""TCP port of gNMI where none is set: NVUE reference, gNMI."""


def find_switch(name: str, trees: Trees) -> FoundSwitch | None:
    """Return a switch; None without a startup.yaml."""
    tree = trees.get(FILE)
    if tree is None:
        return None
    bgp, rows = look_up(tree, *_BGP), look_up(tree, "interface")
    eth = next((name for name, row in rows.items() if name.startswith("eth") and _addresses(row)), "eth0")
    gateways = [each for word in ("ipv4", "ipv6") for each in look_up(rows, eth, word, "gateway")]
    places = {key: (*_BGP, key) if key in bgp else ("router", "bgp", key) for key in ("autonomous-system", "router-id")}
    asn, router_id = (_value(tree, *steps) for steps in places.values())
    ports, sessions = tuple(sorted(_ports(tree), key=lambda port: port.order)), tuple(_sessions(bgp, asn))
    loopbacks = tuple(each.partition("/")[0] for each in _addresses(look_up(rows, "lo")))
    identity = {
        "loopbacks": (loopbacks, _own(("interface", "lo"))),
        "management": (next(iter(_addresses(look_up(rows, eth))), ""), _own(("interface", eth))),
        "gateway": (next(iter(gateways), ""), _own(("interface", eth))),
        "asn": (number_of(asn) or 0, _own(places["autonomous-system"])),
        "router_id": (router_id, _own(places["router-id"])),
    }
    routing = *_routing(bgp, find_linked(sessions, ports)), *_balancing(tree)
    contract = _contract(tree, [port for port in ports if port.is_up])
    settings = (*routing, *contract, *found_settings.describe_services(_services(tree)))
    given = {"prefixes": frozenset(_blocks(tree)), "prefix_limit": _limit(bgp), "sessions": sessions}
    return found_settings.describe_switch(name, "cumulus_nvue", identity, ports=ports, settings=settings, **given)


def _addresses(row: Tree) -> tuple[str, ...]:
    """Return the addresses of an interface with their prefix length, IPv4 first, but for link-local ones."""
    return tuple(each for word in ("ipv4", "ipv6") for each in look_up(row, word, "address") if is_interface(each))


def _value(tree: Tree, *steps: str) -> str:
    """Return the text at a path; of an object the word by which it is on or off, or its only key."""
    value = look_up(tree, *steps[:-1]).get(steps[-1], "")
    if not isinstance(value, dict):
        return str(value)
    # An object with a profile is on.
    return "enabled" if "profile" in value else str(value.get("state", next(iter(value), "")))


def _ports(tree: Tree) -> Iterator[FoundPort]:
    rows = look_up(tree, "interface")
    bonds = {member: name for name, row in rows.items() for member in look_up(row, "bond", "member")}
    for name, row in rows.items():
        place = _PORT.fullmatch(name)
        mode = next(iter(look_up(rows, f"swp{place[1]}" if place else "", "link", "breakout")), "")
        if place is None or (place[2] is None and mode not in ("", "1x")):
            continue
        bond = bonds.get(name, "")
        link, routed = look_up(row, "link"), look_up(rows, bond or name)
        speed = _SPEED.fullmatch(str(link.get("speed", "")))
        profile = str(look_up(row, "qos", "pfc").get("profile", ""))
        description = str(row.get("description", ""))
        yield FoundPort(
            name,
            _own(("interface", name)),
            (int(place[1]), int(place[2] or 0)),
            _value(link, "state") != "down",
            speed_gbps=int(speed[1]) if speed else 0,
            breakout=mode,
            fec=str(link.get("fec", "")),
            mtu=number_of(look_up(routed, "link").get("mtu")) or _DEFAULT_MTU,
            addresses=() if routed.get("vrf", "default") != "default" else _addresses(routed),
            description=description,
            neighbor=split_description(description),
            cable_m=number_of(look_up(tree, "qos", "pfc", profile).get("cable-length")) or 0,
            bond=bond,
        )


def _sessions(bgp: Tree, asn: str) -> Iterator[FoundSession]:
    for name, row in look_up(bgp, "neighbor").items():
        group = str(row.get("peer-group", ""))
        remote = row.get("remote-as", look_up(bgp, "peer-group", group).get("remote-as"))
        remote = asn if remote == "internal" else remote
        spot = _own((*_BGP, "neighbor", name))
        yield FoundSession(name, spot, number_of(remote) or 0, group, is_port=not is_address(name))


def _blocks(tree: Tree) -> Iterator[str]:
    """Yield the networks of prefix lists that stand for many prefixes inside them: those of pools."""
    lists = look_up(tree, "router", "policy", "prefix-list")
    for rule in [rule for each in lists.values() for rule in look_up(each, "rule").values()]:
        for network, lengths in look_up(rule, "match").items():
            longest = max((number_of(value) or 0 for value in lengths.values()), default=0)
            if rule.get("action") == "permit" and is_pool(network, longest):
                yield network


def _limit(bgp: Tree) -> int:
    """Return the limit on prefixes of the peer groups."""
    families = [row for each in look_up(bgp, "peer-group").values() for row in look_up(each, "address-family").values()]
    limits = (number_of(look_up(row, "prefix-limits", "inbound").get("maximum")) or 0 for row in families)
    return max(limits, default=0)


def _routing(bgp: Tree, session: FoundSession | None) -> Iterator[FoundSetting]:
    """Yield the settings of a session, of its group where it has none itself, and of equal-cost paths."""
    if not bgp:
        return
    names = (("neighbor", session.peer), ("peer-group", session.group)) if session else ()

    def look(word: str) -> tuple[str, Spot]:
        steps = word.split(" > ")
        found = ((_value(bgp, *name, *steps), _own((*_BGP, *name, *steps))) for name in names)
        value, spot = next((each for each in found if each[0]), ("", _own(_BGP)))
        return _MEANT.get(value, value), spot

    yield from found_settings.describe_session(_TIMERS, "bfd", "ttl-security", look)
    for family in ("ipv4", "ipv6"):
        steps = ("address-family", f"{family}-unicast", "multipaths", "ebgp")
        if width := number_of(_value(bgp, *steps)):
            yield FoundSetting("routing.ecmp.max_paths", width, _own((*_BGP, *steps)))
        if _value(bgp, "address-family", f"{family}-unreachability") == "enabled":
            yield FoundSetting("routing.unreachability", "on", _own((*_BGP, "address-family")))


def _balancing(tree: Tree) -> Iterator[FoundSetting]:
    """Yield what chooses among equal-cost paths."""
    multipath, adaptive = (*_BGP, "path-selection", "multipath", "bandwidth"), ("router", "adaptive-routing")
    is_weighted, is_adaptive = _value(tree, *multipath) == "all-paths", _value(tree, *adaptive) == "enabled"
    yield FoundSetting("routing.ecmp.weights", "on" if is_weighted else "off", _own(multipath))
    yield FoundSetting("routing.ecmp.load_balancing", "adaptive" if is_adaptive else "static", _own(adaptive))
    steps = ("system", "forwarding", "ecmp-hash")
    hashed = {key for key, value in look_up(tree, *steps).items() if value == "enabled"}
    if words := [word for word, keys in HASH_KEYS if hashed.issuperset(keys)]:
        yield FoundSetting("routing.ecmp.hash", words, _own(steps))


def _contract(tree: Tree, ports: Iterable[FoundPort]) -> Iterator[FoundSetting]:
    """Yield the classes and thresholds of the profiles that ports have, and the watchdog."""
    qos, spot = look_up(tree, "qos"), _own(("qos",))
    by_word = _value(qos, "roce") == "enabled" and look_up(qos, "roce").get("mode", "lossless") == "lossless"
    speeds: dict[int, tuple[found_settings.Queues, Spot]] = {}
    for port in ports:
        own = look_up(tree, *port.spot.steps, "qos")
        if port.speed_gbps not in speeds:
            speeds[port.speed_gbps] = _ROCE if by_word else _queues(qos, own), spot.below("roce") if by_word else spot
    yield from found_settings.describe_contract(speeds)
    polls = [number_of(_value(qos, "pfc-watchdog", key)) or 0 for key in ("polling-interval", "robustness")]
    if all(polls):
        yield FoundSetting("lossless.watchdog.detection_ms", polls[0] * polls[1], spot.below("pfc-watchdog"))


def _queues(qos: Tree, port: Tree) -> found_settings.Queues:
    """Return the queues of a port by its profiles, or by the global ones where it has none."""

    def own(name: str) -> Tree:
        return look_up(qos, name, str(look_up(port, name).get("profile", "default-global")))

    pfc, rows = own("pfc"), look_up(qos, "egress-scheduler", "default-global", "traffic-class")
    points = look_up(qos, "mapping", "default-global", "dscp")
    marking = look_up(own("congestion-control"), "traffic-class")
    return found_settings.Queues(
        {int(point): number_of(row.get("switch-priority")) or 0 for point, row in points.items()},
        {int(key) for key in look_up(pfc, "switch-priority")} if pfc.get("rx") == pfc.get("tx") == "enable" else (),
        {int(key) for key, row in rows.items() if row.get("mode") == "strict"},
        {int(key): number_of(row.get("bw-percent")) or 0 for key, row in rows.items()},
        {int(key): _marks(row) for key, row in marking.items() if row.get("ecn") == "enable" and all(_marks(row))},
    )


def _marks(row: Tree) -> tuple[int, int, int]:
    low, high, most = (number_of(row.get(word)) or 0 for word in _MARKS)
    return low, high, most


def _services(tree: Tree) -> Iterator[tuple[str, Any, Spot]]:
    system, own = look_up(tree, "system"), _own(("system",)).below
    for name in ("ntp", "syslog", "dns"):
        yield name, list(look_up(system, name, "server")), own(name, "server")
    zones = {theirs: ours for ours, theirs in TIMEZONES.items()}
    zone = _value(system, "date-time", "timezone")
    yield "timezone", zones.get(zone, zone), own("date-time", "timezone")
    yield "access.management", *_sources(tree)
    rows = look_up(system, "aaa", "tacacs", "server")
    servers = sorted(rows, key=lambda server: number_of(rows[server].get("priority")) or 0)
    key = _value(rows, servers[0], "secret") if servers else ""
    yield "tacacs", found_settings.tacacs(servers, key), own("aaa", "tacacs")
    agent = look_up(system, "snmp-server")
    texts = {word: agent.get(f"system-{word}") for word in ("location", "contact")}
    yield "snmp", found_settings.snmp(next(iter(look_up(agent, "readonly-community")), ""), texts), own("snmp-server")
    server = look_up(system, "gnmi-server")
    names = _value(server, "certificate"), _value(server, "mtls", "ca-certificate")
    files = (f"{names[0]}.crt", f"{names[0]}.key", f"{names[1]}.crt") if all(names) else ("",) * 3
    yield "gnmi", found_settings.gnmi(number_of(server.get("port")) or _GNMI_PORT, files), own("gnmi-server")
    yield "users", [_user(*each) for each in look_up(system, "aaa", "user").items()], own("aaa", "user")


def _sources(tree: Tree) -> tuple[list[str], Spot]:
    """Return where the control plane takes SSH from, and the list that says so."""
    lists = [key for key in look_up(tree, "system", "control-plane", "acl") if not key.startswith(_DEFAULT_LISTS)]
    rules = [rule for key in lists for rule in look_up(tree, "acl", key, "rule").values()]
    packets = [look_up(rule, "match", "ip") for rule in rules if "permit" in look_up(rule, "action")]
    found = [_value(each, "source-ip") for each in packets if _SSH_PORT in look_up(each, "tcp", "dest-port")]
    return list(filter(None, found)), _own(("acl", *lists[:1]))


def _user(name: str, row: Tree) -> dict[str, Any]:
    keys = [f"{key.get('type')} {key.get('key')}" for key in look_up(row, "ssh", "authorized-key").values()]
    return found_settings.user(name, next(iter(keys), ""), row.get("hashed-password"))
