"""Every model of the intent language and its keys, in words: meaning, values, default."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.types import Intent
from fabricgen.validation.forms import FORM

ROOT = "The document"
_UNITS = {"_bytes": "bytes", "_pct": "percent", "_ms": "milliseconds", "_m": "metres"}
_FORMS = {"cidr": "address pool such as `10.0.0.0/12`", "ip": "IP address"}
_KINDS = {"integer": "whole number", "number": "number", "string": "text", "boolean": "`true` or `false`"}
FORMS_OF_THE_INDEX = ("the name of a catalog file", "a file below the inventory's folder")
"""Forms whose letters the page of all keys gives once."""
_LOW, _HIGH = ("minimum", "ge"), ("maximum", "le")


@dataclass(slots=True)
class Section:
    """One model of the language and every path at which it stands, the first one in its heading."""

    model: str
    node: Mapping[str, Any]
    paths: list[str] = field(default_factory=list)

    @property
    def is_root(self) -> bool:
        """Return whether this is the document's own model."""
        return self.paths[0] == ROOT


Sections = dict[str, Section]


def collect_sections(schema: Mapping[str, Any], model: type[Intent] = FabricIntent) -> Sections:
    """Every model that the document's own leads to, by name, in the order in which they are met.

    Args:
        schema: JSON Schema of the document.
        model: The document's own model.
    """
    sections: Sections = {model.__name__: Section(model.__name__, schema, [ROOT])}
    _visit("", schema, schema["$defs"], sections)
    return sections


def _visit(path: str, node: Mapping[str, Any], models: Mapping[str, Any], sections: Sections) -> None:
    """Note the models below one model; those of one table before those below them."""
    below = []
    for key, value in node["properties"].items():
        for place, name in _references(f"{path}.{key}".lstrip("."), value):
            is_new = name not in sections
            section = sections.setdefault(name, Section(name, models[name]))
            section.paths.append(place)
            below += [section] if is_new else []
    for section in below:
        _visit(section.paths[0], section.node, models, sections)


def _options(node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The alternatives of a schema node, whether several may hold or exactly one does."""
    return [*node.get("anyOf", ()), *node.get("oneOf", ())]


def _references(path: str, node: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Every model that may stand at a path or directly below it."""
    if "$ref" in node:
        yield path, node["$ref"].rpartition("/")[2]
    for option in _options(node):
        yield from _references(path, option)
    for below in _members(node):
        yield from _references(f"{path}.<name>", below)
    if "items" in node:
        yield from _references(f"{path}[]", node["items"])


def _members(node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Schemas of the values of a map with names of the user's own."""
    members = list(node.get("patternProperties", {}).values())
    if isinstance(node.get("additionalProperties"), dict):
        members.append(node["additionalProperties"])
    return members


def tell_meaning(node: Mapping[str, Any], sections: Sections) -> str:
    """The key's own description, else that of the model below it."""
    if "description" in node:
        return escape(node["description"])
    models = [name for _, name in _references("", node)]
    return escape(sections[models[0]].node["description"].removesuffix(".")) if models else ""


def describe_values(key: str, node: Mapping[str, Any], sections: Sections) -> str:
    """Return what may be written, with the unit that the key's name says."""
    unit = next((unit for ending, unit in _UNITS.items() if key.endswith(ending)), "")
    return ", ".join(filter(None, [" or ".join(dict.fromkeys(_forms(node, sections))), unit]))


def _forms(node: Mapping[str, Any], sections: Sections) -> Iterator[str]:
    """Yield what may be written, one text for each form."""
    if "$ref" in node:
        path = sections[node["$ref"].rpartition("/")[2]].paths[0]
        yield f"[`{path}`](#{slug(path)})"
        return
    for option in _options(node):
        yield from _forms(option, sections)
    if "const" in node:
        yield f"`{node['const']}`"
    elif "enum" in node:
        yield ", ".join(f"`{word}`" for word in node["enum"])
    elif "type" in node and node["type"] != "null":
        yield _typed_form(node, sections)


def _typed_form(node: Mapping[str, Any], sections: Sections) -> str:
    """The form of a scalar, list or map with its bounds."""
    if node["type"] == "array":
        inner = " or ".join(_forms(node["items"], sections))
        return f"list of {inner}{_bounds(node, 'minItems', 'maxItems')}"
    if node["type"] == "object":
        forms = dict.fromkeys(form for below in _members(node) for form in _forms(below, sections))
        return f"map of names to {' or '.join(forms)}{_bounds(node, 'minProperties', 'maxProperties')}"
    words = _FORMS.get(node.get("format", ""), _KINDS[node["type"]])
    if FORM in node:
        name, _, rest = str(node[FORM]).partition(": ")
        return f"{name} ({rest})" if rest and name not in FORMS_OF_THE_INDEX else name
    if "pattern" in node:
        return f"{words} of the form `{node['pattern']}`".replace("|", "\\|")
    low, high = (next((node[name] for name in names if name in node), None) for names in (_LOW, _HIGH))
    if low is not None and high is not None:
        return f"{words} from {low} to {high}"
    return words + _bounds(node, "exclusiveMinimum", "maximum", "above") + _bounds(node, "minimum", "")


def _bounds(node: Mapping[str, Any], low: str, high: str, least: str = "at least") -> str:
    """Bounds of a size or a number in words, behind a comma; empty where there are none."""
    if low in node and node[low] == node.get(high):
        return f", exactly {node[low]}"
    words = [f"{text} {node[name]}" for name, text in ((low, least), (high, "at most")) if name in node]
    return f" ({', '.join(words)})" if words else ""


def describe_default(section: Section, key: str, node: Mapping[str, Any]) -> str:
    """Return what holds where the key is not written."""
    if key in section.node.get("required", ()):
        return "required"
    if "default" in node:
        return "–" if node["default"] is None else f"`{_flow(node['default'])}`"
    value = _plain(_model_of(section.model).model_fields[key].get_default(call_default_factory=True))
    return f"`{_flow(value)}`" if value else "that of its keys"


def _model_of(name: str) -> type[Intent]:
    """The class of a model; the schema leaves out defaults that a function makes."""
    known: list[type[Intent]] = [FabricIntent, Intent]
    for model in known:
        known += model.__subclasses__()
    return next(model for model in known if model.__name__ == name)


def _plain(value: Any) -> Any:
    """A default as plain data, without what its models have by default."""
    if isinstance(value, Intent):
        return value.model_dump(mode="json", exclude_defaults=True)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _flow(value: Any) -> str:
    """Plain data as YAML writes it on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def put_between(page: str, begin: str, text: str, end: str) -> str:
    """Return a page with another text between two marks of it."""
    before, _, rest = page.partition(begin)
    return before + begin + text + end + rest.partition(end)[2]


def slug(heading: str) -> str:
    """The anchor that markdown viewers give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def escape(text: str) -> str:
    """Text in which nothing is markup; double backquotes become single ones."""
    return re.sub(r"([<*|])", r"\\\1", text.replace("``", "`"))
