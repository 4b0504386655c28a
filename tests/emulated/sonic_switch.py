"""A SONiC switch between two commands: CONFIG_DB, what FRR was given, and the timers that run."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

from tests.property.switch_model import SwitchModel


class Switch:
    """State between two commands.

    ``routing``: lines of FRR's running configuration that ``vtysh`` was given, in order. ``timers``: process of each
    timer by the name of its unit.
    """

    def __init__(self, model: SwitchModel) -> None:
        self.model = model
        self.start = copy.deepcopy(model.config)
        self.routing: list[str] = []
        self.timers: dict[str, int] = {}
        self.log: list[str] = []

    @property
    def is_drained(self) -> bool:
        """Return whether FRR announces graceful shutdown."""
        told = [line.strip() for line in self.routing if "graceful-shutdown" in line]
        return bool(told) and not told[-1].startswith("no ")


def install(state: Path, config: dict[str, Any]) -> None:
    state.write_bytes(pickle.dumps(Switch(SwitchModel(config))))


def load(state: Path) -> Switch:
    return pickle.loads(state.read_bytes())
