"""Order of changes whose other end lies on another device, by kind of change.

The semantics of a file name the kind of a path (``ends``), see templates/README.md; this table names the stage in which
each direction of it is carried out, at switches and at hosts. Everyone accepts old and new before anyone sends the new,
and the old stays accepted until no device sends it any more.

Source:
    The orders follow from RFC 4271 (the AS number and address of a neighbour are configured at both ends).
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class RolloutStage(IntEnum):
    """Stages of a rollout in their order; what is of no stage goes with another change of its file."""

    accept = 1
    ready = 2
    migrate = 3
    cease = 4
    drop = 5
    rehash = 6


class Order(NamedTuple):
    """Stages of what appears, changes and disappears; None where the change needs no stage of its own."""

    gain: RolloutStage | None
    change: RolloutStage | None
    loss: RolloutStage | None


class Ends(NamedTuple):
    """A kind of change.

    Attributes:
        title: Its name for people.
        switch: Order at switches.
        host: Order at hosts.
        rule: The reason for the order, for people.
        by_hand: Advice where a platform has no state between old and new; empty for the general one.
    """

    title: str
    switch: Order
    host: Order
    rule: str
    by_hand: str = ""


_WIDENS_THEN_NARROWS = Order(RolloutStage.accept, None, RolloutStage.drop)
_AT_ONCE = Order(RolloutStage.migrate, RolloutStage.migrate, RolloutStage.migrate)

CONTRACT = ("dscp", "pfc", "mark", "dcqcn", "ecn", "queues", "mtu")
"""Kinds on which both ends of a link agree; an intent between both intents has what either of them takes."""

KINDS: dict[str, Ends] = {
    "address": Ends(
        "addresses",
        Order(RolloutStage.accept, RolloutStage.migrate, RolloutStage.drop),
        _AT_ONCE,
        "both ends have old and new address and session before the old ones go",
        "drain one switch at a time, apart from this rollout, change its addresses together with its neighbors' ends "
        "of the same links, and undrain it; neighbors with other paths need no drain",
    ),
    "network": Ends(
        "announced prefixes",
        Order(RolloutStage.ready, None, RolloutStage.cease),
        Order(RolloutStage.ready, None, RolloutStage.cease),
        "a prefix is announced once every receiver permits it and before hosts use it, and withdrawn in reverse",
    ),
    "asn": Ends(
        "AS numbers",
        Order(RolloutStage.accept, RolloutStage.accept, RolloutStage.drop),
        Order(RolloutStage.accept, RolloutStage.accept, RolloutStage.drop),
        "a session is up only while both ends name the same AS numbers",
        "drain one switch at a time, apart from this rollout, change its number together with the remote-as that its "
        "neighbors have for it, and undrain it: neighbors with other paths need no drain; or keep routing.asn",
    ),
    "accept": Ends(
        "policy of what is accepted",
        Order(RolloutStage.accept, RolloutStage.accept, RolloutStage.drop),
        Order(RolloutStage.accept, RolloutStage.accept, RolloutStage.drop),
        "receivers accept and honour a route before it is sent, and until it is sent no more",
        "give receivers the new entries beside the former ones by hand, collect them and plan again; or change senders "
        "and receivers together while no jobs run",
    ),
    "list": Ends(
        "lists of prefixes and communities",
        _WIDENS_THEN_NARROWS,
        _WIDENS_THEN_NARROWS,
        "lists permit old and new entries before a route of a new one is sent, and until none of an old one is",
    ),
    "community": Ends(
        "communities",
        Order(RolloutStage.accept, RolloutStage.migrate, RolloutStage.drop),
        Order(RolloutStage.accept, RolloutStage.migrate, RolloutStage.drop),
        "another community is set once every receiver honours it, and the former one is honoured until none sets it",
    ),
    "send": Ends("policy of what is sent", _AT_ONCE, _AT_ONCE, "senders change once every receiver accepts it"),
    "hash": Ends(
        "ECMP hash",
        Order(RolloutStage.rehash, RolloutStage.rehash, RolloutStage.rehash),
        _AT_ONCE,
        "all flows of a switch move at once, so it is drained, one tier after another",
    ),
}
"""Kinds by the word that semantics use."""
