"""Redaction of a device's file: its secrets give way to a stand-in, all else is shown.

A secret is what stands where the semantics of the file declare one, and what ``diagnostics.secrets`` finds in a line. A
caller that prints, quotes or stores a part of a device's file asks here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from fabricgen.diagnostics.secrets import REFERENCE as REFERENCE
from fabricgen.diagnostics.secrets import (
    announces,
    find_secrets,
    hide_secrets,
    is_free_text,
    is_reference,
    is_secret,
)
from fabricgen.diagnostics.visible import HIDDEN
from fabricgen.platforms.reading.file_format import list_yaml
from fabricgen.platforms.reading.reader import ReadFault, read_document, read_json
from fabricgen.platforms.reading.semantics import Meaning

Steps = tuple[str, ...]
Put = Callable[[str, str], str]
"""Stand-in for a secret, by the word that announces it and the secret itself."""
_WORD = re.compile(r"[^\s\"'=:,;|<>{}\[\]()@\\]+")
_YAML = (".yaml", ".yml")


class OwnText:
    """Words of a file that fabricgen rendered, if any; in it stands no secret, but what looks like one may."""

    def __init__(self, text: str = "") -> None:
        """Take the file; its words are looked up when they are asked for."""
        self.text = text

    @cached_property
    def _alike(self) -> frozenset[str]:
        lines = self.text.split("\n")
        return frozenset(line[it.start : it.end] for line in lines for it in find_secrets(line) if not it.is_placed)

    @cached_property
    def lines(self) -> frozenset[str]:
        """Every line of it."""
        return frozenset(line.strip() for line in self.text.split("\n"))

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of it."""
        return frozenset(_WORD.findall(self.text))

    def __contains__(self, text: object) -> bool:
        """Return whether a text that looks like a secret stands here outside the place of one."""
        return text in self._alike


class _Everything(OwnText):
    """Words of a file that fabricgen did not render, in which nothing is a secret that is not in the place of one."""

    def __contains__(self, text: object) -> bool:
        return True


NOTHING, EVERYTHING = OwnText(), _Everything()


