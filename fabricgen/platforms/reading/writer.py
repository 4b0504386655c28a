"""Tree of a file to a text that reads back as that tree, for states of a device that were never rendered.

A rollout in phases passes through states that are neither the deployed nor the intended file. Their texts are written
from trees: by ``write(tree)`` of the file's reader or patch module where its platform has one, else by the ending. What
a reader takes away, such as comments and layout, is not in them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import PurePosixPath

from fabricgen.platforms.reading.reader import Tree, load_module, optional
from fabricgen.platforms.reading.semantics import Semantics
from fabricgen.platforms.reading.yaml_text import list_yaml

Write = Callable[[Tree], str]


def find_writer(path: str, semantics: Semantics) -> Write | None:
    """Return the writer of a file; None if its platform has a reader of its own and no writer."""
    for name in (semantics.reader, semantics.patch):
        write = optional(load_module(name), "write") if name else None
        if write:
            return write
    if semantics.reader:
        return None
    suffix = PurePosixPath(path).suffix.lower()
    return {".json": write_json, ".yaml": write_yaml, ".yml": write_yaml}.get(suffix, write_lines)


def write_json(tree: Tree) -> str:
    """Write a JSON object with four blanks a level, in the order of the tree."""
    return json.dumps(tree, indent=4) + "\n"


def write_lines(tree: Tree) -> str:
    """Write the lines of any other text."""
    return "".join(f"{line}\n" for line in tree.get("lines", ()))


def write_yaml(tree: Tree) -> str:
    """Write a YAML mapping in block style."""
    return "".join(f"{line}\n" for line in list_yaml(tree))
