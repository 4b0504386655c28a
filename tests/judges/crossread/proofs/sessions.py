"""BGP sessions: every link has one in each direction, each names the other's AS number, none is unsafe."""

from __future__ import annotations

import re

from ..facts import End, Session
from ..graph import interfaces, place
from .case import Case


def prove_sessions_reciprocal(case: Case) -> list[str]:
    """Both ends of every switch link have a session to the other's address and AS number."""
    found = []
    sessions = {(d.name, s.peer): s for d in case.fabric.switches() if d.bgp for s in d.bgp.sessions}
    for lower, upper in case.switch_links:
        found += _one_way(case, sessions, lower, upper)
        found += _one_way(case, sessions, upper, lower)
        found += _watch_each_other(case, sessions, lower, upper)
    return found


def _watch_each_other(case: Case, sessions: dict[tuple[str, str], Session], lower: End, upper: End) -> list[str]:
    """BFD at one end alone watches a neighbour that never answers."""
    ports = [case.port(end) for end in (lower, upper)]
    peers = [port.addresses[0].text if port and port.addresses else "" for port in ports]
    ways = [sessions.get((lower[0], peers[1])), sessions.get((upper[0], peers[0]))]
    watching = [end for end, session in zip((lower, upper), ways, strict=True) if session and session.bfd]
    if None in ways or len(watching) != 1:
        return []
    return [f"{place(lower)}: BFD runs only at {place(watching[0])} of the link to {place(upper)}"]


def _one_way(case: Case, sessions: dict[tuple[str, str], Session], here: End, there: End) -> list[str]:
    """What is wrong with the session that ``here`` has to ``there``."""
    near, far = case.fabric.devices[here[0]], case.fabric.devices[there[0]]
    port = case.port(there)
    if near.bgp is None or far.bgp is None or port is None or not port.addresses:
        return [f"{place(here)}: no BGP session to {place(there)} is possible"]
    peer = port.addresses[0].text
    session = sessions.get((near.name, peer))
    if session is None:
        return [f"{place(here)}: no BGP session to {place(there)} at {peer}"]
    found = []
    if session.remote_as is None and near.bgp.asn == far.bgp.asn:
        found.append(f"{place(here)}: session to {peer} is external, but {there[0]} has the same AS {far.bgp.asn}")
    if session.remote_as is not None and session.remote_as != far.bgp.asn:
        found.append(f"{place(here)}: remote-as {session.remote_as} for {peer}, but {there[0]} is AS {far.bgp.asn}")
    if session.shutdown or not session.active:
        state = "shut down" if session.shutdown else "not activated"
        found.append(f"{place(here)}: session to {peer} is {state}")
    named = re.findall(r"[\w./-]+", session.description)
    if named and named not in ([there[0]], list(there)):
        found.append(f"{place(here)}: session to {peer} is described {session.description!r}, it is {place(there)}")
    return found


def prove_sessions_have_links(case: Case) -> list[str]:
    """Every session's peer is the far end of a link of this device."""
    found = []
    owner = {a.text: (d.name, i.name) for d, i in interfaces(case.fabric) for a in i.addresses}
    for device in case.fabric.devices.values():
        for peer in [session.peer for session in device.bgp.sessions] if device.bgp else []:
            far = owner.get(peer)
            if far is None:
                found.append(f"{device.name}: session to {peer}, which no device has")
            elif case.graph.other_end.get(far, ("", ""))[0] != device.name:
                found.append(f"{device.name}: session to {peer} of {place(far)}, which is not cabled to it")
    return found


def prove_sessions_safe(case: Case) -> list[str]:
    """No allowas-in, no default-originate, a policy in each direction, multipath across AS paths."""
    found = []
    for device in case.fabric.switches():
        if device.bgp is None:
            continue
        if not device.bgp.multipath_relax:
            found.append(f"{device.name}: no multipath-relax, so ECMP stops where AS paths differ")
        for session in device.bgp.sessions:
            if session.allowas_in:
                found.append(f"{device.name}: session to {session.peer} has allowas-in")
            if session.default_originate:
                found.append(f"{device.name}: session to {session.peer} has default-originate")
            if device.bgp.policy_required and not (session.import_policies and session.export_policies):
                found.append(f"{device.name}: session to {session.peer} lacks a policy, so no route passes")
    return found
