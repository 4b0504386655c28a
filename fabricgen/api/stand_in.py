"""Stand-ins for models the catalog does not know, so that what does not rest on them is checked all the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from typing import TypeVar

from fabricgen.catalog import Catalog, load_catalog
from fabricgen.catalog.library import known_models
from fabricgen.diagnostics import Bag
from fabricgen.intent.fabric import FabricIntent

Record = TypeVar("Record")


def complete_catalog(catalog: Catalog, intent: FabricIntent) -> Catalog:
    """Return the catalog with a record for every model the intent names.

    An unknown model is taken for another one of the intent, else for one that ships with fabricgen and could stand in
    its place. The error about the name is in the bag already, so that nothing is written.
    """
    switches, nics, servers = dict(catalog.switches), dict(catalog.nics), dict(catalog.servers)
    for tier in intent.tiers.values():
        if tier.model not in switches:
            models = chain(catalog.switches.values(), _shipped("switches", lambda one: one.switches))
            fitting = (model for model in models if tier.platform in model.platforms)
            switches[tier.model] = next(fitting, None) or next(_shipped("switches", lambda one: one.switches))
    speeds = {link.speed for name, link in intent.links.items() if name.partition("-")[0] not in intent.tiers}
    for group in intent.hosts.values():
        if group.nic not in nics:
            cards = chain(catalog.nics.values(), _shipped("nics", lambda one: one.nics))
            running = (card for card in cards if speeds & set(card.lanes_by_gbps))
            nics[group.nic] = next(running, None) or next(_shipped("nics", lambda one: one.nics))
        if group.server not in servers:
            servers[group.server] = next(chain(catalog.servers.values(), _shipped("servers", lambda one: one.servers)))
    return replace(catalog, switches=switches, nics=nics, servers=servers)


def _shipped(kind: str, records: Callable[[Catalog], dict[str, Record]]) -> Iterator[Record]:
    """Every record of a kind that ships with fabricgen, by name."""
    for name in known_models(kind):
        loaded = load_catalog(
            switches={name: ()} if kind == "switches" else {},
            nics={name: ()} if kind == "nics" else {},
            servers={name: ()} if kind == "servers" else {},
            bag=Bag(),
        )
        yield from records(loaded).values()
