"""Judgement of routing: sessions, the prefixes they carry, BFD, and equal next hops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from ipaddress import ip_network

from fabricgen.platforms.observations import records
from fabricgen.state.expected import Expected
from fabricgen.state.findings import BFD, PREFIXES, SESSIONS, WIDTHS, CheckResult, Outcome, StateFinding, judged
from fabricgen.state.sessions import ExpectedSession

UP = "established"


def judge_sessions(expected: Expected, seen: Sequence[records.BgpSession]) -> CheckResult:
    """Return whether every planned session is up with the planned AS numbers, and there are no others."""
    known = {session.neighbor: session for session in seen}
    findings = [found for session in expected.sessions for found in _judge_session(session, known)]
    planned = {session.neighbor for session in expected.sessions}
    findings += [
        StateFinding(name, "no such session", f"{session.state}, AS {session.asn}")
        for name, session in known.items()
        if name not in planned
    ]
    return judged(SESSIONS, len(expected.sessions), findings)


def _judge_session(session: ExpectedSession, known: Mapping[str, records.BgpSession]) -> Iterator[StateFinding]:
    found = known.get(session.neighbor)
    about = name_link(session.port, session.peer, session.peer_port)
    if found is None:
        yield StateFinding(session.neighbor, UP, "not configured", about)
        return
    if found.asn is not None and found.asn != session.asn:
        yield StateFinding(session.neighbor, f"neighbor is AS {session.asn}", f"neighbor is AS {found.asn}", about)
    if found.local_asn is not None and found.local_asn != session.local_asn:
        yield StateFinding(session.neighbor, f"own AS is {session.local_asn}", f"own AS is {found.local_asn}", about)
    if found.state != UP:
        yield StateFinding(session.neighbor, UP, found.state, about)


def judge_prefixes(expected: Expected, seen: Sequence[records.BgpSession], *, only_up: bool = True) -> CheckResult:
    """Return whether each session brings as many prefixes as planned, where their number is determined.

    With ``only_up`` a session that is not up is a finding of another check, and is left out here.
    """
    known = {session.neighbor: session for session in seen if session.state == UP}
    findings, unread, planned = [], [], 0
    for session in expected.sessions:
        found = known.get(session.neighbor)
        for family, count in session.received if found or not only_up else ():
            planned += 1
            actual = found.received.get(family) if found else None
            if actual is None:
                unread.append(f"{family} prefixes of {session.neighbor}")
            elif actual != count:
                about = name_link(session.port, session.peer, session.peer_port)
                findings.append(
                    StateFinding(session.neighbor, f"{count} {family} prefixes accepted", str(actual), about)
                )
    if not planned and any(session.received for session in expected.sessions):
        return CheckResult(PREFIXES, Outcome.partial, reason="no session is up")
    return judged(PREFIXES, planned, findings, unread)


def judge_bfd(expected: Expected, seen: Sequence[records.Bfd]) -> CheckResult:
    """Return whether BFD is up towards every neighbor that it is planned to watch, and towards no other."""
    watched = [session for session in expected.sessions if session.watched]
    by_neighbor = {each.neighbor: each for each in seen}
    by_port = {each.port: each for each in seen if each.port}
    findings = []
    for session in watched:
        bare = session.neighbor == session.port
        found = (by_port if bare else by_neighbor).get(session.neighbor)
        if found is None or found.state != "up":
            about = name_link(session.port, session.peer, session.peer_port)
            findings.append(StateFinding(session.neighbor, "up", found.state if found else "no BFD session", about))
    return judged(BFD, len(watched), findings)


def judge_widths(expected: Expected, seen: Sequence[records.InstalledRoute], families: frozenset[str]) -> CheckResult:
    """Return whether the forwarding table has the planned number of next hops for every prefix of the leafs."""
    known = {_normal(route.prefix): route for route in seen}
    findings, examined = [], 0
    for width in expected.widths:
        for prefix in width.prefixes:
            if ("ipv6" if ":" in prefix else "ipv4") not in families:
                continue
            examined += 1
            route = known.get(_normal(prefix))
            count = len(route.ports) if route else 0
            if count != width.next_hops:
                findings.append(StateFinding(prefix, hops(width.next_hops), hops(count)))
    return judged(WIDTHS, examined, findings)


def hops(count: int) -> str:
    """Return a number of next hops in words."""
    if not count:
        return "no route"
    return f"{count} next hop{'s' if count != 1 else ''}"


def _normal(prefix: str) -> str:
    """Return a prefix in its shortest form; what is no prefix as it is."""
    try:
        return str(ip_network(prefix, strict=False))
    except ValueError:
        return prefix


def name_link(port: str, peer: str, peer_port: str) -> str:
    """Return a link as people say it: own port, then the other end."""
    return f"{port} to {peer} {peer_port}"
