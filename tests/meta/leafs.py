"""The leafs of the intent language: where the schema has them, where a document has them, what else they may say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from netaddr import IPAddress, IPNetwork

from fabricgen.api import Compiled
from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Bag, Diagnostic, IntentPath
from fabricgen.intent.fabric import intent_schema
from fabricgen.render.engine import Renderer
from fabricgen.rollout.bundle import PLAN
from fabricgen.rollout.json_text import write_json
from fabricgen.source import Document, natural_key
from fabricgen.validation.schema import schema_nodes
from tests.rollouts import hitless_rollout

ANY_KEY, ANY_ITEM = "*", "[]"
LEFT_OUT = object()
"""Stands for the key not being written."""

Pattern = tuple[str, ...]


def schema_leafs() -> list[Pattern]:
    """Every leaf of the language; ``*`` stands for a name of the user's, ``[]`` for a list item.

    The group of a single host group may be left out; such a path says nothing that the full one does not.
    """
    found = dict.fromkeys(_walk(intent_schema(), ()))
    return [path for path in found if not any((*path[:at], ANY_KEY, *path[at:]) in found for at in range(1, len(path)))]


def _walk(node: dict[str, Any], path: Pattern) -> Iterator[Pattern]:
    if "$ref" in node:
        yield from _walk(intent_schema()["$defs"][node["$ref"].rpartition("/")[2]], path)
        return
    options = [option for key in ("anyOf", "oneOf", "allOf") for option in node.get(key, ())]
    if options:
        for option in options:
            yield from _walk(option, path)
        return
    children = dict(node.get("properties", {}))
    others = [node["additionalProperties"]] if isinstance(node.get("additionalProperties"), dict) else []
    for child in [*others, *node.get("patternProperties", {}).values()]:
        yield from _walk(child, (*path, ANY_KEY))
    for key, child in children.items():
        yield from _walk(child, (*path, key))
    if node.get("type") == "array":
        yield from _walk(node["items"], (*path, ANY_ITEM))
    elif node.get("type") not in ("object", "null"):
        yield path


def instances(value: Any, pattern: Pattern) -> Iterator[IntentPath]:
    """Every path of plain data that a leaf's pattern fits; the long form of a value is an instance of the short one."""
    if not pattern:
        yield ()
        return
    head, rest = pattern[0], pattern[1:]
    if isinstance(value, list) and head == ANY_ITEM:
        for item in value:
            yield from ((f"[{natural_key(item)}]", *path) for path in instances(item, rest))
    elif isinstance(value, dict):
        for key in value if head == ANY_KEY else [head] if head in value else []:
            yield from ((key, *path) for path in instances(value[key], rest))


def value_at(value: Any, path: IntentPath) -> Any:
    """Return what plain data says at a path."""
    for segment in path:
        if isinstance(value, list):
            value = next(item for item in value if f"[{natural_key(item)}]" == segment)
        else:
            value = value[segment]
    return value


def with_value(document: Document, path: IntentPath, value: Any) -> Document:
    """The document with another value at a path, or without the key."""
    return document.without(path) if value is LEFT_OUT else document.replaced(path, value)


def other_values(path: IntentPath, now: Any) -> list[Any]:
    """Values that the schema allows at a path besides the present one, likely ones first.

    A pattern or a rule of the language may still refuse one of them.
    """
    found: list[Any] = []
    for node in schema_nodes(intent_schema(), path):
        found += _values(node, now)
    kept: list[Any] = []
    for value in found:
        if not (type(value) is type(now) and value == now) and value not in kept:
            kept.append(value)
    return kept


def parts(path: IntentPath, now: Any) -> list[list[Any]]:
    """Return other values of a leaf: for each of its parts that is told by itself, those in which that one differs.

    The path of a file has two: its name, and its folder, which a platform may not write.
    """
    found = other_values(path, now)
    if not (isinstance(now, str) and now.startswith("/")):
        return [found]
    folder, _, name = now.rpartition("/")
    return [found, [f"{folder}x/{name}", f"{folder}/x/{name}"]]


def _values(node: dict[str, Any], now: Any) -> list[Any]:
    if "enum" in node:
        return list(node["enum"])
    if "const" in node:
        return [node["const"]]
    kind = node.get("type")
    if kind == "boolean":
        return [not now]
    if kind == "null":
        return [LEFT_OUT]
    if kind in ("integer", "number"):
        return _numbers(node, now)
    return _texts(node.get("format", ""), now) if kind == "string" and isinstance(now, str) else []


def _numbers(node: dict[str, Any], now: Any) -> list[Any]:
    low, high = node.get("minimum", 1), node.get("maximum", 1000)
    near = [now + 1, now - 1, now * 2, now // 2] if isinstance(now, int | float) and not isinstance(now, bool) else []
    return [number for number in [*near, low, high] if low <= number <= high]


def _texts(form: str, now: str) -> list[str]:
    if form == "cidr" and "/" in now:
        pool = IPNetwork(now)
        return [str(pool.next()), str(next(iter(pool.subnet(pool.prefixlen + 1))))]
    if form == "ip" and now[0].isdigit():
        return [str(IPAddress(now) + 1)]
    places = [at for at, letter in enumerate(now) if letter.isalnum()]
    stem = [at for at in places if at < now.rfind(".")]  # A file may have to keep its ending.
    chosen = (*places[-1:], *places[:1], *stem[-1:])
    bumped = [now[:at] + chr(ord(now[at]) + 1) + now[at + 1 :] for at in chosen]
    return [*bumped, f"x{now}", f"{now}x"]


def render_all(compiled: Compiled, bag: Bag, cache: Path) -> dict[str, bytes]:
    """Every file of every switch and host and the plan of a rollout, by path; none without a plan."""
    plan, specs = compiled.plan, compiled.platforms
    if plan is None or specs is None:
        return {}
    lowering, renderer = Lowering(plan), Renderer(specs, bag, cache_dir=cache)
    switches = [renderer.render_switch(lowering.lower_switch(device)) for device in plan.switches()]
    hosts = [renderer.render_host(lowering.lower_host(host)) for host in plan.all_hosts()]
    found = {file.path: file.data for files in [*switches, *hosts] for file in files}
    return found | {PLAN: write_json(hitless_rollout(plan))}


def unjudged(document: Document) -> Document:
    """The document without what names single devices or is held against the result."""
    for key in ("expect", "exceptions"):
        document = document.without((key,)) if document.has((key,)) else document
    return document


def points_at(diagnostic: Diagnostic, lines: set[tuple[str, int]]) -> bool:
    """Return whether a diagnostic points at a line, if only as related."""
    places = (diagnostic.place, *(other.place for other in diagnostic.related))
    return any((place.file, place.line) in lines for place in places if place)
