"""A sink that tells what is loaded in the process it works in; it imports nothing of the front of the pipeline."""

from __future__ import annotations

import os
import sys

from fabricgen.diagnostics import Bag
from fabricgen.render.tree.stager import NOTHING, FileRecord


class ModuleSpy:
    """Takes files and writes nothing; a record's digest is the process and the libraries that are loaded in it."""

    def put(self, shard: str, path: str, data: bytes, bag: Bag, *, mode: int = 0o644) -> FileRecord:
        """Take one file."""
        loaded = sorted({name.partition(".")[0] for name in sys.modules})
        return FileRecord(shard, path, " ".join([str(os.getpid()), *loaded]), len(data), mode, NOTHING)