class Redaction:
    """Shows paths and values of one kind of file."""

    def __init__(self, root: Meaning, own: OwnText = NOTHING, *, is_strict: bool = False) -> None:
        """Take the meaning of the empty path, and the file as rendered; a strict one shows no word that it lacks."""
        self._root = root
        self._own = own
        self._is_strict = is_strict

    def knowing(self, own: OwnText, *, is_strict: bool = False) -> Redaction:
        """Return the same for a device whose rendered file is known."""
        return Redaction(self._root, own, is_strict=is_strict)

    def steps(self, steps: Steps) -> Steps:
        """A path as it may be shown."""
        found, meaning = [], self._root
        for step in steps:
            found.append(self._step(step, meaning, _hide))
            meaning = meaning.child(step)
        return tuple(found)

    def value(self, steps: Steps, value: Any) -> Any:
        """Return what stands at a path, with a placeholder for each secret; trees and lists keep their structure."""
        return self.walk(value, steps, _hide)

    def line(self, text: str, put: Put | None = None) -> str:
        """A line of a text, or many, without secrets."""
        return self._text(text, put or _hide)

    def walk(self, value: Any, steps: Steps, put: Put) -> Any:
        """Return what stands at a path with a stand-in for each secret."""
        meaning, announcer = self._root, ""
        for at, step in enumerate(steps, 1):
            meaning, announcer = meaning.child(step), _announcer(step, announcer, value if at == len(steps) else {})
        return self._walk(value, meaning, steps[-1] if steps else "", announcer, put)

    def file(self, text: str, name: str, put: Put) -> str:
        """Return a file of that name of the device, or one that is made of it, with a stand-in for each secret.

        That may be operations on it (RFC 6902), or what NVUE sets in it.
        """
        data = _read(text, name)
        if data is None:
            return self._text(text, put)
        found = [self._item(item, put) for item in data] if isinstance(data, list) else self.walk(data, (), put)
        is_yaml = name.endswith(_YAML)
        # Comments, anchors and escapes of YAML are ways of writing that are not in its data.
        if found == data and not (is_yaml and self._text(text, put) != text):
            return text
        if is_yaml:
            return "".join(f"{line}\n" for line in list_yaml(found))
        return json.dumps(found, indent=4) + "\n"

    def _item(self, item: Any, put: Put) -> Any:
        if not isinstance(item, dict) or "path" not in item:
            return {key: self.walk(below, (), put) for key, below in item.items()} if isinstance(item, dict) else item
        steps = tuple(step.replace("~1", "/").replace("~0", "~") for step in str(item["path"]).split("/")[1:])
        meaning, shown = self._root, []
        for step in steps:
            shown.append(self._step(step, meaning, put))
            meaning = meaning.child(step)
        path = "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in shown)
        return {**item, "path": path} | ({"value": self.walk(item["value"], steps, put)} if "value" in item else {})

    def _step(self, step: str, meaning: Meaning, put: Put) -> str:
        return put("value", step) if meaning.hides_keys and not is_reference(step) else self._text(step, put)

    def _walk(self, value: Any, meaning: Meaning, step: str, announcer: str, put: Put) -> Any:
        if isinstance(value, Mapping):
            names = _unique([self._step(key, meaning, put) for key in value])
            below = (
                self._walk(value[key], meaning.child(key), key, _announcer(key, announcer, value[key]), put)
                for key in value
            )
            return dict(zip(names, below, strict=True))
        if isinstance(value, list):
            return [self._walk(item, meaning, step, announcer, put) for item in value]
        return self._leaf(value, meaning, step, announcer, put)

    def _leaf(self, value: Any, meaning: Meaning, step: str, announcer: str, put: Put) -> Any:
        """Return a value that is neither a table nor a list, or the stand-in for it."""
        if value is None or isinstance(value, bool):
            return value
        text = str(getattr(value, "raw", value))
        if is_reference(text):
            return value
        is_line = " " in step.strip()
        if (meaning.is_secret and not is_line) or (announcer and is_secret(text, announcer)):
            return put(step.rpartition(" ")[2] or "value", text)
        if not isinstance(value, str):
            return value if not self._is_strict or text in self._own.words else put("value", text)
        if is_line:
            shown = self._text(f"{step} {text}", put, len(step) + 1)
        else:
            shown = self._text(text, put, is_free=is_free_text(step))
        return value if shown == text else shown

    def _text(self, text: str, put: Put, at: int = 0, *, is_free: bool = False) -> str:
        """Return a text from a place on without secrets."""
        shown = hide_secrets(text, put, self._own, at, is_free=is_free)
        if self._own.text and not at and shown != text:
            # A whole line of the rendered file holds no secret, whatever it looks like.
            lines = zip(text.split("\n"), shown.split("\n"), strict=True)
            shown = "\n".join(line if line.strip() in self._own.lines else hidden for line, hidden in lines)
        if not self._is_strict:
            return shown
        return _WORD.sub(lambda word: word[0] if word[0] in self._own.words else put("value", word[0]), shown)


def _hide(*_: str) -> str:
    return HIDDEN


def _announcer(step: str, announcer: str, below: Any = None) -> str:
    """Return the key that announces what stands below a step: itself if it is no table, or one above it."""
    is_table = step.isupper() and isinstance(below, Mapping)
    return step if " " not in step and announces(step) and not is_table else announcer


def _unique(names: list[str]) -> list[str]:
    """Return names of which no two are alike."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        head = name.removesuffix("@")
        found.append(name if seen[name] == 1 else f"{head}-{seen[name]}{name[len(head) :]}")
    return found


def _read(text: str, name: str) -> Any:
    """Return what a document says; None for a text that is none."""
    try:
        if name.endswith(_YAML):
            return read_document(text)
        if text.lstrip()[:1] not in ("{", "["):
            return None
        return json.loads(text) if text.lstrip()[:1] == "[" else read_json(text)
    except (ReadFault, ValueError, RecursionError):
        return None
