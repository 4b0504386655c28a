"""Files of settings, one ``key = value`` per line, to a tree: sysctl.conf, nccl.conf, rccl.conf and their kin."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.platforms.reading.file_format import FileFormat
from fabricgen.platforms.reading.reader import Tree

_SLASHES = str.maketrans("/.", "./")


def read(text: str) -> Tree:
    """Read settings: a line without ``=`` sets nothing, and the last of equal keys counts."""
    return {key: value for _, key, value in _list_settings(text)}


def list_twice(text: str) -> list[tuple[int, str]]:
    """Return keys that are set twice to different values: the line of the later one, and what is said of it."""
    found, tree = [], Tree()
    for number, key, value in _list_settings(text):
        if tree.setdefault(key, value) != value:
            found.append((number, f"{key!r} is set twice, to different values; the last one is compared"))
        tree[key] = value
    return found


def _list_settings(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield the lines that set something: number, key, value."""
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        key, equals, value = line.partition("=")
        if equals and line[0] not in "#;":
            # systemd lets a dash say that a key may be unknown; it sets the same.
            yield number, key.strip().removeprefix("-"), value.strip()


def read_merged(text: str, _path: str, _ours: Tree) -> Tree:
    """Read a file of others: what is no setting sets nothing, and the last of equal keys counts.

    A key of sysctl may have slashes; one with a pattern never overrides a key that is written out. sysctl.d(5).
    """
    tree: Tree = {}
    for raw in text.split("\n"):
        key, equals, value = raw.strip().partition("=")
        key = key.strip().removeprefix("-")
        if "/" in key.partition(".")[0]:
            key = key.translate(_SLASHES)
        if equals and key[:1] not in ("#", ";") and "*" not in key:
            tree[key] = value.strip().strip("\"'")
    return tree


def write(tree: Tree) -> str:
    """Write settings, one ``key=value`` a line."""
    return "".join(f"{key}={value}\n" for key, value in tree.items())


SETTINGS = FileFormat(read, write, list_twice=list_twice, read_merged=read_merged)
