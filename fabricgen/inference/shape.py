"""The regular shape of a fabric: units, rails, planes, pods and counts, from hosts that leafs share and from links."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any, NamedTuple, TypeVar

from fabricgen.diagnostics import Bag
from fabricgen.inference import inference_codes as codes
from fabricgen.inference.cabling import End, FoundCabling, Locate
from fabricgen.platforms.found import FoundPort, FoundSwitch

ROLES = ("leaf", "spine", "core")
_NIC_PORT = re.compile(r".*?rail([0-9]{1,2})(?:p([0-7]))?")
T = TypeVar("T")


class ImportOptions(NamedTuple):
    """Names that files of switches do not hold; empty, or 0, where a default will do."""

    fabric: str = "imported"
    server: str = ""
    nic: str = ""
    switch: str = ""
    rails_per_leaf: int = 0


@dataclass(slots=True)
class FoundShape:
    """Shape of a fabric.

    Attributes:
        unit: Number of the unit of each leaf, in the order of loopbacks; those of planes and rails have the same.
        plane: Plane of each switch, from 0.
        rails: First rail of each leaf.
        pods: How many pods; 0 where no tier joins any.
        counts: Switches of each upper tier per scope and plane; ``stripes`` are their patterns: mesh, rail or index.
    """

    cabling: FoundCabling
    unit: dict[str, int] = field(default_factory=dict)
    plane: dict[str, int] = field(default_factory=dict)
    rails: dict[str, int] = field(default_factory=dict)
    per_unit: int = 0
    planes: int = 1
    pods: int = 0
    rails_per_leaf: int = 1
    rails_of_host: int = 8
    counts: list[int] = field(default_factory=list)
    stripes: list[str] = field(default_factory=list)


def rank(switch: FoundSwitch) -> tuple[Any, ...]:
    """Return what switches are ordered by: loopback, else AS number, then name."""
    loopback = int(ip_address(switch.loopbacks[0])) if switch.loopbacks else 0
    return (not switch.loopbacks, loopback, switch.asn, switch.name)


def most(values: Iterable[T], default: T) -> T:
    """Return the most frequent value, the first of equal ones."""
    found = Counter(values).most_common(1)
    return found[0][0] if found else default


def find_shape(cabling: FoundCabling, asked: ImportOptions, locate: Locate, bag: Bag) -> FoundShape | None:
    """Return the shape; None with a diagnostic where it is of a kind that imports do not take over."""
    if not cabling.tiers:
        bag.add(codes.NO_HOSTS, "no switch has a port that is up and leads to a host")
        return None
    _drop_foreign(cabling, locate, bag)
    problem = _find_problem(cabling)
    shape = FoundShape(cabling)
    problem = problem or _place_leafs(shape, asked) or _place_uppers(shape)
    if problem:
        bag.add(codes.NOT_TAKEN, problem)
        return None
    return shape


def _drop_foreign(cabling: FoundCabling, locate: Locate, bag: Bag) -> None:
    """Leave out switches without links to the others; parts of one size are planes or rails of one fabric."""
    parts = cabling.components(range(len(cabling.tiers)))
    sizes = [tuple(sum(name in tier for name in part) for tier in map(set, cabling.tiers)) for part in parts]
    usual = max(Counter(sizes).items(), key=lambda item: item[1] * sum(item[0]), default=((), 0))[0]
    kept = {name for part, size in zip(parts, sizes, strict=True) if size == usual for name in part}
    for name in sorted(cabling.switches.keys() - kept):
        switch = cabling.switches.pop(name)
        place = locate(name, next(iter(switch.spots.values())))
        bag.add(codes.NOT_ONE_FABRIC, f"{name} has no link to the fabric of {min(kept)}", place=place, device=name)
    cabling.tiers = [found for tier in cabling.tiers if (found := [name for name in tier if name in kept])]


def _find_problem(cabling: FoundCabling) -> str:
    tiers = cabling.tiers
    if len(tiers) > len(ROLES):
        return f"{len(tiers)} tiers of switches; imports take over {len(ROLES)}"
    bond = next((name for name in tiers[0] for port in cabling.hosts[name] if port.bond), "")
    if bond:
        return f"hosts attach to {bond} by bonds; imports take over hosts whose ports have addresses of their own"
    for tier in tiers:
        members = set(tier)
        inner = next((name for name in tier if members & cabling.neighbors(name).keys()), "")
        if inner:
            return f"{inner} has a link within its tier; imports take over links between tiers"
    return ""


class NicPort(NamedTuple):
    """Peer of a leaf's port; ``rail`` and ``plane`` are -1 where the name of the NIC's port does not say."""

    host: str
    rail: int
    plane: int


def nic_port(host: str, port: str) -> NicPort:
    """Return the port of a NIC by its name."""
    named = _NIC_PORT.fullmatch(port)
    rail, plane = (int(each) if each else -1 for each in named.groups()) if named else (-1, -1)
    return NicPort(host, rail, plane)


def _place_leafs(shape: FoundShape, asked: ImportOptions) -> str:
    """Fill in units, planes and rails; return why that is impossible."""
    leafs = sorted(shape.cabling.tiers[0], key=lambda name: rank(shape.cabling.switches[name]))
    ports = {name: [nic_port(*port.neighbor) for port in shape.cabling.hosts[name]] for name in leafs}
    if not all(each.host for found in ports.values() for each in found):
        return _chunk_leafs(shape, leafs, ports, asked)
    shape.unit = _find_units(ports)
    shape.plane = {name: max(0, most((each.plane for each in found), 0)) for name, found in ports.items()}
    shape.planes = len(set(shape.plane.values()))
    shape.per_unit = _busiest(
        unit for unit, _ in {(shape.unit[name], each.host) for name in leafs for each in ports[name]}
    )
    shape.rails = {name: min(each.rail for each in found) for name, found in ports.items()}
    return _place_rails(shape, most((_busiest(each.host for each in found) for found in ports.values()), 1))


def _place_rails(shape: FoundShape, per_leaf: int) -> str:
    """Fill in how many rails there are, and the first one of each leaf where ports do not name rails."""
    places = [(shape.unit[name], shape.plane[name]) for name in shape.unit]
    shape.rails_per_leaf, shape.rails_of_host = per_leaf, per_leaf * _busiest(places)
    if min(shape.rails.values()) < 0:
        shape.rails = _count_rails(shape)
    if _busiest((shape.unit[name], shape.plane[name], rail) for name, rail in shape.rails.items()) > 1:
        return "several leafs of a unit have the same rails (pairs of leafs)"
    return ""


def _busiest(values: Iterable[object]) -> int:
    """Return how often the most frequent value is there."""
    return max(Counter(values).values())


def _count_rails(shape: FoundShape) -> dict[str, int]:
    """Return the first rail of each leaf by its order in its unit and plane, where ports do not name rails."""
    order = Counter[tuple[int, int]]()
    rails = {}
    for name in shape.unit:
        place = shape.unit[name], shape.plane[name]
        rails[name] = order[place] * shape.rails_per_leaf
        order[place] += 1
    return rails


def _chunk_leafs(
    shape: FoundShape, leafs: Sequence[str], ports: Mapping[str, Sequence[NicPort]], asked: ImportOptions
) -> str:
    """Place leafs by their order, where no host has a name."""
    if not asked.rails_per_leaf:
        return "ports to hosts name no host, so nothing says which leafs share hosts; give --rails-per-leaf"
    shape.rails_per_leaf = asked.rails_per_leaf
    groups = max(1, shape.rails_of_host // asked.rails_per_leaf)
    for number, name in enumerate(leafs):
        shape.unit[name], shape.plane[name] = number // groups, 0
        shape.rails[name] = number % groups * asked.rails_per_leaf
    shape.per_unit = max(map(len, ports.values())) // asked.rails_per_leaf
    return ""


def _find_units(ports: Mapping[str, Sequence[NicPort]]) -> dict[str, int]:
    """Return a number for each leaf, the same for those that share hosts, in the order of the leafs."""
    sets = [{each.host for each in found} for found in ports.values()]
    owner: dict[str, int] = {}
    alias: dict[int, int] = {}

    def root(number: int) -> int:
        while alias.get(number, number) != number:
            number = alias[number]
        return number

    for number, members in enumerate(sets):
        for member in members:
            one, other = root(owner.setdefault(member, number)), root(number)
            alias[max(one, other)] = min(one, other)
    roots = {each: position for position, each in enumerate(dict.fromkeys(root(number) for number in range(len(sets))))}
    return {name: roots[root(number)] for number, name in enumerate(ports)}


class _Below(NamedTuple):
    """Leafs below a switch: their plane, their units and their first rails."""

    plane: int
    units: frozenset[int]
    rails: frozenset[int]


def _place_uppers(shape: FoundShape) -> str:
    """Fill in pods, counts and patterns of the upper tiers; return why that is impossible."""
    below = {
        name: _Below(shape.plane[name], frozenset([shape.unit[name]]), frozenset([rail]))
        for name, rail in shape.rails.items()
    }
    for number in range(1, len(shape.cabling.tiers)):
        parts = shape.cabling.components([number - 1, number])
        scopes = [_join_below([below[name] for name in part if name in below]) for part in parts]
        known = {name: scope for part, scope in zip(parts, scopes, strict=True) for name in part}
        above = {name: scope for name in shape.cabling.tiers[number] if (scope := known[name])}
        if None in scopes:
            return f"a {ROLES[number]} joins leafs that hosts see as different planes"
        if not _place_tier(shape, number, len(parts), above):
            return f"links between {ROLES[number - 1]} and {ROLES[number]} follow neither units nor rails"
        below = above
    if shape.pods and len(shape.cabling.tiers) < len(ROLES):
        return f"{shape.pods} groups of units that no tier joins: separate fabrics; import each by itself"
    return ""


def _place_tier(shape: FoundShape, number: int, parts: int, above: Mapping[str, _Below]) -> bool:
    """Fill in the plane, count and pattern of a tier; return whether its links have a pattern."""
    shape.plane |= {name: each.plane for name, each in above.items()}
    pods = len({each.units for each in above.values()}) if number == 1 else 1
    rails = len({each.rails for each in above.values()})
    stripes, left = divmod(parts, shape.planes * pods)
    by_rail = rails == stripes == len(set(shape.rails.values()))
    pattern = "mesh" if stripes == 1 else "rail" if by_rail else "index"
    shape.pods = pods if pods > 1 else shape.pods
    shape.stripes.append(pattern)
    shape.counts.append(_busiest((each.plane, each.units if pods > 1 else 0) for each in above.values()))
    return not left and (pattern != "index" or number > 1)


def _join_below(parts: Sequence[_Below]) -> _Below | None:
    """Return the leafs below all of some switches; None where they are of several planes."""
    plane, *others = {each.plane for each in parts}
    units = frozenset[int]().union(*(each.units for each in parts))
    return None if others else _Below(plane, units, frozenset[int]().union(*(each.rails for each in parts)))


def multiplicity(cabling: FoundCabling, tier: int) -> int:
    """Return how many links most pairs of a tier and the one above have."""
    uppers = set(cabling.tiers[tier + 1])
    near = (cabling.neighbors(name) for name in cabling.tiers[tier])
    return most((count for counts in near for other, count in counts.items() if other in uppers), 1)


def ports_up(cabling: FoundCabling, tier: int) -> list[FoundPort]:
    """Return the ports of a tier that lead to the one above; of -1, those of leafs that lead to hosts."""
    if tier < 0:
        return [port for name in cabling.tiers[0] for port in cabling.hosts[name]]
    uppers = set(cabling.tiers[tier + 1])
    ports = ((End(name, port.name), port) for name in cabling.tiers[tier] for port in cabling.switches[name].ports)
    return [port for end, port in ports if (there := cabling.peers.get(end)) and there.switch in uppers]


def ports_of_links(cabling: FoundCabling, tier: int) -> list[FoundPort]:
    """Return the ports at both ends of the links from a tier upwards; of -1, those of leafs that lead to hosts."""
    if tier < 0:
        return ports_up(cabling, tier)
    lowers = set(cabling.tiers[tier])
    ports = ((End(name, port.name), port) for name in cabling.tiers[tier + 1] for port in cabling.switches[name].ports)
    above = [port for end, port in ports if (there := cabling.peers.get(end)) and there.switch in lowers]
    return [*ports_up(cabling, tier), *above]
