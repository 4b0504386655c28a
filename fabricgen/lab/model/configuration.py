"""Rendered files as the lab uses them: the routing configuration, and a host's kernel settings and network file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from fabricgen.diagnostics import Bag
from fabricgen.lab.lab_codes import NOT_APPLIED
from fabricgen.lab.model.routing_suite import SUITE
from fabricgen.source import load_data

_LEFT_OUT = re.compile(r" *(?:no )?(?:fpm |bgp suppress-fib-pending)|log syslog")
"""Lines of switches with an ASIC, and the system log: the lab's logs go to files of its own.

The forwarding plane manager is a module that is not here, and no route has to wait for a kernel. Before FRR 10.3 bgpd
never sends a withdrawal that comes while the route waits (frr 4e8eda74ec, issue 15626; seen in the lab with 8.4.4: a
leaf behind two links of a spine is gone, and its neighbors keep its routes).
"""
_ADDED = "no zebra nexthop kernel enable"
"""Kernel next hop groups keep too few members after a link flaps; plain multipath routes heal."""
_SETTING = re.compile(r"-?\s*([\w./-]+)\s*=\s*(-?\d+)\s*")


_PASSWORD = re.compile(r"(?<= password )@fabricgen-secret:\S+@")
"""A secret of the sessions. Nothing here resolves it: both ends of a session get the same stand-in, of legal length."""


def _placeholder(found: re.Match[str]) -> str:
    return f"lab-{sha256(found[0].encode()).hexdigest()[:16]}"


def adapt_commands(text: str) -> str:
    """Return commands for running daemons, changed as ``adapt_routing`` changes their configuration."""
    return "".join(_hide(line) for line in text.splitlines(keepends=True) if not _LEFT_OUT.match(line))


def _hide(line: str) -> str:
    """Return a line with a stand-in for every secret of a session."""
    return _PASSWORD.sub(_placeholder, line)


class RoutingText(NamedTuple):
    """A routing configuration for the lab and what was changed in it."""

    text: str
    adapted: tuple[str, ...]


def adapt_routing(text: str) -> RoutingText:
    """Make a rendered routing configuration one that the daemons of this machine take."""
    kept: list[str] = []
    adapted = []
    at = 0
    for line in text.splitlines():
        if _LEFT_OUT.match(line):
            adapted.append(f"left out: {line.strip()}")
            continue
        kept.append(_hide(line))
        if line.startswith(f"{SUITE} defaults"):
            at = len(kept)
    kept.insert(at, _ADDED)
    return RoutingText("\n".join(kept) + "\n", (*adapted, f"added: {_ADDED}"))


def restore_routing(text: str, rendered: str) -> str:
    """Return what daemons run as the device would run it: ``adapt_routing`` backwards."""
    lines = [line for line in text.splitlines() if line != _ADDED]
    top = section = next((line for line in lines if line.startswith(f"{SUITE} defaults")), "")
    for line in rendered.splitlines():
        if _LEFT_OUT.match(line):
            place = section if line.startswith(" ") else top
            # A section that was removed takes its lines along.
            if place in lines:
                lines.insert(lines.index(place) + 1, line)
        elif line and not line.startswith((" ", "!")):
            section = line
    return "\n".join(lines) + "\n"


def let_probes_in(rules: str, port: int) -> str:
    """A packet filter that takes the lab's own datagrams, which measure links, before it looks at anything else."""
    tables = ("ip filter", "ip6 filter")
    return rules + "".join(f"insert rule {table} input udp dport {port} accept\n" for table in tables)


def read_settings(text: str) -> dict[str, int]:
    """Network settings of a sysctl file by path below /proc/sys; the lab leaves alone what is not of a namespace."""
    found = {}
    for line in text.splitlines():
        match = _SETTING.fullmatch(line.strip())
        if match and match[1].startswith("net."):
            found[match[1].replace(".", "/")] = int(match[2])
    return found


_WITHOUT_EFFECT = frozenset({
    "renderer", "dhcp4", "dhcp6", "accept-ra", "ignore-carrier", "optional", "match", "set-name", "link-local",
    "parameters",
})  # fmt: skip
"""Keys that say how the file is applied or what a static rail does without; nothing of them is seen on the wire."""
_ROUTE_WORDS = {"via": "via", "table": "table", "metric": "metric", "from": "src", "mtu": "mtu", "scope": "scope"}
_RULE_WORDS = {"from": "from", "to": "to", "table": "table", "priority": "priority", "mark": "fwmark"}
_TYPES = frozenset({"unicast", "blackhole", "unreachable", "prohibit"})


