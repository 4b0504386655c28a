"""Deployed trees with texts replaced, as someone has edited them by hand."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

Edit = tuple[str, str, str]
"""Path below the folder of a switch, pattern, and what is put in its place."""


def edited(tree: Path, folder: Path, *edits: Edit) -> Path:
    """A copy of a tree with texts of its switches replaced; each edit of a file that is there has to hit something."""
    copy = Path(shutil.copytree(tree, folder))
    for path, pattern, put in edits:
        files = sorted(copy.glob(f"switches/*/{path}"))
        texts = [re.subn(pattern, put, file.read_text(), flags=re.MULTILINE) for file in files]
        for file, (text, _) in zip(files, texts, strict=True):
            file.write_text(text)
        assert not files or any(count for _, count in texts), pattern
    return copy
