"""Secrets of the deployed side: which words name one, and how they are kept out of patches.

A collected configuration holds secrets in clear text. What the intended side does not have is never written again, not
even to be put back: the file says where it has to be put in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fabricgen.diff.compare import TOKEN
from fabricgen.platforms.patching import Situation, Step
from fabricgen.platforms.reading import Tree
from fabricgen.platforms.semantics import Meaning

_SECRET_NAME = re.compile(r"pass(word|key|wd)?$|secret|community|(^|_)key$|md5|auth_key", re.IGNORECASE)
_BGP_COMMUNITY = re.compile(
    r"^(?:set|match) (?:ext|large-)?community|send-community|(?:community|comm)-list", re.IGNORECASE
)
"""Communities of BGP mark routes; those of SNMP are passwords."""
_EVERYWHERE = 4
"""Secrets that are as long as this are replaced wherever they stand, shorter ones beside their name only."""


def is_secret_name(name: str) -> bool:
    """Whether what is called so is a secret."""
    return bool(_SECRET_NAME.search(name)) and not _BGP_COMMUNITY.search(name)


def is_secret(meaning: Meaning, name: str) -> bool:
    """Whether a value is a secret: by its meaning, or by its name where no semantics calls it public."""
    return meaning.is_secret or (is_secret_name(name) and not meaning.is_public)


def list_removed(situation: Situation) -> dict[str, str]:
    """Return secrets that only the deployed side has, with the last word of their names."""
    root = situation.semantics.root
    kept = dict(_secrets(situation.after, root))
    return {value: name for value, name in _secrets(situation.before, root) if value not in kept}


def redact(steps: Sequence[Step], removed: dict[str, str]) -> list[Step]:
    """Return steps whose files hold references in place of removed secrets."""
    return [step._replace(content=_redact(step.content, removed)) for step in steps]


def _secrets(tree: Tree, meaning: Meaning) -> Iterator[tuple[str, str]]:
    """Values and keys that are secrets, each with the last word of its name."""
    for key, value in tree.items():
        below = meaning.child(key)
        if meaning.hides_keys:
            yield key, key
        if isinstance(value, dict):
            yield from _secrets(value, below)
        elif isinstance(value, str) and value and is_secret(below, key) and TOKEN not in value:
            yield value, (key.split() or [key])[-1]


def _redact(text: str, removed: dict[str, str]) -> str:
    for value, name in sorted(removed.items(), key=lambda item: -len(item[0])):
        reference = f"{TOKEN}deployed:{name if name != value else 'name'}@"
        found = re.compile(rf"(?<![\w-]){re.escape(value)}(?![\w-])")
        if len(value) >= _EVERYWHERE:
            text = found.sub(lambda _, new=reference: new, text)  # type: ignore[misc]
        else:
            lines = text.split("\n")
            text = "\n".join(_redact_line(line, name, found, reference) for line in lines)
    return text


def _redact_line(line: str, name: str, value: re.Pattern[str], reference: str) -> str:
    if not name:
        return value.sub(lambda _: reference, line)
    head, word, tail = line.partition(name)
    return f"{head}{word}{value.sub(lambda _: reference, tail)}" if word else line
