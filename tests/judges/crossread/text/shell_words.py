"""POSIX shell text → words and operators, quotes kept; the first half of the shell reader."""

from __future__ import annotations

import re
from dataclasses import dataclass

OPERATORS = ("&&", "||", ";;", "<<-", "<<", ">>", ">&", "<&", ";", "&", "|", "(", ")", ">", "<")
_PLAIN = re.compile(r"[^\s\\'\"$`;&|()<>]+")
_VARIABLE = re.compile(r"\$(?:\{(\w+|[@*#?])(?::?[-=?]([^}]*))?\}|(\w|[@*#?])(\w*))")


@dataclass(frozen=True, slots=True)
class Token:
    """A word as written, or an operator (a newline is one); ``glued`` tells that no blank stands before it."""

    text: str
    operator: bool
    line: int
    glued: bool = False


class ShellError(ValueError):
    """The text is not shell that this reader understands."""


def _closing(text: str, start: int) -> int:
    """Index behind the parenthesis that closes the one at ``start``."""
    depth, at = 0, start
    while at < len(text):
        if text[at] in "'\"":
            at = _quoted(text, at)
            continue
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
        if depth == 0:
            return at
    raise ShellError("a parenthesis is never closed")


def _quoted(text: str, start: int) -> int:
    """Index behind the quote that closes the one at ``start``."""
    at, quote = start + 1, text[start]
    while at < len(text) and text[at] != quote:
        at += 2 if text[at] == "\\" and quote == '"' else 1
    if at >= len(text):
        raise ShellError("a quote is never closed")
    return at + 1


def _word_end(text: str, at: int) -> int:
    """Index behind the word that starts here."""
    while at < len(text):
        plain = _PLAIN.match(text, at)
        if plain:
            at = plain.end()
        elif text[at] == "\\":
            at += 2
        elif text[at] in "'\"":
            at = _quoted(text, at)
        elif text.startswith("$(", at):
            at = _closing(text, at + 1)
        elif text[at] == "`":
            at = text.index("`", at + 1) + 1
        elif text[at] == "$":
            found = _VARIABLE.match(text, at)
            at = found.end() if found else at + 1
        else:
            break
    return at


def tokens(text: str) -> tuple[list[Token], dict[int, str]]:
    """Words and operators of a script.

    Returns:
        The tokens; and the text of each here-document by the index of its delimiter word.

    Raises:
        ShellError: A quote or parenthesis is never closed.
    """
    found: list[Token] = []
    documents: dict[int, str] = {}
    waiting: list[int] = []
    at, line = 0, 1
    while at < len(text):
        operator = next((o for o in OPERATORS if text.startswith(o, at)), "")
        if text[at] == "\n":
            found.append(Token("\n", True, line))
            at, line = at + 1, line + 1
            for index in waiting:
                end, documents[index] = _document(text, at, found[index].text.strip("'\""))
                line, at = line + text.count("\n", at, end), end
            waiting = []
        elif text.startswith("\\\n", at):
            at, line = at + 2, line + 1
        elif text[at].isspace():
            at += 1
        elif text[at] == "#":
            at = text.find("\n", at) if "\n" in text[at:] else len(text)
        elif operator:
            found.append(Token(operator, True, line, at > 0 and not text[at - 1].isspace()))
            at += len(operator)
        else:
            end = _word_end(text, at)
            if found and found[-1].operator and found[-1].text.startswith("<<"):
                waiting.append(len(found))
            found.append(Token(text[at:end], False, line))
            line, at = line + text.count("\n", at, end), end
    return found, documents


def _document(text: str, at: int, delimiter: str) -> tuple[int, str]:
    """End and text of the here-document that starts here."""
    found = re.compile(rf"^\t*{re.escape(delimiter)}$", re.MULTILINE).search(text, at)
    if not found:
        raise ShellError(f"here-document {delimiter} never ends")
    return min(found.end() + 1, len(text)), text[at : found.start()]


def expand(word: str, values: dict[str, str]) -> str:
    """A word after variable expansion and quote removal; what is only known at run time stays as written."""
    out: list[str] = []
    at = 0
    while at < len(word):
        if word[at] == "'":
            end = _quoted(word, at)
            out.append(word[at + 1 : end - 1])
            at = end
        elif word[at] == '"':
            end = _quoted(word, at)
            out.append(substitute(word[at + 1 : end - 1], values))
            at = end
        elif word[at] == "\\":
            out.append(word[at + 1 : at + 2])
            at += 2
        else:
            end = min((i for i in (word.find(c, at) for c in "'\"\\") if i >= 0), default=len(word))
            out.append(substitute(word[at:end], values))
            at = end
    return "".join(out)


def substitute(text: str, values: dict[str, str]) -> str:
    """Text with each known variable replaced by its value, each unknown one by its default if it has one."""

    def value(found: re.Match[str]) -> str:
        name, rest = found[1] or found[3], ""
        if not found[1] and not name.isdigit():
            name += found[4]
        elif not found[1]:
            rest = found[4]
        default = found[2] if found[2] is not None else found[0]
        return values[name] + rest if name in values else default

    return _VARIABLE.sub(value, text)
