"""Other legal values of an intent key, from the JSON Schema of the language and the catalog."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from ipaddress import ip_address
from itertools import product
from typing import Any, NamedTuple

from fabricgen.catalog import known_models
from fabricgen.catalog.library import find_file
from fabricgen.compiler.compile import Compiled
from fabricgen.diagnostics import IntentPath
from fabricgen.intent.fabric import intent_schema
from fabricgen.intent.network import UNNUMBERED
from fabricgen.source import Document
from fabricgen.source.nodes import item_segments
from fabricgen.validation.schema import schema_nodes
from tests.acceptance.other_scalars import other_names, other_scalars
from tests.property.generated.services import GNMI

_COMPANIONS: dict[str, dict[str, Any]] = {
    "length_m": {"media": "smf"},
    "mode": {"reason": "a trial"},
    "speed": {"cable": {"media": "smf", "length_m": 3}},
}
"""Other keys that a key needs beside it before more of its values are legal."""
_LINK_POOLS = {"ipv4": "10.64.0.0/12", "ipv6": "fd3a:91c4:7e02:64::/64"}
"""Addressing that links without addresses may have instead."""
_POOLS = {
    "loopbacks": {"ipv4": "10.255.0.0/16", "ipv6": "fd3a:91c4:7e02:ff::/64"},
    "fabric_links": _LINK_POOLS,
    "host_links": {"ipv4": "172.16.0.0/12", "ipv6": "fd3a:91c4:7e02:2::/64"},
}
_MANAGEMENT = ["198.51.100.0/24", "2001:db8:51::/48"]
"""Source of management addresses instead of the pool, which stands for it where nothing is written."""
_FAMILIES = (("ipv4",), ("ipv6",), ("ipv4", "ipv6"))
_FAR_M = 300
"""Length of an optical cable that needs more headroom than any copper one, however coarse a vendor's table is."""


class Change(NamedTuple):
    """Two documents that differ at one path only."""

    before: Document
    after: Document


def other_values(compiled: Compiled, path: IntentPath) -> Iterator[Change]:
    """Changes of one key that are probably legal; also without exceptions and assets, never with expectations."""
    document = compiled.document.without(("expect",)) if compiled.document.has(("expect",)) else compiled.document
    yield from _changes(document, compiled, path)
    for key in ("exceptions", "assets"):
        if document.has((key,)) and key != path[0]:
            document = document.without((key,))
            yield from _changes(document, compiled, path)


def _changes(document: Document, compiled: Compiled, path: IntentPath) -> Iterator[Change]:
    value = _find(document.data, path) if document.has(path) else _find(_dump(compiled), _full(document, path))
    others = list(_others(value, path, compiled))
    if value == UNNUMBERED:
        families = _find(_dump(compiled), ("addressing", "families"))
        others.append({family: _LINK_POOLS[family] for family in families})
    yield from (Change(document, _put(document, compiled, path, other)) for other in others)
    yield from _special(document, compiled, path)
    if isinstance(value, dict) and len(path) > 1:
        yield Change(document, _renamed(_put(document, compiled, path, value), path))
    for key, said in _COMPANIONS.get(path[-1], {}).items():
        beside = _put(document, compiled, (*path[:-1], key), said)
        yield from (Change(beside, _put(beside, compiled, path, other)) for other in others)
    if path[0] == "links" or path[-1] == "release":
        for elsewhere in _on_other_switches(document, compiled):
            yield from (Change(elsewhere, _put(elsewhere, compiled, path, other)) for other in others)
            if path[-1] == "length_m":
                optical = _put(elsewhere, compiled, (*path[:-1], "media"), "smf")
                yield Change(optical, _put(optical, compiled, path, _FAR_M))


def _special(document: Document, compiled: Compiled, path: IntentPath) -> Iterator[Change]:
    """Changes of keys that take others along."""
    if path == ("lossless", "mode") and not (document.has(path) and _find(document.data, path) == "pfc_only"):
        plain = document
        for tuned in (("lossless", "ecn"), ("lossless", "dcqcn")):
            plain = plain.without(tuned) if plain.has(tuned) else plain
        yield Change(plain, plain.replaced(path, "pfc_only").replaced(("lossless", "reason"), "a trial"))
    if path == ("operations", "access", "management"):
        yield Change(document, document.replaced(path, _MANAGEMENT))
    if path == ("operations", "gnmi"):
        yield Change(document.replaced(path, GNMI), document.without(path) if document.has(path) else document)
    if path == ("lossless", "dcqcn"):
        yield Change(document, document.replaced(path, _other_parameters(compiled)))
    if path[-1] in ("weight_pct", "strict"):
        yield from _rebalanced(document, compiled, path)
    if path[:2] == ("addressing", "families"):
        yield from _other_families(document, compiled)
    if path[-2:] == ("attachment", "bond"):
        yield Change(document, document.replaced(("planes", "host"), "separate").replaced(path, "none"))
    if path[-1] == "name" and document.has(("exceptions",)):
        yield from _of_renamed_devices(document, compiled, path)
    if path[0] == "exceptions":
        yield from _other_exceptions(document, path)
    if path == ("assets",):
        yield from _other_assets(document, compiled)


