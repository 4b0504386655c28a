"""Hosts that speak BGP: what each rail hears and where it goes; and that a host says nothing."""

from __future__ import annotations

from ..facts import Device, End, Session
from ..graph import place
from ..policy import NO_MARKS, Marks, Policy, Prefix, prefix
from .bonds import attached
from .case import FAMILIES, Case
from .rails import Rail, rails_of
from .routes import aggregates, originated

Offers = dict[Prefix, Marks]
"""Routes that a leaf has, with the communities that they carry there."""


def prove_hosts_learn(case: Case) -> list[str]:
    """Each rail hears the block of every leaf in reach of its own, no other prefix, and says none."""
    speakers = [host for host in case.fabric.hosts() if host.bgp]
    if not speakers:
        return []
    blocks, attached_by = aggregates(case), attached(case)
    reach = {leaf: switches_in_reach(case, leaf) for leaf in blocks}
    wanted = {leaf: {block for other in blocks if leaf in reach[other] for block in blocks[other]} for leaf in blocks}
    said = {d.name: originated(d) | attached_by.get(d.name, set()) for d in case.fabric.switches()}
    offers = {leaf: _offers(case, leaf, reach, said) for leaf in blocks}
    sessions, far = case.sessions(), dict(case.host_links)
    found = []
    for host in speakers:
        table = {rule.table for rule in host.host.asked}
        found += _looks_by_interface(host, rails_of(host)) + _takes_all(host, rails_of(host))
        found += _ends(host, table, {p for each in blocks.values() for p in each})
        for rail in rails_of(host):
            leaf = far.get(rail.end)
            if leaf is None or leaf[0] not in blocks:
                continue
            for bits in case.families:
                ways = case.session(sessions, leaf, rail.end, bits), case.session(sessions, rail.end, leaf, bits)
                if ways[0] and ways[1]:
                    found += _hears(rail.end, leaf, (ways[0], ways[1]), offers[leaf[0]], wanted[leaf[0]])
                    found += _goes_into(rail.end, ways[1], table)
                    found += _says_nothing(rail.end, leaf, (ways[1], ways[0]), offers[leaf[0]])
    return found


def apply_all(policies: tuple[Policy, ...], route: Prefix, marks: Marks) -> Marks | None:
    """A route through several policies; None as soon as one denies it."""
    passed: Marks | None = marks
    for policy in policies:
        if passed is None:
            return None
        passed = policy.apply(route, passed)
    return passed


def switches_in_reach(case: Case, origin: str) -> set[str]:
    """Switches to which cables lead from a leaf."""
    reached, frontier = {origin}, [origin]
    while frontier:
        peers = {peer for name in frontier for peer in case.graph.peers.get(name, {})} - reached
        frontier = [peer for peer in peers if case.fabric.devices[peer].kind == "switch"]
        reached |= set(frontier)
    return reached


def _offers(case: Case, leaf: str, reach: dict[str, set[str]], said: dict[str, set[Prefix]]) -> Offers:
    """Return what a leaf could tell: what is its own, and what its import policies let in from above."""
    device = case.fabric.devices[leaf]
    own = dict.fromkeys(said[leaf], NO_MARKS)
    sessions = {(leaf, s.peer, s.bits): s for s in device.bgp.sessions} if device.bgp else {}
    above = {far[0] for near, far in case.switch_links if near[0] == leaf}
    importing = [
        session
        for near, far in case.switch_links
        if near[0] == leaf
        for bits in case.families
        if (session := case.session(sessions, near, far, bits))
    ]
    others: Offers = {}
    for other in case.fabric.switches():
        if other.name == leaf or (other.name in reach and leaf not in reach[other.name]):
            continue
        for route in said[other.name]:
            for session in importing:
                marks = apply_all(session.import_policies, route, NO_MARKS) if session.bits == route.bits else None
                if marks is not None:
                    others[route] = marks
    return {**others, **own} if above else own


