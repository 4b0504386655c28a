"""JSON and YAML of a device without what may be a secret, written anew from what a reader understands of it.

Escapes, folded lines, anchors and comments are ways of writing, and a secret can be written in all of them; so no text
is searched for secrets. In a device's own file a value stays if it is known to be no secret under its key, or if the
intended file has it there. In what is planned from the file's tree, such as a patch, each path says whether it stays.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

from fabricgen.platforms.patching.steps import Situation
from fabricgen.platforms.reading.reader import ReadFault, Tree, read_document, read_json
from fabricgen.platforms.reading.redaction import REFERENCE, Redaction

_YAML = (".yaml", ".yml")
_PLAIN = re.compile(r"[A-Za-z/][A-Za-z0-9_./-]*")
_WORDS = frozenset({"true", "false", "null"})
"""Plain words of YAML 1.2 that are no texts."""
_UNNAMED = "value"
"""Name of what stands at no known place."""
_UNSAID = re.compile(r"[#&!%]")
Path = tuple[str, ...]
Refer = Callable[[str], str]
"""A reference to what stands under a name."""


class Open(NamedTuple):
    """Facts about a device's own document, key by key.

    Attributes:
        shown: Keys with values that are no secret, or that the intended file has too.
        hidden: Keys with values that may be one.
        keys: Keys that are no secret.
        secret_keys: Keys that may be one, with the key they stand below.
    """

    shown: frozenset[tuple[str, str]]
    hidden: frozenset[tuple[str, str]]
    keys: frozenset[str]
    secret_keys: frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Known:
    """Facts about a file as it is, and as it should be, each found when it is asked for.

    Attributes:
        situation: The file on both sides.
        redaction: What of it may be shown.
    """

    situation: Situation
    redaction: Redaction

    @property
    def text(self) -> str:
        """Return the document as the device has it."""
        return self.situation.before_text

    @cached_property
    def lines(self) -> frozenset[str]:
        """Lines of the intended file; no other one keeps its comment."""
        return frozenset(line.strip() for line in self.situation.after_text.split("\n"))

    @cached_property
    def paths(self) -> frozenset[tuple[Path, str | None]]:
        """Paths of the tree with values that may be a secret; those of keys that may be one have no value."""
        before, after = self._hidden
        return frozenset(before - after)

    @cached_property
    def own(self) -> Open:
        """Facts about the device's own document."""
        situation, redaction = self.situation, self.redaction
        (pairs, keys), (wanted_pairs, wanted_keys) = map(_split, self._hidden)
        before = _read(situation.before_text, situation.path)
        # A file may say more than its tree has, such as which box saved it.
        around = [item for item in before if isinstance(item, dict)] if isinstance(before, list) else []
        listed = (setting for tree in (situation.before, *around) for setting in redaction.list_settings(tree))
        shown, shown_keys = _split({(path, value) for path, value, hides in listed if not hides})
        wanted = set(_pairs(_read(situation.after_text, situation.path), ""))
        return Open(
            frozenset(shown | wanted),
            frozenset(pairs - wanted_pairs),
            frozenset({key for _, key in shown_keys} | {key for key, _ in wanted}) | redaction.vocabulary,
            frozenset(keys - wanted_keys),
        )

    @cached_property
    def _hidden(self) -> tuple[set[tuple[Path, str | None]], set[tuple[Path, str | None]]]:
        """Paths on either side with values that may be a secret."""
        return _list_hidden(self.situation.before, self.redaction), _list_hidden(self.situation.after, self.redaction)


def _list_hidden(tree: Tree, redaction: Redaction) -> set[tuple[Path, str | None]]:
    """Return the paths of a tree with values that may be a secret."""
    found: set[tuple[Path, str | None]] = set()
    for name, value in tree.items():
        found |= redaction.parts.get(value, ("paths", name), partial(_hide, {name: value}, redaction))
    return found


def _hide(part: Tree, redaction: Redaction) -> frozenset[tuple[Path, str | None]]:
    return frozenset((path, value) for path, value, _ in redaction.list_hidden_settings(part))


def _split(settings: Iterable[tuple[Path, str | None]]) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """Return keys with their values, and keys without one with the key that they stand below."""
    pairs, keys = set(), set()
    for path, value in settings:
        if value is None:
            keys.add(("".join(path[-2:-1]), path[-1]))
        else:
            pairs.add((path[-1], value))
    return pairs, keys


def is_document(text: str, name: str) -> bool:
    """Return whether a text is JSON or YAML, by its name and by how it begins."""
    return name.endswith(_YAML) or (name.endswith((".json", ".conf")) and text.lstrip()[:1] in ("{", "["))


def redact_document(text: str, name: str, known: Known, refer: Refer) -> str:
    """Return a document with references in place of what may be a secret; as it is if it holds none.

    Args:
        text: The document.
        name: Its file name.
        known: What is known of the device's own.
        refer: A reference to what stands under a name.
    """
    by_key = text == known.text
    if not by_key and not known.paths:
        return text
    data = _read(text, name)
    found = _ByKey(known.own, refer).value(data, "") if by_key else _ByPath(known.paths, refer).document(data)
    if found == data and not (by_key and name.endswith(_YAML) and _says_more(text, known.lines)):
        return text
    if name.endswith(_YAML):
        return "".join(f"{line}\n" for line in _write_yaml(found))
    if isinstance(found, list):
        return "[\n" + ",\n".join(json.dumps(item) for item in found) + "\n]\n"
    return json.dumps(found, indent=4) + "\n"


