"""SONiC: config_db.json and the frr.conf beside it → neutral facts."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..facts import Bond, Device, Interface, Qos, Route, Sampling, address
from ..policy import prefix
from ..text import strict_json
from ..text.frr import adopt_frr
from ..tree import Files, Reader

CONFIG_DB = "etc/sonic/config_db.json"
MANAGEMENT = "eth0"
FRR = "etc/sonic/frr/frr.conf"
OWN_FRR_MODES = ("split", "split-unified")
"""Modes of ``docker_routing_config_mode`` in which the device runs the frr.conf it is given."""

MARKING = ("ecn_all", "ecn_green", "ecn_green_yellow", "ecn_green_red")

Table = dict[str, dict[str, Any]]


def numbers(text: str) -> frozenset[int]:
    """Numbers of ``3``, ``3,4`` or ``0-2``."""
    found: set[int] = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return frozenset(found)


def per_port(table: Table) -> dict[str, dict[int, dict[str, Any]]]:
    """Rows ``Ethernet0,Ethernet4|0-2`` as port, then number."""
    found: dict[str, dict[int, dict[str, Any]]] = {}
    for key, row in table.items():
        ports, _, index = key.rpartition("|")
        for port in ports.split(","):
            rows = found.setdefault(port, {})
            for number in numbers(index):
                rows[number] = row
    return found


class _Ports:
    """Ports, their addresses, neighbours and treatment of traffic."""

    def __init__(self, db: dict[str, Table], device: Device) -> None:
        self.db, self.device = db, device
        self.queues = per_port(db.get("QUEUE", {}))
        self.groups = per_port(db.get("BUFFER_PG", {}))
        self.maps: dict[tuple[str, str], dict[int, int]] = {}
        watchdog = db.get("PFC_WD", {})
        self.poll_ms = int(watchdog.get("GLOBAL", {}).get("POLL_INTERVAL", 0))
        self.watchdog = {k: v for k, v in watchdog.items() if k != "GLOBAL"}

    def read(self) -> None:
        neighbors = self.db.get("DEVICE_NEIGHBOR", {})
        for name, row in self.db.get("PORT", {}).items():
            neighbor = neighbors.get(name)
            self.device.interfaces[name] = Interface(
                name,
                mtu=int(row.get("mtu", 9100)),
                speed_gbps=int(row["speed"]) // 1000,
                fec=row.get("fec", "none"),
                autoneg=row.get("autoneg", ""),
                up=row.get("admin_status", "down") == "up",
                description=row.get("description", ""),
                neighbor=(neighbor["name"], neighbor["port"]) if neighbor else None,
                qos=self.qos(name),
            )
        for name in sorted(neighbors.keys() - self.device.interfaces.keys()):
            self.device.say(f"{name}: DEVICE_NEIGHBOR names a port that PORT does not have")
        self.addresses()
        self.bonds()
        self.judge_poll()

    def judge_poll(self) -> None:
        """Say where one process cannot poll all ports in time, or polls more seldom than its times ask for.

        Source:
            sonic-net/sonic-utilities pfcwd/main.py start_default: 200 ms for every 32 rows of PORT begun, 1000 at most.
        """
        times = [int(row[key]) for row in self.watchdog.values() for key in ("detection_time", "restoration_time")]
        needed = min(1000, -(-len(self.device.interfaces) // 32) * 200, *times)
        if self.poll_ms and times and not needed <= self.poll_ms <= min(times):
            self.device.say(f"PFC_WD: polls every {self.poll_ms} ms; ports and times allow {needed} to {min(times)}")

    def addresses(self) -> None:
        for key, row in self.db.get("INTERFACE", {}).items():
            name, _, text = key.partition("|")
            if not text and name in self.device.interfaces:
                self.device.interfaces[name].link_local |= row.get("ipv6_use_link_local_only") == "enable"
            if not text:
                continue
            if name not in self.device.interfaces:
                self.device.say(f"{name}: has address {text} but PORT does not have it")
                continue
            self.device.interfaces[name].addresses.append(address(text))
            self.device.interfaces[name].link_local |= ":" in text

    def bonds(self) -> None:
        """Port channels: teamd sends the device's MAC address as LACP system id, the ASIC routes what is sent to it."""
        addressed = self.db.get("PORTCHANNEL_INTERFACE", {})
        members = [key.partition("|")[::2] for key in self.db.get("PORTCHANNEL_MEMBER", {})]
        for name, row in self.db.get("PORTCHANNEL", {}).items():
            addresses = [address(key.partition("|")[2]) for key in addressed if key.startswith(f"{name}|")]
            own = [port for channel, port in members if channel == name and port in self.device.interfaces]
            key = row.get("lacp_key", "0")
            self.device.bonds[name] = Bond(
                name,
                own,
                addresses=addresses,
                key=int(key) if key != "auto" else int(name.removeprefix("PortChannel")),
                system_id=row.get("system_mac", ""),
                gateways=frozenset(each.text for each in addresses),
                gateway_mac=addressed.get(name, {}).get("mac_addr", ""),
                is_routed=True,
                is_fast=row.get("fast_rate") == "true",
                description=row.get("description", ""),
            )
            for port in own:
                interface = self.device.interfaces[port]
                interface.bond, interface.mtu = name, int(row.get("mtu", 9100))
                if interface.addresses:
                    self.device.say(f"{port}: is in {name} and has addresses of its own")
        for channel, port in members:
            if channel not in self.device.bonds or port not in self.device.bonds[channel].members:
                self.device.say(f"PORTCHANNEL_MEMBER: {channel}|{port} names what is not there")

    def qos(self, port: str) -> Qos:
        """Everything that the tables say about traffic on a port."""
        row = {**self.db.get("PORT_QOS_MAP", {}).get("global", {}), **self.db.get("PORT_QOS_MAP", {}).get(port, {})}
        named = partial(self.number_map, row)
        queues = self.queues.get(port, {})
        timers = self.watchdog.get(port)
        watched = numbers(row.get("pfcwd_sw_enable", "")) if timers and self.poll_ms else frozenset[int]()
        return Qos(
            dscp_to_tc=named("dscp_to_tc_map", "DSCP_TO_TC_MAP"),
            tc_to_queue=named("tc_to_queue_map", "TC_TO_QUEUE_MAP"),
            tc_to_pg=named("tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP"),
            pfc_to_queue=named("pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE"),
            scheduler={n: self.schedule(q["scheduler"]) for n, q in queues.items() if "scheduler" in q},
            pfc=numbers(row.get("pfc_enable", "")),
            headroom=frozenset(n for n, pg in self.groups.get(port, {}).items() if self.has_headroom(pg)),
            watchdog=watched,
            watchdog_timers=tuple(timers.get(k, "") for k in ("detection_time", "restoration_time", "action"))
            if timers
            else (),
            ecn={n: mark for n, q in queues.items() if (mark := self.marking(q.get("wred_profile", "")))},
        )

    def number_map(self, row: dict[str, Any], column: str, table: str) -> dict[int, int]:
        """The map of numbers that a port's row names; one object for all ports that name it."""
        name = row.get(column, "")
        key = (table, name)
        if key not in self.maps:
            self.maps[key] = {int(k): int(v) for k, v in self.db.get(table, {}).get(name, {}).items()}
        return self.maps[key]

    def schedule(self, name: str) -> int | str:
        """``strict`` or the weight of a scheduler."""
        row = self.db.get("SCHEDULER", {}).get(name, {})
        return "strict" if row.get("type") == "STRICT" else int(row.get("weight", 0))

    def has_headroom(self, group: dict[str, Any]) -> bool:
        """Return whether a priority group keeps what arrives after XOFF."""
        name = group.get("profile", "")
        return name == "NULL" or int(self.db.get("BUFFER_PROFILE", {}).get(name, {}).get("xoff", 0)) > 0

    def marking(self, name: str) -> tuple[int, int, int] | None:
        """Thresholds of an ECN profile that really marks, or None."""
        row = self.db.get("WRED_PROFILE", {}).get(name, {})
        if row.get("ecn") not in MARKING or row.get("wred_green_enable") != "true":
            return None
        return (
            int(row["green_min_threshold"]),
            int(row["green_max_threshold"]),
            int(row.get("green_drop_probability", 100)),
        )


