"""Cumulus Linux: the objects of NVUE's startup.yaml that decide something → neutral facts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..facts import GRANDMASTER, Address, Bgp, Bond, Device, Interface, Qos, Route, Session, address
from ..policy import Policy, PolicyRule, PrefixRule, prefix
from ..text import strict_yaml
from ..tree import Files, Reader

CONFIG = "etc/nvue.d/startup.yaml"
FEC = {"rs": "rs", "baser": "fc", "off": "none"}
WATCHDOG_ACTION = "drop"
"""Action of Cumulus' watchdog on a queue; there is no other action and no time after which it stops."""

BITS = {"ipv4": 32, "ipv6": 128}
"""Address length of each family. IPv6 is on by default on every port, and with it a link-local address."""

Tree = dict[str, Any]


def _at(tree: Any, *keys: str) -> Any:
    """Return what stands at a path; an empty object where nothing does."""
    for key in keys:
        tree = tree.get(key, {}) if isinstance(tree, dict) else {}
    return tree


def _numbers(tree: Any) -> frozenset[int]:
    return frozenset(int(key) for key in tree)


def _addresses(row: Tree) -> list[Address]:
    """Addresses of an interface, of every family."""
    return [address(text) for family in BITS for text in _at(row, family, "address")]


class _Ports:
    """Ports, their addresses and treatment of traffic."""

    def __init__(self, root: Tree, device: Device) -> None:
        self.root, self.device, self.qos = root, device, _at(root, "qos")
        self.dscp = {int(k): int(v["switch-priority"]) for k, v in _at(self._mapping(), "dscp").items()}
        rows = _at(self.qos, "egress-queue-mapping", "default-global", "switch-priority")
        self.queues = {int(k): int(v["traffic-class"]) for k, v in rows.items()}
        classes = _at(self.qos, "egress-scheduler", "default-global", "traffic-class")
        self.scheduler: dict[int, int | str] = {
            int(k): "strict" if v["mode"] == "strict" else int(v["bw-percent"]) for k, v in classes.items()
        }

    def _mapping(self) -> Tree:
        mapping: Tree = _at(self.qos, "mapping", "default-global")
        return mapping if mapping.get("trust") in ("l3", "both") else {}

    def read(self) -> None:
        """Fill the device's interfaces, loopback and management."""
        broken = {name for name, row in _at(self.root, "interface").items() if _at(row, "link", "breakout")}
        for name, row in _at(self.root, "interface").items():
            addresses = _addresses(row)
            if row.get("type") == "loopback":
                self.device.loopbacks += addresses
            elif row.get("type") == "eth":
                self.device.management += addresses
                gateways = (way for family in BITS for way in _at(row, family, "gateway"))
                self.device.management_gateway = next(gateways, "")
            elif row.get("type") == "bond":
                self.device.bonds[name] = self._bond(name, row)
            elif name not in broken:
                self.device.interfaces[name] = self._interface(name, row)
        self._check_breakouts(broken)
        for bond in self.device.bonds.values():
            for port in bond.members:
                member = self.device.interfaces.get(port)
                if (
                    member is None
                    or member.addresses
                    or member.mtu != int(_at(self.root, "interface", bond.name, "link").get("mtu", 9216))
                ):
                    self.device.say(f"{port} of {bond.name} is not there, has addresses, or another MTU")
                else:
                    member.bond = bond.name

    def _bond(self, name: str, row: Tree) -> Bond:
        """A bond with a host, whose MAC address and LACP system id a snippet sets; its key follows from the speed."""
        snippet = str(_at(self.root, "system", "config", "snippet", "ifupdown2_eni").get(name, ""))
        said = dict(line.split(maxsplit=1) for line in snippet.splitlines() if len(line.split()) > 1)
        if _at(row, "bond").get("mode", "lacp") != "lacp":
            self.device.say(f"{name} is no LACP bond")
        addresses = _addresses(row)
        return Bond(
            name,
            list(_at(row, "bond", "member")),
            addresses=addresses,
            system_id=said.get("bond-ad-actor-system", said.get("hwaddress", "")),
            gateways=frozenset(each.text for each in addresses),
            gateway_mac=said.get("hwaddress", ""),
            is_routed=True,
            is_fast=_at(row, "bond").get("lacp-rate", "fast") == "fast",
            description=str(row.get("description", "")),
        )

    def _check_breakouts(self, broken: set[str]) -> None:
        """A subport has a cage that is broken out, into at least as many."""
        for name in self.device.interfaces:
            cage, _, part = name[3:].partition("s")
            mode = next(iter(_at(self.root, "interface", f"swp{cage}", "link", "breakout")), "1x")
            if part and (f"swp{cage}" not in broken or int(part) >= int(mode.rstrip("x"))):
                self.device.say(f"{name}: swp{cage} is not broken out into it")

    def _interface(self, name: str, row: Tree) -> Interface:
        link = _at(row, "link")
        peer, colon, far = str(row.get("description", "")).partition(":")
        return Interface(
            name,
            addresses=_addresses(row),
            mtu=int(link.get("mtu", 9216)),
            speed_gbps=int(str(link.get("speed", "0G")).rstrip("G")),
            fec=FEC[link["fec"]] if "fec" in link else "",
            autoneg={"enabled": "on", "disabled": "off"}.get(str(link.get("auto-negotiate", "")), ""),
            up="down" not in _at(link, "state"),
            link_local=True,
            description=str(row.get("description", "")),
            neighbor=(peer, far) if colon else None,
            qos=self._qos(name, _at(row, "qos")),
        )

    def _qos(self, name: str, row: Tree) -> Qos:
        pfc = self._profile(name, "pfc", row)
        marking = self._profile(name, "congestion-control", row)
        pools = _numbers(_at(self.qos, "traffic-pool", "default-lossless", "switch-priority"))
        pauses = pfc.get("rx") == "enable" and pfc.get("tx") == "enable"
        paused = _numbers(_at(pfc, "switch-priority")) if pauses else frozenset[int]()
        watched = _at(row, "pfc-watchdog", "state") == "enable"
        dog = _at(self.qos, "pfc-watchdog")
        detection = int(dog.get("polling-interval", 100)) * int(dog.get("robustness", 3))
        return Qos(
            dscp_to_tc=self.dscp,
            tc_to_queue=self.queues,
            # Switch priorities of the lossless pool have buffers of their own; the others share one.
            tc_to_pg={number: number if number in pools else 0 for number in range(8)},
            pfc_to_queue=self.queues,
            scheduler=self.scheduler,
            pfc=paused,
            headroom=paused & pools if pfc.get("cable-length") else frozenset(),
            watchdog=paused if watched else frozenset(),
            watchdog_timers=(str(detection), "", WATCHDOG_ACTION) if watched else (),
            ecn={
                int(number): (int(mark["min-threshold"]), int(mark["max-threshold"]), int(mark["probability"]))
                for number, mark in _at(marking, "traffic-class").items()
                if mark.get("ecn") == "enable"
            },
        )

    def _profile(self, port: str, kind: str, row: Tree) -> Tree:
        """The profile that a port names, else the one of all ports."""
        name = _at(row, kind).get("profile", "default-global")
        profiles = _at(self.qos, kind)
        if name != "default-global" and name not in profiles:
            self.device.say(f"{port}: {kind} profile {name} is not defined")
        profile: Tree = _at(profiles, name)
        return profile


