"""Exclusion of values on the deployed side from patches where they may be secrets.

A collected configuration holds secrets in clear text. What the intended side does not have is never written again, not
even to be put back: the file says where it has to be put in. Which values that are, ``platforms.redaction`` decides.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from typing import Any

from fabricgen.diagnostics.quoting import HIDDEN, Guard, is_telling
from fabricgen.diff.documents import Known, is_document, redact_document
from fabricgen.diff.settings import Settings, normalise, redact_setting
from fabricgen.platforms.patching.steps import Situation, Step
from fabricgen.platforms.reading.reader import Tree
from fabricgen.platforms.reading.redaction import REFERENCE, Redaction

_EVERYWHERE = 4
"""Secrets that are as long as this are replaced wherever they stand, shorter ones beside their name only."""
_UNNAMED = "value"
"""Name of what stands at no known place."""
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|(?<=: )-?\d[\d.eE+-]*(?=[,\s])')
"""A string of JSON, or a number that is a value."""
_TOKEN = re.compile(r"[^\s\"']+")
_PIECE = re.compile(r"[^=:/|,;{}\[\]()]+")
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
Removed = dict[str, str]
"""Texts that only the deployed side has and that may be secrets, with the last word of their names."""


@dataclass(frozen=True)
class Hidden:
    """Parts of a file that may not be shown.

    Attributes:
        situation: The file on both sides.
        document: What is known of JSON or YAML.
        redaction: What of the file may be shown.
        states: Trees of states between both sides that a step begins and ends with.
    """

    situation: Situation
    document: Known
    redaction: Redaction
    states: tuple[Tree, ...] = ()

    @property
    def before(self) -> Tree:
        """Return the tree of the deployed side."""
        return self.situation.before

    @cached_property
    def removed(self) -> Removed:
        """Texts that only the deployed side has."""
        return _list_removed(self.situation, self.redaction, self.wanted)

    @cached_property
    def wanted(self) -> Removed:
        """Texts of the intended side that are not shown everywhere."""
        return _list_hidden(self.situation.after, self.redaction)

    @cached_property
    def intended(self) -> Removed:
        """Texts that the intended side has: its files carry them, its comments do not."""
        is_public = _find_public(self.situation, self.redaction)
        return {text: name for text, name in self.wanted.items() if not is_public(text)}

    @cached_property
    def settings(self) -> Settings:
        """Commands that set what may be a secret."""
        return Settings(self.before, self.redaction)

    @cached_property
    def between(self) -> tuple[Settings, ...]:
        """Commands of the states between both sides, which neither side may have."""
        return tuple(Settings(tree, self.redaction) for tree in self.states)

    def shows(self, command: str) -> bool:
        """Return whether everything that a command sets may be shown."""
        return any(settings.shows(command) for settings in (self.settings, *self.between))

    @property
    def vocabulary(self) -> frozenset[str]:
        """Words of the platform."""
        return self.redaction.vocabulary

    @cached_property
    def unknown(self) -> dict[str, str]:
        """Lines of the deployed side alone that nothing knows, and what is written in place of them.

        Of them no word but those of the vocabulary may be written, however short or common it is. A patch of a JSON
        file has no lines, so they are listed where the first one is met.
        """
        return {
            line: shown
            for line in self.redaction.list_unknown(self.before)
            if line not in self.document.lines and (shown := _mask(line, self.vocabulary)) != line
        }


def list_hidden(situation: Situation, redaction: Redaction, states: tuple[Tree, ...] = ()) -> Hidden:
    """List what may be a secret on either side.

    Args:
        situation: The file on both sides.
        redaction: What of it may be shown.
        states: Trees of states between both sides.
    """
    return Hidden(situation, Known(situation, redaction), redaction, states)


def _list_removed(situation: Situation, redaction: Redaction, wanted: Removed) -> Removed:
    """Return what only the deployed side has."""
    is_public = _find_public(situation, redaction)
    alone = {text: name for text, name in _list_hidden(situation.before, redaction).items() if text not in wanted}
    removed = {text: name for text, name in alone.items() if not is_public(text)}
    before, after = (
        _split(_overridden(text, situation.path)) for text in (situation.before_text, situation.after_text)
    )
    known = {*wanted, *dict(after)}
    overridden = {text: name for text, name in before if text not in known}
    written: set[str] = _list_settings(situation.before, is_public) if overridden else set()
    if overridden:
        written |= {text for text, _ in _split((word, "") for word in situation.after_text.split())}
    for text, name in overridden.items():
        if text not in written and not is_public(text):
            removed.setdefault(text, name)
    return removed


def _list_settings(tree: Tree, is_public: Callable[[str], bool]) -> set[str]:
    """Return the settings of a file that are shown, as one word each: ``KEY=VALUE``."""
    pairs = ((key, value) for key, value in tree.items() if isinstance(value, str))
    return {f"{key}={value}".split()[0] for key, value in pairs if is_public(key) and is_public(value)}


def _find_public(situation: Situation, redaction: Redaction) -> Callable[[str], bool]:
    """Return a test for words that either side shows; they are listed once it is asked for the first one."""

    @cache
    def shown() -> list[frozenset[str]]:
        return [*_list_public(situation.after, redaction), *_list_public(situation.before, redaction)]

    return lambda text: text in redaction.vocabulary or any(text in words for words in shown())


def _list_hidden(tree: Tree, redaction: Redaction) -> Removed:
    """Return the texts of a tree that are not shown, and what a file may set apart of them, with their names."""
    found: Removed = {}
    for name, value in tree.items():
        found.update(redaction.parts.get(value, ("hidden", name), partial(_split_hidden, {name: value}, redaction)))
    return found


def _split_hidden(part: Tree, redaction: Redaction) -> Removed:
    return dict(_split(redaction.list_hidden(part)))


def _list_public(tree: Tree, redaction: Redaction) -> list[frozenset[str]]:
    """Return the words of a tree that are shown, and what a file may set apart of them, by the names at its top."""
    return [
        redaction.parts.get(value, ("public", name), partial(_split_public, {name: value}, redaction))
        for name, value in tree.items()
    ]


def _split_public(part: Tree, redaction: Redaction) -> frozenset[str]:
    return frozenset(text for text, _ in _split((word, "") for word in redaction.list_public(part)))


def _mask(line: str, vocabulary: frozenset[str]) -> str:
    """A line with references in place of all words but those of a vocabulary that stand behind no telling one."""
    guard = Guard(vocabulary)

    def put(found: re.Match[str]) -> str:
        return found[0] if guard.shows(found[0]) else _reference(_UNNAMED)

    if REFERENCE in line:
        return line
    return _PIECE.sub(put, line) if " " not in line else _TOKEN.sub(lambda found: _PIECE.sub(put, found[0]), line)


def _overridden(text: str, file: str) -> Iterator[tuple[str, str]]:
    """Words of commands and of comments: a text says more than its tree, which has the last of each setting only."""
    lines = text.split("\n")
    if is_document(text, file) or text.lstrip()[:1] in ("{", "[", "-"):
        lines = [line.partition("#")[2] for line in lines]
    return ((word, _UNNAMED) for line in lines for word in line.split())


def _split(texts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Texts with their names, and what a file may set apart of them by quotes and signs; references are none."""
    return ((piece, name) for text, name in texts for piece in _pieces(text))


