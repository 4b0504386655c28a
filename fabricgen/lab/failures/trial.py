"""One failure in a running lab: caused, measured, undone."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import NamedTuple

from fabricgen.lab.failures.elements import Failure
from fabricgen.lab.failures.matrix import Matrix, Sender, count_packets
from fabricgen.lab.failures.names import End, Names
from fabricgen.lab.failures.prediction import Pair, Predicted
from fabricgen.lab.lifecycle.waiting import wait_for
from fabricgen.lab.model.blueprint import Blueprint, Node
from fabricgen.lab.verify.faults import PATIENCE_S, Fault, cut_cable, kill_switch
from fabricgen.lab.verify.forwarding import read_all_routes
from fabricgen.lab.verify.observe import Routes, routes_differ
from fabricgen.lab.verify.packets import Shot, shoot
from fabricgen.lab.verify.predict import predict
from fabricgen.lab.verify.reach import open_ports
from fabricgen.lab.verify.traffic import Loss, Stream
from fabricgen.plan.model.identity import DeviceId

_BEFORE_S, _AFTER_S = 0.4, 1.0
"""Seconds for which probes flow before the failure, and after the forwarding tables are right."""
_PROBES = 512
_PATIENT_S, _SILENCE_S = 0.7, 0.3
"""Patience with a packet that should arrive, and with one that should not, in seconds."""


class Measured(NamedTuple):
    """Findings after one failure.

    Attributes:
        routes: Next hops in the kernels of the switches that work.
        arrived: Whether a packet arrived, by pair.
        sent: Packets that each interface sent while the flows ran.
        refused: Flows that the sender's own kernel refused.
        loss: Probes lost from the failure on.
        before: Probes lost before it.
        healed: Every kernel forwards as planned again, once it is undone.
    """

    routes: Mapping[str, Routes]
    arrived: Mapping[Pair, bool]
    sent: Mapping[End, float]
    refused: int
    loss: Loss
    before: Loss
    healed: bool


class Bench:
    """A lab with what trials need open: one socket for each address that flows start from."""

    def __init__(self, names: Names, matrix: Matrix, pairs: Sequence[Pair], stack: ExitStack) -> None:
        """Open the sockets.

        Args:
            names: The plan and the lab.
            matrix: Flows to send.
            pairs: Addresses to try from each other.
            stack: Closes the sockets.
        """
        self.names, self.matrix, self.pairs = names, matrix, pairs
        self.blueprint: Blueprint = names.blueprint
        self._sender = Sender(self.blueprint, [each for pair in matrix.flows for each in pair], stack)

    def try_failure(self, predicted: Predicted, failure: Failure) -> Measured:
        """Cause a failure under probes, measure what is left, undo it, and wait until all is as planned."""
        fault = self._fault(failure)
        met = [(a.nic, b.nic) for a, b in predicted.touched(self.pairs)]
        random.Random(failure.name).shuffle(met)  # noqa: S311 - which pairs are probed, no secret
        partial, whole = predict(self.blueprint, fault.failures), predict(self.blueprint)
        try:
            with Stream(self.blueprint, met, _PROBES) as stream:
                started = time.monotonic()
                time.sleep(_BEFORE_S)
                failed = time.monotonic()
                fault.make()
                alive = [node for node in self.blueprint.speakers if node.name in partial.interfaces]
                wait_for(lambda: not routes_differ(self.blueprint, partial, alive), PATIENCE_S, 0.05)
                time.sleep(_AFTER_S)
                ended = time.monotonic()
                stream.stop()
            loss, before = stream.loss(failed, ended), stream.loss(started, failed)
            found = self.measure(predicted)
        finally:
            fault.undo()
        healed = wait_for(lambda: not routes_differ(self.blueprint, whole, self.blueprint.speakers), PATIENCE_S, 0.05)
        return found._replace(loss=loss, before=before, healed=healed)

    def measure(self, predicted: Predicted) -> Measured:
        """Read forwarding tables, try every pair, send the flows of those that should arrive."""
        working = [node for node in self.blueprint.switches if self._works(predicted, node)]
        routes = read_all_routes(self.blueprint, working)
        arrived = self._try_pairs(predicted)
        flows = {pair: count for pair, count in self.matrix.flows.items() if predicted.arrives(pair)}
        before = count_packets(self.blueprint)
        refused = self._sender.send(flows)
        after = count_packets(self.blueprint)
        sent = {end: after[end] - count for end, count in before.items()}
        return Measured(routes, arrived, sent, refused, _NOTHING, _NOTHING, True)

    def _works(self, predicted: Predicted, node: Node) -> bool:
        return bool(node.config) and self.names.devices[node.name] not in predicted.single.outage.failed

    def _try_pairs(self, predicted: Predicted) -> dict[Pair, bool]:
        """Send a packet over every pair: those that should arrive are tried again, the others wait less."""
        by_arrival: dict[bool, list[Pair]] = {True: [], False: []}
        for pair in self.pairs:
            by_arrival[predicted.arrives(pair)].append(pair)
        found: dict[Pair, bool] = {}
        with open_ports(self.blueprint, [each.nic.place for each in self.names.attached]) as ports:
            for expected, tries, silence_s in ((True, 3, _PATIENT_S), (False, 1, _SILENCE_S)):
                pairs = by_arrival[expected]
                shots = [Shot(ports[a.nic.place], ports[b.nic.place]) for a, b in pairs]
                outcomes = shoot(shots, tries=tries, silence_s=silence_s)
                found.update((pair, outcome.arrived) for pair, outcome in zip(pairs, outcomes, strict=True))
        return found

    def _fault(self, failure: Failure) -> Fault:
        """Return how a failure is caused: a cable is cut at its upper end, so that a host keeps its routes."""
        element = failure.element
        if isinstance(element, DeviceId):
            switch = self.blueprint.node(self.names.plan.device_name(element))
            return kill_switch(failure.name, self.blueprint, switch, ())
        device, interface = self.names.ends[element].upper
        node = self.blueprint.node(device)
        return cut_cable(failure.name, self.blueprint, node, node.interface(interface), ())


_NOTHING = Loss(0, 0, 0, 0.0)
