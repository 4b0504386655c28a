"""``python -m tests.judges.avd FILE…``: what Arista's own generator would have written otherwise; exit 1 if anything.

Also covered: types, ranges and legal words of pyavd's schema. Not covered: what the schema has no key for, listed in
``UNMODELLED`` with the source of its spelling, and whether a release or a box takes a command.
"""

from __future__ import annotations

import re
import sys

import pyavd

from ..crossread.text.indented import read_blocks
from ..files import judge_named_files
from .commands import COMMANDS, UNMODELLED
from .model import read_model


def findings(text: str) -> list[str]:
    """Everything in which a configuration differs from what pyavd makes of the same facts."""
    reading = read_model(text, COMMANDS)
    checked = pyavd.validate_structured_config(reading.data)
    found = [f"{'.'.join(v.path)}: {v.message}" for v in checked.validation_result.violations]
    mine = {path for block in read_blocks(text) for path in block.paths()}
    other = {path for block in read_blocks(pyavd.get_device_config(reading.data)) for path in block.paths()}
    found += [f"pyavd does not write: {_shown(path)}" for path in sorted(mine - other) if not _is_unmodelled(path)]
    found += [f"pyavd writes instead: {_shown(path)}" for path in sorted(other - mine)]
    return found


def _is_unmodelled(path: tuple[str, ...]) -> bool:
    return any(re.match(pattern, path[-1]) for pattern in UNMODELLED)


def _shown(path: tuple[str, ...]) -> str:
    return " / ".join(path)


if __name__ == "__main__":
    sys.exit(judge_named_files(findings))
