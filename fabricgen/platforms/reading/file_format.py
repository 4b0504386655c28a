"""Recognition, reading and writing of files of one kind, as one record of functions.

A reader knows the syntax of one kind of file and no template. It is the same for what fabricgen rendered and for what a
device gave back, so comparing the trees compares meaning: whatever a device may change in the text without changing
what it does, the reader takes away. A writer serves states of a device that were never rendered: what a reader takes
away, such as comments and layout, is not in them.

Signs of the system that wrote a text are data of the semantics of the file. A device's platform is known in most cases,
and then only the kinds of its files are looked for; where several may be meant, the one with the most different signs
is the most specific one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from fabricgen.platforms.reading.reader import (
    Locate,
    Read,
    Tree,
    locate_line,
    look_up,
    read_json,
    read_lines,
    read_yaml,
)

_NAMED_MAX = 4
_PLAIN_WORD = re.compile(r"[A-Za-z_/][\w./+-]*")
_YAML_WORDS = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null", "none"])
"""Words that a reader of YAML 1.1 takes for something else than a text."""
Write = Callable[[Tree], str]


def count_signs(text: str, signs: Sequence[str]) -> int:
    """Return how many different signs a text has: beginnings of lines, or quoted names of members of JSON objects."""
    return len({match.group().strip(" \t:") for match in _pattern(tuple(signs)).finditer(text)}) if signs else 0


def list_signs(signs: Sequence[str]) -> str:
    """Return signs as a message names them, the first ones where there are many."""
    shown = [sign if sign.startswith('"') else f"'{sign}'" for sign in signs[:_NAMED_MAX]]
    return ", ".join(shown) + (", …" if len(signs) > _NAMED_MAX else "")


@cache
def _pattern(signs: tuple[str, ...]) -> re.Pattern[str]:
    members = [re.escape(sign) for sign in signs if sign.startswith('"')]
    lines = [re.escape(sign) for sign in signs if not sign.startswith('"')]
    words = [rf"^(?:{'|'.join(lines)})(?![A-Za-z_-])"] if lines else []
    return re.compile("|".join([*words, *([rf"(?:{'|'.join(members)})\s*:"] if members else [])]), re.MULTILINE)


def list_yaml(value: Any, depth: int = 0, scalar: Callable[[Any], str] | None = None) -> Iterator[str]:
    """Yield the lines of a mapping or list in block style, behind some blanks.

    ``scalar`` writes values; by default texts stand in double quotes where they need them.
    """
    scalar = scalar or write_scalar
    blanks = " " * depth
    if isinstance(value, dict):
        for key, below in value.items():
            if isinstance(below, dict | list) and below:
                yield f"{blanks}{quote_text(str(key))}:"
                yield from list_yaml(below, depth + 2, scalar)
            else:
                yield f"{blanks}{quote_text(str(key))}: {_empty(below) or scalar(below)}"
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, dict | list) and item:
                first, *rest = list_yaml(item, depth + 2, scalar)
                yield f"{blanks}- {first.strip()}"
                yield from rest
            else:
                yield f"{blanks}- {_empty(item) or scalar(item)}"


def write_scalar(value: Any) -> str:
    """Write a scalar of YAML: a number as it was written, a text in quotes unless it can be nothing else."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quote_text(value)
    return str(getattr(value, "raw", value))


def quote_text(text: str) -> str:
    """Return a text in double quotes, unless it is a word that YAML takes for nothing but a text."""
    return text if _PLAIN_WORD.fullmatch(text) and text.lower() not in _YAML_WORDS else json.dumps(text)


def _empty(value: Any) -> str:
    """Return an empty mapping or list in flow style; empty text for anything else."""
    if value in ({}, []) and isinstance(value, dict | list):
        return "{}" if isinstance(value, dict) else "[]"
    return ""


@dataclass(frozen=True, slots=True)
class FileFormat:
    """Functions for one kind of file; all but ``read`` may be left out.

    Attributes:
        read: Text to tree; raises ReadFault.
        write: Tree to a text that reads back as it; without it, no state in between can be deployed.
        read_part: Reads a JSON object of some members of a file, which ``read`` would not take for a whole one.
        names: Path of the name that the file itself gives its device; empty if it gives none.
        unpack: Files by name in a text that has the signs of this kind (``signs``), such as ``config_db.json``; itself
            where it is left out.
        locate: Line of a text that says what stands at a path of the tree.
        read_merged: Given a text, its path and the tree of ours, reads a file of others that the system merges with
            ours, into the steps of ours. An empty text at the beginning of a list empties ours. Without it, the ending
            of the file decides.
        list_unjudged: Given the same, what of such a file may change ours and is not compared.
        find_refused_lines: Lines of a text that the target's own parser refuses, from 1; None where none is at hand.
    """

    read: Read
    write: Write | None = None
    read_part: Read | None = None
    names: tuple[str, ...] = ()
    unpack: Callable[[str], dict[str, str]] | None = None
    locate: Locate = locate_line
    read_merged: Callable[[str, str, Tree], Tree] | None = None
    list_unjudged: Callable[[str, str, Tree], Iterable[str]] | None = None
    find_refused_lines: Callable[[str], list[int] | None] | None = None

    def hostname(self, tree: Tree) -> str:
        """Return the name that a file gives its device; empty if it gives none."""
        return str(look_up(tree, *self.names[:-1]).get(self.names[-1], "")) if self.names else ""


def write_json(tree: Tree) -> str:
    """Write a JSON object with four blanks a level, in the order of the tree."""
    return json.dumps(tree, indent=4) + "\n"


def write_lines(tree: Tree) -> str:
    """Write the lines of any other text."""
    return "".join(f"{line}\n" for line in tree.get("lines", ()))


def write_yaml(tree: Tree) -> str:
    """Write a YAML mapping in block style."""
    return "".join(f"{line}\n" for line in list_yaml(tree))


LINES, JSON, YAML = (
    FileFormat(read, write)
    for read, write in ((read_lines, write_lines), (read_json, write_json), (read_yaml, write_yaml))
)
_BY_ENDING = {".json": JSON, ".yaml": YAML, ".yml": YAML}


def generic_format(path: str) -> FileFormat:
    """Return the format of a file whose platform knows none: by its ending, else line by line."""
    return _BY_ENDING.get(PurePosixPath(path).suffix.lower(), LINES)
