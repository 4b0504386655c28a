"""Observed state of the running lab: forwarding tables of the kernel, sessions, neighbours on cables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from fabricgen.lab.lifecycle.boot import WORKERS, vtysh
from fabricgen.lab.lifecycle.kernel import CommandError, ask_ip, run
from fabricgen.lab.lifecycle.state import device_folder
from fabricgen.lab.model.blueprint import Blueprint, LabNode
from fabricgen.lab.verify.predict import Prediction

_BGP = "186"
"""Number of BGP in the kernel's table of routing protocols; names depend on a file of the machine."""
_MAIN = "main"
_USELESS = {"dead", "linkdown"}
T = TypeVar("T")

Routes = dict[str, frozenset[str]]
"""Next hop interfaces by prefix."""


def ask_all(nodes: Iterable[LabNode], question: Callable[[LabNode], T]) -> dict[str, T]:
    """Ask several devices at a time; answers by name."""
    todo = list(nodes)
    with ThreadPoolExecutor(WORKERS) as pool:
        return dict(zip([node.name for node in todo], pool.map(question, todo), strict=True))


def read_routes(blueprint: Blueprint, node: LabNode) -> Routes:
    """Return what the kernel forwards by BGP: next hops that are alive, by prefix."""
    namespace = blueprint.namespace(node.name)
    # A table that is still empty in a family is none, and asking for it an error.
    asked = _MAIN if node.table == _MAIN else "all"
    found = {}
    for family in ("-4", "-6") if blueprint.uses_ipv6 else ("-4",):
        for route in ask_ip(namespace, family, "route", "show", "table", asked, "proto", _BGP):
            if str(route.get("table", _MAIN)) != node.table:
                continue
            hops = route.get("nexthops", [route])
            names = (hop.get("dev", "") for hop in hops if not _USELESS.intersection(hop.get("flags", ())))
            found[_with_length(str(route["dst"]))] = frozenset(name for name in names if name)
    return found


def _with_length(prefix: str) -> str:
    if "/" in prefix or prefix == "default":
        return prefix
    return f"{prefix}/{128 if ':' in prefix else 32}"


def routes_differ(blueprint: Blueprint, prediction: Prediction, nodes: Iterable[LabNode]) -> list[LabNode]:
    """Devices whose kernel does not forward as predicted."""
    todo = list(nodes)
    found = ask_all(todo, lambda node: read_routes(blueprint, node))
    return [node for node in todo if found[node.name] != prediction.interfaces[node.name]]


def ask_routing(blueprint: Blueprint, node: LabNode, command: str) -> dict[str, Any]:
    """Return what a device's routing daemons answer, as data; empty if they do not."""
    try:
        answer = json.loads(run(vtysh(blueprint, node.name, command)))
    except (CommandError, ValueError):
        return {}
    return answer if isinstance(answer, dict) else {"": answer}


def read_cabling(blueprint: Blueprint, node: LabNode) -> dict[str, tuple[str, str]]:
    """Return the LLDP neighbours: device and port by own interface."""
    socket = device_folder(blueprint.lab, node.name) / "lldpd.socket"
    try:
        answer = json.loads(run(["lldpcli", "-u", str(socket), "-f", "json0", "show", "neighbors"]))
    except (CommandError, ValueError):
        return {}
    found = {}
    for lldp in answer.get("lldp", []):
        for item in lldp.get("interface", []):
            device = item["chassis"][0].get("name", [{}])[0].get("value", "")
            port = item["port"][0].get("id", [{}])[0].get("value", "")
            found[str(item["name"])] = (str(device), str(port))
    return found


def read_links(blueprint: Blueprint, node: LabNode) -> dict[str, dict[str, Any]]:
    """The kernel's own view of a device's interfaces, by name."""
    return {str(link["ifname"]): link for link in ask_ip(blueprint.namespace(node.name), "link", "show")}
