"""Repositories with trees that no checkout would make, written object by object."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

FILE, LINK, MODULE, TREE = "100644", "120000", "160000", "40000"


class Repository:
    """A repository without work tree files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.git("init", "-q")

    def git(self, *words: str, given: bytes | None = None) -> str:
        """Run git; what it prints."""
        names = ("-c", "user.name=x", "-c", "user.email=x@example.net")
        command = ["git", "-C", str(self.folder), *names, *words]
        return subprocess.run(command, input=given, capture_output=True, check=True).stdout.decode().strip()

    def blob(self, data: bytes) -> str:
        """Write a blob; its digest."""
        return self.git("hash-object", "-w", "--stdin", given=data)

    def tree(self, entries: Iterable[tuple[str, bytes, str]]) -> str:
        """Write a tree of (mode, name, digest), whatever git thinks of the names."""
        data = b"".join(mode.encode() + b" " + name + b"\0" + bytes.fromhex(digest) for mode, name, digest in entries)
        return self.git("hash-object", "-w", "-t", "tree", "--literally", "--stdin", given=data)

    def commit(self, tree: str) -> str:
        """Commit a tree; the branch ``main`` is there afterwards."""
        found = self.git("commit-tree", tree, "-m", "x")
        self.git("update-ref", "refs/heads/main", found)
        return found
