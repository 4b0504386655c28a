"""frr.conf → neutral routing facts; a BGP line that this reader does not know is a problem."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ..facts import Bgp, Device, Route, Session
from ..policy import Marks, Policy, PolicyRule, PrefixFilter, PrefixRule, prefix

HARMLESS_TOP = re.compile(
    r"frr (version|defaults) |hostname |domainname |log |service |(no )?fpm |password |enable |agentx|end$|exit$"
    r"|(ip|ipv6) (protocol|nht) |(no )?(ip|ipv6) forwarding|zebra |banner |debug "
)
"""Top-level lines that decide nothing about neighbours and routes."""

HARMLESS_BGP = re.compile(
    r"exit|bgp (log-neighbor-changes|suppress-fib-pending|graceful-restart|fast-convergence|deterministic-med"
    r"|update-delay|default show-|always-compare-med|graceful-shutdown)|timers bgp |no bgp graceful-shutdown"
    r"|no bgp default ipv4-unicast|bgp bestpath (compare-routerid|peer-type)|coalesce-time "
)
HARMLESS_NEIGHBOR = re.compile(
    r"timers |advertisement-interval |capability |soft-reconfiguration |send-community|maximum-prefix "
    r"|graceful-restart|update-source |addpath"
)
HARMLESS_MAP = re.compile(r"set (src|ipv6 src|metric|local-preference|origin)\b|exit$|description ")

STATED = ("remote-as", "local-as", "description", "shutdown", "bfd", "ttl-security", "password")
OF_FAMILY = ("activate", "allowas-in", "default-originate")
"""Properties of a neighbour that a session's facts come from: of all of it, and of one family."""
OWN_POLICY = "route-map"
BITS = {"ipv4": 32, "ipv6": 128}
LIST_OF = {"ipv4": "ip", "ipv6": "ipv6"}
"""The word before ``prefix-list``; lists of both families may share a name."""

_ADDRESS = re.compile(r"[\da-fA-F]*[.:][\da-fA-F.:]+")


@dataclass(slots=True)
class Routing:
    """Content of one frr.conf; ``problems`` are the lines that it does not settle."""

    hostname: str = ""
    bgp: Bgp | None = None
    routes: list[Route] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Peer:
    """A neighbour or peer group; ``words``: property to arguments, a family's with its name before the property."""

    group: str = ""
    words: dict[str, list[str]] = field(default_factory=dict)


@dataclass(slots=True)
class _MapEntry:
    """One route-map entry as written."""

    permit: bool
    lists: list[str] = field(default_factory=list)
    community_lists: list[str] = field(default_factory=list)
    adds: list[str] = field(default_factory=list)
    additive: bool = True
    table: int = 0
    last: bool = False
    bandwidth: bool = False


