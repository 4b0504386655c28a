"""All checks of a running lab, and the lab beside the fabric as it is intended now: what it has, and runs otherwise."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from ipaddress import ip_interface

from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import FileKind, load_kinds
from fabricgen.diff.tree_changes import compare_trees
from fabricgen.lab.lifecycle.boot import Progress, vtysh
from fabricgen.lab.lifecycle.kernel import CommandError, ask_ip, run
from fabricgen.lab.model.blueprint import Blueprint, LabNode
from fabricgen.lab.model.planned import load_native
from fabricgen.lab.model.routing_suite import CONFIG_NAME
from fabricgen.lab.verify.findings import LabFinding, LabResult
from fabricgen.lab.verify.forwarding import check_valleys, check_widths, read_all_routes
from fabricgen.lab.verify.observe import ask_all, check_cabling, check_daemons, check_sessions, name_link
from fabricgen.lab.verify.predict import predict
from fabricgen.lab.verify.reach import check_mtu, check_reach
from fabricgen.lab.verify.spread import check_spread
from fabricgen.platforms.patching.steps import ABSENT, Change
from fabricgen.platforms.reading.reader import ReadFault

Addresses = dict[str, set[str]]
"""Addresses with their prefix length, by interface."""


def fit(intended: Blueprint, running: Blueprint) -> tuple[Blueprint, LabResult]:
    """Return what a lab has of a fabric, for the other checks, and a result that names what it lacks or has besides.

    Packets are sent over no other cables and from no other addresses than those that are there.
    """
    wanted, there = _list_parts(intended, running), _list_parts(running, intended)
    findings = [LabFinding(*part, "intended, and not in the lab") for part in sorted(wanted - there)]
    findings += [LabFinding(*part, "in the lab, and not intended") for part in sorted(there - wanted)]
    here = [node for node in intended.nodes if (node.name, "") in there]
    addresses = ask_all(here, lambda node: read_addresses(running, node))
    nodes, examined = [], len(wanted)
    for node in here:
        ends, found = [], addresses[node.name]
        findings += [_lacks(node, "lo", each) for each in node.loopbacks if not _has(found, "lo", each)]
        for end in node.interfaces:
            if (node.name, name_link(end)) in there:
                has = tuple(address for address in end.addresses if _has(found, end.name, address))
                findings += [_lacks(node, name_link(end), each) for each in end.addresses if each not in has]
                examined += len(end.addresses)
                ends.append(replace(end, addresses=has))
        nodes.append(replace(node, interfaces=tuple(ends)))
        examined += len(node.loopbacks)
    result = LabResult("intended", examined, "devices, ports, addresses", tuple(findings))
    return replace(intended, nodes=tuple(nodes)), result


def _list_parts(blueprint: Blueprint, other: Blueprint) -> set[tuple[str, str]]:
    """Return the devices of a lab, and the ports of their cables between devices that another one has, too."""
    both = {node.name for node in blueprint.nodes} & {node.name for node in other.nodes}
    here = [node for node in blueprint.nodes if node.name in both]
    ends = ((node, end) for node in here for end in node.interfaces if not end.peer or end.peer in both)
    return {(node.name, "") for node in blueprint.nodes} | {(node.name, name_link(end)) for node, end in ends}


def _lacks(node: LabNode, link: str, address: str) -> LabFinding:
    return LabFinding(node.name, link, f"has no address {address}")


def read_addresses(blueprint: Blueprint, node: LabNode) -> Addresses:
    """Return the addresses of a device that are not link-local."""
    return {
        str(link["ifname"]): {
            f"{address['local']}/{address['prefixlen']}"
            for address in link.get("addr_info", ())
            if address.get("scope") != "link"
        }
        for link in ask_ip(blueprint.namespace(node.name), "address", "show")
    }


def _has(found: Addresses, interface: str, address: str) -> bool:
    return str(ip_interface(address)) in found.get(interface, ())


def check_configuration(blueprint: Blueprint) -> LabResult:
    """Every daemon runs the configuration that is intended, by its meaning."""
    native = load_native(Bag())
    kinds = load_kinds([native], Bag()).all() if native is not None else []
    kind = next(kind for kind in kinds if kind.name == CONFIG_NAME)
    texts = ask_all(blueprint.speakers, lambda node: _read_running(blueprint, node))
    found = (finding for node in blueprint.speakers for finding in _compare(node, texts[node.name], kind))
    return LabResult("configuration", len(blueprint.speakers), "devices", tuple(found))


def _read_running(blueprint: Blueprint, node: LabNode) -> str:
    try:
        return run(vtysh(blueprint, node.name, "show running-config"))
    except CommandError:
        return ""


def _compare(node: LabNode, text: str, kind: FileKind) -> Iterator[LabFinding]:
    """Yield what a device runs otherwise; the first of several differences in one section."""
    if not text:
        yield LabFinding(node.name, "", "its daemons do not show their configuration")
        return
    try:
        changes = compare_trees(kind.read(text), kind.read(node.config), kind.semantics).changes
    except ReadFault as fault:
        yield LabFinding(node.name, "", f"its configuration cannot be read: {fault}")
        return
    sections: dict[str, list[Change]] = {}
    for change in changes:
        sections.setdefault(change.steps[0], []).append(change)
    for section, found in sections.items():
        more = f", and {len(found) - 1} more" if len(found) > 1 else ""
        yield LabFinding(node.name, section, f"{_tell(found[0])}{more}")


def _tell(change: Change) -> str:
    """Return a difference in words: the line, and how it is wrong."""
    line = " ".join(change.steps[1:]) or "all of it"
    if change.before is ABSENT:
        return f"{line}: intended, and not running"
    if change.after is ABSENT:
        return f"{line}: running, and not intended"
    if isinstance(change.after, (dict, list)) or isinstance(change.before, (dict, list)):
        return f"{line}: runs otherwise than intended"
    return f"{line}: {change.before} runs, {change.after} is intended"


def judge(intended: Blueprint, running: Blueprint, progress: Progress) -> list[LabResult]:
    """Hold a running lab against the fabric as it is intended now."""
    blueprint, lacks = fit(intended, running)
    prediction = predict(blueprint)
    routes = read_all_routes(blueprint, blueprint.speakers)
    checks: list[tuple[str, Callable[[], LabResult | Iterable[LabResult]]]] = [
        ("intended", lambda: lacks),
        ("daemons", lambda: check_daemons(blueprint)),
        ("configuration", lambda: check_configuration(blueprint)),
        ("cabling", lambda: check_cabling(blueprint)),
        ("sessions", lambda: check_sessions(blueprint)),
        ("ecmp width", lambda: check_widths(blueprint, prediction, routes)),
        ("no valleys", lambda: check_valleys(blueprint, prediction)),
        ("reachability", lambda: check_reach(blueprint, prediction)),
        ("mtu", lambda: check_mtu(blueprint, prediction)),
        ("spread", lambda: check_spread(blueprint, routes)),
        ("daemons after", lambda: replace(check_daemons(blueprint), name="daemons after")),
    ]
    results: list[LabResult] = []
    for done, (name, check) in enumerate(checks):
        progress(name, done, len(checks))
        started = time.monotonic()
        found = check()
        each = [found] if isinstance(found, LabResult) else list(found)
        seconds = (time.monotonic() - started) / len(each)
        results += [replace(result, seconds=seconds) for result in each]
    progress("done", len(checks), len(checks))
    return results
