"""Commands that set a value: which values may be a secret, though another command has the same word openly."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import groupby
from operator import itemgetter
from shlex import split
from typing import NamedTuple

from fabricgen.platforms.reading.reader import Tree
from fabricgen.platforms.reading.redaction import Redaction, Setting, Steps

_BETWEEN = re.compile(r"[\s=]+")
_WORD = re.compile(r"[^\s=]+")
_QUOTES = "'\""
_UNNAMED = "value"
Put = Callable[[str, str], str]
"""Text in place of a value that stands under a name."""


class Settings(NamedTuple):
    """Settings of a tree.

    Attributes:
        hidden: Values that may be a secret, by the last word before them, with the name they get in a reference.
        shown: Ends of commands of which everything may be shown, part by part.
    """

    hidden: Mapping[str, Mapping[str, str]]
    shown: tuple[frozenset[str], ...]

    def shows(self, line: str) -> bool:
        """Return whether a line ends in what may be shown."""
        words = normalise(line).split(" ")
        return any(" ".join(words[at:]) in part for at in range(len(words)) for part in self.shown)


def normalise(line: str) -> str:
    """A line with one blank between its words, also where it has a sign of equality."""
    return " ".join(_BETWEEN.split(line.strip()))


def build_settings(tree: Tree, redaction: Redaction) -> Settings:
    """Return the settings of a tree by their words."""
    parts = [
        redaction.parts.get(value, ("settings", name), partial(_build, {name: value}, redaction))
        for name, value in tree.items()
    ]
    hidden: dict[str, dict[str, str]] = {}
    for part in parts:
        for word, values in part.hidden.items():
            hidden.setdefault(word, {}).update(values)
    return Settings(hidden, tuple(shown for part in parts for shown in part.shown))


def _build(part: Tree, redaction: Redaction) -> Settings:
    settings = list(redaction.list_settings(part))
    keys = {path for path, value, hides in settings if value is None and not hides}
    hidden: dict[str, dict[str, str]] = {}
    for path, values in _group(settings):
        word = path[-1].rpartition(" ")[2]
        # A command may set one item of a list, or all of them.
        for value in filter(None, (*values, ",".join(values))):
            hidden.setdefault(word, {})[normalise(value)] = word if path in keys else _UNNAMED
    shown = {normalise(f"{path[-1]} {value}") for path, value, hides in settings if value is not None and not hides}
    return Settings(hidden, (frozenset(shown | {normalise(path[-1]) for path in keys}),))


def _group(settings: Iterable[Setting]) -> Iterator[tuple[Steps, list[str]]]:
    """Paths with all values there that may be a secret."""
    found = ((path, value) for path, value, hides in settings if hides and value is not None)
    for path, items in groupby(found, key=itemgetter(0)):
        yield path, [value for _, value in items]


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
