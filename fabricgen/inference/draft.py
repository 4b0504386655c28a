"""The first draft of an intent: the keys that a shape decides, and the pools that addresses come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
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
REASON = "imported"
_SERVERS = {4: "gb200_tray_4", 8: "dgx_h100_8"}
_NICS = {200: "connectx7_2x200g", 400: "connectx7_400g", 800: "connectx8_800g"}
_MMF_MAX_M = 100
_LENGTH_M = {True: 30, False: 50}
"""Length of cables, metres, where files do not say it: to hosts, and between switches."""
_WIDER_MAX = 16
"""Bits by which a pool is widened at most."""
_SAMPLE = 500
"""Addresses that are looked for in each prefix that lists name."""
_POOLS = {"loopbacks": "10.255.0.0/16", "fabric_links": "10.0.0.0/10", "host_links": "172.16.0.0/12"}
_MANAGEMENT = "192.168.0.0/16"


def write_draft(
    shape: FoundShape, asked: ImportOptions, find_model: FindModel, locate: Locate, bag: Bag
) -> Tree | None:
    """Return the intent of a shape without what would be a default; None where a model is not known."""
    hosts = _hosts(shape, asked, bag)
    tiers, unlike = _tiers(shape, asked, find_model, locate, bag)
    if hosts is None or not tiers:
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
        "tiers": tiers,
        "links": {f"{lowers[at]}-{ROLES[at]}": _links(shape, at - 1) for at in range(len(tiers))},
        "addressing": _addressing(shape) | _management(shape),
        "routing": _routing(shape),
        "exceptions": unlike,
    }
    return {key: value for key, value in intent.items() if value not in (None, {}, [])}


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


def _tiers(
    shape: FoundShape, asked: ImportOptions, find_model: FindModel, locate: Locate, bag: Bag
) -> tuple[Tree, list[Tree]]:
    """Return the tiers as most of their switches are, and exceptions for the others; none without a model."""
    switches = shape.cabling.switches
    boxes = {name: _box(each, find_model(each) or asked.switch) for name, each in switches.items()}
    unknown = next((name for name, box in boxes.items() if not box["model"]), None)
    if unknown is not None:
        _report_unknown(switches[unknown], locate, bag)
        return {}, []
    tiers: Tree = {}
    unlike = []
    for number, names in enumerate(shape.cabling.tiers):
        usual = most((tuple(boxes[name].items()) for name in names), ())
        tiers[ROLES[number]] = {key: value for key, value in usual if key != "release"} | _counted(shape, number)
        unlike += [_exception(name, boxes[name], dict(usual)) for name in names]
    return tiers, [each for each in unlike if each["set"]]


def _counted(shape: FoundShape, number: int) -> Tree:
    """Return the scope and the count of an upper tier; nothing of leafs, which the attachment places."""
    per = {"per": "pod"} if shape.pods and number == 1 else {}
    return {**per, "count": shape.counts[number - 1]} if number else {}


def _exception(name: str, box: Mapping[str, str], usual: Mapping[str, str]) -> Tree:
    own = {key: value for key, value in box.items() if value and value != usual[key]}
    return {"device": name, "set": own, "reason": REASON}


def _report_unknown(switch: FoundSwitch, locate: Locate, bag: Bag) -> None:
    board = f"no catalog has board {switch.model!r}" if switch.model else f"files of {switch.platform} name no board"
    place = locate(switch.name, switch.spots["model"]) if "model" in switch.spots else None
    bag.add(codes.NO_MODEL, f"{switch.name}: {board}", place=place, device=switch.name)


def _box(switch: FoundSwitch, model: str) -> dict[str, str]:
    return {"model": model, "platform": switch.platform, "release": switch.release}


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
    lengths = [port.cable_m for port in ports if port.cable_m]
    length = most(lengths, 0) or _LENGTH_M[tier < 0]
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
    """Return the pool of most of some addresses by family: a prefix that lists name, else their smallest network."""
    found = {}
    for version, family in ((4, "ipv4"), (6, "ipv6")):
        own = sorted(ip for each in addresses if (ip := ip_interface(each).ip).version == version)
        if not own:
            continue
        sample = own[:: max(1, len(own) // _SAMPLE)]
        named = {
            net: sum(ip in net for ip in sample) for text in prefixes if (net := ip_network(text)).version == version
        }
        best = max(named, key=lambda net: (named[net], net.prefixlen), default=None)
        if best is None or 2 * named[best] < len(sample):
            area = most((int(ip) >> (16 if version == 4 else 80) for ip in own), 0)
            own = [ip for ip in own if int(ip) >> (16 if version == 4 else 80) == area]
            best = _common(own[0], own[-1])
        found[family] = str(best)
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