@lru_cache(maxsize=1 << 14)
def _pieces(text: str) -> tuple[str, ...]:
    """Return a text and its parts; files of many devices have the same words."""
    words = [piece for word in _TOKEN.findall(text) for piece in (word, *_PIECE.findall(word))]
    pieces = (text, *(word for word in words if len(word) >= _EVERYWHERE))
    return tuple(piece for piece in pieces if REFERENCE not in piece)


def redact(steps: Sequence[Step], hidden: Hidden) -> list[Step]:
    """Return steps that hold references in place of removed secrets, and whose comments hold no secret at all."""

    @cache
    def told(text: str) -> str:
        # Most comments hold no word that could be one, and then it need not be known which are.
        if _in_text(text, {**hidden.removed, **hidden.wanted}, lambda _: HIDDEN) == text:
            return text
        return _in_text(text, {**hidden.removed, **hidden.intended}, lambda _: HIDDEN)

    @cache
    def literal(text: str) -> str:
        return _in_json(text, hidden.removed)

    @cache
    def command(text: str) -> str:
        return _in_text(_in_setting(text, hidden), hidden.removed, _reference)

    return [
        step._replace(
            content=_redact(step.content, step.file, hidden, literal) if step.content else "",
            command=command(step.command),
            reason=told(step.reason),
        )
        for step in steps
    ]


