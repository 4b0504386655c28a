"""A switch as its startup-config describes it, for imports: ports, sessions, contract, services.

What EOS leaves out where it is the default is filled in from ``templates/switch/eos/defaults`` where it matters.

Source:
    Arista EOS User Manual 4.36, Command-Line Interface (ranges of interfaces); aristanetworks/avd, molecule and example
    configurations: how a running-config has ports, peer groups and profiles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from fabricgen.platforms import found_settings
from fabricgen.platforms.eos.qos import WATCHDOG_ACTIONS
from fabricgen.platforms.eos.reader import NO, YES
from fabricgen.platforms.eos.view import HASH_WORDS
from fabricgen.platforms.found import FoundPort, FoundSession, FoundSetting, FoundSwitch, Spot, Trees
from fabricgen.platforms.found_links import find_linked, find_pools, is_address, is_interface, split_description
from fabricgen.platforms.reading.reader import Tree, look_up, number_of

FILE = "mnt/flash/startup-config"
_own = partial(Spot, FILE)
_BGP = "router bgp"
_PORT = re.compile(r"Ethernet(?:([0-9]+)/)??([0-9]+)(?:/([0-9]+))?")
_SLOT = 1000
"""Ports of a line card are sorted behind those of the card before it; none has so many."""
_KIND = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)?")
_RANGE = re.compile(r"(.*?)([0-9]+)-([0-9]+)((?:/[0-9]+)*)")
_MEMBERS_MAX = 4096
"""Most names of a range; no box has more ports."""
_ADDRESS = re.compile(r"ip address (\S+) secondary|ipv6 address (\S+)")
_SPEED = re.compile(r"(?:^|.* )([0-9]+)g.*")
_NEIGHBOR = re.compile(r"neighbor (interface )?(\S+)(?: .*)?")
_FROM_PORT = re.compile(r"peer-group (\S+)(?: remote-as (\S+))?.*")
_TIMERS = {"keepalive_s": ("timers", 0, "60 180"), "hold_s": ("timers", 1, "60 180")}
_DEFAULT_MTU = 1500
_DYNAMIC = "ip hardware fib load-balance distribution dynamic"
_RESILIENCE = re.compile(r"ip(v6)? hardware fib ecmp resilience .*")
_FIELDS = re.compile(r"ip load-sharing trident fields ip(v6)?")
_PAIRS = re.compile(r"port-channel load-balance trident udf .*|load-balance policies")
_POINT = re.compile(r"qos map dscp ([0-9]{1,2}) to traffic-class")
_PAUSED = re.compile(r"priority-flow-control priority ([0-7])")
_QUEUE = re.compile(r"tx-queue ([0-7])")
_MARKING = re.compile(
    r"minimum-threshold (\d+) (k|m)?bytes maximum-threshold (\d+) (k|m)?bytes max-mark-probability (\d+).*"
)
_SIZES = {None: 1, "k": 1024, "m": 1024 * 1024}
_WATCHDOG = {"detection_ms": "default timeout", "restoration_ms": "default recovery-time", "action": "action"}
_UNMARKED = "service-policy type qos input UNMARKED-ROCE"
_SERVERS = {
    "ntp": re.compile(r"ntp server(?: vrf \S+)? (\S+)"),
    "syslog": re.compile(r"logging(?: vrf \S+)? host (\S+)"),
    "dns": re.compile(r"ip name-server(?: vrf \S+)? (\S+)"),
}
_TACACS = re.compile(r"tacacs-server host (\S+)(?: vrf \S+)?")
_COMMUNITY = re.compile(r"snmp-server community (\S+)")
_USER = re.compile(r"username (\S+)")
_HASH = "privilege 15 role network-admin secret sha512 "
_ACCESS = re.compile(r"ip(?:v6)? access-group (\S+)(?: vrf \S+)? in")
_PERMIT = re.compile(r"[0-9]+ permit (\S+/[0-9]+)")
_GNMI_PORT = 6030
"""TCP port of gNMI where none is set: Arista EOS User Manual, OpenConfig."""


def find_switch(name: str, trees: Trees) -> FoundSwitch | None:
    """Return a switch; None without a startup-config."""
    tree = trees.get(FILE)
    if tree is None:
        return None
    rows = _interfaces(tree)
    router = look_up(tree, _BGP)
    router_id = str(router.get("router-id", ""))
    ports = tuple(sorted(_ports(rows), key=lambda port: port.order))
    sessions = tuple(_sessions(router))
    loopback = _first(rows, "Loopback", router_id)
    management = _first(rows, "Management")
    vrf = f"vrf {management.row['vrf']} " if "vrf" in management.row else ""
    defaults = f"ip route {vrf}0.0.0.0/0 ", f"ipv6 route {vrf}::/0 "
    route = next((key for key in tree if key.startswith(defaults)), "")
    identity = {
        "loopbacks": (tuple(each.partition("/")[0] for each in _addresses(loopback.row)), _own((loopback.key,))),
        "management": (next(iter(_addresses(management.row)), ""), _own((management.key,))),
        "gateway": (next((word for word in route.split() if is_address(word)), ""), _own((route,))),
        "asn": (number_of(router.get("number")) or 0, _own((_BGP, "number"))),
        "router_id": (router_id, _own((_BGP, "router-id"))),
    }
    routing = *_routing(router, find_linked(sessions, ports)), *_balancing(tree)
    contract = *_contract(tree, rows, ports), *_watchdog(tree)
    settings = (*routing, *contract, *found_settings.describe_services(_services(tree)))
    given = {"prefixes": frozenset(find_pools(tree)), "prefix_limit": _limit(router, sessions), "sessions": sessions}
    return found_settings.describe_switch(name, "eos", identity, ports=ports, settings=settings, **given)


class _Interface(NamedTuple):
    """The section of an interface and the command that opens it, which may name several."""

    key: str = ""
    row: Tree = {}  # noqa: RUF012 - never written to


def _interfaces(tree: Tree) -> dict[str, _Interface]:
    """Return every interface by its name; of what is set more than once the last holds."""
    found: dict[str, _Interface] = {}
    for key, row in tree.items():
        if key.startswith("interface ") and isinstance(row, dict):
            for name in _expand(key.removeprefix("interface ")):
                found[name] = _Interface(key, {**found[name].row, **row} if name in found else row)
    return found


def _expand(names: str) -> Iterator[str]:
    """Yield the interfaces of a list with ranges, such as ``Ethernet1-4/1,7/1``; ``Et`` is short for Ethernet."""
    found = _KIND.match(names)
    kind = found[0] if found else ""
    for part in names.split(","):
        whole = ("Ethernet" if kind == "Et" else kind) + part.removeprefix(kind)
        match = _RANGE.fullmatch(whole)
        if match and 0 <= int(match[3]) - int(match[2]) < _MEMBERS_MAX:
            yield from (f"{match[1]}{number}{match[4]}" for number in range(int(match[2]), int(match[3]) + 1))
        else:
            yield whole


def _addresses(row: Tree) -> list[str]:
    """Return the addresses of an interface with their prefix length, IPv4 first, but for link-local ones."""
    others = [found for key, value in row.items() if value == YES and (found := _ADDRESS.fullmatch(key))]
    return list(filter(is_interface, (str(row.get("ip address")), *(found[1] or found[2] for found in others))))


def _first(rows: dict[str, _Interface], kind: str, address: str = "") -> _Interface:
    """Return the first interface of a kind with addresses, or the one with a given address."""
    found = [each for name, each in rows.items() if name.startswith(kind) and _addresses(each.row)]
    named = (each for each in found if any(own.startswith(f"{address}/") for own in _addresses(each.row)))
    return next(named, next(iter(found), _Interface()))


def _ports(rows: dict[str, _Interface]) -> Iterator[FoundPort]:
    for name, (key, row) in rows.items():
        place = _PORT.fullmatch(name)
        if place is None:
            continue
        bond = str(row.get("channel-group", "")).partition(" ")[0]
        above = rows.get(f"Port-Channel{bond}", _Interface()).row if bond else row
        vlan = "" if above.get("switchport") == NO else above.get("switchport access vlan", "")
        routed = rows.get(f"Vlan{vlan}", _Interface()).row if vlan else above
        is_routed = bool(vlan) or above.get("switchport") == NO
        description = str(row.get("description", ""))
        yield FoundPort(
            name,
            _own((key,)),
            (_SLOT * int(place[1] or 0) + int(place[2]), int(place[3] or 0)),
            row.get("shutdown") != YES,
            _speed(row),
            fec=str(row.get("error-correction encoding", "")),
            mtu=number_of(routed.get("mtu")) or (_DEFAULT_MTU if is_routed else 0),
            addresses=tuple(_addresses(routed)) if is_routed and "vrf" not in routed else (),
            description=description,
            neighbor=split_description(description),
            bond=f"Port-Channel{bond}" if bond else "",
        )


def _speed(row: Tree) -> int:
    found = _SPEED.fullmatch(str(row.get("speed", "")))
    return int(found[1]) if found else 0


def _sessions(router: Tree) -> Iterator[FoundSession]:
    """Yield the sessions with addresses, and those over ports, of which a line may name several."""
    seen: set[str] = set()
    for key, value in router.items():
        found = _NEIGHBOR.fullmatch(key)
        if found is None or value == NO or found[2] in seen:
            continue
        spot = _own((_BGP, key))
        if found[1] and (terms := _FROM_PORT.fullmatch(str(value))):
            for port in _expand(found[2]):
                yield FoundSession(port, spot, number_of(terms[2]) or 0, terms[1], is_port=True)
        elif is_address(found[2]):
            seen.add(found[2])
            group = str(router.get(f"neighbor {found[2]} peer group", ""))
            remote = router.get(f"neighbor {found[2]} remote-as") or router.get(f"neighbor {group} remote-as")
            yield FoundSession(found[2], spot, number_of(remote) or 0, group)


def _limit(router: Tree, sessions: tuple[FoundSession, ...]) -> int:
    """Return the limit on prefixes of a family; one over a port is of all the families that it carries."""
    limits = (
        number_of(str(value).partition(" ")[0]) for key, value in router.items() if key.endswith(" maximum-routes")
    )
    carried = len([key for key in router if key.startswith("address-family ipv")])
    return max(filter(None, limits), default=0) // (carried if sessions and sessions[0].is_port and carried else 1)


def _routing(router: Tree, session: FoundSession | None) -> Iterator[FoundSetting]:
    """Yield the settings of a session, of its group where it has none itself, and of equal-cost paths."""
    if not router:
        return
    whole = next((key for key in router if key.startswith("timers bgp ")), "")
    names = [f"neighbor {name}" for name in (session.peer, session.group) if name] if session else []

    def look(word: str) -> tuple[str, Spot]:
        key = next((f"{name} {word}" for name in names if f"{name} {word}" in router), "")
        value = str(router[key]) if key else whole.removeprefix("timers bgp ") if word == "timers" else NO
        return "" if value == NO else value, _own((_BGP, key or whole))

    yield from found_settings.describe_session(_TIMERS, "bfd", "ttl", look)
    width = number_of(str(router.get("maximum-paths", "1")).partition(" ")[0])
    yield FoundSetting("routing.ecmp.max_paths", width, _own((_BGP, "maximum-paths")))


def _balancing(tree: Tree) -> Iterator[FoundSetting]:
    """Yield what chooses among equal-cost paths."""
    is_dynamic = tree.get(_DYNAMIC, NO) != NO
    yield FoundSetting("routing.ecmp.load_balancing", "flowlet" if is_dynamic else "static", _own((_DYNAMIC,)))
    resilient, fields, pairs = (next(filter(each.fullmatch, tree), "") for each in (_RESILIENCE, _FIELDS, _PAIRS))
    if resilient:
        yield FoundSetting("routing.ecmp.resilient", True, _own((resilient,)))
    words = [HASH_WORDS[word] for word in str(tree.get(fields, "")).split() if word in HASH_WORDS]
    if fields or pairs:
        value = list(dict.fromkeys((*(words or ["five_tuple"]), *(["roce_dest_qp"] if pairs else []))))
        yield FoundSetting("routing.ecmp.hash", value, _own((fields or pairs,)))


def _contract(tree: Tree, rows: dict[str, _Interface], ports: tuple[FoundPort, ...]) -> Iterator[FoundSetting]:
    """Yield the classes and thresholds of the profiles that ports use, and the watchdog."""
    points = {int(point): number_of(tree[key]) or 0 for point, key in _matching(tree, _POINT).items()}
    speeds: dict[int, tuple[found_settings.Queues, Spot]] = {}
    for port in ports:
        row = rows[port.name].row
        profile = f"qos profile {row.get('service-profile', '')}"
        if port.is_up and port.speed_gbps not in speeds and (profile in tree or "qos trust" in row):
            spot = _own((profile,) if profile in tree else port.spot.steps)
            speeds[port.speed_gbps] = _queues(points, _overlay(look_up(tree, profile), row)), spot
    yield from found_settings.describe_contract(speeds)
    for each in [each for each in rows.values() if _UNMARKED in each.row][:1]:
        yield FoundSetting("lossless.mark_unmarked", True, _own((each.key, _UNMARKED)))


def _watchdog(tree: Tree) -> Iterator[FoundSetting]:
    actions = {word: action for action, word in WATCHDOG_ACTIONS.items()}
    for key, word in _WATCHDOG.items():
        value = tree.get(f"priority-flow-control pause watchdog {word}", NO)
        own = actions.get(value) if key == "action" else round(float(value) * 1000) if value != NO else None
        if own:
            yield FoundSetting(f"lossless.watchdog.{key}", own, _own((f"priority-flow-control pause watchdog {word}",)))


def _overlay(profile: Tree, row: Tree) -> Tree:
    """Return a profile with what a port sets itself, queue by queue."""
    nested = {key: {**profile[key], **row[key]} for key in profile.keys() & row if isinstance(profile[key], dict)}
    return {**profile, **row, **nested}


def _queues(points: dict[int, int], row: Tree) -> found_settings.Queues:
    paused = {int(number) for number, key in _matching(row, _PAUSED).items() if row[key] == "no-drop"}
    queues = {int(number): row[key] for number, key in _matching(row, _QUEUE).items()}
    marking = {at: _MARKING.fullmatch(str(queue.get("random-detect ecn"))) for at, queue in queues.items()}
    return found_settings.Queues(
        points,
        paused if row.get("priority-flow-control on") == YES else (),
        {at for at, queue in queues.items() if queue.get("priority strict") == YES},
        {at: number_of(queue.get("bandwidth percent")) or 0 for at, queue in queues.items()},
        {at: (int(m[1]) * _SIZES[m[2]], int(m[3]) * _SIZES[m[4]], int(m[5])) for at, m in marking.items() if m},
    )


def _matching(tree: Tree, pattern: re.Pattern[str]) -> dict[str, str]:
    """Return the commands that a pattern matches by what its group holds, without those that are negated."""
    return {found[1]: key for key, value in tree.items() if value != NO and (found := pattern.fullmatch(key))}


def _services(tree: Tree) -> Iterator[tuple[str, Any, Spot]]:
    for name, pattern in _SERVERS.items():
        found = {each: key for each, key in _matching(tree, pattern).items() if is_address(each)}
        # One line may have several name servers.
        servers = [word for each, key in found.items() for word in (each, *str(tree[key]).split())]
        yield name, servers, _own(tuple(found.values())[:1])
    yield "timezone", tree.get("clock timezone"), _own(("clock timezone",))
    yield "access.management", *_sources(tree)
    hosts = _matching(tree, _TACACS)
    key = next((str(tree[each]).rpartition(" ")[2] for each in hosts.values()), "")
    yield "tacacs", found_settings.tacacs(list(hosts), key), _own(tuple(hosts.values())[:1])
    community = next(iter(_matching(tree, _COMMUNITY).items()), ("", ""))
    texts = {word: tree.get(f"snmp-server {word}") for word in ("location", "contact")}
    yield "snmp", found_settings.snmp(community[0], texts), _own((community[1],))
    users = {name: str(tree[key]) for name, key in _matching(tree, _USER).items() if str(tree[key]).startswith(_HASH)}
    logins = [(at, tree.get(f"username {at} ssh-key"), text.removeprefix(_HASH)) for at, text in users.items()]
    yield "users", [found_settings.user(*each) for each in logins], _own(tuple(f"username {at}" for at in users)[:1])
    yield "gnmi", *_gnmi(tree)


def _sources(tree: Tree) -> tuple[list[str], Spot]:
    """Return where SSH takes connections from, and the list that says so."""
    groups = _matching(look_up(tree, "management ssh"), _ACCESS)
    lists = [key for key in tree if "access-list standard " in key and key.rpartition(" ")[2] in groups]
    found = [source for key in lists for source in _matching(look_up(tree, key), _PERMIT)]
    return found, _own(tuple(lists[:1]) or ("management ssh",))


def _gnmi(tree: Tree) -> tuple[dict[str, Any] | None, Spot]:
    """Return the gNMI server, and where it is."""
    steps = ("management api gnmi", "transport grpc default")
    server = look_up(tree, *steps)
    profile = look_up(tree, "management security", f"ssl profile {server.get('ssl profile')}")
    certificate, _, private = str(profile.get("certificate", "")).partition(" key ")
    files = (certificate, private, str(profile.get("trust certificate", "")))
    return found_settings.gnmi(number_of(server.get("port")) or _GNMI_PORT, files), _own(steps)
