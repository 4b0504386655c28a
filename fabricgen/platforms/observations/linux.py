"""Answers of a Linux system: the kernel's routes and links, its ports by ``ethtool``, the neighbors that lldpd lists.

Answers about ports by ``ethtool`` stand each under a line ``port NAME``. lldpd gives JSON of two kinds and text: json0
keeps the structure of the XML output, so an element is a list whatever its number; json names objects by what they are,
and makes an object of a list of one.

Source:
    iproute2, ip(8), option -json; Linux Documentation/ABI/testing/sysfs-class-net: speed in Mbit/s.
    ethtool 6.11 (pmachata/ethtool 891500fc59): sff-common.c, sff-common.h, qsfp.c, cmis.c, sfpdiag.c for modules;
    netlink/fec.c for FEC; ethtool(8), option -S for the statistics of a driver.
    lldpd, lldpcli(8), ``show neighbors``, and lldpctl; tests/integration/test_lldpcli.py has all three forms; Cumulus
    Linux, *Link Layer Discovery Protocol*, shows the text of a switch.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from fabricgen.platforms.observations import records
from fabricgen.platforms.observations.content import (
    MisreadError,
    as_list,
    as_map,
    as_measure,
    as_number,
    as_text,
    decode_text,
    read_document,
    read_map,
    refuse_nothing,
)
from fabricgen.platforms.observations.records import Counter, Level, Observation
from fabricgen.platforms.reading.linux_files import merge_settings, read_network, read_unit
from fabricgen.platforms.reading.reader import ReadFault, Tree

_HEAD = re.compile(r"^LLDP neighbors:[ \t\r]*$", re.MULTILINE)
_RULE = re.compile(r"^-{20,}[ \t\r]*$", re.MULTILINE)
_ENTRY = re.compile(r"^Interface:[ \t]+([^\s,]+),", re.MULTILINE)
_FIELD = re.compile(r"^ +(ChassisID|SysName|PortID|PortDescr):(.*)$", re.MULTILINE)
_PORT = re.compile(r"^port (\S+)$", re.MULTILINE)
_IDENTITY = re.compile(r"^\tIdentifier +:", re.MULTILINE)
_MEASURE = re.compile(
    r"^\t(Laser tx bias current|Laser bias current|Transmit avg optical power|Laser output power"
    r"|Rcvr signal avg optical power|Receiver signal average optical power|Receiver signal OMA"
    r"|Module temperature|Module voltage)(?: \(Channel ([0-9]{1,3})\))? +: (?:[0-9.]+ mW / )?(-?[0-9.]+|-inf)\b",
    re.MULTILINE,
)
_ALARM = re.compile(
    r"^\t(Laser bias current|Laser output power|Laser rx power|Module temperature|Module voltage) (high|low) alarm"
    r" threshold +: (?:[0-9.]+ mW / )?(-?[0-9.]+|-inf)\b",
    re.MULTILINE,
)
_QUANTITIES = {
    "Laser tx bias current": records.BIAS,
    "Laser bias current": records.BIAS,
    "Transmit avg optical power": records.TX_POWER,
    "Laser output power": records.TX_POWER,
    "Laser rx power": records.RX_POWER,
    "Rcvr signal avg optical power": records.RX_POWER,
    "Receiver signal average optical power": records.RX_POWER,
    "Receiver signal OMA": records.RX_POWER,
    "Module temperature": records.TEMPERATURE,
    "Module voltage": records.VOLTAGE,
}
_NOTHING = (0.0, float("-inf"))
_UNCORRECTED = re.compile(r"^ +uncorrectable_blocks: ([0-9]+)$", re.MULTILINE)
_MODE = re.compile(r"^Active FEC encodings?: *(\S+)", re.MULTILINE)
_MODES = {"RS": "rs", "BaseR": "fc", "Off": "none"}
_STATISTIC = re.compile(r"^ *(\S+): ([0-9]+)$", re.MULTILINE)
_BGP = ("bgp", "186")
"""BGP in the kernel's table of routing protocols, by name or by number."""
_USELESS = frozenset({"dead", "linkdown"})
_LINE = re.compile(r"/sys/class/net/([^/]+)/(operstate|mtu|speed|carrier):(.*)")


