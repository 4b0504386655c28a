"""Reading and writing of files of one kind, as one record of functions.

A reader knows the syntax of one kind of file and no template. It is the same for what fabricgen rendered and for what a
device gave back, so comparing the trees compares meaning: whatever a device may change in the text without changing
what it does, the reader takes away. A writer serves states of a device that were never rendered: what a reader takes
away, such as comments and layout, is not in them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from fabricgen.platforms.reading.link_facts import ListFacts
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
from fabricgen.platforms.reading.yaml_text import list_yaml

Write = Callable[[Tree], str]


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
        list_twice: Lines that set a value anew to another one, and what is said of them; ``read`` takes the last one.
            What may be there twice is no such line: it is a path of its own.
        read_merged: Given a text, its path and the tree of ours, reads a file of others that the system merges with
            ours, into the steps of ours. An empty text at the beginning of a list empties ours. Without it, the ending
            of the file decides.
        list_unjudged: Given the same, what of such a file may change ours and is not compared.
        list_facts: Facts on which the other ends of links rely (``facts``).
        judge: Names what no configuration may say though the target takes it, once snippets are in it.
        find_refused_lines: Lines of a text that the target's own parser refuses, from 1; None where none is at hand.
    """

    read: Read
    write: Write | None = None
    read_part: Read | None = None
    names: tuple[str, ...] = ()
    unpack: Callable[[str], dict[str, str]] | None = None
    locate: Locate = locate_line
    list_twice: Callable[[str], Iterable[tuple[int, str]]] | None = None
    read_merged: Callable[[str, str, Tree], Tree] | None = None
    list_unjudged: Callable[[str, str, Tree], Iterable[str]] | None = None
    list_facts: ListFacts | None = None
    judge: Callable[[Tree], Iterable[str]] | None = None
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
