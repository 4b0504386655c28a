"""What may be a secret on the deployed side is kept out of patches.

A collected configuration holds secrets in clear text. What the intended side does not have is never written again, not
even to be put back: the file says where it has to be put in. Which values that are, ``platforms.redaction`` decides.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from fabricgen.diagnostics.quoting import HIDDEN
from fabricgen.platforms.patching import Situation, Step
from fabricgen.platforms.redaction import REFERENCE, Redaction

_EVERYWHERE = 4
"""Secrets that are as long as this are replaced wherever they stand, shorter ones beside their name only."""
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|(?<=: )-?\d[\d.eE+-]*(?=[,\s])')
"""A string of JSON, or a number that is a value."""
_TOKEN = re.compile(r"[^\s\"']+")
_PIECE = re.compile(r"[^=:/|,;{}\[\]()]+")
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
Removed = dict[str, str]
"""Texts that only the deployed side has and that may be secrets, with the last word of their names."""


class Hidden(NamedTuple):
    """What may not be shown of a file.

    Attributes:
        removed: What only the deployed side has.
        intended: What the intended side has: its files carry it, its comments do not.
    """

    removed: Removed
    intended: Removed


def list_hidden(situation: Situation, redaction: Redaction) -> Hidden:
    """List what may be a secret on either side."""
    wanted = dict(_split(redaction.list_hidden(situation.after)))
    words = (*redaction.list_public(situation.after), *redaction.list_public(situation.before))
    public = {*redaction.vocabulary, *(text for text, _ in _split((word, "") for word in words))}
    removed = {
        text: name
        for text, name in _split(redaction.list_hidden(situation.before))
        if text not in wanted and text not in public and REFERENCE not in text
    }
    kept = {text: name for text, name in wanted.items() if text not in public and REFERENCE not in text}
    public.update(text for text, _ in _split([(situation.after_text, "")]))
    for text, name in _split(_overridden(situation.before_text)):
        if text not in public and text not in wanted and REFERENCE not in text:
            removed.setdefault(text, name)
    return Hidden(removed, kept)


def _overridden(text: str) -> Iterator[tuple[str, str]]:
    """Words of commands and of comments: a text says more than its tree, which has the last of each setting only."""
    if text.lstrip()[:1] in ("{", "[", "-"):
        lines = [line for line in text.split("\n") if line.lstrip()[:1] == "#"]
    else:
        lines = text.split("\n")
    return ((word, "value") for line in lines for word in line.split() if len(word) >= _EVERYWHERE)


def _split(texts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Texts with their names, and what a file may set apart of them by quotes and signs."""
    for text, name in texts:
        yield text, name
        for word in _TOKEN.findall(text):
            for piece in (word, *_PIECE.findall(word)):
                if len(piece) >= _EVERYWHERE:
                    yield piece, name


def redact(steps: Sequence[Step], hidden: Hidden) -> list[Step]:
    """Return steps that hold references in place of removed secrets, and whose comments hold no secret at all."""
    everything = {**hidden.removed, **hidden.intended}

    @cache
    def told(text: str) -> str:
        return _in_text(text, everything, lambda _: HIDDEN)

    return [
        step._replace(
            content=_redact(step.content, step.file, hidden.removed),
            command=_in_text(step.command, hidden.removed, _reference),
            reason=told(step.reason),
        )
        for step in steps
    ]


def _reference(name: str) -> str:
    return f"{REFERENCE}deployed:{name if _NAME.fullmatch(name) else 'name'}@"


def _redact(text: str, file: str, removed: Removed) -> str:
    if not removed or not text:
        return text
    if not file.endswith((".json", ".conf")) or text.lstrip()[:1] not in ("{", "["):
        return _in_text(text, removed, _reference)
    return _STRING.sub(lambda found: _in_json(found[0], removed), text)


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
    return "\n".join(_in_line(line, removed, put) for line in text.split("\n"))


def _in_line(line: str, removed: Removed, put: Callable[[str], str]) -> str:
    def replaced(text: str, at: int) -> str:
        name = removed.get(text)
        if name is None or (len(text) < _EVERYWHERE and name not in line[:at]):
            return ""
        return put(name)

    def word(found: re.Match[str]) -> str:
        start = found.start()
        whole = replaced(found[0], start)
        return whole or _PIECE.sub(lambda part: replaced(part[0], start) or part[0], found[0])

    bare = line.strip()
    return line.replace(bare, put(removed[bare]), 1) if bare in removed and " " in bare else _TOKEN.sub(word, line)