def read_neighbors(data: bytes) -> list[Observation]:
    """Return the neighbors by port; a port may have several."""
    text = decode_text(data)
    if not text.lstrip().startswith("{"):
        return list(_read_text(text))
    lldp = read_map(data).get("lldp")
    return list(_read_json(lldp) if isinstance(lldp, dict) else list_neighbors(lldp))


def list_neighbors(found: Any) -> Iterator[records.LldpNeighbor]:
    """Yield the neighbors of lldpd in the form json0."""
    for lldp in as_list(found, "lldp"):
        for item in as_list(as_map(lldp, "lldp").get("interface", []), "interface"):
            port = as_map(item, "interface")
            name = port.get("name")
            chassis, peer = _first(port.get("chassis")), _first(port.get("port"))
            yield records.LldpNeighbor(
                port=name if isinstance(name, str) else "",
                device=_value(chassis, "name"),
                peer_port=_value(peer, "id"),
                description=_value(peer, "descr"),
                chassis=_value(chassis, "id"),
            )


def _first(value: Any) -> Any:
    items = as_list(value if value is not None else [], "chassis or port")
    return as_map(items[0], "chassis or port") if items else {}


def _value(record: Any, key: str) -> str:
    """Return the text of an element; empty where it is not there."""
    element = _first(record.get(key))
    value = element.get("value", "") if element else ""
    return value if isinstance(value, str) else ""


def _read_json(lldp: Mapping[str, Any]) -> Iterator[records.LldpNeighbor]:
    found = lldp.get("interface", [])
    for item in found if isinstance(found, list) else [found]:
        for name, facts in as_map(item, "interface").items():
            parts = as_map(facts, name)
            chassis, peer = as_map(parts.get("chassis", {}), name), as_map(parts.get("port", {}), name)
            device = "" if set(chassis) & {"id", "mgmt-ip", "capability"} else next(iter(chassis), "")
            chassis = as_map(chassis[device], name) if device else chassis
            described = peer.get("descr", "")
            yield records.LldpNeighbor(
                name, device, _id_of(peer, name), described if isinstance(described, str) else "", _id_of(chassis, name)
            )


def _id_of(record: Mapping[str, Any], name: str) -> str:
    value = as_map(record.get("id", {}), f"{name} id").get("value", "")
    return value if isinstance(value, str) else ""


def _read_text(text: str) -> Iterator[records.LldpNeighbor]:
    """Yield the neighbors of a text, whose entries end with a rule; raises MisreadError if it is another or cut off."""
    head = _HEAD.search(text)
    if not head:
        raise MisreadError("it is neither JSON nor the text of lldpctl, which begins with 'LLDP neighbors:'")
    rules = [rule.start() for rule in _RULE.finditer(text, head.end())]
    for entry in _ENTRY.finditer(text, head.end()):
        after = bisect(rules, entry.end())
        if after == len(rules):
            raise MisreadError(f"it ends within the entry of {entry[1]}")
        fields: dict[str, str] = {}
        for name, value in _FIELD.findall(text, entry.end(), rules[after]):
            fields.setdefault(name, value.strip())
        chassis, port = (fields.get(key, "").partition(" ")[2] for key in ("ChassisID", "PortID"))
        yield records.LldpNeighbor(entry[1], fields.get("SysName", ""), port, fields.get("PortDescr", ""), chassis)


