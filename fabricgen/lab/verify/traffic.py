"""A steady stream of packets over many flows, and what was lost of it, when."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field

from fabricgen.lab.model.blueprint import Blueprint
from fabricgen.lab.verify.packets import Arrival, Listener, UdpSocket
from fabricgen.lab.verify.reach import Endpoint

_PACKETS_PER_S = 2_500
"""Packets that one core sends, forwards and receives without losing any by itself."""
_NUMBER_BITS = 20
_DRAIN_S = 0.5
_TICK_S = 0.004


@dataclass(slots=True)
class _Flow:
    """Packets from one port to an address at another: when each was sent, and which arrived."""

    source: UdpSocket
    target: UdpSocket
    address: tuple[object, ...]
    sent_at: list[float] = field(default_factory=list)
    arrived: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class PacketLoss:
    """Packets lost in a span of time, and flows; the last one was sent ``last_s`` after its start, 0 without any."""

    sent: int
    lost: int
    flows: int
    last_s: float


NO_PROBES = PacketLoss(0, 0, 0, 0.0)


class Stream:
    """Sends over all its flows in turn until it is closed; each flow keeps its ports, so each keeps its path."""

    def __init__(self, blueprint: Blueprint, pairs: Sequence[tuple[Endpoint, Endpoint]], flows: int) -> None:
        self._stack = ExitStack()
        self._flows: list[_Flow] = []
        targets: dict[Endpoint, UdpSocket] = {}
        sources: dict[tuple[Endpoint, int], UdpSocket] = {}
        for at in range(flows):
            a, b = pairs[at % len(pairs)]
            key = (a, at // len(pairs))
            if key not in sources:
                port = UdpSocket(blueprint.namespace(a.place.device), a.place, 0)
                sources[key] = self._stack.enter_context(closing(port))
            if b not in targets:
                targets[b] = self._stack.enter_context(closing(UdpSocket(blueprint.namespace(b.place.device), b.place)))
            source, target = sources[key], targets[b]
            self._flows.append(_Flow(source, target, source.target(target)))
        self._listener = self._stack.enter_context(closing(Listener(targets.values())))
        self._stream = time.monotonic_ns()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        """Stop sending, take what is still on the way, close everything."""
        self.stop()
        self._stack.close()

    def stop(self) -> None:
        """Stop sending and take what is still on the way."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        begun = time.monotonic()
        sent = 0
        while not self._stop.is_set():
            due = int((time.monotonic() - begun) * _PACKETS_PER_S)
            if due - sent > _PACKETS_PER_S // 4:
                # The machine was busy elsewhere; a burst in return would only overflow its queues.
                begun, sent, due = time.monotonic(), 0, 0
            for at in range(sent, due):
                flow = self._flows[at % len(self._flows)]
                number = len(flow.sent_at)
                flow.sent_at.append(time.monotonic())
                flow.source.send(self._stream, (at % len(self._flows)) << _NUMBER_BITS | number, flow.address)
            sent = due
            self._listener.take(self._stream, _TICK_S, self._receive)
        until = time.monotonic() + _DRAIN_S
        while time.monotonic() < until:
            self._listener.take(self._stream, 0.05, self._receive)

    def _receive(self, arrival: Arrival) -> None:
        self._flows[arrival.number >> _NUMBER_BITS].arrived.add(arrival.number & ((1 << _NUMBER_BITS) - 1))

    def loss(self, since_s: float, until_s: float) -> PacketLoss:
        """Return what was lost of the packets that were sent in a span of time; for when the stream has stopped."""
        sent = lost = flows = 0
        last = since_s
        for flow in self._flows:
            missing = 0
            for number, sent_at in enumerate(flow.sent_at):
                if since_s <= sent_at < until_s:
                    sent += 1
                    if number not in flow.arrived:
                        missing += 1
                        last = max(last, sent_at)
            lost += missing
            flows += missing > 0
        return PacketLoss(sent, lost, flows, last - since_s)
