"""Quotable parts of a line that a user wrote for a device: its commands, and values that cannot be a secret."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from fabricgen.diagnostics.nearest import Nearest
from fabricgen.diagnostics.quoting import HIDDEN, is_plain, is_telling, is_word

_ADDRESS = re.compile(
    r"\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?|(?=[^:]*:[^:]*:)[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7}(?:/\d{1,3})?"
)
_NUMBER = re.compile(r"\d{1,10}")
_INTERFACE = re.compile(r"[A-Za-z][A-Za-z-]*[\d/.]*")
_NEGATIONS = ("no", "default")
_LINE_MAX = 2048
"""Of longer lines nothing behind is quoted."""
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\],:]|[^\s{}\[\],:"]+')
_WORDS_MAX = 256
_LOOKUPS = 4
"""Unknown words of a line that are compared with the vocabulary."""
_SIGNS = "{}[],:"


def show_words(words: Sequence[str], vocabulary: frozenset[str], *, is_brief: bool = False) -> list[str]:
    """Words of a command as they may be quoted, a placeholder for each of the others.

    The first word is a command, known or misspelled. Behind it words of the vocabulary are shown, one that is nearly
    such a word as long as nothing else came before, and addresses and numbers behind words that are all known. Nothing
    but words of the vocabulary that announce a secret is shown behind one of these.

    Args:
        words: All words of the line.
        vocabulary: The platform's.
        is_brief: Do not look for misspelled words.
    """
    line, start = _Line(frozenset() if is_brief else vocabulary), 0
    if len(words) > 1 and words[0] in _NEGATIONS:
        start = 1
    shown = [
        line.show(word, word in vocabulary and is_word(word), is_first=at <= start)
        for at, word in enumerate(words[:_WORDS_MAX])
    ]
    return shown + [HIDDEN] * (len(words) - len(shown))


class _Line:
    """A line as far as it was read.

    Attributes:
        is_guarded: A secret may follow.
        is_behind: The word before announces one.
        is_known: All words so far are shown.
        last: The last word, if it is shown.
    """

    def __init__(self, vocabulary: frozenset[str]) -> None:
        """Start; misspelled words are looked for in a vocabulary."""
        self._vocabulary = vocabulary
        self._lookups = _LOOKUPS
        self.is_guarded, self.is_behind, self.is_known, self.last = False, False, True, ""

    def show(self, word: str, is_word_of_it: bool, *, is_first: bool) -> str:
        """The next word as it may be quoted."""
        telling = is_telling(word)
        if self.is_guarded:
            is_shown = is_word_of_it and telling and not self.is_behind
        elif is_word_of_it:
            is_shown = True
        elif is_first:
            is_shown = is_plain(word)
            near = self._find_near(word)
            self.is_guarded = not near or is_telling(near)
        else:
            is_shown = self._is_value(word) or self._is_misspelled(word)
        self.is_guarded = self.is_guarded or telling
        self.is_behind = telling or (self.is_behind and word.isdigit())
        self.is_known = self.is_known and is_shown
        self.last = word if is_shown else ""
        return word if is_shown else HIDDEN

    def _is_value(self, word: str) -> bool:
        """Return whether a word is an address, a number behind known words, or the interface that a line is about."""
        pattern = _INTERFACE if self.last == "interface" else _NUMBER
        return bool(_ADDRESS.fullmatch(word)) or (self.is_known and bool(pattern.fullmatch(word)))

    def _is_misspelled(self, word: str) -> bool:
        """Return whether a word is shown as a misspelled one; behind one of these a secret may stand in any case."""
        if not self._find_near(word):
            return False
        self.is_guarded = True
        return self.is_known and is_plain(word)

    def _find_near(self, word: str) -> str:
        self._lookups -= 1
        return _find_near(word, self._vocabulary) if self._lookups >= 0 else ""


def show_members(tokens: Sequence[str], vocabulary: frozenset[str]) -> list[str]:
    """Tokens of a line of JSON as they may be quoted; values are shown behind a known key that announces no secret."""
    shown: list[str] = []
    is_guarded, is_known = False, False
    for at, token in enumerate(tokens):
        bare = token.strip('"')
        if token in _SIGNS:
            shown.append(token)
        elif tokens[at + 1 : at + 2] == [":"] and token[0] == '"':
            is_guarded = is_guarded or is_telling(bare)
            is_known = bare in vocabulary
            shown.append(token if is_known or _find_near(bare, vocabulary) else HIDDEN)
        elif token in ("true", "false", "null"):
            shown.append(token)
        else:
            is_value = bare in vocabulary or _ADDRESS.fullmatch(bare) or _NUMBER.fullmatch(bare)
            shown.append(token if is_known and not is_guarded and is_value else HIDDEN)
    return shown


def show_line_of_file(line: str, vocabulary: frozenset[str], column: int = 0, *, is_json: bool = False) -> str:
    """A source line as it may be quoted; what stands up to a column keeps its place.

    Args:
        line: The line.
        vocabulary: The platform's.
        column: Column of what is wrong, from 1; 0 if no column matters.
        is_json: The line is one of JSON.
    """
    pattern, show = _shape(is_json)
    found = list(pattern.finditer(line[:_LINE_MAX]))
    parts, at = [], 0
    for match, told in zip(found, show([match[0] for match in found], vocabulary), strict=True):
        if told == HIDDEN and match.start() + 1 < column:
            told = "…".ljust(len(match[0]))
        parts += [line[at : match.start()], told]
        at = match.end()
    return "".join(parts)


_Show = Callable[[Sequence[str], frozenset[str]], list[str]]


def _shape(is_json: bool) -> tuple[re.Pattern[str], _Show]:
    return (_TOKEN, show_members) if is_json else (re.compile(r"\S+"), show_words)


def _find_near(word: str, vocabulary: frozenset[str]) -> str:
    """The word that a misspelled one was probably meant to be; empty if there is none."""
    near = [known for known in _by_initial(vocabulary).get(word[:1].lower(), ()) if abs(len(known) - len(word)) <= 2]
    return (Nearest().find(word, near, 0.75) if len(word) > 3 else None) or ""


@lru_cache(maxsize=8)
def _by_initial(vocabulary: frozenset[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for word in sorted(vocabulary):
        found.setdefault(word[0].lower(), []).append(word)
    return {initial: tuple(words) for initial, words in found.items()}