class _Routing:
    """BGP, its policies and static routes."""

    def __init__(self, root: Tree, device: Device) -> None:
        self.root, self.device = root, device
        self.policy = _at(root, "router", "policy")
        self.known: dict[str, Policy] = {}

    def read(self) -> None:
        own, default = _at(self.root, "router", "bgp"), _at(self.root, "vrf", "default", "router")
        for text, row in _at(default, "static").items():
            types = [way.get("type") for way in row["via"].values()]
            self.device.routes.append(Route(prefix(text), "" if types == ["blackhole"] else next(iter(row["via"]))))
        speaker = _at(default, "bgp")
        if own.get("state") != "enabled" or speaker.get("state") != "enabled":
            self.device.say("bgp is not enabled")
            return
        unicast = (_at(speaker, "address-family", f"{word}-unicast") for word in BITS)
        families = [row for row in unicast if row.get("state") == "enabled"]
        widths = [int(_at(family, "multipaths").get("ebgp", 64)) for family in families]
        self.device.bgp = Bgp(
            int(own["autonomous-system"]),
            str(own["router-id"]),
            networks=[prefix(text) for family in families for text in _at(family, "network")],
            max_paths=min(widths, default=1),
            multipath_relax=_at(speaker, "path-selection", "multipath").get("aspath-ignore") == "enabled",
            policy_required=False,
        )
        for word in BITS:
            lost = _at(speaker, "address-family", f"{word}-unreachability", "advertise-unreach", "interfaces-match")
            if not set(lost) <= set(_at(speaker, "address-family", f"{word}-unicast", "network")):
                self.device.say(f"announces lost prefixes in {sorted(lost)}, which is not its block")
            source = _at(speaker, "address-family", f"{word}-unicast", "redistribute", "connected")
            if source.get("state") == "enabled":
                policy = self._named(source.get("route-map", ""))
                self.device.bgp.redistributed[f"connected {word}"] = policy[0] if policy else None
        groups = _at(speaker, "peer-group")
        rows = _at(speaker, "neighbor").items()
        self.device.bgp.sessions = [found for name, row in rows for found in self._sessions(name, row, groups)]

    def _sessions(self, name: str, row: Tree, groups: Tree) -> Iterator[Session]:
        """A neighbour in each family that its group turns on; in its own where that is none."""
        group = groups.get(row.get("peer-group", ""))
        if group is None:
            self.device.say(f"neighbor {name}: peer group {row.get('peer-group')} is not defined")
        if (row.get("type") == "unnumbered") != (name in self.device.interfaces):
            self.device.say(f"neighbor {name}: is {row.get('type')}")
        states = {word: _at(group or {}, "address-family", f"{word}-unicast") for word in BITS}
        active = [word for word, family in states.items() if family.get("state") == "enabled"]
        over_ports = row.get("type") == "unnumbered" and "ipv4" in active
        if over_ports and _at(group or {}, "capabilities").get("extended-nexthop") != "enabled":
            self.device.say(f"neighbor {name}: IPv4 prefixes have no next hop on its link")
        for word in active or ["ipv6" if ":" in name else "ipv4"]:
            yield self._session(name, row, group or {}, word, active=word in active)

    def _session(self, name: str, row: Tree, group: Tree, word: str, *, active: bool) -> Session:
        family, guard = _at(group, "address-family", f"{word}-unicast"), _at(group, "ttl-security")
        timers = _at(group, "timers")
        return Session(
            peer=name,
            remote_as=int(row["remote-as"]) if str(row.get("remote-as", "")).isdigit() else None,
            local_as=self._told(name, _at(row, "local-as")),
            description=str(row.get("description", "")),
            import_policies=(
                *self._named(_at(family, "policy", "inbound").get("route-map", "")),
                *self._listed(
                    _at(row, "address-family", f"{word}-unicast", "policy", "inbound").get("prefix-list", "")
                ),
            ),
            export_policies=self._named(_at(family, "policy", "outbound").get("route-map", "")),
            active=active,
            shutdown=row.get("shutdown") == "enabled",
            allowas_in=_at(family, "aspath", "allow-my-asn").get("state") == "enabled",
            default_originate=_at(family, "default-route-origination").get("state") == "enabled",
            bfd=bool(_at(group, "bfd", "profile")),
            password=str(row.get("password", group.get("password", ""))),
            timers=tuple(int(str(timers[key]).replace("none", "0")) for key in ("keepalive", "hold") if key in timers),
            least_ttl=256 - int(guard.get("hops", 1)) if guard.get("state") == "enabled" else 0,
            bits=BITS[word],
        )

    def _told(self, name: str, row: Tree) -> int | None:
        """The number that a neighbour is told in place of the switch's own, on routes as well as in its session."""
        if row.get("state") != "enabled":
            return None
        if (row.get("prepend"), row.get("replace")) != ("disabled", "enabled"):
            self.device.say(f"neighbor {name}: routes carry the switch's own number beside its local AS")
        return int(row["asn"])

    def _named(self, name: str) -> tuple[Policy, ...]:
        if not name:
            return ()
        if name not in self.known:
            self.known[name] = Policy(name, tuple(map(self._rule, self._rules_of("route-map", name))))
        return (self.known[name],)

    def _listed(self, name: str) -> tuple[Policy, ...]:
        return (Policy(name, (PolicyRule(True, tuple(self._entries(name))),)),) if name else ()

    def _rule(self, row: Tree) -> PolicyRule:
        match, sets = _at(row, "match"), _at(row, "set")
        listed, marked = match.get("ip-prefix-list"), match.get("community-list")
        return PolicyRule(
            "permit" in row["action"],
            tuple(self._entries(listed)) if listed else None,
            frozenset(self._marks(marked)) if marked else None,
            frozenset(_at(sets, "community")),
            bool(_at(sets, "community")),
            last=sets.get("local-preference") == 0,
            bandwidth="ext-community-bw" in sets,
        )

    def _rules_of(self, kind: str, name: str) -> list[Tree]:
        """Rules of a list in their order; one that nobody defines is told."""
        rules = _at(self.policy, kind, name, "rule")
        if not rules:
            self.device.say(f"{kind} {name} is not defined")
        return [row for _, row in sorted(rules.items(), key=lambda item: int(item[0]))]

    def _entries(self, name: str) -> list[PrefixRule]:
        found = []
        for row in self._rules_of("prefix-list", name):
            if len(row["match"]) != 1:
                self.device.say(
                    f"prefix-list {name}: an entry of FRR has one prefix, and a rule has {len(row['match'])}"
                )
            for text, limits in row["match"].items():
                block = prefix(text)
                shortest = int(limits.get("min-prefix-len", block.length))
                longest = int(limits.get("max-prefix-len", block.bits if "min-prefix-len" in limits else shortest))
                found.append(PrefixRule(row["action"] == "permit", block, shortest, longest))
        return found

    def _marks(self, name: str) -> list[str]:
        rows = self._rules_of("community-list", name)
        if any(len(row["community"]) > 1 for row in rows):
            self.device.say(f"community-list {name}: a route needs all communities of a rule, so that it has one only")
        return [mark for row in rows for mark in row["community"]]


