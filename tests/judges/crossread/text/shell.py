"""POSIX shell scripts → the commands that they would run, with loops, functions and variables worked out.

Nothing is executed. Conditions depend on the machine, so every branch of a condition is read; a case on a value
that the text settles is followed.
"""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass

from .shell_words import ShellError, Token, expand, tokens

__all__ = ["Command", "ShellError", "commands"]

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_OPENS = {"if": "fi", "for": "done", "while": "done", "until": "done", "case": "esac", "{": "}"}
_DEPTH_MAX = 20
_NOTHING = (":", "exit", "false", "return", "set", "true")
"""Commands without an effect on what is configured."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its words, the file that its output is written to (or empty), and its line."""

    words: tuple[str, ...]
    target: str
    line: int

    def option(self, *names: str) -> str | None:
        """The word behind the first of these options, or None."""
        for name, value in zip(self.words, self.words[1:], strict=False):
            if name in names:
                return value
        return None


class _Script:
    """The tokens of a script and a place in them."""

    def __init__(self, text: str) -> None:
        self.tokens, self.documents = tokens(text)
        self.functions: dict[str, tuple[int, int]] = {}
        self.values: dict[str, str] = {}
        self.found: list[Command] = []
        self.depth = 0

    # -- finding the ends of things

    def word(self, at: int) -> str:
        """The word at an index; empty for an operator or the end."""
        return self.tokens[at].text if at < len(self.tokens) and not self.tokens[at].operator else ""

    def operator(self, at: int) -> str:
        """The operator at an index; empty for a word or the end."""
        return self.tokens[at].text if at < len(self.tokens) and self.tokens[at].operator else ""

    def starts_command(self, at: int) -> bool:
        """Whether a word here would be the first of a command."""
        previous = self.tokens[at - 1] if at else Token("\n", True, 0)
        if previous.operator:
            return previous.text not in (">", ">>", "<", "<<", "<<-", ">&", "<&")
        return previous.text in ("then", "else", "elif", "do", "if", "while", "until", "{", "!")

    def until(self, at: int, *ends: str) -> int:
        """Index of the first of these words that closes what stands at ``at`` (nested blocks skipped)."""
        while at < len(self.tokens):
            word = self.word(at) if self.starts_command(at) else ""
            if word in ends:
                return at
            at = self.until(at + 1, _OPENS[word]) + 1 if word in _OPENS else at + 1
        raise ShellError(f"{' or '.join(ends)} is missing")

    # -- walking

    def run(self, at: int, end: int) -> None:
        """Work out every command from one index up to another."""
        while at < end:
            at = self.statement(at, end)

    def statement(self, at: int, end: int) -> int:
        """Work out one statement; the index behind it."""
        word = self.word(at)
        if not word or word in ("!", "time"):
            return at + 1
        if self.operator(at + 1) == "(" and self.operator(at + 2) == ")":
            return self.define(word, at + 3)
        if word == "if":
            return self.condition(at + 1)
        if word == "for":
            return self.loop(at)
        if word in ("while", "until"):
            return self.repeat(at)
        if word == "case":
            return self.choice(at)
        if word == "{":
            close = self.until(at + 1, "}")
            self.run(at + 1, close)
            return close + 1
        return self.simple(at, end)

    def define(self, name: str, at: int) -> int:
        """Remember a function; the index behind its body."""
        while self.operator(at) == "\n":
            at += 1
        if self.word(at) != "{":
            raise ShellError(f"line {self.tokens[at].line}: the body of {name} is not in braces")
        close = self.until(at + 1, "}")
        self.functions[name] = (at + 1, close)
        return close + 1

    def condition(self, at: int) -> int:
        """Read every branch of an ``if``; what is tested is a question, not a setting."""
        then = self.until(at, "then")
        while True:
            close = self.until(then + 1, "elif", "else", "fi")
            self.run(then + 1, close)
            if self.word(close) == "fi":
                return close + 1
            then = self.until(close + 1, "then") if self.word(close) == "elif" else close

    def loop(self, at: int) -> int:
        """Run a ``for`` over the words that its list expands to."""
        name, do = self.word(at + 1), self.until(at + 2, "do")
        done = self.until(do + 1, "done")
        listed = [self.word(i) for i in range(at + 3, do) if self.word(i)] if self.word(at + 2) == "in" else ['"$@"']
        for value in [v for word in listed for v in expand(word, self.values).split()]:
            self.values[name] = value
            self.run(do + 1, done)
        return done + 1

    def repeat(self, at: int) -> int:
        """Run ``while read`` over its here-document; any other loop once."""
        do = self.until(at + 1, "do")
        done = self.until(do + 1, "done")
        names = [self.word(i) for i in range(at + 1, do) if self.word(i) and not self.word(i).startswith("-")]
        document = self.documents.get(done + 2) if self.operator(done + 1).startswith("<<") else None
        if document is None or "read" not in names:
            self.run(do + 1, done)
            return done + 1
        fields = names[names.index("read") + 1 :]
        for row in expand(f'"{document}"', self.values).splitlines():
            parts = row.split(None, len(fields) - 1)
            self.values.update(zip(fields, parts + [""] * len(fields), strict=False))
            self.run(do + 1, done)
        return done + 3

    def choice(self, at: int) -> int:
        """Follow a ``case``: the branch that its value selects, or all where only the machine knows."""
        value, esac = expand(self.word(at + 1), self.values), self.until(at + 2, "esac")
        at = at + 3
        while at < esac:
            patterns = []
            while at < esac and self.operator(at) != ")":
                patterns += [expand(self.word(at), self.values)] if self.word(at) else []
                at += 1
            close = at
            while close < esac and self.operator(close) != ";;":
                word = self.word(close) if self.starts_command(close) else ""
                close = self.until(close + 1, _OPENS[word]) + 1 if word in _OPENS else close + 1
            matches = any(fnmatch.fnmatchcase(value, pattern) for pattern in patterns)
            if matches or "$" in value:
                self.run(at + 1, close)
            if matches and "$" not in value:
                break
            at = close + 1
            while self.operator(at) == "\n":
                at += 1
        return esac + 1

    def simple(self, at: int, end: int) -> int:
        """Work out one simple command: assignments, a call, or a command with its redirection."""
        words: list[str] = []
        target, line = "", self.tokens[at].line
        while at < end:
            token = self.tokens[at]
            if token.operator and token.text in (">", ">>", "<", "<<", "<<-", ">&", "<&"):
                number = words.pop() if token.glued and words and words[-1].isdigit() else "1"
                if token.text in (">", ">>") and number == "1":
                    target = expand(self.word(at + 1), self.values)
                at += 2
                continue
            if token.operator:
                break
            words.append(token.text)
            at += 1
        self._settle(words, target, line)
        return at + 1

    def _settle(self, words: list[str], target: str, line: int) -> None:
        """Apply assignments, follow a call of a function, or note the command."""
        while words and words[0] in ("local", "export", "readonly"):
            words = words[1:]
        expanded = [expand(word, self.values) for word in words]
        while words and (found := _ASSIGNMENT.fullmatch(words[0])):
            self.values[found[1]] = expand(found[2], self.values)
            words, expanded = words[1:], expanded[1:]
        if not expanded or expanded[0] in _NOTHING:
            return
        expanded = self._split(words, expanded)
        if expanded[0] in self.functions:
            self._call(expanded)
        else:
            self.found.append(Command(tuple(expanded), target, line))

    def _split(self, words: list[str], expanded: list[str]) -> list[str]:
        """The expanded words, unquoted variables split at blanks as the shell does."""
        out: list[str] = []
        for raw, value in zip(words, expanded, strict=True):
            out += value.split() if raw.startswith("$") or raw == '"$@"' else [value]
        return out

    def _call(self, words: list[str]) -> None:
        """Work out the body of a function with these arguments."""
        self.depth += 1
        if self.depth > _DEPTH_MAX:
            raise ShellError(f"{words[0]} calls itself")
        saved = dict(self.values)
        for name in [n for n in self.values if n.isdigit()]:
            del self.values[name]
        self.values.update({str(i): word for i, word in enumerate(words[1:], 1)})
        self.values["@"] = self.values["*"] = " ".join(words[1:])
        self.run(*self.functions[words[0]])
        for name in [n for n in self.values if n.isdigit() or n in "@*"]:
            del self.values[name]
        self.values.update({n: v for n, v in saved.items() if n.isdigit() or n in "@*"})
        self.depth -= 1


def commands(text: str) -> list[Command]:
    """Every command that a script would run, in order.

    Raises:
        ShellError: The script uses what this reader does not know.
    """
    script = _Script(text)
    try:
        script.run(0, len(script.tokens))
    except (IndexError, ValueError) as error:
        raise ShellError(str(error)) from error
    return script.found
