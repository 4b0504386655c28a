"""Commands that set a value: which values may be a secret, though another command has the same word openly."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby
from operator import itemgetter
from shlex import split
from typing import TypeVar

from fabricgen.platforms.reading.reader import Tree
from fabricgen.platforms.reading.redaction import Redaction

_BETWEEN = re.compile(r"[\s=]+")
_WORD = re.compile(r"[^\s=]+")
_QUOTES = "'\""
_UNNAMED = "value"
R = TypeVar("R")
Put = Callable[[str, str], str]
"""Text in place of a value that stands under a name."""


@dataclass(frozen=True)
class Settings:
    """Settings of a tree by their words, each found when it is asked for."""

    tree: Tree
    redaction: Redaction

    @cached_property
    def hidden(self) -> Mapping[str, Mapping[str, str]]:
        """Values that may be a secret, by the last word before them, with the name they get in a reference."""
        found: dict[str, dict[str, str]] = {}
        for part in self._parts("hidden settings", _list_hidden):
            for word, values in part.items():
                found.setdefault(word, {}).update(values)
        return found

    @cached_property
    def _shown(self) -> list[frozenset[str]]:
        """Ends of commands of which everything may be shown, part by part."""
        return self._parts("shown settings", _list_shown)

    def shows(self, line: str) -> bool:
        """Return whether a line ends in what may be shown."""
        words = normalise(line).split(" ")
        return any(" ".join(words[at:]) in part for at in range(len(words)) for part in self._shown)

    def _parts(self, question: str, answer: Callable[[Tree, Redaction], R]) -> list[R]:
        """Return the answers for what stands under each name at the top."""
        return [
            self.redaction.parts.get(value, (question, name), partial(answer, {name: value}, self.redaction))
            for name, value in self.tree.items()
        ]


def normalise(line: str) -> str:
    """A line with one blank between its words, also where it has a sign of equality."""
    return " ".join(_BETWEEN.split(line.strip()))


def _list_hidden(part: Tree, redaction: Redaction) -> Mapping[str, Mapping[str, str]]:
    """Return the values of a part that may be a secret, by the last word before them."""
    found: dict[str, dict[str, str]] = {}
    settings = (setting for setting in redaction.list_hidden_settings(part) if setting[1] is not None)
    for (path, is_named), items in groupby(settings, key=itemgetter(0, 2)):
        word = path[-1].rpartition(" ")[2]
        values = [value or "" for _, value, _ in items]
        # A command may set one item of a list, or all of them.
        for value in filter(None, (*values, ",".join(values))):
            found.setdefault(word, {})[normalise(value)] = word if is_named else _UNNAMED
    return found


def _list_shown(part: Tree, redaction: Redaction) -> frozenset[str]:
    """Return the ends of commands of a part of which everything may be shown."""
    shown = (setting for setting in redaction.list_settings(part) if not setting[2])
    return frozenset(normalise(path[-1] if value is None else f"{path[-1]} {value}") for path, value, _ in shown)


def redact_setting(line: str, settings: Settings, put: Put) -> str:
    """Return a line without the value that it sets, if that may be a secret."""
    for start, value, name in _find(line, settings):
        return line[:start] + put(value, name)
    return line


def _find(line: str, settings: Settings) -> Iterator[tuple[int, str, str]]:
    """Return the start of a value that may be a secret, the value, and its name."""
    for word in _WORD.finditer(line):
        # SONiC's database ends the name of a list in a sign.
        values = settings.hidden.get(word[0].removesuffix("@"))
        between = _BETWEEN.match(line, word.end()) if values else None
        if values is None or between is None:
            continue
        rest = normalise(line[between.end() :])
        for value in (rest, rest.strip(_QUOTES), _unquote(line[between.end() :])):
            if value in values:
                yield between.end(), value, values[value]


def _unquote(text: str) -> str:
    """The one word that a shell reads in a text; the text itself if it is not one."""
    try:
        words = split(text)
    except ValueError:
        return text
    return normalise(words[0]) if len(words) == 1 else text