@dataclass(slots=True)
class HostNetwork:
    """A host's network file: by interface its addresses with prefix length, and its MTU unless it is the default."""

    addresses: dict[str, tuple[str, ...]] = field(default_factory=dict)
    mtu_bytes: dict[str, int] = field(default_factory=dict)
    bonds: dict[str, tuple[str, ...]] = field(default_factory=dict)
    commands: list[str] = field(default_factory=list)


def translate_netplan(text: bytes, host: str, bag: Bag) -> HostNetwork:
    """Translate a rendered network file into the words of the ip command; each key that cannot be applied is reported.

    Source:
        https://netplan.readthedocs.io/en/stable/netplan-yaml/
    """
    with TemporaryDirectory(prefix="fabricgen-lab-") as folder:
        file = Path(folder, "network.yaml")
        file.write_bytes(text)
        document = load_data(file, bag)
    network = HostNetwork()
    data: Any = document.data if document else {}
    for kind, items in data.get("network", {}).items():
        if kind in ("ethernets", "bonds"):
            for name, settings in items.items():
                _translate_interface(network, name, settings, host, bag)
        elif kind not in ("version", "renderer"):
            _report(f"network.{kind}", host, bag)
    return network


_NETWORKD_WORDS = {"From": "from", "OutgoingInterface": "oif", "Table": "table", "Priority": "priority"}


def translate_rules(text: str) -> list[str]:
    """Return the rules of a file of systemd-networkd in the words of the ip command; what else it has is for a link."""
    found = []
    for section in text.split("[RoutingPolicyRule]\n")[1:]:
        pairs = [line.split("=") for line in section.splitlines() if line]
        found.append(" ".join(["rule add", *(f"{_NETWORKD_WORDS[key]} {value}" for key, value in pairs)]))
    return found


def _translate_interface(network: HostNetwork, name: str, settings: Mapping[str, Any], host: str, bag: Bag) -> None:
    for key, value in settings.items():
        if key == "mtu":
            network.mtu_bytes[name] = int(value)
        elif key == "addresses":
            network.addresses[name] = tuple(str(address) for address in value)
        elif key == "interfaces":
            network.bonds[name] = tuple(str(member) for member in value)
        elif key == "routes":
            members = tuple(settings.get("interfaces", ()))
            words = (_route(name, members, route, host, bag) for route in value)
            network.commands += [each for each in words if each not in network.commands]
        elif key == "routing-policy":
            network.commands += [_rule(rule, host, bag) for rule in value]
        elif key not in _WITHOUT_EFFECT:
            _report(f"{name}.{key}", host, bag)


def _route(interface: str, members: tuple[str, ...], route: Mapping[str, Any], host: str, bag: Bag) -> str:
    """A route through an interface, or over every member of a bond."""
    to = str(route["to"])
    family = "-6 " if ":" in to or ":" in str(route.get("via", "")) else ""
    kind = str(route.get("type", "unicast"))
    words = [f"{family}route add", *([kind] if kind != "unicast" else []), to]
    for key, value in route.items():
        if key in _ROUTE_WORDS:
            words += [] if key == "via" and members else [_ROUTE_WORDS[key], str(value)]
        elif key == "on-link":
            words += ["onlink"] if value else []
        elif key not in ("to", "type") or kind not in _TYPES:
            _report(f"{interface}.routes.{key}", host, bag)
    return " ".join(words + (_next_hops(interface, members, route) if kind == "unicast" else []))


def _next_hops(interface: str, members: tuple[str, ...], route: Mapping[str, Any]) -> list[str]:
    each = [["nexthop", "via", str(route["via"]), "dev", member, "onlink"] for member in members]
    return [word for words in each for word in words] or ["dev", interface]


def _rule(rule: Mapping[str, Any], host: str, bag: Bag) -> str:
    words = ["-6 rule add" if ":" in f"{rule.get('from', '')}{rule.get('to', '')}" else "rule add"]
    for key, value in rule.items():
        if key in _RULE_WORDS:
            words += [_RULE_WORDS[key], str(value)]
        else:
            _report(f"routing-policy.{key}", host, bag)
    return " ".join(words)


def _report(key: str, host: str, bag: Bag) -> None:
    bag.add(NOT_APPLIED, f"{host}: the lab does not know how to apply {key}")