def _read_identity(db: dict[str, Table], device: Device) -> None:
    """Loopback and management addresses, hash, static routes."""
    for key in db.get("LOOPBACK_INTERFACE", {}):
        if "|" in key:
            device.loopbacks.append(address(key.partition("|")[2]))
    for key, row in db.get("MGMT_INTERFACE", {}).items():
        if "|" in key:
            device.management.append(address(key.partition("|")[2]))
            device.management_gateway = row.get("gwaddr", "")
    row = db.get("SWITCH_HASH", {}).get("GLOBAL", {})
    device.hash_identity = row.get("ecmp_hash_algorithm", "")
    for key, row in db.get("STATIC_ROUTE", {}).items():
        vrf, _, target = key.rpartition("|")
        if vrf in ("", "default"):
            discard = row.get("blackhole") == "true"
            device.routes.append(Route(prefix(target), "" if discard else row.get("nexthop", "?")))


def _read_sampling(db: dict[str, Table], device: Device) -> None:
    """Samples: where they go and come from, and the ports at which they are taken."""
    sessions = {port: row for port, row in db.get("SFLOW_SESSION", {}).items() if row.get("admin_state") == "up"}
    collectors = list(db.get("SFLOW_COLLECTOR", {}).values())
    if not sessions and not collectors:
        return
    about = db.get("SFLOW", {}).get("global", {})
    for table, runs in (
        ("FEATURE", db.get("FEATURE", {}).get("sflow", {}).get("state") == "enabled"),
        ("SFLOW", about.get("admin_state") == "up"),
    ):
        if not runs:
            device.say(f"{table}: sFlow does not run, samples go nowhere")
    if len(collectors) != 1:
        device.say(f"SFLOW_COLLECTOR: {len(collectors)} collectors")
    found = device.sampling = Sampling(collectors[0].get("collector_ip", "") if collectors else "")
    if about.get("agent_id") == MANAGEMENT and device.management:
        found.agent = device.management[0].text
    if collectors and (collectors[0].get("collector_vrf") == "mgmt") != (about.get("agent_id") == MANAGEMENT):
        device.say("SFLOW_COLLECTOR: samples do not leave by the interface whose address they have")
    everywhere = sessions.pop("all", None)
    rows = {**(dict.fromkeys(device.interfaces, everywhere) if everywhere else {}), **sessions}
    found.rates = {port: int(row.get("sample_rate", 0)) for port, row in rows.items()}


