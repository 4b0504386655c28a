"""Answers of FRRouting's ``vtysh`` in JSON: sessions, BFD, routes.

Source:
    FRRouting/frr: bgpd/bgp_vty.c (bgp_show_summary), bfdd/bfdd_vty.c, zebra/zebra_vty.c (vty_show_ip_route).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.platforms.observations.content import (
    MisreadError,
    as_list,
    as_map,
    as_number,
    as_text,
    decode_text,
    members,
    read_document,
    read_map,
    refuse_nothing,
)
from fabricgen.platforms.observations.records import Bfd, BgpSession, InstalledRoute, Observation, System

_VERSION = re.compile(r"FRRouting (\S+)")
_FAMILIES = {"ipv4Unicast": "ipv4", "ipv6Unicast": "ipv6"}


def read_sessions(data: bytes) -> list[Observation]:
    """Return the sessions of ``show bgp summary json``; one that carries several families is one."""
    document = read_map(data)
    found: dict[str, BgpSession] = {}
    if document:
        refuse_nothing([key for key in _FAMILIES if key in document], "family of sessions")
    for key, family in _FAMILIES.items():
        if key not in document:
            continue
        peers = as_map(document[key], key).get("peers")
        for name, facts in members(peers, f"{key} peer"):
            session = _session(name, facts, family)
            known = found.get(name)
            if known is not None:
                session = session._replace(received={**known.received, **session.received})
            found[name] = session
    return list(found.values())


def _session(name: str, facts: Mapping[str, Any], family: str) -> BgpSession:
    what = f"peer {name}"
    return BgpSession(
        neighbor=name,
        state=as_text(facts.get("state"), f"{what} state").lower(),
        asn=as_number(facts.get("remoteAs"), f"{what} remoteAs"),
        local_asn=as_number(facts["localAs"], f"{what} localAs") if "localAs" in facts else None,
        received={family: as_number(facts["pfxRcd"], f"{what} pfxRcd")} if "pfxRcd" in facts else {},
    )


def read_bfd(data: bytes) -> list[Observation]:
    """Return the BFD sessions of ``show bfd peers json``."""
    found: list[Observation] = []
    for item in as_list(read_document(data), "the answer"):
        peer = as_map(item, "peer")
        name = as_text(peer.get("peer"), "peer")
        port = as_text(peer.get("interface", ""), f"peer {name} interface")
        found.append(Bfd(name, port, as_text(peer.get("status"), f"peer {name} status").lower()))
    return found


def read_routes(data: bytes) -> list[Observation]:
    """Return the routes of BGP that ``show ip route json`` says are installed, with the next hops that forward."""
    return list(_routes(read_map(data)))


def _routes(document: Mapping[str, Any]) -> Iterator[InstalledRoute]:
    for prefix, entries in document.items():
        for item in as_list(entries, f"route {prefix}"):
            entry = as_map(item, f"route {prefix}")
            if as_text(entry.get("protocol"), f"route {prefix} protocol") != "bgp" or not entry.get("selected"):
                continue
            hops = [as_map(hop, f"route {prefix}") for hop in as_list(entry.get("nexthops", []), f"route {prefix}")]
            live = (hop for hop in hops if hop.get("fib") and hop.get("active"))
            yield InstalledRoute(
                prefix, tuple(as_text(hop.get("interfaceName", ""), f"route {prefix}") for hop in live)
            )


def read_system(data: bytes) -> list[Observation]:
    """Return the version of ``vtysh -c 'show version'``."""
    match = _VERSION.search(decode_text(data))
    if match is None:
        raise MisreadError("it names no version of FRRouting")
    return [System(match[1])]
