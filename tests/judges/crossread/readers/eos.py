"""Arista EOS: startup-config → neutral facts; a line that this reader does not know is a problem."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import TypeVar

from ..facts import Bgp, Device, Interface, Route, Session, address
from ..policy import Marks, Policy, PolicyRule, PrefixFilter, PrefixRule, prefix
from ..text.eos_access import Access
from ..text.eos_bonds import Channels
from ..text.eos_clock import Clocks
from ..text.eos_marking import Marking
from ..text.eos_modes import stray_commands
from ..text.eos_traffic import Traffic
from ..text.indented import Block, read_blocks
from ..tree import Files, Reader

T = TypeVar("T")

CONFIG = "mnt/flash/startup-config"
FEC = {"reed-solomon": "rs", "fire-code": "fc"}

HARMLESS = re.compile(
    r"vrf instance |management |no aaa root|username |tacacs-server |aaa |ip tacacs |clock |ntp |ip name-server "
    r"|logging |(no )?snmp-server |lldp |service routing protocols model multi-agent|router bfd"
)
"""Top-level commands that decide nothing about links, traffic and routes."""
UDF = re.compile(
    r"port-channel load-balance trident udf eth-type IPv[46] ip-protocol udp header outer l4 offset (\d+) mask 0xff"
)
SAND = re.compile(
    "load-balance policies / load-balance sand profile default / fields udp dst-port 4791 / payload bytes (.+)-(.+)"
)
FIB = re.compile(
    r"ip hardware fib load-balance distribution dynamic"
    r"|ip(v6)? hardware fib ecmp resilience \S+ capacity \d+ redundancy \d+"
)
"""Commands that choose among equal paths otherwise than by the hash alone."""
HARMLESS_BGP = re.compile(r"update wait-install|no bgp default ipv4-unicast")
HARMLESS_NEIGHBOR = re.compile(r"send-community |maximum-routes |idle-restart-timer |missing-policy ")
STATED = ("remote-as", "local-as", "description", "shutdown", "allowas-in", "bfd", "ttl", "password", "timers")
"""Properties of a neighbour that a session's facts come from."""
TOLD = re.compile(r"(\d+) no-prepend replace-as")
"""A number in place of the speaker's own, on routes as well as in the session."""
ANY_AS = ["10 match as-range 1-4294967295 result accept"]
HARMLESS_PORT = re.compile(
    r"no switchport|phy link training|vrf MGMT|storm-control unknown-unicast .*|logging event .*|ptp .*"
)
LACKS = frozenset({"unnumbered_lists"})
"""A neighbour on a link without addresses has its peer group and nothing of its own."""
IPV4_OVER_IPV6 = "ip routing ipv6 interfaces"
"""IPv4 also on ports that have IPv6 addresses only."""
FORWARDING = {"ip routing": 32, IPV4_OVER_IPV6: 32, "ipv6 unicast-routing": 128}
"""Address length of the family that a command makes the switch route."""
BITS = {"ipv4": 32, "ipv6": 128}
NEXT_HOPS = "next-hop address-family ipv6 originate"
"""IPv4 prefixes with IPv6 next hops: what a session without IPv4 addresses needs for them."""


