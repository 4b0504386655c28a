"""A host's network file in the words of the ip command.

Source: https://netplan.readthedocs.io/en/stable/netplan-yaml/
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fabricgen.diagnostics import Bag
from fabricgen.lab.lab_codes import NOT_APPLIED
from fabricgen.source import load_data

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
    """A host's network file, translated.

    Attributes:
        addresses: Addresses with prefix length, by interface.
        mtu_bytes: By interface; what is not named has the default.
        bonds: Interfaces of each bond, whose own addresses and MTU are above.
        commands: Lines of the ip command: routes and rules.
    """

    addresses: dict[str, tuple[str, ...]] = field(default_factory=dict)
    mtu_bytes: dict[str, int] = field(default_factory=dict)
    bonds: dict[str, tuple[str, ...]] = field(default_factory=dict)
    commands: list[str] = field(default_factory=list)


def translate_netplan(text: bytes, host: str, bag: Bag) -> HostNetwork:
    """Translate a network file.

    Args:
        text: The file as it was rendered.
        host: Whose file it is, for diagnostics.
        bag: Takes a diagnostic for each key that the lab cannot apply.
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
            network.commands += [_route(name, members, route, host, bag) for route in value]
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
