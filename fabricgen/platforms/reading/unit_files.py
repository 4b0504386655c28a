"""Units and other files of systemd, sections of ``Key=value`` lines, to a tree.

A key that systemd gathers from all of its lines is a list, any other the last value; an empty value empties what came
before. systemd.syntax(7), systemd.unit(5), systemd.service(5), resolved.conf(5).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from fabricgen.platforms.reading.file_format import FileFormat
from fabricgen.platforms.reading.reader import Tree, look_up, subtree

_WORDS = re.compile(
    r"Before|After|Wan\w+|Requi\w+|BindsTo|PartOf|Uph\w+|Conflicts|On(Failure|Success)|Also|Alias"
    r"|(Fallback)?(DNS|NTP)|Domains"
)
"""Keys whose lines are lists of words."""
_LINES = re.compile(r"Exec\w+|(Condition|Assert)\w+|Environment(File)?|PassEnvironment|Documentation|Address|Name")
"""Keys whose lines are items of a list."""
_GATES = re.compile(r"(Condition|Assert)\w+|ExecCondition")
"""Keys by which a unit may not run at all."""


def read(text: str) -> Tree:
    """Read a file; what systemd would skip, lines without a section or an equals sign, is skipped."""
    tree: Tree = {}
    section: Tree | None = None
    for line in _lines(text):
        if line.startswith("[") and line.endswith("]"):
            section = subtree(tree, line[1:-1])
            continue
        key, equals, value = (part.strip() for part in line.partition("="))
        if not equals or section is None:
            continue
        if not (_WORDS.fullmatch(key) or _LINES.fullmatch(key)):
            section[key] = value
        elif not value:
            section[key] = [""]
        else:
            section.setdefault(key, []).extend(value.split() if _WORDS.fullmatch(key) else [value])
    return tree


def read_merged(text: str, path: str, _ours: Tree) -> Tree:
    """Read a drop-in: a list begins with an empty item where it takes the place of the unit's own."""
    return read(text) if _is_drop_in(path) else {}


def list_unjudged(text: str, path: str, ours: Tree) -> Iterator[str]:
    """Yield what of a file of others may keep ours from its effect, in words that complete "FILE: …"."""
    if not _is_drop_in(path):
        yield "it takes the place of the unit of ours for one instance; what it does is not judged"
        return
    for name, section in read(text).items():
        for key in section.keys() - look_up(ours, name).keys():
            if _GATES.fullmatch(key):
                yield f"{key} decides whether the unit runs; that is not judged"


def _is_drop_in(path: str) -> bool:
    return PurePosixPath(path).parent.name.endswith(".d")


def write(tree: Tree) -> str:
    """Write a file, one value a line."""
    parts = []
    for name, section in tree.items():
        parts.append(f"[{name}]")
        for key, value in section.items():
            parts += [f"{key}={item}" for item in (value if isinstance(value, list) else [value])]
    return "".join(f"{line}\n" for line in parts)


def _lines(text: str) -> Iterator[str]:
    """Yield lines without comments, each with those that continue it."""
    kept = ""
    for raw in text.split("\n"):
        line = raw.strip()
        if not line or line[0] in "#;":
            continue
        kept += line
        if kept.endswith("\\"):
            kept = f"{kept[:-1]} "
        else:
            yield kept
            kept = ""
    if kept:
        yield kept.strip()


UNIT = FileFormat(read, write, read_merged=read_merged, list_unjudged=list_unjudged)