class _Reader:
    """One pass over the blocks, then everything that refers to names is resolved."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.lists: dict[str, list[PrefixRule]] = {}
        self.marks: dict[str, set[str]] = {}
        self.balanced: set[str] = set()
        self.maps: dict[str, list[Block]] = {}
        self.policies: dict[str, Policy] = {}
        self.groups: dict[str, dict[str, str]] = {}
        self.peers: dict[str, dict[str, str]] = {}
        self.filters: dict[str, list[str]] = {}
        self.forwarding: set[str] = set()
        self.redistributed: dict[str, str] = {}
        self.traffic = Traffic(device)
        self.channels = Channels()
        self.marking = Marking()
        self.access = Access()
        self.clocks = Clocks(device)

    def read(self, text: str) -> None:
        for line in stray_commands(text):
            self.device.say(f"startup-config: {line}")
        for block in read_blocks(text):
            if not any(
                part.top(block) for part in (self.clocks, self.access, self.marking, self.channels, self.traffic)
            ):
                self._top(block)
        self.channels.finish(self.device)
        self.marking.finish(self.device)
        self.access.finish(self.device)
        self.clocks.finish(self.device)
        self.traffic.finish()
        if self.device.bgp is not None:
            for family, name in self.redistributed.items():
                self.device.bgp.redistributed[family] = self._policy(name)[0]
            self.device.bgp.sessions = [s for name, words in self.peers.items() for s in self._sessions(name, words)]
        for bits in {a.subnet.bits for a in self.device.loopbacks} - {FORWARDING[line] for line in self.forwarding}:
            self.device.say(f"routing is off for addresses of {bits} bits")

    def _unknown(self, line: str) -> None:
        self.device.say(f"startup-config: line not understood: {line}")

    def _top(self, block: Block) -> None:
        line, words = block.line, block.words
        if words[0] == "interface":
            self._interface(block)
        elif words[0] == "hostname":
            if words[1] != self.device.name:
                self.device.say(f"hostname is {words[1]}")
        elif line in FORWARDING:
            self.forwarding.add(line)
        elif FIB.fullmatch(line):
            self.balanced.add(words[3])
            if len(self.balanced) > 1:
                self.device.say("balances by load and keeps flows in place, which exclude each other")
        elif words[0] in ("ip", "ipv6") and words[1] in ("prefix-list", "community-list", "route", "load-sharing"):
            self._ip(block, words)
        elif words[0] == "route-map":
            self.maps.setdefault(words[1], []).append(block)
        elif words[0] == "peer-filter":
            self.filters[words[1]] = [child.line for child in block.below]
        elif words[:2] == ["router", "bgp"]:
            self._bgp(block)
        elif not HARMLESS.match(line) and not self._hashes_on(block):
            self._unknown(line)

    def _hashes_on(self, block: Block) -> bool:
        """Add bytes from the UDP header to those that the hash reads: one a line, or a range of the payload."""
        udf = UDF.fullmatch(block.line)
        sand = SAND.fullmatch(" / ".join(path[-1] for path in block.paths()))
        new = {int(udf[1])} if udf else {*range(8 + int(sand[1]), 9 + int(sand[2]))} if sand else set()
        places = new | {at + more for *_, at, size in self.device.queue_pair_hash for more in range(size)}
        if new:
            self.device.queue_pair_hash = ((4791, 3, min(places), max(places) - min(places) + 1),)
        return bool(new)

    def _ip(self, block: Block, words: list[str]) -> None:
        """A top-level command about prefixes, communities, static routes or hashing."""
        if words[1] == "prefix-list":
            self.lists[f"{words[0]} {words[2]}"] = [self._entry(child.words) for child in block.below]
        elif words[1] == "community-list":
            self.marks.setdefault(words[2], set()).update(words[4:])
        elif words[1] == "load-sharing":
            self.device.hash_identity += " ".join(words[2:])
        elif words[2] == "vrf":
            self.device.management_gateway = words[5]
        else:
            self.device.routes.append(Route(prefix(words[2]), "" if words[3] == "Null0" else words[3]))

    @staticmethod
    def _entry(words: list[str]) -> PrefixRule:
        """``seq 10 permit 10.0.0.0/8 ge 32 le 32``."""
        block = prefix(words[3])
        limits = dict(zip(words[4::2], words[5::2], strict=False))
        if "eq" in limits:
            return PrefixRule(words[2] == "permit", block, int(limits["eq"]), int(limits["eq"]))
        longest = int(limits.get("le", block.bits if "ge" in limits else block.length))
        return PrefixRule(words[2] == "permit", block, int(limits.get("ge", block.length)), longest)

    # -- ports

    def _interface(self, block: Block) -> None:
        name = block.words[1]
        found = Interface(name, mtu=1500, up=True)
        for child in block.below:
            if not self.traffic.port_line(name, child.line, child.below):
                self._port_line(found, child.line, child.words)
        if name.startswith("Loopback"):
            self.device.loopbacks += found.addresses
        elif name.startswith("Management"):
            self.device.management += found.addresses
        else:
            self.device.interfaces[name] = found

    def _port_line(self, port: Interface, line: str, words: list[str]) -> None:
        if words[0] == "description":
            port.description = line.partition(" ")[2]
            peer, colon, far = port.description.partition(":")
            port.neighbor = (peer, far) if colon else None
        elif line in ("shutdown", "no shutdown"):
            port.up = line == "no shutdown"
        elif words[0] == "mtu":
            port.mtu = int(words[1])
        elif words[0] == "speed":
            port.speed_gbps = int(words[-1].partition("g")[0])
            port.autoneg = "on" if words[1] == "auto" else "off"
        elif words[0] == "error-correction":
            port.fec = FEC[words[2]]
        elif line == "no error-correction encoding":
            port.fec = "none"
        elif words[:2] in (["ip", "address"], ["ipv6", "address"]):
            port.addresses.append(address(words[2]))
            port.link_local |= words[0] == "ipv6"
        elif line == "ipv6 enable":
            port.link_local = True
        elif words[0] == "service-profile":
            self.traffic.attached[port.name] = words[1]
        elif not (
            self.channels.member_line(port.name, words)
            or self.marking.port_line(port.name, line)
            or HARMLESS_PORT.fullmatch(line)
        ):
            self._unknown(f"{port.name}: {line}")

    # -- routes

    def _bgp(self, block: Block) -> None:
        speaker = self.device.bgp = Bgp(int(block.words[2]), multipath_relax=True, policy_required=False)
        for child in block.below:
            if child.words[0] == "address-family" and child.words[1] in BITS:
                for inner in child.below:
                    self._bgp_line(speaker, inner, f"{child.words[1]} ")
            else:
                self._bgp_line(speaker, child, "")
        denied = [set(words) >= {"missing-policy in", "missing-policy out"} for words in self.groups.values()]
        speaker.policy_required = bool(denied) and all(denied)

    def _bgp_line(self, speaker: Bgp, block: Block, family: str) -> None:
        """A command of the speaker; ``family`` is empty outside the address families."""
        words = block.words
        if words[:2] == ["neighbor", "interface"]:
            self.peers[words[2]] = {"group": words[4], words[5]: words[6], "link-local": ""}
        elif words[0] == "neighbor":
            self._neighbor(words[1], words[2:], block.line, family)
        elif words[0] == "router-id":
            speaker.router_id = words[1]
        elif words[0] == "maximum-paths":
            speaker.max_paths = min(int(words[1]), int(words[3]))
        elif words[0] == "redistribute" and words[1] in ("attached-host", "connected") and words[2] == "route-map":
            self.redistributed[f"{words[1]} {family}".rstrip()] = words[3]
        elif words[0] == "network" and family:
            speaker.networks.append(prefix(words[1]))
        elif not HARMLESS_BGP.fullmatch(block.line):
            self._unknown(f"router bgp: {block.line}")

    def _neighbor(self, name: str, words: list[str], line: str, family: str) -> None:
        if words == ["peer", "group"]:
            self.groups[name] = {}
            return
        target = self.groups[name] if name in self.groups else self.peers.setdefault(name, {})
        text = " ".join(words)
        if words[:2] == ["peer", "group"]:
            target["group"] = words[2]
        elif words[0] in STATED:
            target[words[0]] = " ".join(words[1:])
        elif words[0] in ("activate", "default-originate") or text == NEXT_HOPS:
            target[f"{family}{words[0]}"] = ""
        elif words[0] == "route-map":
            target[f"{family}route-map {words[2]}"] = words[1]
        elif words[0] == "prefix-list":
            target[f"{family}prefix-list {words[2]}"] = words[1]
        elif words[0] == "missing-policy" and words[-1] == "deny":
            target[f"missing-policy {words[4]}"] = "deny"
        elif not HARMLESS_NEIGHBOR.match(text):
            self._unknown(line)

    def _sessions(self, name: str, own: dict[str, str]) -> Iterator[Session]:
        """A neighbour in each family that it is activated for; in that of its address where it is in none."""
        group = own.get("group", "")
        if group and group not in self.groups:
            self.device.say(f"neighbor {name}: peer group {group} is not defined")
        words = {**self.groups.get(group, {}), **own}
        active = [family for family in BITS if f"{family} activate" in words]
        for family in active or ["ipv6" if ":" in name or "link-local" in words else "ipv4"]:
            over_ipv6 = family == "ipv4" and "link-local" in words
            if over_ipv6 and not ("ipv4 next-hop" in words and IPV4_OVER_IPV6 in self.forwarding):
                self.device.say(f"neighbor {name}: IPv4 packets do not go by its link")
            yield self._session(name, words, family, active=family in active)

    def _session(self, name: str, words: Mapping[str, str], family: str, *, active: bool) -> Session:
        """A neighbour in one family; what is said in the family goes before what is said of the neighbour."""
        maps = {way: words.get(f"{family} route-map {way}", words.get(f"route-map {way}", "")) for way in ("in", "out")}
        remote = words.get("remote-as", "")
        if not remote and self.filters.get(words.get("peer-filter", "")) != ANY_AS:
            self.device.say(f"neighbor {name}: has neither an AS number nor a filter that accepts any")
        return Session(
            peer=name,
            remote_as=int(remote) if remote.isdigit() else None,
            local_as=self._told(name, words.get("local-as", "")),
            description=words.get("description", ""),
            import_policies=(
                *self._policy(maps["in"]),
                *self._listed(family, words.get(f"{family} prefix-list in", "")),
            ),
            export_policies=self._policy(maps["out"]),
            active=active,
            shutdown="shutdown" in words,
            allowas_in="allowas-in" in words,
            default_originate=f"{family} default-originate" in words or "default-originate" in words,
            bits=BITS[family],
            bfd="bfd" in words,
            password=words.get("password", "").removeprefix("0 "),
            timers=tuple(map(int, words.get("timers", "").split())),
            least_ttl=255 - int(words["ttl"].split()[1]) if "ttl" in words else 0,
        )

    def _told(self, name: str, words: str) -> int | None:
        """The number that a neighbour is told in place of the switch's own."""
        found = TOLD.fullmatch(words)
        if words and not found:
            self.device.say(f"neighbor {name}: routes carry the switch's own number beside its local AS")
        return int(found[1]) if found else None

    def _policy(self, name: str) -> tuple[Policy, ...]:
        if not name:
            return ()
        if name not in self.policies:
            if name not in self.maps:
                self.device.say(f"route-map {name} is not defined")
            entries = sorted(self.maps.get(name, []), key=lambda block: int(block.words[3]))
            self.policies[name] = Policy(name, tuple(map(self._rule, entries)))
        return (self.policies[name],)

    def _listed(self, family: str, name: str) -> tuple[Policy, ...]:
        word = "ip" if family == "ipv4" else "ipv6"
        return (Policy(name, (PolicyRule(True, tuple(self._named(self.lists, f"{word} {name}"))),)),) if name else ()

    def _rule(self, block: Block) -> PolicyRule:
        filters: PrefixFilter | None = None
        marks: Marks | None = None
        adds, replaces, last = set[str](), False, False
        for child in block.below:
            words = child.words
            if words[0] == "match" and words[2:4] == ["address", "prefix-list"]:
                filters = tuple(self._named(self.lists, f"{words[1]} {words[4]}"))
            elif words[:2] == ["match", "community"]:
                marks = frozenset(self._named(self.marks, words[2]))
            elif words[:2] == ["set", "community"]:
                adds |= set(words[2:]) - {"additive"}
                replaces = words[-1] != "additive"
            elif words == ["set", "local-preference", "0"]:
                last = True
            else:
                self._unknown(f"{block.line}: {child.line}")
        return PolicyRule(block.words[2] == "permit", filters, marks, frozenset(adds), replaces, last=last)

    def _named(self, table: Mapping[str, Collection[T]], name: str) -> Collection[T]:
        """A list by name; one that nobody defines is told."""
        if name not in table:
            self.device.say(f"list {name} is not defined")
        return table.get(name, ())


def read(files: Files, device: Device) -> bool:
    text = files.text(CONFIG)
    if text is None:
        return False
    device.lacks = LACKS
    _Reader(device).read(text)
    return True


READER = Reader("switch", read)
