"""Answers of an emulated switch about its state: healthy, or spoiled by a test once its configuration changes."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.load import load_platforms
from fabricgen.platforms.manifest.readings import SUDO
from tests.unit.state.answers import WRITERS
from tests.unit.state.bench import Bench

ANSWERS = "EMULATED_ANSWERS"
"""Variable with the file of a switch's answers."""


def write_answers(file: Path, platform: str, before: Bench, after: Bench) -> None:
    spec = load_platforms({platform: ()}, "switch", Bag())[platform]
    commands = {reading.state: reading.command.replace(SUDO, "") for reading in spec.collect if reading.state}
    answers = {
        spell(commands[state]): [write(before), write(after)]
        for state, write in WRITERS[platform].items()
        if state in commands
    }
    file.write_text(json.dumps(answers))


def spell(command: str) -> str:
    """Return a command line as both shells compare it."""
    return " ".join(shlex.split(command))


def find_answer(command: str, *, changed: bool) -> str | None:
    """Return the answer to a command line; None if there is none of this kind."""
    file = os.environ.get(ANSWERS)
    known = json.loads(Path(file).read_text()).get(spell(command)) if file else None
    return str(known[changed]) if known else None
