"""The first draft of an intent: the keys that a shape decides, and the pools that addresses come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from ipaddress import ip_interface, ip_network
from typing import Any

from fabricgen.diagnostics import Bag, IntentPath
from fabricgen.diagnostics.words import counted
from fabricgen.inference import inference_codes as codes
from fabricgen.inference.cabling import End, Locate
from fabricgen.inference.shape import ROLES, FoundShape, ImportOptions, most, multiplicity, ports_of_links, ports_up
from fabricgen.platforms.found import FoundSwitch

Tree = dict[str, Any]
FindModel = Callable[[FoundSwitch], str]
"""Gives the model of the catalog for the board of a switch; empty if there is none."""
_SERVERS = {4: "gb200_tray_4", 8: "dgx_h100_8"}
_NICS = {200: "connectx7_2x200g", 400: "connectx7_400g", 800: "connectx8_800g"}
_MMF_MAX_M = 100
_LENGTH_M = {True: 30, False: 50}
"""Length of cables, metres, where files do not say it: to hosts, and between switches."""
_WIDER_MAX = 16
"""Bits by which a pool is widened at most."""
_POOLS = {"loopbacks": "10.255.0.0/16", "fabric_links": "10.0.0.0/10", "host_links": "172.16.0.0/12"}
_MANAGEMENT = "192.168.0.0/16"


def write_draft(
    shape: FoundShape, asked: ImportOptions, find_model: FindModel, locate: Locate, bag: Bag
) -> Tree | None:
    """Return the intent of a shape without what would be a default; None where a model is not known."""
    hosts = _hosts(shape, asked, bag)
    tiers = [_tier(shape, number, asked, find_model, locate, bag) for number in range(len(shape.cabling.tiers))]
    if hosts is None or any(tier is None for tier in tiers):
        return None
    pods = max(1, shape.pods)
    lowers = ("host", *ROLES)
    intent: Tree = {
        "fabric": asked.fabric,
        "hosts": hosts,
        "units": (max(shape.unit.values()) + 1) // pods,
        "pods": pods if pods > 1 else None,
        "planes": {"count": shape.planes, "host": "separate"} if shape.planes > 1 else None,
        "attachment": _attachment(shape),
        "tiers": dict(zip(ROLES, tiers, strict=False)),
        "links": {f"{lowers[at]}-{ROLES[at]}": _links(shape, at - 1) for at in range(len(tiers))},
        "addressing": _addressing(shape) | _management(shape),
        "routing": _routing(shape),
    }
    return {key: value for key, value in intent.items() if value not in (None, {})}


def _hosts(shape: FoundShape, asked: ImportOptions, bag: Bag) -> Tree | None:
    """Return the hosts, whose server and NIC are assumed where nothing is asked for."""
    speed = most((port.speed_gbps for port in ports_up(shape.cabling, -1)), 0)
    server, nic = asked.server or _SERVERS.get(shape.rails_of_host, ""), asked.nic or _NICS.get(speed, "")
    words = f"{counted(shape.rails_of_host, 'rail')} of {speed}G"
    if not server or not nic:
        message = f"no server and NIC of the catalog are assumed for hosts with {words}"
        bag.add(codes.NO_MODEL, message, hint="give --server and --nic")
        return None
    if not (asked.server and asked.nic):
        bag.add(codes.ASSUMED, f"hosts are {server} with {nic}: {words}")
    return {"server": server, "nic": nic, "per_unit": shape.per_unit}


def _attachment(shape: FoundShape) -> Tree:
    if shape.rails_per_leaf == shape.rails_of_host:
        return {"group": "host"}
    return {"rails_per_leaf": shape.rails_per_leaf} if shape.rails_per_leaf > 1 else {}


_KIND = ("platform", "model", "release")


def _tier(
    shape: FoundShape, number: int, asked: ImportOptions, find_model: FindModel, locate: Locate, bag: Bag
) -> Tree | None:
    """Return the keys of a tier, those of most of its switches; others are reported."""
    usual = _find_usual([shape.cabling.switches[name] for name in shape.cabling.tiers[number]], locate, bag)
    model = find_model(usual) or asked.switch
    if not model:
        words = f"no catalog has board {usual.model!r}" if usual.model else f"files of {usual.platform} name no board"
        place = locate(usual.name, usual.spots["model"]) if "model" in usual.spots else None
        bag.add(codes.NO_MODEL, f"{usual.name}: {words}", place=place, device=usual.name)
        return None
    per = {"per": "pod"} if shape.pods and number == 1 else {}
    return {"model": model, "platform": usual.platform} | (per | {"count": shape.counts[number - 1]} if number else {})


def _find_usual(switches: Sequence[FoundSwitch], locate: Locate, bag: Bag) -> FoundSwitch:
    """Return a switch that is as most are, and report the others."""
    kinds = {each.name: tuple(getattr(each, name) for name in _KIND) for each in switches}
    kind = most(kinds.values(), ())
    for each in switches:
        differing = [at for at, value in enumerate(kinds[each.name]) if value != kind[at]]
        for at in differing[:1]:
            words = f"{_KIND[at]} {kinds[each.name][at] or 'unknown'}, most of its tier {kind[at]}"
            place = locate(each.name, each.spots[_KIND[at]]) if _KIND[at] in each.spots else None
            bag.add(codes.UNLIKE, f"{each.name} has {words}", place=place, device=each.name)
    return next(each for each in switches if kinds[each.name] == kind)


def _routing(shape: FoundShape) -> Tree:
    """Return that hosts have sessions, where leafs have some with what is no switch."""
    switches = shape.cabling.switches
    numbers = {switch.asn for switch in switches.values()}
    asked = {session.asn for name in shape.cabling.tiers[0] for session in switches[name].sessions if session.asn}
    return {"hosts": "bgp"} if asked - numbers else {}


def _links(shape: FoundShape, tier: int) -> Tree:
    """Return the keys of the links between a tier and the one above; -1 is that of hosts."""
    ports = ports_of_links(shape.cabling, tier)
    speed, mtu = (most((getattr(port, name) for port in ports), 0) for name in ("speed_gbps", "mtu"))
    length = most((port.cable_m for port in ports if port.cable_m), 0) or _LENGTH_M[tier < 0]
    links: Tree = {"speed": f"{speed}G"}
    if tier >= 0:
        per_pair, stripe = multiplicity(shape.cabling, tier), shape.stripes[tier]
        links |= {"pattern": {"stripe": stripe}} if stripe != "mesh" else {}
        links |= {"per_pair": per_pair} if per_pair > 1 else {}
    links |= {"mtu": mtu} if mtu not in (0, 9100) else {}
    return links | {"cable": cable_of(length, max(port.cable_m for port in ports))}


def cable_of(length_m: float, longest_m: float = 0) -> Tree:
    """Return the key of a cable; files of switches do not name the medium."""
    media = "mmf" if max(length_m, longest_m) <= _MMF_MAX_M else "smf"
    return {"media": media, "length_m": length_m}


def _addressing(shape: FoundShape) -> Tree:
    """Return the pools that are not the default ones; their families where they are not IPv4 alone."""
    prefixes = frozenset[str]().union(*(switch.prefixes for switch in shape.cabling.switches.values()))
    pools: Tree = {name: find_pools(addresses, prefixes) for name, addresses in _used_addresses(shape).items()}
    families = sorted({family for found in pools.values() for family in found})
    if shape.cabling.peers and not pools["fabric_links"]:
        pools["fabric_links"] = "unnumbered"
    found: Tree = {} if families == ["ipv4"] else {"families": families}
    for name, pool in pools.items():
        if pool and pool != {"ipv4": _POOLS[name]}:
            found[name] = pool if len(pool) > 1 else next(iter(pool.values()))
    return found


def _used_addresses(shape: FoundShape) -> dict[str, list[str]]:
    """Return the addresses of each pool."""
    switches, peers = shape.cabling.switches.values(), shape.cabling.peers
    ends = [(End(switch.name, port.name), port) for switch in switches for port in switch.ports]
    return {
        "loopbacks": [address for switch in switches for address in switch.loopbacks],
        "fabric_links": [address for end, port in ends if end in peers for address in port.addresses],
        "host_links": [address for port in ports_up(shape.cabling, -1) for address in port.addresses],
    }


def find_pools(addresses: Iterable[str], prefixes: Iterable[str]) -> dict[str, str]:
    """Return the pool of some addresses by family: the smallest named prefix, else the smallest network of all."""
    found = {}
    for version, family in ((4, "ipv4"), (6, "ipv6")):
        own = [ip for each in addresses if (ip := ip_interface(each).ip).version == version]
        if not own:
            continue
        low, high = min(own), max(own)
        named = [
            net for text in prefixes if (net := ip_network(text)).version == version and low in net and high in net
        ]
        found[family] = str(max(named, key=lambda net: net.prefixlen) if named else _common(low, high))
    return found


def widen_pools(intent: Tree, list_small: Callable[[Tree], Sequence[IntentPath]]) -> None:
    """Widen pools that hold what was read but not what counts may grow to; each keeps its first address."""
    for _ in range(_WIDER_MAX):
        for path in list_small(intent):
            pools = intent.get("addressing", {}).get(path[1])
            text = str(pools.get(path[2]) if isinstance(pools, dict) else pools)
            wider = ip_network(text).supernet() if "/" in text else None
            if wider is None or str(wider.network_address) != text.partition("/")[0]:
                return
            intent["addressing"][path[1]] = {**pools, path[2]: str(wider)} if isinstance(pools, dict) else str(wider)


def _common(low: Any, high: Any) -> Any:
    """Return the smallest network with two addresses."""
    bits = (int(low) ^ int(high)).bit_length()
    return ip_network((int(low) >> bits << bits, low.max_prefixlen - bits))


def _management(shape: FoundShape) -> Tree:
    """Return the key of the management pool; nothing where it is the default."""
    switches = shape.cabling.switches.values()
    pool = most((str(ip_interface(each.management).network) for each in switches if each.management), _MANAGEMENT)
    gateway = most((each.gateway for each in switches if each.gateway), "")
    network = ip_network(pool)
    word = {str(network[1]): "first", str(network[-2]): "last"}.get(gateway, gateway)
    if word in ("", "first"):
        return {"management": pool} if pool != _MANAGEMENT else {}
    return {"management": {"pool": pool, "gateway": word}}
