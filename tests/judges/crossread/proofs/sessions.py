"""BGP sessions: every link has one in each direction, each names the other's AS number, none is unsafe."""

from __future__ import annotations

import re

from ..facts import Bgp, End, Session
from ..graph import interfaces, place
from .case import FAMILIES, Case, Sessions


def prove_sessions_reciprocal(case: Case) -> list[str]:
    """Both ends of every link between speakers have a session to the other's address and AS number."""
    found = []
    sessions = case.sessions()
    speakers = {device.name for device in case.fabric.hosts() if device.bgp}
    to_hosts = [
        (host, leaf)
        for host, leaf in case.host_links
        if host[0] in speakers or any(case.session(sessions, leaf, host, bits) for bits in case.families)
    ]
    for lower, upper in [*case.switch_links, *to_hosts]:
        for bits in case.families:
            found += _one_way(case, sessions, lower, upper, bits)
            found += _one_way(case, sessions, upper, lower, bits)
            found += _have_in_common(case, sessions, lower, upper, bits)
    return list(dict.fromkeys(found))


def _have_in_common(case: Case, sessions: Sessions, lower: End, upper: End, bits: int) -> list[str]:
    """Properties that both ends of a session need: BFD, GTSM or a password at one end alone breaks it."""
    here, there = case.session(sessions, lower, upper, bits), case.session(sessions, upper, lower, bits)
    if here is None or there is None:
        return []
    found = [
        f"{place(lower)}: {name} runs only at {place(lower if one else upper)} of the link to {place(upper)}"
        for name, one, other in (("BFD", here.bfd, there.bfd), ("GTSM", here.least_ttl, there.least_ttl))
        if bool(one) != bool(other)
    ]
    if here.timers and there.timers and here.timers != there.timers:
        found.append(f"{place(lower)}: timers {here.timers} of its session, {there.timers} at {place(upper)}")
    if here.password != there.password:
        found.append(f"{place(lower)}: its session to {place(upper)} has not the password of the other end")
    return found


def _one_way(case: Case, sessions: Sessions, here: End, there: End, bits: int) -> list[str]:
    """Return what is wrong with the session of a family that ``here`` has to ``there``."""
    near, far = case.fabric.devices[here[0]], case.fabric.devices[there[0]]
    peers = case.peers(here, there)
    if near.bgp is None or far.bgp is None or not peers:
        return [f"{place(here)}: no BGP session to {place(there)} is possible"]
    named = [peer for peer in peers if (near.name, peer, bits) in sessions]
    if len(named) != 1:
        said = f"several BGP sessions for {FAMILIES[bits]}" if named else "no BGP session"
        return [f"{place(here)}: {said} to {place(there)} at {', '.join(named or peers)}"]
    peer, session = named[0], sessions[near.name, named[0], bits]
    return _local_links(case, peer, here, there) + _agrees(session, near.bgp, far.bgp, here, there)


def _local_links(case: Case, peer: str, here: End, there: End) -> list[str]:
    """Ends of a session over a port itself that have no link-local address for it."""
    if peer != here[1]:
        return []
    without = [end for end in (here, there) if not (port := case.port(end)) or not port.link_local]
    return [f"{place(end)}: no link-local address for the session over it" for end in without]


def _agrees(session: Session, near: Bgp, far: Bgp, here: End, there: End) -> list[str]:
    """Return whether a session is up as configured and means the speaker that is there."""
    found, peer = [], session.peer
    if session.remote_as is None and near.asn == far.asn:
        found.append(f"{place(here)}: session to {peer} is external, but {there[0]} has the same AS {far.asn}")
    if session.remote_as is not None and session.remote_as != far.asn:
        found.append(f"{place(here)}: remote-as {session.remote_as} for {peer}, but {there[0]} is AS {far.asn}")
    if session.shutdown or not session.active:
        state = "shut down" if session.shutdown else "not activated"
        found.append(f"{place(here)}: session to {peer} is {state}")
    named = re.findall(r"[\w./-]+", session.description)
    if named and named not in ([there[0]], list(there)):
        found.append(f"{place(here)}: session to {peer} is described {session.description!r}, it is {place(there)}")
    return found


def prove_leafs_are_held_to_their_own(case: Case) -> list[str]:
    """A switch above leafs takes of each of them nothing that another leaf says; the next one's stands for all."""
    found = []
    sessions = case.sessions()
    own = {
        name: [prefix for prefix in (*bgp.networks, *bgp.aggregates) if prefix.bits in case.families]
        for name, bgp in ((lower[0], case.fabric.devices[lower[0]].bgp) for lower, _ in case.leaf_links())
        if bgp
    }
    names = sorted(own)
    after = dict(zip(names, [*names[1:], *names[:1]], strict=True))
    for leaf, above in case.leaf_links():
        for foreign in own.get(after.get(leaf[0], ""), []):
            session = case.session(sessions, above, leaf, foreign.bits)
            if session is None or foreign in own[leaf[0]]:
                continue
            if session.peer == above[1] and "unnumbered_lists" in case.fabric.devices[above[0]].lacks:
                continue
            if all(policy.permits(foreign) for policy in session.import_policies):
                found.append(f"{place(above)}: takes {foreign} of {after[leaf[0]]} from {leaf[0]}")
    return list(dict.fromkeys(found))


def prove_sessions_have_links(case: Case) -> list[str]:
    """Every session's peer is the far end of a link of this device."""
    found = []
    owner = {a.text: (d.name, i.name) for d, i in interfaces(case.fabric) for a in i.addresses}
    for device in case.fabric.devices.values():
        for peer in dict.fromkeys(session.peer for session in device.bgp.sessions) if device.bgp else []:
            over = (device.name, peer)
            far = case.graph.other_end.get(over) if peer in device.interfaces else owner.get(peer)
            if far is None:
                found.append(f"{device.name}: session to {peer}, which no device has")
            elif case.graph.other_end.get(far, ("", ""))[0] != device.name:
                found.append(f"{device.name}: session to {peer} of {place(far)}, which is not cabled to it")
    return found


def prove_sessions_safe(case: Case) -> list[str]:
    """No restart without BFD, no allowas-in, no default-originate, policies both ways, multipath across AS paths."""
    found = []
    for device in case.fabric.devices.values():
        if device.bgp is None:
            continue
        if not device.bgp.multipath_relax:
            found.append(f"{device.name}: no multipath-relax, so ECMP stops where AS paths differ")
        for session in device.bgp.sessions:
            if device.bgp.restarts and not session.bfd:
                found.append(f"{device.name}: restarts gracefully, but no BFD watches the session to {session.peer}")
            if session.allowas_in:
                found.append(f"{device.name}: session to {session.peer} has allowas-in")
            if session.default_originate:
                found.append(f"{device.name}: session to {session.peer} has default-originate")
            if device.bgp.policy_required and not (session.import_policies and session.export_policies):
                found.append(f"{device.name}: session to {session.peer} lacks a policy, so no route passes")
    return found
