"""Every flow between NICs of one rail after a failure, by each port that the sender's hash may choose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from tests.flows.network import Dead, Leg, Network, Nic, Tables

Senders = dict[tuple[str, ...], tuple[Nic, int]]
"""NICs whose legs are alike, by these: one of them, and how many they are."""
NOTHING: Dead = frozenset()


class Outcome(NamedTuple):
    """Result of one failure; parts are of all flows.

    ``pairs``: ordered pairs of NICs of one rail that reach each other as planned; ``with_a_path`` those that still do.
    ``hit``: flows that are lost before anything is noticed. ``sent``: flows that left by a port that is lost, of
    senders that have another one. ``routed``: other flows that are lost first, and arrive once routing has followed.
    ``lost``: flows that do not arrive after that either.
    """

    pairs: int
    with_a_path: int
    hit: Fraction
    sent: Fraction
    routed: Fraction
    lost: Fraction


class Simulation:
    """The flows of a network."""

    def __init__(self, network: Network, *, alike: bool) -> None:
        self.network, self.alike = network, alike
        self.planned = Tables(network, NOTHING)

    def fail(self, *elements: object) -> Outcome:
        """Send every flow as planned, right after the failure of some elements, and when all has followed."""
        self.dead: Dead = frozenset(elements)
        self.now = Tables(self.network, self.dead)
        if all(isinstance(each, tuple) for each in elements):
            self.now.routes = self.planned.routes  # ports of hosts only: the same sessions
        counted: Counter[str] = Counter()
        parts: dict[str, Fraction] = dict.fromkeys(("hit", "sent", "routed", "lost"), Fraction(0))
        for nics in self.network.nics.values():
            kinds = self._kinds(nics)
            for receiver, receivers in kinds.values():
                self._receive(receiver, receivers, kinds.values(), counted, parts)
        shares = (parts[name] / counted["all"] for name in ("hit", "sent", "routed", "lost"))
        return Outcome(counted["pairs"], counted["with a path"], *shares)

    def _kinds(self, nics: list[Nic]) -> Senders:
        found: Senders = {}
        for nic in nics:
            here = tuple(f"{leg.leaf} {leg.port in self.dead}" for leg in nic.legs)
            key = here if self.alike else (*here, nic.bond.host)
            found[key] = nic, found.get(key, (nic, 0))[1] + 1
        return found

    def _receive(
        self,
        receiver: Nic,
        receivers: int,
        senders: Iterable[tuple[Nic, int]],
        counted: Counter[str],
        parts: dict[str, Fraction],
    ) -> None:
        states = ((self.planned, NOTHING), (self.planned, self.dead), (self.now, self.dead))
        known: list[dict[str, Fraction]] = [{}, {}, {}]
        for sender, count in senders:
            pairs = receivers * (count - (sender is receiver))
            arriving = [
                {leg: tables.part(leg.leaf, receiver, dead, memory) for leg in sender.legs}
                for (tables, dead), memory in zip(states, known, strict=True)
            ]
            self._judge(sender, pairs, arriving, counted, parts)

    def _judge(
        self,
        sender: Nic,
        pairs: int,
        arriving: list[dict[Leg, Fraction]],
        counted: Counter[str],
        parts: dict[str, Fraction],
    ) -> None:
        """Count the flows of equal pairs, one for each port that the hash may choose."""
        planned, once, after = arriving
        up = sender.up(self.dead)
        lost = Fraction(0)
        for leg in up:
            lost += (planned[leg] - after[leg]) / len(up)
        for leg in sender.legs:
            share = Fraction(pairs, len(sender.legs))
            if leg in up:
                parts["hit"] += share * (planned[leg] - once[leg])
                parts["routed"] += share * (after[leg] - once[leg])
            else:
                parts["hit"] += share * planned[leg]
                parts["sent"] += share * planned[leg] if up else Fraction(0)
        reached = sum(planned.values(), Fraction(0))
        parts["lost"] += pairs * (lost if up else reached / len(sender.legs))
        counted["all"] += pairs
        counted["pairs"] += pairs if reached else 0
        counted["with a path"] += pairs if any(after[leg] for leg in up) else 0
