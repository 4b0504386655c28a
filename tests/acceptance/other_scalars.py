"""Other legal values of a key that holds a number, a word or a text."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network
from itertools import chain, permutations
from typing import Any

from fabricgen.catalog import OwnFolder, known_models
from fabricgen.compiler.compile import Compiled
from fabricgen.diagnostics import IntentPath
from fabricgen.intent.fabric import intent_schema
from fabricgen.validation.schema import schema_nodes
from tests.acceptance.twins import TWINS

_KINDS = {"model": "switches", "server": "servers", "nic": "nics", "ecn": "ecn"}
"""Key to the kind of catalog record it names."""
_SMALL, _ITEMS = 8, 64
"""Numbers below these are tried in place of any number, and of any number in a list."""
_FACTORS = (2, 3, 4, 5, 6, 7, 8)
_TIMES_MS = (300, 700, 3000)
"""Numbers tried where none is written and the default is not the intent's: a watchdog's times follow the box."""


def other_scalars(value: Any, path: IntentPath, compiled: Compiled) -> Iterator[Any]:
    """Values that may stand in place of a plain one, the likeliest first."""
    if path[-1] in _KINDS:
        extra = compiled.folder / "catalog"
        names = known_models(_KINDS[path[-1]], [OwnFolder(extra, extra)])
        yield from sorted(names, key=lambda name: not name.startswith(TWINS))
    if path[-1] == "name":
        yield from other_names(path, compiled)
    if path[:2] == ("lossless", "ecn"):
        yield {"kmin_bytes": 200_000, "kmax_bytes": 800_000, "pmax_pct": 7}
    if path[-1] == "release":
        yield from (release.name for spec in (compiled.platforms or {}).values() for release in spec.releases)
    for node in schema_nodes(intent_schema(), path):
        yield from _from_schema(node, value)
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from chain((value + 1, value - 1, value // 2), (value * factor for factor in _FACTORS))
        yield from range(_ITEMS if path[-1].startswith("[") else _SMALL)
    elif isinstance(value, float):
        yield from (value * factor for factor in (0.5, 2, 20, 100))
    elif isinstance(value, str):
        yield from _other_texts(value)


def _from_schema(node: dict[str, Any], value: Any) -> Iterator[Any]:
    yield from node.get("enum", ())
    if "const" in node:
        yield node["const"]
    if node.get("type") == "array" and not value:
        words = node["items"].get("enum", [])
        yield from ([*chosen] for number in (1, 2) for chosen in permutations(words, number))
    if node.get("type") == "integer" and "minimum" in node and not value:
        yield from (*_TIMES_MS, *range(node["minimum"], node["minimum"] + _ITEMS))


def _other_texts(value: str) -> Iterator[str]:
    try:
        pool = ip_network(value)
    except ValueError:
        yield f"{value}x"
        return
    if pool.prefixlen == pool.max_prefixlen:
        yield str(pool.network_address + 1)
        return
    yield f"{pool.network_address + pool.num_addresses}/{pool.prefixlen}"
    yield f"11.0.0.0/{max(pool.prefixlen, 8)}" if pool.version == 4 else f"fd11::/{pool.prefixlen}"
    yield f"{pool.network_address}/{pool.prefixlen + 1}"


def other_names(path: IntentPath, compiled: Compiled) -> Iterator[str]:
    """Other name patterns of the same devices; the default is known to the plan alone."""
    if path[0] == "tiers":
        yield from (f"x-{tier.name_pattern}" for tier in compiled.plan.tiers if tier.name == path[1])
    elif path[0] == "hosts":
        yield from (f"x-{group.name_pattern}" for group in compiled.plan.hosts)