class _Reader:
    """One pass over the lines, then everything that refers to names is resolved."""

    def __init__(self) -> None:
        self.out = Routing()
        self.lists: dict[str, list[tuple[int, PrefixRule]]] = {}
        self.community_lists: dict[str, set[str]] = {}
        self.maps: dict[str, dict[int, _MapEntry]] = {}
        self.groups: dict[str, _Peer] = {}
        self.peers: dict[str, _Peer] = {}
        self.redistribute: dict[str, str] = {}
        self.paths: dict[str, int] = {}
        self.context: Callable[[str, list[str]], None] = self.top
        self.family = "ipv4"
        self.entry: _MapEntry | None = None
        self.policies: dict[str, Policy] = {}

    def read(self, text: str) -> Routing:
        for line in text.splitlines():
            words = line.split()
            if not words or words[0].startswith(("!", "#")):
                continue
            if not line[0].isspace():
                self.context = self.top
            self.context(" ".join(words), words)
        self._resolve()
        return self.out

    def unknown(self, line: str) -> None:
        self.out.problems.append(f"frr.conf: line not understood: {line}")

    # -- contexts

    def top(self, line: str, words: list[str]) -> None:
        head = words[0]
        if words[:2] == ["router", "bgp"]:
            self._open_bgp(line, words)
        elif head == "route-map":
            self._open_map(words)
        elif words[1:2] == ["prefix-list"]:
            self._prefix_list(line, words[2:])
        elif words[:3] == ["bgp", "community-list", "standard"]:
            self._community_list(line, words[3:])
        elif head in ("ip", "ipv6") and words[1] == "route":
            self._static(line, words[2:])
        elif head in ("interface", "bfd", "vrf", "line"):
            self.context = self.ignored
        elif head == "hostname":
            self.out.hostname = words[1]
        elif not HARMLESS_TOP.match(line):
            self.unknown(line)

    def ignored(self, line: str, words: list[str]) -> None:
        """A line of a block that decides nothing about neighbours and routes."""

    def map_entry(self, line: str, words: list[str]) -> None:
        if self.entry is None:
            return
        if words[0] == "match" and words[2:4] == ["address", "prefix-list"]:
            self.entry.lists.append(f"{words[1]} {words[4]}")
        elif words[:2] == ["match", "community"]:
            self.entry.community_lists += words[2:]
        elif words == ["set", "local-preference", "0"]:
            self.entry.last = True
        elif words[:3] == ["set", "extcommunity", "bandwidth"]:
            self.entry.bandwidth = True
        elif words[:2] == ["set", "table"]:
            self.entry.table = int(words[2])
        elif words[:2] == ["set", "community"]:
            self.entry.additive = words[-1] == "additive"
            self.entry.adds += [word for word in words[2:] if word != "additive"]
        elif not HARMLESS_MAP.match(line):
            self.unknown(line)

    def bgp(self, line: str, words: list[str]) -> None:
        """A line inside ``router bgp``, its address families included."""
        speaker = self.out.bgp
        if speaker is None:
            return
        if words[0] == "neighbor":
            self._neighbor(line, words[1], words[2:])
        elif line.startswith("no neighbor ") and words[3:] == ["activate"]:
            self._peer(words[2]).words.pop(f"{self.family} activate", None)
        elif words[0] == "network":
            speaker.networks.append(prefix(words[1]))
        elif words[0] == "aggregate-address":
            speaker.aggregates.append(prefix(words[1]))
        elif words[0] == "redistribute":
            self.redistribute[f"{words[1]} {self.family}"] = words[3] if words[2:3] == ["route-map"] else ""
        elif words[0] == "maximum-paths":
            self.paths[self.family] = int(words[-1])
        elif words[0] == "address-family" and words[1] in BITS and words[2:] in ([], ["unicast"]):
            self.family = words[1]
        elif words[0] == "exit-address-family":
            self.family = "ipv4"
        elif not self._bgp_switch(speaker, line):
            self.unknown(line)

    def _bgp_switch(self, speaker: Bgp, line: str) -> bool:
        """A line of ``router bgp`` that sets one value; whether it was one."""
        if line.startswith("bgp router-id "):
            speaker.router_id = line.split()[2]
        elif line.startswith("bgp bestpath as-path multipath-relax"):
            speaker.multipath_relax = True
        elif line == "bgp bestpath as-path ignore":
            speaker.ignores_length = True
        elif line == "bgp graceful-restart":
            speaker.restarts = True
        elif line.endswith("bgp network import-check"):
            speaker.import_check = not line.startswith("no ")
        elif line.endswith("bgp ebgp-requires-policy"):
            speaker.policy_required = not line.startswith("no ")
        else:
            return HARMLESS_BGP.match(line) is not None
        return True

    # -- single lines

    def _open_bgp(self, line: str, words: list[str]) -> None:
        if self.out.bgp is not None or len(words) != 3:
            self.unknown(line)
            return
        self.out.bgp = Bgp(int(words[2]))
        self.context = self.bgp

    def _open_map(self, words: list[str]) -> None:
        name, action, number = words[1:4]
        self.entry = self.maps.setdefault(name, {}).setdefault(int(number), _MapEntry(action == "permit"))
        self.context = self.map_entry

    def _prefix_list(self, line: str, words: list[str]) -> None:
        if words[1] == "description":
            return
        name = f"{line.split()[0]} {words.pop(0)}"
        number = len(self.lists.get(name, ())) * 5 + 5
        if words[0] == "seq":
            number, words = int(words[1]), words[2:]
        permit, rest = words[0] == "permit", dict(zip(words[2::2], words[3::2], strict=False))
        any_route = words[1] == "any"
        block = prefix(("::/0" if line.startswith("ipv6") else "0.0.0.0/0") if any_route else words[1])
        longest = block.bits if any_route or "ge" in rest else block.length
        rule = PrefixRule(permit, block, int(rest.get("ge", block.length)), int(rest.get("le", longest)))
        self.lists.setdefault(name, []).append((number, rule))

    def _community_list(self, line: str, words: list[str]) -> None:
        rest = words[3:] if words[1] == "seq" else words[1:]
        if len(rest) != 2 or rest[0] != "permit":
            self.unknown(line)
            return
        self.community_lists.setdefault(words[0], set()).add(rest[1])

    def _static(self, line: str, words: list[str]) -> None:
        if len(words) < 2:
            self.unknown(line)
            return
        discard = words[1].lower() in ("blackhole", "reject", "null0")
        table = int(words[words.index("table") + 1]) if "table" in words else 0
        self.out.routes.append(Route(prefix(words[0]), "" if discard else words[1], table=table))

    def _peer(self, name: str) -> _Peer:
        if name in self.groups:
            return self.groups[name]
        return self.peers.setdefault(name, _Peer())

    def _neighbor(self, line: str, name: str, words: list[str]) -> None:
        if words == ["peer-group"]:
            self.groups[name] = _Peer()
        elif words[0] == "peer-group":
            self._peer(name).group = words[1]
        elif words[:2] == ["interface", "peer-group"]:
            self._peer(name).group = words[2]
            self._peer(name).words["interface"] = []
        elif words == ["interface"]:
            self._peer(name).words["interface"] = []
        elif words[0] in (OWN_POLICY, "prefix-list"):
            self._peer(name).words[f"{self.family} {words[0]} {words[2]}"] = [words[1]]
        elif words[0] in OF_FAMILY:
            self._peer(name).words[f"{self.family} {words[0]}"] = words[1:]
        elif words[0] in STATED or (words[0] == "timers" and words[1] != "connect"):
            self._peer(name).words[words[0]] = words[1:]
        elif not HARMLESS_NEIGHBOR.match(" ".join(words)):
            self.unknown(line)

    # -- references

    def _resolve(self) -> None:
        speaker = self.out.bgp
        if speaker is None:
            return
        speaker.max_paths = min(self.paths.values(), default=1)
        for name, peer in self.peers.items():
            speaker.sessions += self._sessions(name, peer)
        for protocol, policy in self.redistribute.items():
            speaker.redistributed[protocol] = self._policy(policy) if policy else None

    def _sessions(self, name: str, peer: _Peer) -> Iterator[Session]:
        """A neighbour in each family that it is activated for; in its own where it is in none."""
        group = self.groups.get(peer.group)
        if peer.group and group is None:
            self.out.problems.append(f"frr.conf: neighbor {name}: peer-group {peer.group} is not defined")
        words = {**(group.words if group else {}), **peer.words}
        remote = words.get("remote-as", ["external"])[0]
        if ("interface" in words) == bool(_ADDRESS.fullmatch(name)):
            self.out.problems.append(f"frr.conf: neighbor {name}: neither an address nor an interface")
        activated = [family for family in BITS if f"{family} activate" in words]
        for family in activated or ["ipv6" if ":" in name else "ipv4"]:
            yield Session(
                peer=name,
                remote_as=int(remote) if remote.isdigit() else None,
                local_as=int(words["local-as"][0]) if "local-as" in words else None,
                description=" ".join(words.get("description", [])),
                import_policies=self._policies(words, family, "in"),
                export_policies=self._policies(words, family, "out"),
                active=family in activated,
                shutdown="shutdown" in words,
                allowas_in=f"{family} allowas-in" in words,
                default_originate=f"{family} default-originate" in words,
                bfd="bfd" in words,
                password=" ".join(words.get("password", [])),
                timers=tuple(map(int, words.get("timers", []))),
                least_ttl=256 - int(words["ttl-security"][1]) if "ttl-security" in words else 0,
                bits=BITS[family],
            )

    def _policies(self, words: dict[str, list[str]], family: str, way: str) -> tuple[Policy, ...]:
        own, by_prefix = (words.get(f"{family} {kind} {way}") for kind in (OWN_POLICY, "prefix-list"))
        found = [self._policy(own[0])] if own else []
        if by_prefix:
            name = by_prefix[0]
            found.append(Policy(name, (PolicyRule(True, self._filter(f"{LIST_OF[family]} {name}")),)))
        return tuple(found)

    def _policy(self, name: str) -> Policy:
        if name not in self.policies:
            if name not in self.maps:
                self.out.problems.append(f"frr.conf: route-map {name} is not defined")
            entries = sorted(self.maps.get(name, {}).items())
            self.policies[name] = Policy(name, tuple(self._rule(name, entry) for _, entry in entries))
        return self.policies[name]

    def _rule(self, name: str, entry: _MapEntry) -> PolicyRule:
        if len(entry.lists) > 1:
            self.out.problems.append(f"frr.conf: route-map {name}: more than one prefix-list in one entry")
        return PolicyRule(
            entry.permit,
            self._filter(entry.lists[0]) if entry.lists else None,
            self._marks(entry.community_lists) if entry.community_lists else None,
            frozenset(entry.adds),
            not entry.additive,
            entry.table,
            entry.last,
            entry.bandwidth,
        )

    def _marks(self, names: list[str]) -> Marks:
        for name in names:
            if name not in self.community_lists:
                self.out.problems.append(f"frr.conf: community-list {name} is not defined")
        return frozenset(mark for name in names for mark in self.community_lists.get(name, ()))

    def _filter(self, name: str) -> PrefixFilter:
        if name not in self.lists:
            self.out.problems.append(f"frr.conf: {name.replace(' ', ' prefix-list ')} is not defined")
        return tuple(rule for _, rule in sorted(self.lists.get(name, []), key=lambda pair: pair[0]))


def read_frr(text: str) -> Routing:
    """Everything that a frr.conf says about neighbours, policies and routes."""
    return _Reader().read(text)


def adopt_frr(text: str, device: Device) -> Routing:
    """Give a device the routes and sessions of its frr.conf, and what is wrong with them."""
    routing = read_frr(text)
    device.bgp = routing.bgp
    device.routes += routing.routes
    for problem in routing.problems:
        device.say(problem)
    return routing
