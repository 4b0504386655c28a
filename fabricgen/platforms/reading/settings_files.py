"""Files of settings, one ``key = value`` per line, to a tree: sysctl.conf, nccl.conf, rccl.conf and their kin."""

from __future__ import annotations

from fabricgen.platforms.reading.reader import ReadFault, Tree

_SLASHES = str.maketrans("/.", "./")


def read(text: str) -> Tree:
    """Read settings; the order of the lines means nothing, and a key that is set twice is a fault."""
    tree: Tree = {}
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        if not line or line[0] in "#;":
            continue
        key, equals, value = line.partition("=")
        # systemd lets a dash say that a key may be unknown; it sets the same.
        key = key.strip().removeprefix("-")
        if not equals:
            raise ReadFault("a line sets nothing: it has no '='", number)
        if key in tree:
            raise ReadFault("a key is set twice", number)
        tree[key] = value.strip()
    return tree


def read_merged(text: str, _path: str) -> Tree:
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