def _reference(name: str) -> str:
    return f"{REFERENCE}deployed:{name if _NAME.fullmatch(name) else 'name'}@"


def _redact(text: str, file: str, hidden: Hidden, literal: Callable[[str], str]) -> str:
    """A file of a step; ``literal`` gives a string or number of JSON without what is removed."""
    if text == hidden.situation.after_text:
        return text
    if is_document(text, file):
        shown = redact_document(text, file, hidden.document, _reference)
        is_searched = file.endswith((".json", ".conf")) and text != hidden.document.text
        return _STRING.sub(lambda found: literal(found[0]), shown) if is_searched and hidden.removed else shown
    lines = [_in_command(line, hidden) for line in text.split("\n")]
    short = [line.strip() not in hidden.document.lines for line in lines]
    return "\n".join(_in_line(*each, hidden.removed, _reference) for each in zip(lines, short, strict=True))


def _in_command(line: str, hidden: Hidden) -> str:
    """A line of the deployed side alone, or a command that takes it away, without what may be a secret in it."""
    bare = line.strip()
    known = bare.removeprefix("no ")
    if not bare or {bare, known} & hidden.document.lines:
        return line
    masked = hidden.unknown.get(known) or hidden.unknown.get(normalise(known))
    if masked is not None:
        return line.replace(known, masked, 1)
    shown = _in_setting(line, hidden)
    if shown == line and is_telling(bare) and not hidden.shows(known):
        return line.replace(known, _mask(known, hidden.vocabulary), 1)
    return shown


def _in_setting(line: str, hidden: Hidden) -> str:
    """A command without the value that it sets, if that may be a secret."""
    return redact_setting(line, hidden.settings, lambda value, name: _value(value, name, hidden.vocabulary))


def _value(value: str, name: str, vocabulary: frozenset[str]) -> str:
    """Return what a command sets.

    The last word is never shown, those before it are if they are words of the platform.
    """
    head, _, _ = value.rpartition(" ")
    return " ".join([*([_mask(head, vocabulary)] if head else []), _reference(name)])


def _in_json(literal: str, removed: Removed) -> str:
    """A string or number of JSON without what is removed."""
    value: Any = json.loads(literal)
    if str(value) in removed:
        return json.dumps(_reference(removed[str(value)]))
    if not isinstance(value, str):
        return literal
    shown = _in_text(value, removed, _reference)
    return literal if shown == value else json.dumps(shown)


def _in_text(text: str, removed: Removed, put: Callable[[str], str]) -> str:
    """A text without what is removed; each word is looked up once."""
    if not removed:
        return text
    return "\n".join(_in_line(line, False, removed, put) for line in text.split("\n"))


def _in_line(line: str, is_deployed: bool, removed: Removed, put: Callable[[str], str]) -> str:
    """A line without what is removed; short words beside their name, or if only the deployed side has the line."""

    def replaced(text: str, at: int) -> str:
        name = removed.get(text)
        if name is None:
            return ""
        return put(name) if is_deployed or len(text) >= _EVERYWHERE or name in line[:at] else ""

    def word(found: re.Match[str]) -> str:
        start = found.start()
        whole = replaced(found[0], start)
        return whole or _PIECE.sub(lambda part: replaced(part[0], start) or part[0], found[0])

    bare = line.strip()
    return line.replace(bare, put(removed[bare]), 1) if bare in removed and " " in bare else _TOKEN.sub(word, line)
