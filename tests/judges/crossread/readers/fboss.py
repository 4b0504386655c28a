"""FBOSS: agent.conf and the bgpcpp.conf beside it → neutral facts.

The numbers are those of facebook/fboss 14ec47ec: switch_config.thrift, bgp_config.thrift and bgp_policy.thrift. A part
of a policy that this reader does not know is a problem, because it may change what is proved.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..facts import Bgp, Device, Interface, Qos, Route, Sampling, Session, address
from ..policy import Policy, PolicyRule, PrefixFilter, PrefixRule, prefix
from ..text import strict_json
from ..tree import Files, Reader

AGENT, BGP = "etc/coop/agent.conf", "etc/coop/bgpcpp.conf"
ENABLED, FORWARDING, STRICT, ECN = 2, 2, 1, 1
MATCH_COMMUNITIES, MATCH_PREFIXES = 3, 5
PERMIT, DENY = 5, 6
SET_COMMUNITIES, SET_PREFERENCE = 2, 3
ADD = 1
EQ, GE, LE = 1, 2, 3
TO_MIRROR = 1
"""SampleDestination of switch_config.thrift."""
SPRAYING = (1, 3)
"""Switching modes per packet, by quality and at random."""
LLDP_PORT, LLDP_NAME = "2", "5"
ACTIONS = {0: "forward", 1: "drop"}
FEC_BY_PROFILE = {11: "none", 12: "none", 4: "none", 15: "fc", 17: "none", 18: "none", 19: "none", 14: "none"}
"""Port profiles whose name says NOFEC or CL74; every other one of the boards has a Reed-Solomon code."""

BITS = {"ipv4": 32, "ipv6": 128}
NEXT_HOP = {"ipv4": "next_hop4", "ipv6": "next_hop6"}
NO_HOP = (None, "0.0.0.0", "::")

Json = dict[str, Any]


def numbers(table: Json) -> dict[int, int]:
    """A map of numbers, whose keys JSON writes as texts."""
    return {int(key): int(value) for key, value in table.items()}


class _Ports:
    """Ports through their VLANs to addresses, and what they do to traffic."""

    def __init__(self, switch: Json, device: Device) -> None:
        self.switch, self.device = switch, device
        self.policies = {row["name"]: row.get("qosMap") or {} for row in switch.get("qosPolicies", [])}
        self.default_policy = switch.get("dataPlaneTrafficPolicy", {}).get("defaultQosPolicy", "")
        self.treatments: dict[tuple[str, str, str], Qos] = {}

    def read(self) -> None:
        by_vlan = {}
        members = {(row["vlanID"], row["logicalPort"]): row for row in self.switch.get("vlanPorts", [])}
        for row in self.switch["ports"]:
            port = self._port(row)
            self.device.interfaces[port.name] = port
            if not port.up:
                continue
            member = members.get((row["ingressVlan"], row["logicalID"]))
            if member is None or member["spanningTreeState"] != FORWARDING:
                self.device.say(f"{port.name}: does not forward in VLAN {row['ingressVlan']}")
            if row["ingressVlan"] in by_vlan:
                self.device.say(f"{port.name}: shares VLAN {row['ingressVlan']}, so it is no link of its own")
            by_vlan[row["ingressVlan"]] = port
        for row in self.switch["interfaces"]:
            self._interface(row, by_vlan)

    def _interface(self, row: Json, by_vlan: dict[int, Interface]) -> None:
        found = [address(text) for text in row["ipAddresses"]]
        port = by_vlan.get(row["vlanID"])
        if port is not None:
            port.addresses += found
            port.mtu = row.get("mtu", 0)
        elif row.get("isVirtual"):
            self.device.loopbacks += found
        else:
            self.device.say(f"interface {row['intfID']}: no enabled port is in VLAN {row['vlanID']}")

    def _port(self, row: Json) -> Interface:
        expected = row.get("expectedLLDPValues", {})
        described, _, far = row.get("description", "").partition(":")
        name, port = expected.get(LLDP_NAME, ""), expected.get(LLDP_PORT, far)
        if name and (name, port) != (described, far):
            self.device.say(f"{row['name']}: expects {name}:{port} by LLDP, is described as {row['description']}")
        return Interface(
            row["name"],
            speed_gbps=row["speed"] // 1000,
            fec=FEC_BY_PROFILE.get(row["profileID"], "rs"),
            autoneg="off",
            up=row["state"] == ENABLED,
            description=row.get("description", ""),
            neighbor=(name, port) if name else None,
            qos=self._qos(row),
        )

    def _qos(self, row: Json) -> Qos:
        """Everything that the tables say about traffic on a port; one object for ports that name the same tables."""
        pfc = row.get("pfc") or {}
        paused = bool(pfc.get("tx") and pfc.get("rx"))
        groups = pfc.get("portPgConfigName", "") if paused else ""
        key = (row.get("portQueueConfigName", ""), groups, str(pfc.get("watchdog")))
        if key not in self.treatments:
            self.treatments[key] = self._treat(key[0], groups, pfc.get("watchdog"))
        return self.treatments[key]

    def _treat(self, queues: str, groups: str, watchdog: Json | None) -> Qos:
        maps = self.policies.get(self.default_policy, {})
        rows = self.switch.get("portQueueConfigs", {}).get(queues, [])
        to_group = numbers(maps.get("pfcPriorityToPgId", {}))
        found = self.switch.get("portPgConfigs", {}).get(groups, [])
        lossless = frozenset(row["id"] for row in found if row.get("headroomLimitBytes"))
        pools = self.switch.get("bufferPoolConfigs", {})
        for name in {row["bufferPoolName"] for row in found} - pools.keys():
            self.device.say(f"{groups}: pool {name} does not exist")
        pfc = frozenset(priority for priority, group in to_group.items() if group in lossless)
        timers: tuple[str, ...] = ()
        if watchdog:
            action = ACTIONS[watchdog.get("recoveryAction", 0)]
            timers = (str(watchdog["detectionTimeMsecs"]), str(watchdog["recoveryTimeMsecs"]), action)
        return Qos(
            dscp_to_tc=self._dscp(maps),
            tc_to_queue=numbers(maps.get("trafficClassToQueueId", {})),
            tc_to_pg=numbers(maps.get("trafficClassToPgId", {})),
            pfc_to_queue=numbers(maps.get("pfcPriorityToQueueId", {})),
            scheduler={row["id"]: "strict" if row["scheduling"] == STRICT else row["weight"] for row in rows},
            pfc=pfc,
            headroom=lossless,
            watchdog=pfc if watchdog else frozenset(),
            watchdog_timers=timers,
            ecn={row["id"]: mark for row in rows if (mark := self._marking(row))},
        )

    def _dscp(self, maps: Json) -> dict[int, int]:
        found: dict[int, int] = {}
        for row in maps.get("dscpMaps", []):
            for dscp in row["fromDscpToTrafficClass"]:
                if dscp in found:
                    self.device.say(f"code point {dscp} stands in two maps")
                found[dscp] = row["internalTrafficClass"]
        return found

    @staticmethod
    def _marking(queue: Json) -> tuple[int, int, int] | None:
        for row in queue.get("aqms", []):
            linear = row["detection"].get("linear")
            if row["behavior"] == ECN and linear:
                return linear["minimumLength"], linear["maximumLength"], linear["probability"]
        return None


def _read_agent(config: Json, device: Device) -> None:
    """Everything of agent.conf but what concerns routing."""
    switch = config["sw"]
    if switch.get("hostname") != device.name:
        device.say(f"agent.conf: hostname is {switch.get('hostname')}")
    _Ports(switch, device).read()
    _read_sampling(switch, device)
    for row in switch.get("staticRoutesToNull", []):
        device.routes.append(Route(prefix(row["prefix"]), ""))
    for row in switch.get("staticRoutesWithNhops", []):
        device.routes += [Route(prefix(row["prefix"]), via) for via in row["nexthops"]]
    device.sprays = switch.get("flowletSwitchingConfig", {}).get("switchingMode") in SPRAYING
    for row in switch.get("loadBalancers", []):
        if row["id"] == 1:
            device.hash_identity = f"{row['algorithm']} seed {row.get('seed', 'of the MAC')}"
            device.queue_pair_hash = tuple(_read_bytes(switch, name) for name in row["fieldSelection"]["udfGroups"])


def _read_bytes(switch: Json, name: str) -> tuple[int, int, int, int]:
    """Return UDP port, header, offset and size of a group of bytes that the hash reads."""
    row = switch["udfConfig"]["udfGroups"][name]
    matchers = (switch["udfConfig"]["udfPacketMatcher"][matcher] for matcher in row["udfPacketMatcherIds"])
    port = next((matcher["UdfL4DstPort"] for matcher in matchers), 0)
    return port, row["header"], row["startOffsetInBytes"], row["fieldSizeInBytes"]


def _read_sampling(switch: Json, device: Device) -> None:
    """Samples that ports send into a mirror, and the tunnel from there to the collector."""
    mirrors = {row["name"]: row["destination"].get("tunnel", {}) for row in switch.get("mirrors", [])}
    rows = [row for row in switch["ports"] if row.get("sFlowIngressRate")]
    if not mirrors and not rows:
        return
    found = device.sampling = Sampling()
    for row in rows:
        tunnel = mirrors.get(row.get("ingressMirror", ""), {})
        if row.get("sampleDest") != TO_MIRROR or "sflowTunnel" not in tunnel:
            device.say(f"{row['name']}: its samples go into no mirror that sends them on")
            continue
        found.collector, found.agent = tunnel["sflowTunnel"]["ip"], tunnel["srcIp"]
        found.rates[row["name"]] = row["sFlowIngressRate"]


class _Routing:
    """bgpcpp.conf: sessions with what they inherit, policies term by term."""

    def __init__(self, config: Json, device: Device) -> None:
        self.config, self.device = config, device
        self.groups = {row["name"]: row for row in config.get("peer_groups", [])}
        statements = (config.get("policies") or {}).get("bgp_policy_statements", [])
        self.policies = {row["name"]: Policy(row["name"], self._rules(row)) for row in statements}

    def read(self, max_paths: int) -> Bgp:
        """The speaker. The daemon shares paths of equal length, and originates networks without a route."""
        config = self.config
        return Bgp(
            asn=config["local_as_4_byte"],
            router_id=config["router_id"],
            sessions=[session for row in config["peers"] for session in self._sessions(row)],
            networks=[prefix(row["prefix"]) for row in [*config["networks4"], *config["networks6"]]],
            max_paths=max_paths,
            multipath_relax=True,
            import_check=False,
            policy_required=False,
        )

    def _sessions(self, row: Json) -> Iterator[Session]:
        """A neighbour in each family that is not turned off; both are on by default."""
        merged = {**self.groups.get(row.get("peer_group_name", ""), {}), **row}
        own = {found.text for port in self.device.interfaces.values() for found in port.addresses}
        if row["local_addr"] not in own:
            self.device.say(f"session {row['peer_addr']}: {row['local_addr']} is on no interface")
        timers = merged.get("bgp_peer_timers", {})
        if timers.get("hold_time_seconds", 0) != 3 * timers.get("keep_alive_seconds", 0):
            self.device.say(f"session {row['peer_addr']}: hold time is not three keepalives")
        families = [word for word in BITS if not merged.get(f"disable_{word}_afi", False)]
        for word in families or ["ipv6" if ":" in row["peer_addr"] else "ipv4"]:
            if merged.get(NEXT_HOP[word]) in NO_HOP:
                self.device.say(f"session {row['peer_addr']}: {word} prefixes have no next hop")
            yield Session(
                row["peer_addr"],
                remote_as=merged.get("remote_as_4_byte"),
                local_as=merged.get("local_as_4_byte"),
                description=row.get("description", ""),
                import_policies=self._named(merged, "ingress_policy_name"),
                export_policies=self._named(merged, "egress_policy_name"),
                active=word in families,
                shutdown=merged.get("enabled") is False,
                timers=tuple(timers[f"{key}_seconds"] for key in ("keep_alive", "hold_time") if timers),
                least_ttl=256 - merged["ttl_security_hops"] if "ttl_security_hops" in merged else 0,
                bits=BITS[word],
            )

    def _named(self, row: Json, key: str) -> tuple[Policy, ...]:
        name = row.get(key)
        return (self.policies[name],) if name else ()

    def _rules(self, statement: Json) -> tuple[PolicyRule, ...]:
        return tuple(self._rule(statement["name"], term) for term in statement["policy_entries"])

    def _rule(self, name: str, term: Json) -> PolicyRule:
        """One term: all its entries must match; its verdict is the last action."""
        entries = {row["type"]: row for row in term["policy_match_entries"]["match_entries"]}
        actions = {row["type"]: row for row in term["policy_action_entries"]}
        verdict = actions.keys() & {PERMIT, DENY}
        unknown = (entries.keys() - {MATCH_COMMUNITIES, MATCH_PREFIXES}) | (
            actions.keys() - {PERMIT, DENY, SET_COMMUNITIES, SET_PREFERENCE}
        )
        if unknown or len(verdict) != 1:
            self.device.say(f"policy {name}: term {term['name']} is not understood")
        marks = entries.get(MATCH_COMMUNITIES)
        prefixes = entries.get(MATCH_PREFIXES)
        added = actions.get(SET_COMMUNITIES, {}).get("community_action", {"communities": [], "action_type": ADD})
        return PolicyRule(
            PERMIT in verdict,
            self._filter(prefixes["prefix_filters"]) if prefixes else None,
            frozenset(marks["communities_filter"]["communities"]) if marks else None,
            frozenset(added["communities"]),
            added["action_type"] != ADD,
            last=actions.get(SET_PREFERENCE, {}).get("set_local_pref", {}).get("local_pref") == 0,
        )

    @staticmethod
    def _filter(row: Json) -> PrefixFilter:
        found = []
        for entry in row["prefixes"]:
            block = prefix(entry["base_prefix"])
            shortest, longest = block.length, block.bits
            for limit in entry["prefix_len_ranges"]:
                shortest = limit["value"] if limit["compare_operator"] in (EQ, GE) else shortest
                longest = limit["value"] if limit["compare_operator"] in (EQ, LE) else longest
            found.append(PrefixRule(True, block, shortest, longest))
        return tuple(found)


def read(files: Files, device: Device) -> bool:
    text = files.text(AGENT)
    if text is None:
        return False
    config = strict_json.load(AGENT, text, device)
    _read_agent(config, device)
    routing = files.text(BGP)
    if routing is None:
        device.say("has no bgpcpp.conf")
        return True
    # Next hops are cut by the flag; the setting is what a reload is held against.
    widths = config["defaultCommandLineArgs"].get("ecmp_width", 64), config["sw"]["switchSettings"].get("ecmpWidth", 64)
    width = min(map(int, widths))
    device.bgp = _Routing(strict_json.load(BGP, routing, device), device).read(width)
    return True


READER = Reader("switch", read)