def split_ports(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield what an answer says of each port; raises MisreadError if it names none."""
    text = decode_text(data)
    heads = list(_PORT.finditer(text))
    if not heads:
        raise MisreadError("it has no line that names a port")
    ends = [*(head.start() for head in heads[1:]), len(text)]
    return ((head[1], text[head.end() : end]) for head, end in zip(heads, ends, strict=True))


def read_statistics(data: bytes) -> list[tuple[str, dict[str, int]]]:
    """Return names and values of ``ethtool -S`` by port, which may have none; raises MisreadError for other lines."""
    found = []
    for port, text in split_ports(data):
        values = {match[1]: as_number(match[2], f"{port} {match[1]}") for match in _STATISTIC.finditer(text)}
        if text.strip() and not values:
            raise MisreadError(f"what it has of {port} is no statistic")
        found.append((port, values))
    return found


def read_optics(data: bytes) -> list[Observation]:
    """Return what the modules of ``ethtool -m`` measure; a copper cable measures nothing."""
    ports = list(split_ports(data))
    found: list[Observation] = []
    for port, text in ports:
        if _IDENTITY.search(text):
            found += [records.Module(port), *_levels(port, text)]
    refuse_nothing(found, "module with an identity", _lack(ports, "Offset\t", "no module answers"))
    return found


def _lack(ports: Sequence[tuple[str, str]], sign: str, reason: str) -> str:
    """Return the reason why no port has something; empty where what is said of ports has no sign of their command."""
    return "" if any(text.strip() and sign not in text for _, text in ports) else reason


def _levels(port: str, text: str) -> Iterator[Level]:
    """Yield the levels of a module; a lane that neither sends nor receives, and has no bias, is none of its lanes."""
    limits = {(_QUANTITIES[hit[1]], hit[2]): as_measure(hit[3], f"{port} {hit[1]}") for hit in _ALARM.finditer(text)}
    found = []
    for match in _MEASURE.finditer(text):
        name, value = _QUANTITIES[match[1]], as_measure(match[3], f"{port} {match[1]}")
        lane = None if name in (records.TEMPERATURE, records.VOLTAGE) else int(match[2] or 1)
        found.append(Level(port, name, value, limits.get((name, "low")), limits.get((name, "high")), lane))
    lit = {level.lane for level in found if level.value not in _NOTHING}
    yield from (level for level in found if level.lane in lit)


def read_fec(data: bytes) -> list[Observation]:
    """Return the codewords of ``ethtool -I --show-fec`` that FEC could not correct."""
    ports = list(split_ports(data))
    counts = [(port, _UNCORRECTED.search(text)) for port, text in ports]
    found: list[Observation] = [
        Counter(port, records.UNCORRECTED, as_number(match[1], f"{port} uncorrectable_blocks"))
        for port, match in counts
        if match
    ]
    refuse_nothing(found, "codewords of FEC", _lack(ports, "FEC", "no port counts codewords of FEC"))
    return found


def read_fec_modes(data: bytes) -> list[Observation]:
    """Return the FEC in operation of ``ethtool --show-fec``, in words of the catalog."""
    ports = list(split_ports(data))
    modes = ((port, _MODE.search(text)) for port, text in ports)
    found: list[Observation] = [records.PortState(port, fec=_MODES.get(match[1], "")) for port, match in modes if match]
    refuse_nothing(found, "FEC in operation", _lack(ports, "FEC", "no port has its FEC in operation"))
    return found


def read_routes(data: bytes) -> list[Observation]:
    """Return the routes of BGP in ``ip -j route``, with the next hops that are alive."""
    return list(list_routes(as_list(read_document(data), "the answer")))


def list_routes(entries: Any) -> Iterator[records.InstalledRoute]:
    """Yield the routes of BGP among entries of ``ip -j route``."""
    for item in entries:
        entry = as_map(item, "route")
        prefix = as_text(entry.get("dst"), "dst")
        if str(entry.get("protocol")) not in _BGP:
            continue
        if "/" not in prefix and prefix != "default":
            prefix = f"{prefix}/{128 if ':' in prefix else 32}"
        hops = [as_map(hop, f"route {prefix}") for hop in as_list(entry.get("nexthops", [entry]), f"route {prefix}")]
        live = (hop for hop in hops if not _USELESS.intersection(as_list(hop.get("flags", []), f"route {prefix}")))
        yield records.InstalledRoute(
            prefix, tuple(as_text(hop["dev"], f"route {prefix}") for hop in live if "dev" in hop)
        )


def read_errors(data: bytes) -> list[Observation]:
    """Return the errors of each link of ``ip -j -s link``."""
    found: list[Observation] = []
    for item in as_list(read_document(data), "the answer"):
        link = as_map(item, "link")
        if not link:
            continue
        name = as_text(link.get("ifname"), "ifname")
        stats = as_map(link.get("stats64"), f"{name} stats64")
        ways = [as_map(stats.get(way), f"{name} {way}") for way in ("rx", "tx")]
        found.append(Counter(name, records.ERRORS, sum(as_number(way.get("errors"), f"{name} errors") for way in ways)))
    return found


def read_ports(data: bytes) -> list[Observation]:
    """Return the state of ports from lines ``/sys/class/net/PORT/ATTRIBUTE:VALUE``; one that is down has no speed."""
    values: dict[str, dict[str, str]] = {}
    for line in decode_text(data).splitlines():
        if match := _LINE.fullmatch(line):
            values.setdefault(match[1], {})[match[2]] = match[3].strip()
    if not values:
        raise MisreadError("it has no line of /sys/class/net")
    return [_port(name, facts) for name, facts in values.items()]


def _port(name: str, facts: Mapping[str, str]) -> records.PortState:
    speed, mtu = facts.get("speed", ""), facts.get("mtu", "")
    return records.PortState(
        port=name,
        up=facts["operstate"] == "up" if "operstate" in facts else None,
        speed_gbps=as_number(speed, f"{name} speed") / 1000 if speed and not speed.startswith("-") else None,
        mtu_bytes=as_number(mtu, f"{name} mtu") if mtu else None,
    )


def list_settings(state: str, tree: Tree, above: str = "") -> Iterator[records.ActiveSetting]:
    """Yield each value of a tree that a state reading shows, or is to show; ``above`` is the path of the tree."""
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from list_settings(state, value, f"{above}{key} > ")
        elif value is not None:
            yield records.ActiveSetting(state, f"{above}{key}", _write(value))


def _write(value: Any) -> str:
    """Return a value as text; the order of a list's items and of their keys means nothing."""
    if isinstance(value, list):
        return ", ".join(sorted(map(_write, value))) or "none"
    if isinstance(value, dict):
        return " ".join(f"{key}={_write(below)}" for key, below in sorted(value.items()))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read(state: str, read: Callable[[str], Tree], data: bytes) -> list[Observation]:
    try:
        tree = read(decode_text(data))
    except ReadFault as fault:
        raise MisreadError(str(fault)) from None
    found: list[Observation] = [*list_settings(state, tree)]
    refuse_nothing(found, "setting")
    return found


def _read_network(text: str) -> Tree:
    tree = read_network(text)
    return tree if tree.keys() == {"network"} else {}


read_sysctl: records.Reader = partial(_read, "sysctl", lambda text: merge_settings(text, "", {}))
"""Reads ``sysctl -a``: a line for each parameter, procps 4.0."""
read_netplan: records.Reader = partial(_read, "netplan", _read_network)
"""Reads ``netplan get``: YAML of all files together."""
read_units: records.Reader = partial(_read, "units", read_unit)
"""Reads ``systemctl cat``: a unit and its drop-ins, in the order in which systemd reads them."""


READERS: records.Readers = {
    "routes": read_routes,
    "routes6": read_routes,
    "lldp": read_neighbors,
    "ports": read_ports,
    "errors": read_errors,
    "fec": read_fec,
    "optics": read_optics,
}
"""Readers of what every Linux system answers, by state reading."""
