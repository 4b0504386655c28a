"""View of BGP for NVUE's templates: peer groups with the policies of each family, and the neighbours in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated

from fabricgen.device.model import Switch
from fabricgen.platforms.views.bgp import BgpNeighbor, ClassBgp, DeviceFamily, PeerGroup, device_bgp
from fabricgen.platforms.views.policy import OWN, PrefixList, RoutePolicy


@dataclass(frozen=True, slots=True)
class FamilyPolicy:
    """A family in a peer group; one without policies is turned off there."""

    name: Annotated[str, "SwitchClass.ipv4", "SwitchClass.ipv6"]
    inward: Annotated[str, "SwitchClass.has_upper", "SwitchClass.role"]
    outward: Annotated[str, "SwitchClass.has_upper", "SwitchClass.role"]
    origins: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class NvuePeerGroup:
    """A peer group under the name that NVUE has for it, and its families."""

    own: Annotated[PeerGroup, "SwitchClass.has_upper", "SwitchClass.role", "SwitchClass.hosts_bgp"]
    families: Annotated[tuple[FamilyPolicy, ...], "SwitchClass.ipv4", "SwitchClass.ipv6"]


@dataclass(slots=True)
class FamilyList:
    """The list that a neighbour is held to in a family."""

    afi: Annotated[str, "SwitchClass.ipv4", "SwitchClass.ipv6"]
    name: Annotated[str, "Port.peer"]


@dataclass(slots=True)
class NeighborRow:
    """A neighbour, the password of its sessions (a secret token, or empty), and the lists that it alone is held to."""

    own: Annotated[BgpNeighbor, "Switch.ports"]
    password: Annotated[str, "RoutingPolicy.key_upper", "RoutingPolicy.key_lower"]
    lists: Annotated[tuple[FamilyList, ...], "Switch.leafs"]


@dataclass(slots=True)
class NvueFamilyRow:
    """Properties of a switch in a family; ``lists`` are its prefix lists in the order of NVUE, by name."""

    lists: Annotated[tuple[PrefixList, ...], "SwitchClass.ipv4", "SwitchClass.ipv6"]
    own: Annotated[DeviceFamily, "SwitchClass.ipv4", "SwitchClass.ipv6"]


@dataclass(slots=True)
class NvueSpeaker:
    """BGP of one switch."""

    router_id: Annotated[str, "Switch.router_id"]
    families: Annotated[tuple[NvueFamilyRow, ...], "SwitchClass.ipv4", "SwitchClass.ipv6"]
    neighbors: Annotated[tuple[NeighborRow, ...], "Switch.ports"]


def group_rows(bgp: ClassBgp) -> tuple[NvuePeerGroup, ...]:
    """Peer groups of a class."""
    return tuple(NvuePeerGroup(replace(each, name=_spelled(each.name)), _policies(each, bgp)) for each in bgp.groups)


def build_speaker(device: Switch, cls: ClassBgp) -> NvueSpeaker:
    """BGP of one switch."""
    bgp = device_bgp(device, cls)
    lists: dict[str, list[FamilyList]] = {}
    for own in bgp.families:
        for listed in (each for side in own.sides for each in side.listed):
            lists.setdefault(listed.name, []).append(FamilyList(f"{own.family.name}-unicast", listed.list))
    passwords = {group.name: group.password for group in cls.groups}
    return NvueSpeaker(
        router_id=bgp.router_id,
        families=tuple(NvueFamilyRow(_lists(own), own) for own in bgp.families),
        neighbors=tuple(
            NeighborRow(
                replace(neighbor, group=_spelled(neighbor.group)),
                passwords[neighbor.group],
                tuple(lists.get(neighbor.name, ())),
            )
            for neighbor in bgp.neighbors
        ),
    )


def policy_rows(bgp: ClassBgp) -> tuple[RoutePolicy, ...]:
    """Return the policies of a class under the names that NVUE has for them."""
    return tuple(
        replace(
            policy,
            name=_spelled(policy.name),
            statements=tuple(replace(row, prefixes=_spelled(row.prefixes)) for row in policy.statements),
        )
        for policy in bgp.policies
    )


def _lists(own: DeviceFamily) -> tuple[PrefixList, ...]:
    """Return the prefix lists of a switch, a leaf's own last, with their names; those of leafs keep theirs."""
    found = [replace(row, name=_spelled(row.name)) if row.kind else row for row in own.lists]
    return tuple(sorted(found, key=lambda row: row.kind == OWN))


def _spelled(name: str) -> str:
    """Return a name as this platform spells it."""
    return name.lower().replace("_", "-")


def _policies(group: PeerGroup, bgp: ClassBgp) -> tuple[FamilyPolicy, ...]:
    """Return what a group says in each family. IPv4 is on by default, so a group of IPv6 alone turns it off."""
    carried = bgp.carried_by(group.name)
    why = dict.fromkeys(("inward", "outward"), group.origins["side"])
    found = [FamilyPolicy("ipv4", "", "", why)] if all(each.name != "ipv4" for each in carried) else []
    for each in carried:
        side = _spelled(group.side)
        found.append(FamilyPolicy(each.name, f"{side}-in{each.suffix}", f"{side}-out{each.suffix}", why))
    return tuple(found)