def _other_assets(document: Document, compiled: Compiled) -> Iterator[Change]:
    """Other numbers and addresses of devices' own, and other names of half of them."""
    text = (compiled.folder / str(_find(document.data, ("assets",)))).read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())
    lists = [[list(map(_shifted, header, row)) for row in rows]]
    for bit, kept in product(range(len(rows).bit_length()), (0, 1)):
        lists.append([row if at >> bit & 1 == kept else [f"x-{row[0]}", *row[1:]] for at, row in enumerate(rows)])
    for number, other in enumerate(lists):
        with (compiled.folder / f"x-assets-{number}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([header, *other])
        yield Change(document, document.replaced(("assets",), f"x-assets-{number}.csv"))


def _shifted(column: str, value: str) -> str:
    """Return the next value but some of a column with numbers or addresses."""
    if column == "asn" and value:
        return str(int(value) + 1000)
    if value and column in ("loopback", "loopback6", "router_id", "management_ip", "management_gateway"):
        address, slash, prefix = value.partition("/")
        return f"{ip_address(address) + (-1 if column == 'management_gateway' else 20)}{slash}{prefix}"
    return value


def _of_renamed_devices(document: Document, compiled: Compiled, path: IntentPath) -> Iterator[Change]:
    """Other names of devices, by which exceptions and the asset list call them then."""
    devices = [compiled.plan.device_name(device) for device in compiled.plan.switches()]
    hosts = [compiled.plan.host_name(host) for host in compiled.plan.all_hosts()]
    for pattern in other_names(path, compiled):
        start = pattern.removeprefix("x-").partition("{")[0]
        names = [name for name in (devices if path[0] == "tiers" else hosts) if name.startswith(start)]
        called = re.compile(rf"\b({'|'.join(names)})\b(?=\"|,)")
        exceptions = called.sub(r"x-\1", json.dumps(_find(document.data, ("exceptions",))))
        renamed = document.replaced(("exceptions",), json.loads(exceptions))
        if document.has(("assets",)):
            known = (compiled.folder / str(_find(document.data, ("assets",)))).read_text(encoding="utf-8")
            (compiled.folder / f"x-{start}.csv").write_text(called.sub(r"x-\1", known), encoding="utf-8")
            renamed = renamed.replaced(("assets",), f"x-{start}.csv")
        yield Change(document, _put(renamed, compiled, path, pattern))


def _other_families(document: Document, compiled: Compiled) -> Iterator[Change]:
    """Other address families; hosts that speak BGP know IPv4 alone, hence the same without their sessions."""
    known = _find(_dump(compiled), ("addressing", "families"))
    hosts = ("routing", "hosts")
    for before in (document, *((document.without(hosts),) if document.has(hosts) else ())):
        others = (families for families in _FAMILIES if list(families) != known)
        yield from (Change(before, _of_families(before, families)) for families in others)


def _of_families(document: Document, families: tuple[str, ...]) -> Document:
    """The fabric in other address families, each with its pools."""
    addressing = _find(document.data, ("addressing",)) or {}
    said = {key: pool for key, pool in addressing.items() if key not in _POOLS}
    for key, pools in _POOLS.items():
        if addressing.get(key) == UNNUMBERED:
            said[key] = UNNUMBERED
        else:
            said[key] = {family: pools[family] for family in families}
    return document.replaced(("addressing",), {**said, "families": list(families)})


def _other_exceptions(document: Document, path: IntentPath) -> Iterator[Change]:
    """An exception less; where there is none, one that drains the device it would be of."""
    if document.has(path):
        yield Change(document, document.without(path))
        return
    known = _find(document.data, path[:1]) or []
    name = path[1].strip("[]").rpartition(" ")[0]
    for kind in ("device", "host"):
        drained = {kind: name, "state": "drained", "reason": "a trial"}
        yield Change(document, document.replaced(path[:1], [*known, drained]))


def _on_other_switches(document: Document, compiled: Compiled) -> Iterator[Document]:
    """The same fabric of other switches, in every tier whose platform they run."""
    tiers = _find(document.data, ("tiers",))
    platforms = {name: tier.platform for name, tier in compiled.intent.tiers.items()}
    for model in known_models("switches"):
        runs = _platforms_of(model)
        others = {name: {**said, "model": model} for name, said in tiers.items() if platforms[name] in runs}
        if others:
            yield document.replaced(("tiers",), {**tiers, **others})


@cache
def _platforms_of(model: str) -> tuple[str, ...]:
    """The platforms a shipped switch runs."""
    found = re.search(r"(?m)^platforms: \[(.*)\]", find_file("switches", model)[0].read_text())
    assert found is not None, model
    return tuple(found[1].split(", "))


def _other_parameters(compiled: Compiled) -> dict[str, int]:
    """Every parameter of the NICs with a value it does not ship with."""
    specs = (compiled.platforms or {}).values()
    found = [parameter for spec in specs for parameter in spec.parameters]
    return {it.name: it.maximum if it.default != it.maximum else it.minimum for it in found}


def _rebalanced(document: Document, compiled: Compiled, path: IntentPath) -> Iterator[Change]:
    """Another share of the bandwidth or another scheduler for one class; shares still add up to 100."""
    *above, name, key = path
    classes = _find(_dump(compiled), tuple(above))
    shares = {other: said.get("weight_pct", 0) for other, said in classes.items()}
    giver = max((other for other in shares if other != name), key=lambda other: shares[other])
    spare = {"dscp": [1], "priority": 5}
    own = {word: said for word, said in classes[name].items() if word not in ("weight_pct", "strict")}
    share = shares[name]
    strict = {**own, "strict": True}
    weighted = {**own, "weight_pct": share + 1}
    given = {**classes, giver: {**classes[giver], "weight_pct": shares[giver] - 4}}
    first, second = (classes[name], weighted) if key == "weight_pct" else (weighted, strict)
    yield Change(
        document.replaced(tuple(above), {**given, name: first, "spare": {**spare, "weight_pct": _left(first, share)}}),
        document.replaced(
            tuple(above), {**given, name: second, "spare": {**spare, "weight_pct": _left(second, share)}}
        ),
    )


def _left(said: dict[str, Any], share: int) -> int:
    """Return what a class leaves of its own share and four percent more."""
    return share + 4 - int(said.get("weight_pct", 0))


def _renamed(document: Document, path: IntentPath) -> Document:
    """Another name for a member of a mapping."""
    members = _find(document.data, path[:-1])
    return document.replaced(path[:-1], {f"{key}x" if key == path[-1] else key: said for key, said in members.items()})


def _dump(compiled: Compiled) -> dict[str, Any]:
    return compiled.intent.model_dump(mode="json", exclude_none=True)


def _full(document: Document, path: IntentPath) -> IntentPath:
    """The path in the model, where a single group of hosts has a name."""
    if path[:1] == ("hosts",) and document.has(("hosts", "server")):
        return ("hosts", "gpu", *path[1:])
    return path


def _find(data: Any, path: IntentPath) -> Any:
    """The value at a path; None if there is none."""
    for segment in path:
        if isinstance(data, dict):
            data = data.get(segment)
        elif isinstance(data, list):
            data = dict(zip(item_segments(data), data, strict=True)).get(segment)
        else:
            return None
    return data


def _put(document: Document, compiled: Compiled, path: IntentPath, value: Any) -> Document:
    """Write a value; where what is around it is not written, or in its short form, its defaults are written too."""
    depths = range(1, len(path))
    depth = next((at for at in depths if not isinstance(_find(document.data, path[:at]), dict | list)), len(path))
    around = deepcopy(_find(_dump(compiled), _full(document, path[:depth]))) if depth < len(path) else None
    if around is None:
        return document.replaced(path, value)
    inner = _find(around, path[depth:-1])
    if isinstance(inner, list):
        inner[item_segments(inner).index(path[-1])] = value
    else:
        inner[path[-1]] = value
    return document.replaced(path[:depth], around)


def _others(value: Any, path: IntentPath, compiled: Compiled) -> Iterator[Any]:
    """Values that may stand in place of one; in a mapping or list each item changes in turn."""
    if isinstance(value, dict):
        for changes in _in_turn([_others(item, (*path, key), compiled) for key, item in value.items()]):
            yield value | {list(value)[at]: other for at, other in changes}
    elif isinstance(value, list) and value:
        segments = item_segments(value)
        for changes in _in_turn([_others(item, (*path, segments[at]), compiled) for at, item in enumerate(value)]):
            yield [dict(changes).get(at, item) for at, item in enumerate(value)]
        words = [word for node in schema_nodes(intent_schema(), path) for word in node.get("items", {}).get("enum", ())]
        yield from ([word, *value] for word in words if word not in value)
    else:
        yield from (other for other in other_scalars(value, path, compiled) if other != value)


def _in_turn(sources: list[Iterator[Any]]) -> Iterator[list[tuple[int, Any]]]:
    """One value of each source after the other, with the number of its source."""
    pending = list(enumerate(sources))
    while pending:
        for at, source in list(pending):
            try:
                yield [(at, next(source))]
            except StopIteration:
                pending.remove((at, source))
