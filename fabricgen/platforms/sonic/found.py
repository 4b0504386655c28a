"""A switch as its config_db.json and frr.conf describe it, for imports."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from fabricgen.platforms.families.vtysh.found import find_routing
from fabricgen.platforms.found import FoundPort, FoundSetting, FoundSwitch, Spot, Trees, secret_reference
from fabricgen.platforms.found_links import is_address, is_interface
from fabricgen.platforms.reading.reader import Tree, look_up, number_of

FILE = "etc/sonic/config_db.json"
_METADATA = ("DEVICE_METADATA", "localhost")
_RELEASE = re.compile(r"version_([0-9]{6}|master)")
_LENGTH = re.compile(r"([0-9]+)m")
_LOOPBACK = "Loopback0"
_SERVER_LISTS = {"ntp": "NTP_SERVER", "syslog": "SYSLOG_SERVER", "dns": "DNS_NAMESERVER"}
_WATCHDOG = {"action": "action", "detection_ms": "detection_time", "restoration_ms": "restoration_time"}
_MARKS = {
    "kmin_bytes": "green_min_threshold",
    "kmax_bytes": "green_max_threshold",
    "pmax_pct": "green_drop_probability",
}
_CERTIFICATES = ("server_crt", "server_key", "ca_crt")
_TCP_PORT = 8080


def find_switch(name: str, trees: Trees, routing: str) -> FoundSwitch | None:
    """Return a switch; None without a config_db.json. ``routing`` is the path of frr.conf."""
    tree = trees.get(FILE)
    if tree is None:
        return None
    metadata = look_up(tree, *_METADATA)
    bgp = find_routing(routing, trees.get(routing, {}))
    version = str(look_up(tree, "VERSIONS", "DATABASE").get("VERSION", ""))
    release = _RELEASE.match(version)
    management = next((key for key in look_up(tree, "MGMT_INTERFACE") if "|" in key), "")
    own = partial(Spot, FILE)
    loopbacks = [key for key in look_up(tree, "LOOPBACK_INTERFACE") if key.startswith(f"{_LOOPBACK}|")]
    router = Spot(routing, ("router bgp",))
    return FoundSwitch(
        name,
        "sonic",
        {
            "model": own((*_METADATA, "platform")),
            "release": own(("VERSIONS", "DATABASE", "VERSION")),
            "loopbacks": own(("LOOPBACK_INTERFACE", *loopbacks[:1])),
            "management": own(("MGMT_INTERFACE", management)),
            "asn": router if bgp.asn else own((*_METADATA, "bgp_asn")),
            "router_id": router if bgp.router_id else own((*_METADATA, "bgp_router_id")),
        },
        model=str(metadata.get("platform", "")),
        sku=str(metadata.get("hwsku", "")),
        release=release[1] if release else "",
        loopbacks=tuple(sorted((_address(key) for key in loopbacks), key=lambda text: ":" in text)),
        router_id=bgp.router_id or str(metadata.get("bgp_router_id", "")),
        asn=bgp.asn or number_of(metadata.get("bgp_asn")) or 0,
        management=management.partition("|")[2],
        gateway=str(look_up(tree, "MGMT_INTERFACE", management).get("gwaddr", "")),
        prefixes=bgp.prefixes | frozenset(_sources(tree, "FABRIC")),
        ports=tuple(sorted(_ports(tree), key=lambda port: port.order)),
        sessions=bgp.sessions,
        prefix_limit=bgp.prefix_limit,
        settings=(*bgp.settings, *_settings(tree)),
    )


def _address(key: str) -> str:
    return key.partition("|")[2].partition("/")[0]


def _ports(tree: Tree) -> Iterator[FoundPort]:
    addresses: dict[str, list[str]] = {}
    bonds = {key.partition("|")[2]: key.partition("|")[0] for key in look_up(tree, "PORTCHANNEL_MEMBER")}
    for table in ("INTERFACE", "PORTCHANNEL_INTERFACE"):
        for key in look_up(tree, table):
            if is_interface(key.partition("|")[2]):
                addresses.setdefault(key.partition("|")[0], []).append(key.partition("|")[2])
    modes = {port: str(row.get("brkout_mode", "")) for port, row in look_up(tree, "BREAKOUT_CFG").items()}
    rows = look_up(tree, "PORT")
    by_cage = {rows[port].get("index"): mode for port, mode in modes.items() if port in rows}
    lengths: Tree = next(iter(look_up(tree, "CABLE_LENGTH").values()), {})
    for name, row in rows.items():
        cage = str(row.get("index", ""))
        neighbor = look_up(tree, "DEVICE_NEIGHBOR", name)
        described = str(row.get("description", "")).partition(":")
        length = _LENGTH.fullmatch(str(lengths.get(name, "")))
        yield FoundPort(
            name,
            Spot(FILE, ("PORT", name)),
            (number_of(cage) or 0, number_of(row.get("subport")) or _first_lane(row)),
            row.get("admin_status") == "up",
            (number_of(row.get("speed")) or 0) // 1000,
            by_cage.get(row.get("index"), ""),
            str(row.get("fec", "")),
            number_of(row.get("mtu")) or 0,
            tuple(addresses.get(bonds.get(name, name), ())),
            str(row.get("description", "")),
            (str(neighbor.get("name", described[0])), str(neighbor.get("port", described[2]))),
            int(length[1]) if length else 0,
            bonds.get(name, ""),
        )


def _first_lane(row: Tree) -> int:
    return number_of(str(row.get("lanes", "")).partition(",")[0]) or 0


def _sources(tree: Tree, tables: str) -> Iterator[str]:
    """Yield the sources that control-plane ACLs accept, of tables whose names begin so."""
    for key, rule in look_up(tree, "ACL_RULE").items():
        source = rule.get("SRC_IP") or rule.get("SRC_IPV6")
        if key.startswith(tables) and rule.get("PACKET_ACTION") == "ACCEPT" and source:
            yield str(source)


def _settings(tree: Tree) -> Iterator[FoundSetting]:
    """Yield the settings of CONFIG_DB by the functions that read parts of it; empty ones are none."""
    parts: Iterable[tuple[Callable[[Tree], Any], str, tuple[str, ...]]] = (
        *((partial(_list_rows, table), f"operations.{key}", (table,)) for key, table in _SERVER_LISTS.items()),
        (lambda tree: look_up(tree, *_METADATA).get("timezone"), "operations.timezone", (*_METADATA, "timezone")),
        (lambda tree: list(dict.fromkeys(_sources(tree, "ACCESS_SSH"))), "operations.access.management", ("ACL_RULE",)),
        (_find_tacacs, "operations.tacacs", ("TACPLUS_SERVER",)),
        (_find_snmp, "operations.snmp", ("SNMP_COMMUNITY",)),
        (_find_gnmi, "operations.gnmi", ("GNMI",)),
        (_find_sflow, "operations.sflow", ("SFLOW_COLLECTOR",)),
        (_find_classes, "lossless.classes", ("SCHEDULER",)),
    )
    for read, key, steps in parts:
        if value := read(tree):
            yield FoundSetting(key, value, Spot(FILE, steps))
    if not any(row.get("type") == "CTRLPLANE" for row in look_up(tree, "ACL_TABLE").values()):
        yield FoundSetting("operations.access.acl", False, Spot(FILE, ("ACL_TABLE",)))
    for port, row in list(look_up(tree, "PFC_WD").items()):
        if port != "GLOBAL":
            for key, field in _WATCHDOG.items():
                value = row.get(field)
                value = value if key == "action" else number_of(value)
                yield FoundSetting(f"lossless.watchdog.{key}", value, Spot(FILE, ("PFC_WD", port, field)))
            break
    yield from _find_marking(tree)


def _list_rows(table: str, tree: Tree) -> list[str]:
    return list(filter(is_address, look_up(tree, table)))


def _find_tacacs(tree: Tree) -> dict[str, Any] | None:
    rows = look_up(tree, "TACPLUS_SERVER")
    servers = sorted(rows, key=lambda server: -(number_of(rows[server].get("priority")) or 0))
    key = secret_reference(str(look_up(tree, "TACPLUS", "global").get("passkey", "")))
    return {"servers": servers, "key": key} if servers else None


def _find_snmp(tree: Tree) -> dict[str, Any] | None:
    for community in look_up(tree, "SNMP_COMMUNITY"):
        texts = {word: look_up(tree, "SNMP", word.upper()).get(word.title()) for word in ("location", "contact")}
        return {"community": secret_reference(community), **{word: text for word, text in texts.items() if text}}
    return None


def _find_gnmi(tree: Tree) -> dict[str, Any] | None:
    certificates = look_up(tree, "GNMI", "certs")
    if not all(key in certificates for key in _CERTIFICATES):
        return None
    port = number_of(look_up(tree, "GNMI", "gnmi").get("port")) or _TCP_PORT
    found: dict[str, Any] = {"port": port} if port != _TCP_PORT else {}
    clients = list(look_up(tree, "GNMI_CLIENT_CERT"))
    return found | {key: certificates[key] for key in _CERTIFICATES} | ({"clients": clients} if clients else {})


def _find_sflow(tree: Tree) -> dict[str, Any] | None:
    collectors = [row.get("collector_ip") for row in look_up(tree, "SFLOW_COLLECTOR").values()]
    rates = [number_of(row.get("sample_rate")) for row in look_up(tree, "SFLOW_SESSION").values()]
    rate = next(filter(None, rates), None)
    return {"collector": collectors[0], "sampling_rate": rate} if collectors and rate else None


def _find_classes(tree: Tree) -> dict[str, dict[str, Any]] | None:
    """Return the classes by name, as most ports have them: queues, code points, scheduling, PFC."""
    schedulers = look_up(tree, "SCHEDULER")
    used = Counter(
        (number_of(key.rpartition("|")[2]), str(row.get("scheduler", "")))
        for key, row in look_up(tree, "QUEUE").items()
    )
    paused = Counter(row.get("pfc_enable") for row in look_up(tree, "PORT_QOS_MAP").values() if "pfc_enable" in row)
    lossless = set(paused.most_common(1)[0][0].split(",")) if paused else set()
    points: Tree = next(iter(look_up(tree, "DSCP_TO_TC_MAP").values()), {})
    common = Counter(points.values()).most_common(1)
    found = {}
    for (queue, scheduler), _ in sorted(used.items(), key=lambda item: (item[0][0] is None, item[0])):
        name = scheduler.removeprefix("scheduler.")
        if queue is not None and name != scheduler and scheduler in schedulers:
            takes_rest = bool(common) and common[0][0] == str(queue)
            dscp = [] if takes_rest else sorted(int(point) for point, tc in points.items() if tc == str(queue))
            found[name] = _class(queue, dscp, schedulers[scheduler], lossless=str(queue) in lossless)
    return found


def _class(priority: int, dscp: list[int], scheduler: Mapping[str, str], *, lossless: bool) -> dict[str, Any]:
    strict = scheduler.get("type") == "STRICT"
    weight = {} if strict else {"weight_pct": number_of(scheduler.get("weight"))}
    flags = {key: True for key, on in (("lossless", lossless), ("strict", strict)) if on}
    return {**({"dscp": dscp} if dscp else {}), "priority": priority, **flags, **weight}


def _find_marking(tree: Tree) -> Iterator[FoundSetting]:
    """Yield the thresholds of each speed, by the first port of it that marks."""
    speeds: dict[int, str] = {}
    ports, profiles = look_up(tree, "PORT"), look_up(tree, "WRED_PROFILE")
    for key, row in look_up(tree, "QUEUE").items():
        profile = str(row.get("wred_profile", ""))
        if profile in profiles:
            speeds.setdefault((number_of(look_up(ports, key.partition("|")[0]).get("speed")) or 0) // 1000, profile)
    for speed, profile in speeds.items():
        values = {key: number_of(profiles[profile].get(field)) for key, field in _MARKS.items()}
        if None not in values.values():
            yield FoundSetting(f"lossless.ecn.{speed}G", values, Spot(FILE, ("WRED_PROFILE", profile)))