def _read_clock(root: Tree, device: Device) -> None:
    """PTP, whose ports follow whom they find unless they are forced to be a source."""
    own, clock = _at(root, "service", "ptp", "1"), device.clock
    clock.domain, clock.dscp = own.get("domain", 0), own.get("ip-dscp", -1)
    for name, row in _at(root, "interface").items():
        if (ptp := _at(row, "ptp")).get("state") == own.get("state") == "enabled":
            clock.ports[name] = "source" if ptp.get("forced-master") == "enabled" else "any"
            clock.rates.add(tuple(ptp["timers"][f"{kind}-interval"] for kind in ("announce", "sync", "delay-req")))
            clock.outside |= {name} if row.get("description") == GRANDMASTER else set()
    if clock.ports and _at(root, "system", "ntp").get("state") != "disabled":
        device.say("NTP and PTP both set the clock")


def read(files: Files, device: Device) -> bool:
    text = files.text(CONFIG)
    if text is None:
        return False
    document = strict_yaml.load(text)
    root: Tree = document[0]["set"]
    system = _at(root, "system")
    if system.get("hostname") != device.name:
        device.say(f"hostname is {system.get('hostname')}")
    if set(_at(system, "ssh-server", "vrf")) != {"mgmt"}:
        device.say("SSH answers outside of the management VRF, or not in it")
    keys = sorted(key for key, value in _at(system, "forwarding", "ecmp-hash").items() if value == "enabled")
    device.hash_identity = f"{' '.join(keys)} seed {_at(system, 'forwarding').get('hash-seed', 'random')}"
    device.sprays = _at(root, "router", "adaptive-routing").get("state") == "enabled"
    _Ports(root, device).read()
    _read_clock(root, device)
    _Routing(root, device).read()
    return True


READER = Reader("switch", read)
