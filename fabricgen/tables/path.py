"""The way of one flow between two NICs, hop by hop: decisions, queues and timers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from fabricgen.analysis.ways import PathHop, PortPath
from fabricgen.device.lower import Lowering
from fabricgen.device.model import EcnThresholds, Host, Port, Rail, Switch, TrafficClass
from fabricgen.device.wiring import Wiring, host_port
from fabricgen.plan.model.cabling import FabricLink, HostLink, Link
from fabricgen.plan.model.contract import RoutingPolicy
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import NicId
from fabricgen.plan.model.topology import Tier
from fabricgen.platforms.manifest.spec import PlatformSpec, TierHash, find_hash
from fabricgen.tables.sections import Row, Sections, pick
from fabricgen.tables.timers import list_timers

PER_PACKET = ("per_packet", "adaptive")
QUEUE_PAIR = "roce_dest_qp"
HASHED_PORT: Row = {
    "left_out": "the port that a hash chooses",
    "because": "no maker publishes its hash to the bit, so no port is computed from it: out_port is the first of the "
    "equal links",
}
"""Row that stands wherever a hash is named."""


class Hop(NamedTuple):
    """A switch on a way.

    Attributes:
        way: Number of the way, from 1; ``number`` is that of the hop.
        entry: The port the flow comes by; ``leaving`` is the first it may leave by.
        hash: How its tier chooses.
    """

    way: int
    number: int
    step: PathHop
    tier: Tier
    switch: Switch
    entry: Port
    leaving: Port
    hash: TierHash

    @property
    def chooses(self) -> bool:
        """Return whether there is more than one link to leave by."""
        return len(self.step.exits) > 1

    @property
    def ecn(self) -> EcnThresholds | None:
        """The thresholds that mark the flow where it leaves."""
        return next((found for found in self.switch.cls.ecn if found.name == self.leaving.shape.ecn), None)

    @property
    def place(self) -> Row:
        """The columns that say which hop a row is about."""
        return {"way": self.way, "hop": self.number, "device": self.switch.hostname}


def decision_row(hop: Hop) -> Row:
    """Return where a switch sends a flow on, and what decides that."""
    routing, chooses = hop.switch.cls.routing, hop.chooses
    return {
        **hop.place,
        "one_of": hop.step.alike,
        "in_port": hop.entry.shape.name,
        "out_port": hop.leaving.shape.name,
        "next": hop.leaving.peer,
        "equal_links": len(hop.step.exits),
        "decided_by": _decided_by(routing) if chooses else "the only link",
        "hash": list(routing.hash_fields) if chooses else None,
        "algorithm": (hop.hash.algorithm or "unknown") if chooses else None,
        "seed": (hop.hash.seed_shown or "unknown") if chooses else None,
    }


def _decided_by(routing: RoutingPolicy) -> str:
    """Return what tells one queue pair's packets from another's."""
    if routing.load_balancing in PER_PACKET:
        return "each packet by itself"
    if QUEUE_PAIR in routing.hash_fields:
        found = "hash with the destination queue pair"
    else:
        found = "hash; of a queue pair only its UDP source port enters"
    return found if routing.load_balancing == "static" else f"{routing.load_balancing}, then {found}"


def queue_row(hop: Hop, data: TrafficClass, *, pfc: bool) -> Row:
    """Return what pauses a flow where it enters a switch, and what marks it where it leaves."""
    profile, bound = hop.entry.shape.headroom, hop.tier.bound if pfc else None
    return {
        **hop.place,
        "in_port": hop.entry.shape.name,
        "priority": data.priority,
        "pfc": pfc,
        "priority_group": data.priority_group if pfc else None,
        "headroom_profile": profile.name if profile else None,
        **pick(profile, "xoff_bytes"),
        "pfc_may_pause_from_bytes": bound.bound_bytes if bound else None,
        "out_port": hop.leaving.shape.name,
        "queue": data.priority,
        **pick(hop.ecn, "kmin_bytes", "kmax_bytes", "pmax_pct"),
    }


EVERYWHERE = frozenset({"hosts", "switches", "fabric"})
"""Scopes of timers that belong to no tier and no link group."""
ROCE_PORT = 4791
"""UDP destination port of RoCEv2 (InfiniBand Architecture Specification volume 1, annex A17)."""


class PathView:
    """The tables of one question; lowers the devices that the ways meet, and no other."""

    def __init__(self, plan: FabricPlan, platforms: Mapping[str, PlatformSpec]) -> None:
        """Prepare for one plan."""
        self._plan, self._platforms = plan, platforms
        self._lowering, self._wiring = Lowering(plan), Wiring(plan)
        self._switch = cache(self._lowering.lower_switch)
        contract = plan.contract
        priority = contract.priority_by_dscp[plan.collectives.data_dscp]
        self._data = next(cls for cls in contract.classes if cls.priority == priority)

    def sections(self, one: NicId, other: NicId, ways: list[PortPath]) -> Sections:
        """Return the flow, what hops decide, their queues and timers; at least one way has a route to the receiver."""
        ways = [way for way in ways if way.receiver]
        sender, receiver = self._lowering.lower_host(one.host), self._lowering.lower_host(other.host)
        hops = [hop for number, way in enumerate(ways, 1) for hop in self._hops(number, way)]
        pfc = self._data.priority in self._plan.contract.lossless
        return Sections(
            self._plan.name,
            {
                "flow": [self._flow(number, way, sender, receiver) for number, way in enumerate(ways, 1)],
                "hops": [decision_row(hop) for hop in hops],
                "left_out": [HASHED_PORT] if any(hop.chooses for hop in hops) else [],
                "queues": [queue_row(hop, self._data, pfc=pfc) for hop in hops],
                "timers": self._timers(ways),
            },
        )

    def _flow(self, number: int, way: PortPath, sender: Host, receiver: Host) -> Row:
        """Ends, addresses and class of what takes a way."""
        own, far = _rail_at(sender, way.sender), _rail_at(receiver, way.receiver or way.sender)
        return {
            "way": number,
            "from": sender.hostname,
            "port": host_port(sender.cls.group, way.sender),
            "from_address": own.address or own.address6,
            "to": receiver.hostname,
            "to_address": far.address or far.address6,
            "udp_port": ROCE_PORT,
            "dscp": self._plan.collectives.data_dscp,
            "class": self._data.name,
            "queue_pairs": self._plan.collectives.qps_per_connection,
        }

    def _hops(self, way_number: int, way: PortPath) -> Iterator[Hop]:
        """Yield the switches of a way with their ports."""
        for number, step in enumerate(way.steps, 1):
            tier, switch = self._plan.tier_of(step.device), self._switch(step.device)
            ports = self._port(switch, step, step.entry), self._port(switch, step, step.exits[0])
            spec = self._platforms.get(tier.platform)
            found = find_hash(spec, tier.number, tier.routing.hash_rank, tier.buffers.asic.id)
            yield Hop(way_number, number, step, tier, switch, *ports, found)

    def _port(self, switch: Switch, step: PathHop, link: Link) -> Port:
        """The port of a switch on a way that a link is in."""
        tier, where = step.device
        if isinstance(link, FabricLink) and link.lower_end == step.device:
            name = self._wiring.port_names(tier, where, up=True)[link.lower_position]
        else:
            name = self._wiring.port_names(tier, where, up=False)[link.upper_position]
        return next(port for port in switch.ports if port.shape.name == name)

    def _timers(self, ways: list[PortPath]) -> list[Row]:
        """Timers of the tiers and link groups that the ways meet."""
        tiers = {step.device.tier for way in ways for step in way.steps}
        scopes = {self._plan.tiers[number].name for number in tiers}
        scopes |= {self._plan.links[number].name for number in tiers} | EVERYWHERE
        return [row for row in list_timers(self._plan, self._platforms) if row["scope"] in scopes]


def _rail_at(host: Host, link: HostLink) -> Rail:
    """The interface of a host that a link belongs to."""
    several = host.cls.group.bond or host.cls.group.spread
    return next(
        rail for rail in host.rails if rail.shape.place.rail == link.rail and (several or rail.shape.port == link.port)
    )
