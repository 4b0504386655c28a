"""Files of netplan: truth values in all of their spellings, and interfaces that are matched in place of named.

netplan takes texts for truth values whatever their case and quotes; it writes ``10-netplan-ID.network`` and ``.link``
for each definition, and of several that match an interface systemd takes the first by name, with no setting of any
other. netplan 0.106, parse.c and ``netplan get``; systemd.network(5).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.platforms.reading.patterns import matches
from fabricgen.platforms.reading.reader import Tree, look_up, read_yaml
from fabricgen.platforms.reading.writer import write_yaml

_TRUTH = dict.fromkeys(("true", "on", "yes", "y"), True) | dict.fromkeys(("false", "off", "no", "n"), False)
write = write_yaml


def read(text: str) -> Tree:
    """Read a file; a text that netplan takes for a truth value is one."""
    return {key: _settle(value) for key, value in read_yaml(text).items()}


def _settle(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _settle(below) for key, below in value.items()}
    if isinstance(value, list):
        return [_settle(item) for item in value]
    return _TRUTH.get(value.lower(), value) if isinstance(value, str) else value


def read_merged(text: str, path: str, ours: Tree) -> Tree:
    """Read a file of others: definitions by name, and whole in the place of ours that they match and come before."""
    network: Tree = {}
    for kind, definitions in look_up(read(text), "network").items():
        if not isinstance(definitions, dict):
            network[kind] = definitions
            continue
        own = look_up(ours, "network", kind)
        found = network[kind] = {name: each for name, each in definitions.items() if not _is_matched(name, each, own)}
        for name, each in definitions.items():
            pattern = _name_matched(each) if _is_matched(name, each, own) else ""
            later = (ourselves for ourselves in own if matches(pattern, ourselves) and _is_first(name, ourselves))
            found |= {ourselves: f"as {name} of {path} has it" for ourselves in later if pattern}
    return {"network": network}


def list_unjudged(text: str, path: str, ours: Tree) -> Iterator[str]:
    """Yield what of a file of others may concern an interface of ours, in words that complete "FILE: …"."""
    for kind, definitions in look_up(read(text), "network").items():
        own = look_up(ours, "network", kind)
        for name, each in definitions.items() if isinstance(definitions, dict) else ():
            if name in own and isinstance(each, dict) and "match" in each:
                yield f"it gives {name} a match, so what {name} of ours configures depends on it; that is not judged"
            elif _is_matched(name, each, own) and not _name_matched(each) and any(_is_first(name, it) for it in own):
                keys = " and ".join(each["match"])
                yield f"{name} matches interfaces by {keys}; whether ours are among them is not judged"


def _is_matched(name: str, definition: Any, own: Mapping[str, Any]) -> bool:
    """Return whether a definition is of interfaces that it matches, and not one of ours by its name."""
    return name not in own and isinstance(definition, dict) and isinstance(definition.get("match"), dict)


def _name_matched(definition: Tree) -> str:
    """Return the name, or its pattern, of the interfaces of a definition; empty if it is not known."""
    match = definition["match"]
    return str(definition.get("set-name") or (match["name"] if match.keys() == {"name"} else ""))


def _is_first(name: str, other: str) -> bool:
    """Return whether systemd takes the file of one definition before that of another."""
    return f"{name}.network" < f"{other}.network"