def _says_more(text: str, lines: frozenset[str]) -> bool:
    """Return whether a YAML text may have words that are no part of its values: comments, anchors, tags, directives."""
    return any(_UNSAID.search(line) and line.strip() not in lines for line in text.split("\n"))


def _read(text: str, name: str) -> Any:
    """Return what a text says, whatever kind of file it is; nothing if it is no document."""
    try:
        if not is_document(text, name):
            return None
        if name.endswith(_YAML):
            return read_document(text)
        return json.loads(text) if text.lstrip()[:1] == "[" else read_json(text)
    except (ReadFault, ValueError, RecursionError):
        return None


def _pairs(value: Any, key: str) -> Iterator[tuple[str, str]]:
    """Every key with every value below it that is no mapping; keys of mappings with an empty one."""
    if isinstance(value, dict):
        for name, below in value.items():
            yield str(name), ""
            yield from _pairs(below, str(name))
    elif isinstance(value, list):
        for item in value:
            yield from _pairs(item, key)
    else:
        yield key, _text(value)


def _text(value: Any) -> str:
    return str(getattr(value, "raw", value))


class _ByKey:
    """A device's own file: what is not known to be harmless under its key is taken away."""

    def __init__(self, known: Open, refer: Refer) -> None:
        self._known = known
        self._refer = refer

    def value(self, value: Any, key: str) -> Any:
        """A value that stands under a key, without what may be a secret."""
        if isinstance(value, dict):
            hides = [self._hides_key(key, str(name)) for name in value]
            names = _names(value, hides, self._refer)
            return {name: self.value(value[old], old) for name, old in zip(names, value, strict=True)}
        if isinstance(value, list):
            return [self.value(item, key) for item in value]
        pair = (key, _text(value))
        if value is None or isinstance(value, bool) or REFERENCE in pair[1]:
            return value
        if pair in self._known.shown and pair not in self._known.hidden:
            return value
        return self._refer(key if key in self._known.keys else _UNNAMED)

    def _hides_key(self, above: str, key: str) -> bool:
        known = self._known
        return REFERENCE not in key and (key not in known.keys or (above, key) in known.secret_keys)


class _ByPath:
    """Plan from the tree of a file: a path identifies what is removed."""

    def __init__(self, paths: frozenset[tuple[Path, str | None]], refer: Refer) -> None:
        self._paths = paths
        self._refer = refer

    def document(self, data: Any) -> Any:
        """A file, the operations of a patch (RFC 6902), or what NVUE sets."""
        return [self._item(item) for item in data] if isinstance(data, list) else self._value(data, ())

    def _item(self, item: Any) -> Any:
        if not isinstance(item, dict):
            return item
        return self._operation(item) if "path" in item else {key: self._value(item[key], ()) for key in item}

    def _operation(self, operation: dict[str, Any]) -> dict[str, Any]:
        steps = tuple(step.replace("~1", "/").replace("~0", "~") for step in operation["path"].split("/")[1:])
        named = [
            self._refer(_UNNAMED) if (steps[:depth], None) in self._paths else step
            for depth, step in enumerate(steps, 1)
        ]
        found = {**operation, "path": "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in named)}
        if "value" in found:
            found["value"] = self._value(found["value"], steps)
        return found

    def _value(self, value: Any, path: Path) -> Any:
        if isinstance(value, dict):
            names = _names(value, [((*path, name), None) in self._paths for name in value], self._refer)
            return {name: self._value(value[old], (*path, old)) for name, old in zip(names, value, strict=True)}
        if isinstance(value, list):
            return [self._value(item, path) for item in value]
        hides = (path, _text(value)) in self._paths and not isinstance(value, bool)
        name = path[-1] if (path, None) not in self._paths else _UNNAMED
        return self._refer(name) if hides and value is not None else value


def _names(mapping: dict[str, Any], hides: list[bool], refer: Refer) -> list[str]:
    """The keys of a mapping with references in place of some, no two of them alike."""
    numbers = iter(range(1, len(mapping) + 1))
    return [
        refer(f"{_UNNAMED}-{number}" if (number := next(numbers)) > 1 else _UNNAMED) if hidden else name
        for name, hidden in zip(mapping, hides, strict=True)
    ]


def _write_yaml(value: Any, indent: str = "") -> Iterator[str]:
    """The lines of a mapping or a list in YAML; of values that are neither, their one line."""
    if isinstance(value, dict) and value:
        for key, below in value.items():
            head = f"{indent}{_scalar(key)}:"
            if isinstance(below, dict | list) and below:
                yield head
                yield from _write_yaml(below, f"{indent}  ")
            else:
                yield f"{head} {_scalar(below)}"
    elif isinstance(value, list) and value:
        for item in value:
            first, *rest = _write_yaml(item, f"{indent}  ")
            yield f"{indent}- {first[len(indent) + 2 :]}"
            yield from rest
    else:
        yield indent + _scalar(value)


def _scalar(value: Any) -> str:
    """A value in one line; a text without quotes where it is the same without them."""
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return str(value.raw) if hasattr(value, "raw") else json.dumps(value)
