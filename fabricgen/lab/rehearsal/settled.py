"""Sessions of changed devices once a wave is over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fabricgen.lab.lifecycle.kernel import wait_for
from fabricgen.lab.model.blueprint import Blueprint, LabNode, have_session
from fabricgen.lab.verify.findings import LabFinding
from fabricgen.lab.verify.observe import ask_all, ask_routing, name_link

_PATIENCE_S = 20.0


def check_established(blueprint: Blueprint, devices: Iterable[str]) -> list[LabFinding]:
    """Return the sessions of some devices that are not established; both ends may differ in what they watch by BFD.

    A session that only one end has is not expected: its other end gets it in a later wave, or has given it up.

    Args:
        blueprint: The lab.
        devices: Names of switches, or of hosts that run routing.
    """
    nodes = [node for node in map(blueprint.node, devices) if node.config]
    found: list[LabFinding] = []

    def is_complete() -> bool:
        found[:] = _find(blueprint, nodes)
        return not found

    wait_for(is_complete, _PATIENCE_S, 0.5)
    return found


def _find(blueprint: Blueprint, nodes: Iterable[LabNode]) -> Iterator[LabFinding]:
    todo = list(nodes)
    answers = ask_all(todo, lambda node: ask_routing(blueprint, node, "show bgp neighbors json"))
    for node in todo:
        for end in node.interfaces:
            other = blueprint.node(end.peer)
            for name in end.neighbors if other.config and have_session(node, end, other) else ():
                session = answers[node.name].get(name)
                state = session.get("bgpState", "unknown") if isinstance(session, dict) else "not configured"
                if state != "Established":
                    yield LabFinding(node.name, name_link(node, end), f"the session is {state} after the wave")