def _hears(end: End, leaf: End, ways: tuple[Session, Session], offers: Offers, wanted: set[Prefix]) -> list[str]:
    """Blocks that do not come through both policies, and other prefixes that come through one of them."""
    exporting, importing = ways
    told: Offers = {}
    for route, marks in offers.items():
        sent = apply_all(exporting.export_policies, route, marks) if route.bits == exporting.bits else None
        if sent is not None:
            told[route] = sent
    blocks = {block for block in wanted if block.bits == exporting.bits}
    heard = {route for route, marks in told.items() if apply_all(importing.import_policies, route, marks) is not None}
    taken = {route for route in offers if apply_all(importing.import_policies, route, NO_MARKS) is not None}
    found = [f"{place(end)}: does not hear {block} from {place(leaf)}" for block in sorted(blocks - heard)]
    found += [f"{place(leaf)}: tells {place(end)} of {route}, no host block" for route in sorted(told.keys() - blocks)]
    return found + [f"{place(end)}: would take {route}, no host block" for route in sorted(taken - blocks)]


def _goes_into(end: End, importing: Session, tables: set[int]) -> list[str]:
    """Return what a rail hears goes where lookups by interface go, as RDMA's do."""
    into = {rule.table for policy in importing.import_policies for rule in policy.rules if rule.permit}
    if into == tables and len(tables) == 1:
        return []
    family = FAMILIES[importing.bits]
    return [f"{place(end)}: {family} routes go into tables {sorted(into)}, rules look into {sorted(tables)}"]


def _says_nothing(end: End, leaf: End, ways: tuple[Session, Session], offers: Offers) -> list[str]:
    """A host passes nothing on, and a leaf would not believe it."""
    exporting, importing = ways
    said = [route for route in offers if apply_all(exporting.export_policies, route, NO_MARKS) is not None]
    believed = [route for route in offers if apply_all(importing.import_policies, route, NO_MARKS) is not None]
    found = [f"{place(end)}: would pass on {said[0]}"] if said else []
    return found + ([f"{place(leaf)}: would believe {believed[0]} of {place(end)}"] if believed else [])


def _looks_by_interface(host: Device, rails: list[Rail]) -> list[str]:
    """Lookups by a rail's interface come to what BGP learns first, and there to the leaf on the link."""
    found = []
    for rail in rails:
        first = min((rule.priority for rule in host.host.rules if rule.device == rail.end[1]), default=0)
        rules = [rule for rule in host.host.asked if rule.device == rail.end[1] and rule.priority < first]
        if sorted(rule.source for rule in rules) != sorted(prefix(each.text) for each in rail.addresses):
            found.append(f"{place(rail.end)}: what asks by its interface does not look where BGP puts its routes")
        links = {route.table for route in host.routes if route.device == rail.end[1] and not route.via}
        if links != {rule.table for rule in rules}:
            found.append(f"{place(rail.end)}: its leaf is on the link in tables {sorted(links)}")
    return found


def _takes_all(host: Device, rails: list[Rail]) -> list[str]:
    """Every rail is used for every block that it hears: rails are no alternatives."""
    bgp, found = host.bgp, []
    if bgp and bgp.max_paths < len(rails):
        found.append(f"{host.name}: maximum-paths {bgp.max_paths}, but {len(rails)} rails")
    if bgp and not bgp.ignores_length:
        found.append(f"{host.name}: compares lengths of paths, so rails with a longer way have none")
    if bgp and originated(host):
        found.append(f"{host.name}: originates {min(originated(host))}")
    return found


def _ends(host: Device, tables: set[int], blocks: set[Prefix]) -> list[str]:
    """Return what no rail has a way to ends in the table, and does not leave by management."""
    ends = [route.prefix for route in host.routes if not route.via and not route.device and route.table in tables]
    open_blocks = sorted(block for block in blocks if not any(end.covers(block) for end in ends))
    return [f"{host.name}: no discard route for {open_blocks[0]} in its table"] if open_blocks else []
