"""agent.conf or bgpcpp.conf to a tree: rows by what they are, names that no daemon knows refused.

The daemons drop a name they do not know without a word, so a text that has one does not say what it seems to say.

Source:
    facebook/fboss 14ec47ec (2026-08-22): the thrift structs of agent_config.thrift and bgp_config.thrift, whose fields
    and types ``fields.json`` lists. A key that is null is absent, as the daemons' JSON reader has it.
    facebook/fboss 14ec47ec, fboss/agent/switch_config.thrift and
    configerator/structs/neteng/fboss/bgp/bgp_config.thrift.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache, partial
from importlib.resources import files
from typing import Any

from fabricgen.diagnostics.secrets import hide_secrets
from fabricgen.platforms.reading.reader import ReadFault, Tree, locate_in_json, read_json

AGENT, BGP = "AgentConfig", "BgpConfig"
_NAME_MAX = 64
_CONTAINER = re.compile(r"(list|set|map)<(.*)>")
_KINDS_BY_KEYS = {
    "name": "AclEntry AclTable AclTableGroup BgpPolicyStatement Mirror PeerGroup Port QosPolicy TrafficCounter",
    "id": "LoadBalancer PortPgConfig PortQueue Vlan",
    "prefix": "BgpNetwork StaticRouteNoNextHops StaticRouteWithNextHops",
    "behavior": "ActiveQueueManagement",
    "internalTrafficClass": "DscpQosMap",
    "intfID": "Interface",
    "ip": "SflowCollector",
    "logicalPort vlanID": "VlanPort",
    "matcher": "MatchToAction",
    "peer_addr": "BgpPeer",
}
_KEYS = {kind: tuple(keys.split()) for keys, kinds in _KINDS_BY_KEYS.items() for kind in kinds.split()}
"""Fields that identify a row of a list; rows of other lists go by their order."""
locate = partial(locate_in_json, in_rows=True)


def read(text: str) -> Tree:
    """Read either file; raises ReadFault for JSON that is neither, and for an unknown name."""
    data = read_json(text)
    root = BGP if "router_id" in data or "peers" in data else AGENT
    if root == AGENT and data and "sw" not in data:
        raise ReadFault("it has neither 'sw' nor 'router_id': this is no agent.conf and no bgpcpp.conf")
    tree: Tree = _TypeWalk(root, text).struct(root, data, ())
    return tree


def write(tree: Tree) -> str:
    """Write either file: rows become lists again, in the order of the tree."""
    root = AGENT if "sw" in tree else BGP
    return json.dumps(_list_rows(known_fields()[root], root, tree), indent=2) + "\n"


def _list_rows(structs: dict[str, dict[str, str]], kind: str, value: Any) -> Any:
    """A value of a type as the file has it."""
    container = _CONTAINER.fullmatch(kind)
    if container is None:
        fields = structs.get(kind)
        return {key: _list_rows(structs, fields[key], below) for key, below in value.items()} if fields else value
    word, inner = container[1], container[2]
    if word == "map":
        of_values = inner.partition(",")[2]
        return {key: _list_rows(structs, of_values, below) for key, below in value.items()}
    items = value.values() if isinstance(value, dict) else value
    return [_list_rows(structs, inner, item) for item in items]


@cache
def known_fields() -> dict[str, dict[str, dict[str, str]]]:
    """Root struct to every struct below it to its fields and their types."""
    text = files("fabricgen.platforms.fboss").joinpath("fields.json").read_text(encoding="utf-8")
    found: dict[str, dict[str, dict[str, str]]] = {key: own for key, own in json.loads(text).items() if key != "source"}
    return found


def _show_path(path: Sequence[str]) -> str:
    """A path as a message may quote it."""
    return ".".join(map(hide_secrets, path)) or "the file"


class _TypeWalk:
    """Walks a value along its types."""

    def __init__(self, root: str, text: str) -> None:
        self._structs = known_fields()[root]
        self._text = text

    def struct(self, name: str, value: Any, path: tuple[str, ...]) -> Any:
        """A struct's fields; those that are null are absent."""
        if not isinstance(value, dict):
            raise ReadFault(f"{_show_path(path)} is no object", locate(self._text, path))
        fields = self._structs[name]
        found = {}
        for key, item in value.items():
            if key not in fields:
                near = get_close_matches(key[:_NAME_MAX], fields, 1)
                meant = f"; did you mean {near[0]}?" if near else ""
                place = _show_path(path)
                raise ReadFault(
                    f"{place} has what is no field of {name}, and the daemon would drop it without a word{meant}",
                    locate(self._text, (*path, key)),
                )
            if item is not None:
                found[key] = self.value(fields[key], item, (*path, key))
        return found

    def value(self, kind: str, value: Any, path: tuple[str, ...]) -> Any:
        """A value of a type; lists of rows that have an identity become mappings."""
        container = _CONTAINER.fullmatch(kind)
        if container is None:
            if kind not in self._structs and isinstance(value, dict | list):
                raise ReadFault(f"{_show_path(path)} is no single value", locate(self._text, path))
            return self.struct(kind, value, path) if kind in self._structs else value
        word, inner = container[1], container[2]
        if word == "map":
            if not isinstance(value, dict):
                raise ReadFault(f"{_show_path(path)} is no object", locate(self._text, path))
            return {key: self.value(inner.partition(",")[2], item, (*path, key)) for key, item in value.items()}
        if not isinstance(value, list):
            raise ReadFault(f"{_show_path(path)} is no list", locate(self._text, path))
        if inner in _KEYS:
            return self._rows(inner, value, path)
        items = [self.value(inner, item, path) for item in value]
        if word == "set" and len(set(map(type, items))) > 1:
            raise ReadFault(f"{_show_path(path)} holds values of several types", locate(self._text, path))
        return sorted(items) if word == "set" else items

    def _rows(self, name: str, rows: list[Any], path: tuple[str, ...]) -> Tree:
        found: Tree = {}
        for row in rows:
            key = " ".join(str(row.get(field, 0)) for field in _KEYS[name]) if isinstance(row, dict) else ""
            if key in found:
                raise ReadFault(f"{_show_path(path)} has a row twice", locate(self._text, (*path, key)))
            found[key] = self.struct(name, row, (*path, key))
        return found
