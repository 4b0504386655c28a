"""Judges what a snippet adds to agent.conf or bgpcpp.conf: fields and types of the thrift structs, and names in them.

Source:
    facebook/fboss 14ec47ec: agent_config.thrift, switch_config.thrift, bgp_config.thrift (``fields.json``); for the
    names ApplyThriftConfig.cpp of the same tree.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from ipaddress import ip_interface
from typing import Any, NamedTuple

from fabricgen.diagnostics import Nearest
from fabricgen.diagnostics.secrets import HIDDEN
from fabricgen.platforms.commands.snippets import Claim, Fault, Kind, Laid
from fabricgen.platforms.fboss.reader import AGENT, BGP, known_fields
from fabricgen.platforms.reading.json_places import JsonPlaces
from fabricgen.platforms.reading.reader import Tree, is_tree
from fabricgen.platforms.reading.redaction import Redaction

_MEANT = "did you mean"
_CONTAINER = re.compile(r"(list|set|map)<(.*)>")
_BITS = {"byte": 8, "i16": 16, "i32": 32, "i64": 64}
_NAMES = {
    ("Port", "portQueueConfigName"): ("portQueueConfigs", ""),
    ("PortPfc", "portPgConfigName"): ("portPgConfigs", ""),
    ("PortPgConfig", "bufferPoolName"): ("bufferPoolConfigs", ""),
    ("TrafficPolicyConfig", "defaultQosPolicy"): ("qosPolicies", "name"),
    ("Interface", "vlanID"): ("vlans", "id"),
    ("VlanPort", "vlanID"): ("vlans", "id"),
    ("VlanPort", "logicalPort"): ("ports", "logicalID"),
    ("MatchAction", "ingressMirror"): ("mirrors", "name"),
    ("MatchAction", "egressMirror"): ("mirrors", "name"),
}
"""Struct and field that name something, to the member of ``sw`` that has it: its keys, or a field of its rows."""


class _Judged(NamedTuple):
    """Context in which a snippet is judged, and the tree it makes."""

    structs: Mapping[str, Mapping[str, str]]
    result: Tree
    places: JsonPlaces
    nearest: Nearest
    redaction: Redaction

    def fault(self, kind: Kind, path: tuple[str, ...], message: str, hint: str = "", *, on_key: bool = False) -> Fault:
        """A fault at a key or value of the snippet."""
        line, column = self.places.key(path) if on_key else self.places.value(path)
        return Fault(kind, line, column, f"{'.'.join(self.redaction.steps(path))}: {message}", hint)

    def told(self, path: tuple[str, ...], value: Any) -> str:
        """A value as a message may quote it."""
        shown = self.redaction.value(path, value)
        return HIDDEN if shown == HIDDEN else repr(shown)


def judge_snippet(laid: Laid) -> Iterator[Fault | Claim]:
    """Judge what a snippet adds to either file."""
    patch, result, before = json.loads(laid.text), json.loads(laid.after), json.loads(laid.before)
    root = BGP if "router_id" in result or "peers" in result else AGENT
    judged = _Judged(known_fields()[root], result, JsonPlaces(laid.text), Nearest(), laid.redaction)
    yield from _struct(judged, root, patch, ())
    yield from _find_claims(judged, patch, before)


def _struct(judged: _Judged, name: str, value: Any, path: tuple[str, ...]) -> Iterator[Fault]:
    if not is_tree(value):
        yield judged.fault(Kind.VALUE, path, f"{name} is an object", "write { } around its fields")
        return
    fields = judged.structs[name]
    for key, item in value.items():
        below = (*path, key)
        if key not in fields:
            near = judged.nearest.find(key, fields)
            hint = f"{_MEANT} {near}?" if near else f"its fields are {', '.join(sorted(fields)[:12])}"
            yield judged.fault(Kind.NAME, below, f"{name} has no such field; the daemon drops it", hint, on_key=True)
        elif item is not None:
            yield from _value(judged, fields[key], item, below)
            yield from _name(judged, name, key, item, below)


def _value(judged: _Judged, kind: str, value: Any, path: tuple[str, ...]) -> Iterator[Fault]:
    container = _CONTAINER.fullmatch(kind)
    if container is None:
        yield from _single(judged, kind, value, path)
    elif container[1] == "map":
        if not is_tree(value):
            yield judged.fault(Kind.VALUE, path, "the value must be an object", "write { } around it")
            return
        for key, item in value.items():
            yield from _value(judged, container[2].partition(",")[2].strip(), item, (*path, key))
    elif not isinstance(value, list):
        yield judged.fault(Kind.VALUE, path, "the value must be a list", "write [ ] around it")
    else:
        for number, item in enumerate(value):
            yield from _value(judged, container[2], item, (*path, str(number)))


def _single(judged: _Judged, kind: str, value: Any, path: tuple[str, ...]) -> Iterator[Fault]:
    if kind in judged.structs:
        yield from _struct(judged, kind, value, path)
    elif kind == "bool" and not isinstance(value, bool):
        yield judged.fault(
            Kind.VALUE, path, f"{judged.told(path, value)} is not true or false", "write true or false without quotes"
        )
    elif kind in ("string", "binary") and not isinstance(value, str):
        yield judged.fault(Kind.VALUE, path, f"{judged.told(path, value)} is not a text", "write it in quotes")
    elif kind in _BITS:
        limit = 1 << (_BITS[kind] - 1)
        if isinstance(value, bool) or not isinstance(value, int) or not -limit <= value < limit:
            hint = f"write a whole number of {-limit} to {limit - 1}, without quotes"
            yield judged.fault(Kind.VALUE, path, f"{judged.told(path, value)} is not a number of {kind}", hint)
    elif kind in ("double", "float") and (isinstance(value, bool) or not isinstance(value, int | float)):
        yield judged.fault(
            Kind.VALUE, path, f"{judged.told(path, value)} is not a number", "write a number without quotes"
        )
    elif isinstance(value, dict | list):
        yield judged.fault(Kind.VALUE, path, f"{kind} is a single value", "write a number or a name")


def _name(judged: _Judged, struct: str, key: str, value: Any, path: tuple[str, ...]) -> Iterator[Fault]:
    target = _NAMES.get((struct, key))
    if target is None or isinstance(value, dict | list):
        return
    member, field = target
    switch = judged.result.get("sw")
    known = switch.get(member) if isinstance(switch, dict) else None
    rows = known if isinstance(known, list) else []
    keys = known if isinstance(known, dict) else {}
    names = [str(row.get(field, "")) for row in rows if isinstance(row, dict)] if field else [str(key) for key in keys]
    if str(value) not in names:
        hint = f"sw.{member} has {', '.join(names[:8])}" if names else f"add it to sw.{member}"
        yield judged.fault(Kind.REFERENCE, path, f"{judged.told(path, value)} is not in sw.{member}", hint)


def _find_claims(judged: _Judged, patch: Tree, before: Tree) -> Iterator[Claim]:
    own = {str(address) for row in _interfaces(before) for address in row.get("ipAddresses", ())}
    for number, row in enumerate(_interfaces(patch)):
        addresses = row.get("ipAddresses")
        for at, address in enumerate(addresses if isinstance(addresses, list) else ()):
            path = ("sw", "interfaces", str(number), "ipAddresses", str(at))
            if str(address) not in own and _is_address(address):
                yield Claim(*judged.places.value(path), f"interface {row.get('intfID', '')}", address)


def _interfaces(tree: Tree) -> list[Tree]:
    switch = tree.get("sw")
    rows = switch.get("interfaces") if isinstance(switch, dict) else None
    return [row if isinstance(row, dict) else {} for row in rows] if isinstance(rows, list) else []


def _is_address(text: object) -> bool:
    try:
        ip_interface(str(text))
    except ValueError:
        return False
    return True
