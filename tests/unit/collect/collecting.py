"""One run of a collection, and its outcome by device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from fabricgen.api.collect import CollectSettings, collect
from fabricgen.collect.target import CollectLimits, CollectTarget, Login
from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.spec import PlatformSpec
from tests.waiting import PATIENCE_S

PATIENT = CollectLimits(40, PATIENCE_S, PATIENCE_S, PATIENCE_S, retry_s=0.01, answer_bytes=1024 * 1024)
"""Of devices that answer, however slow this machine is."""


class Collected(NamedTuple):
    """Outcome of a run: codes and causes of failures by device, both empty for one that was collected."""

    out: Path
    bag: Bag
    results: dict[str, str]
    causes: dict[str, str]

    @property
    def codes(self) -> list[str]:
        return [item.code for item in self.bag]


def collect_into(
    out: Path, targets: Sequence[CollectTarget], specs: Mapping[str, PlatformSpec], login: Login, limits: CollectLimits
) -> Collected:
    bag = Bag()
    wish = CollectSettings(out, login, limits, lambda: "2026-01-01T00:00:00Z")
    failures = {each.target.name: each.failure for each in collect(targets, specs, wish, bag, lambda done: None) or ()}
    results = {name: failure.code.id if failure else "" for name, failure in failures.items()}
    causes = {name: failure.message if failure else "" for name, failure in failures.items()}
    return Collected(out, bag, results, causes)
