"""View of BGP for EOS's templates: peer groups, and the policies of each in every family it carries.

A neighbour on an unnumbered link has no settings of its own in EOS, only a peer group; so drained ones have peer groups
of their own. Elsewhere the route maps of a drained neighbour stand beside those of its group, and its session stays.

Source:
    aristanetworks/avd eos_cli_config_gen, router-bgp (neighbor_interfaces take a peer group and an AS number).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated

from fabricgen.device.model import Switch
from fabricgen.platforms.views.bgp import BgpNeighbor, ClassBgp, DeviceFamily, Family, Listed, PeerGroup, device_bgp
from fabricgen.platforms.views.policy import ENDING, RoutePolicy, last_resort


@dataclass(frozen=True, slots=True)
class EosPolicy:
    """Route maps of a peer group, or of the neighbour that ``name`` is the address of.

    ``originate``: IPv4 prefixes go out with IPv6 next hops (RFC 8950).
    """

    name: Annotated[str, "SwitchClass.has_upper", "SwitchClass.role", "Port.peer_address", "Port.peer_address6"]
    inward: Annotated[str, "PortShape.side", "Port.drained"]
    outward: Annotated[str, "PortShape.side", "Port.drained"]
    originate: Annotated[bool, "SwitchClass.unnumbered"]
    origins: Mapping[str, tuple[str, ...]]


@dataclass(slots=True)
class EosFamilyRow:
    """A family and who carries it.

    Attributes:
        own: What the switch has in it.
        groups: Peer groups that carry it.
        drained: Neighbours that differ from their group because their link is drained.
        listed: Neighbours with lists of their own, which one on an unnumbered link cannot have.
    """

    own: Annotated[DeviceFamily, "SwitchClass.ipv4", "SwitchClass.ipv6"]
    groups: Annotated[tuple[EosPolicy, ...], "SwitchClass.has_upper", "SwitchClass.role", "SwitchClass.unnumbered"]
    drained: Annotated[tuple[EosPolicy, ...], "Port.drained", "Switch.ports"]
    listed: Annotated[tuple[Listed, ...], "Switch.leafs", "Switch.ports"]


@dataclass(slots=True)
class EosSpeaker:
    """BGP of one switch; ``groups`` are those of its class, and those for drained links."""

    router_id: Annotated[str, "Switch.router_id"]
    groups: Annotated[
        tuple[PeerGroup, ...], "SwitchClass.has_upper", "SwitchClass.role", "SwitchClass.hosts_bgp", "Port.drained"
    ]
    neighbors: Annotated[tuple[BgpNeighbor, ...], "Switch.ports"]
    policies: Annotated[tuple[RoutePolicy, ...], "SwitchClass.role"]
    families: Annotated[tuple[EosFamilyRow, ...], "SwitchClass.ipv4", "SwitchClass.ipv6"]


def build_speaker(device: Switch, cls: ClassBgp) -> EosSpeaker:
    """BGP of one switch."""
    bgp = device_bgp(device, cls)
    apart = {port.shape.name for port in device.ports if port.drained} if cls.unnumbered else set()
    neighbors = tuple(
        replace(neighbor, group=f"{neighbor.group}{ENDING}") if neighbor.name in apart else neighbor
        for neighbor in bgp.neighbors
    )
    used = {neighbor.group for neighbor in neighbors}
    drained = [replace(group, name=f"{group.name}{ENDING}") for group in cls.groups]
    groups = (*cls.groups, *(group for group in drained if group.name in used))
    return EosSpeaker(
        router_id=bgp.router_id,
        groups=groups,
        neighbors=neighbors,
        policies=_policies(bgp.policies, drained=device.state == "drained"),
        families=tuple(_family_row(own, groups, cls) for own in bgp.families),
    )


def _policies(policies: tuple[RoutePolicy, ...], *, drained: bool) -> tuple[RoutePolicy, ...]:
    """Return the policies of a switch; a drained one announces everything as a last resort."""
    if not drained:
        return policies
    return tuple(it if it.inward or it.drained else last_resort(it, "Switch.state") for it in policies)


def _family_row(own: DeviceFamily, groups: Iterable[PeerGroup], cls: ClassBgp) -> EosFamilyRow:
    """A family with the peer groups that carry it."""
    family = own.family
    carrying = [group for group in groups if family in cls.carried_by(group.name.removesuffix(ENDING))]
    drained = [each for side in own.sides for each in side.drained if not each.unnumbered]
    listed = tuple(each for side in own.sides for each in side.listed)
    return EosFamilyRow(
        own=own,
        groups=tuple(_policy(group, family, drained=group.name.endswith(ENDING)) for group in carrying),
        drained=tuple(
            replace(_policy(group, family, drained=True), name=neighbor.name, origins=neighbor.origins)
            for neighbor in drained
            for group in carrying
            if group.name == neighbor.group
        ),
        listed=listed if not any(group.unnumbered for group in carrying) else (),
    )


def _policy(group: PeerGroup, family: Family, *, drained: bool) -> EosPolicy:
    """Route maps of a group, or of a neighbour in it."""
    ending = ENDING if drained else ""
    return EosPolicy(
        group.name,
        f"{group.side}_IN{ending}{family.suffix}",
        f"{group.side}_OUT{ending}{family.suffix}",
        originate=group.unnumbered and family.name == "ipv4",
        origins={"name": group.origins["name"], **dict.fromkeys(("inward", "outward"), group.origins["side"])},
    )
