"""One switch on a way of a flow: what it decides, what queues it has, and which intent keys that comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.analysis.ways import PathHop
from fabricgen.device.model import EcnThresholds, Port, Switch, TrafficClass
from fabricgen.plan.model.contract import RoutingPolicy
from fabricgen.plan.model.topology import Tier
from fabricgen.platforms.views.hashing import TierHash
from fabricgen.tables.sections import Row, pick

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
        step: The switch in the plan, and the links it may leave by.
        tier: Its tier, with what exceptions leave it.
        switch: Its model.
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


def decision_row(hop: Hop, queue_pair: int | None) -> Row:
    """Return where a switch sends a flow on, and what decides that.

    Args:
        hop: The switch.
        queue_pair: Number of the destination queue pair; None where it is not known.
    """
    routing, chooses = hop.switch.cls.routing, hop.chooses
    return {
        **hop.place,
        "one_of": hop.step.alike,
        "in_port": hop.entry.shape.name,
        "out_port": hop.leaving.shape.name,
        "next": hop.leaving.peer,
        "equal_links": len(hop.step.exits),
        "decided_by": _decided_by(routing, queue_pair) if chooses else "the only link",
        "hash": list(routing.hash_fields) if chooses else None,
        "algorithm": (hop.hash.algorithm or "unknown") if chooses else None,
        "seed": (hop.hash.seed_shown or "unknown") if chooses else None,
    }


def _decided_by(routing: RoutingPolicy, queue_pair: int | None) -> str:
    """Return what tells one queue pair's packets from another's."""
    if routing.load_balancing in PER_PACKET:
        return "each packet by itself"
    if QUEUE_PAIR in routing.hash_fields:
        number = "" if queue_pair is None else f" {queue_pair}"
        found = f"hash with the destination queue pair{number}"
    else:
        found = "hash; of a queue pair only its UDP source port enters"
    return found if routing.load_balancing == "static" else f"{routing.load_balancing}, then {found}"


def queue_row(hop: Hop, data: TrafficClass, *, pfc: bool) -> Row:
    """Return what pauses a flow where it enters a switch, and what marks it where it leaves.

    Args:
        hop: The switch.
        data: The class of the flow.
        pfc: PFC guards the class.
    """
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


def facts(hop: Hop, data: TrafficClass) -> Iterator[tuple[str, object, str]]:
    """Yield each fact of a hop by the column that shows it, and the field of the device model that it is.

    Args:
        hop: The switch.
        data: The class of the flow.
    """
    yield "in_port", hop.entry.shape, "link"
    yield "out_port", hop.leaving.shape, "link"
    if hop.chooses:
        yield "decided_by", hop.switch.cls.routing, "load_balancing"
        yield "hash", hop.switch.cls.routing, "hash_fields"
    yield "priority", data, "priority"
    if hop.entry.shape.headroom is not None:
        yield "xoff_bytes", hop.entry.shape.headroom, "xoff_bytes"
    if hop.ecn is not None:
        yield "kmin_bytes", hop.ecn, "kmin_bytes"