def _read_routing(db: dict[str, Table], text: str | None, device: Device) -> None:
    """BGP from frr.conf, and that config_db.json agrees with it."""
    meta = db.get("DEVICE_METADATA", {}).get("localhost", {})
    if meta.get("hostname") != device.name:
        device.say(f"config_db.json: hostname is {meta.get('hostname')}")
    if meta.get("docker_routing_config_mode") not in OWN_FRR_MODES:
        device.say(f"docker_routing_config_mode {meta.get('docker_routing_config_mode')}: SONiC would not use frr.conf")
    if text is None:
        device.say("has no frr.conf")
        return
    routing = adopt_frr(text, device)
    if routing.hostname not in ("", device.name):
        device.say(f"frr.conf: hostname is {routing.hostname}")
    if routing.bgp is None:
        device.say("frr.conf: no BGP speaker")
        return
    for field, value in (("bgp_asn", str(routing.bgp.asn)), ("bgp_router_id", routing.bgp.router_id)):
        if field in meta and meta[field] != value:
            device.say(f"{field} is {meta[field]} in config_db.json, {value} in frr.conf")
    for key in db.get("BGP_NEIGHBOR", {}):
        device.say(f"BGP_NEIGHBOR {key} is in config_db.json although frr.conf decides the neighbours")


def read(files: Files, device: Device) -> bool:
    text = files.text(CONFIG_DB)
    if text is None:
        return False
    try:
        db = strict_json.load("config_db.json", text, device)
    except ValueError as error:
        device.say(f"config_db.json: not JSON: {error}")
        return True
    _Ports(db, device).read()
    _read_identity(db, device)
    _read_sampling(db, device)
    _read_routing(db, files.text(FRR), device)
    return True


READER = Reader("switch", read)
