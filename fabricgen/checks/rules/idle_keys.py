"""Rules on keys that are legal, written, and without effect in the fabric they stand in."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from typing import NamedTuple

from fabricgen.checks.model import Finding, IntentView, rule
from fabricgen.checks.rules.attachment import attachments, plane_count
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.intent.settings import value_at


class Idle(NamedTuple):
    """A key that changes nothing, why, and the key that makes it so."""

    path: IntentPath
    reason: str
    cause: IntentPath


@rule(
    "FG-INT-010",
    "Key without effect",
    severity=Severity.WARNING,
    why="Who wrote it expects something of it; in this fabric another key leaves it without effect.",
    fix="Remove it, or change the key that is named beside it.",
    source="docs/architecture.md, law 3: silence is a bug",
)
def check_idle_keys(view: IntentView) -> Iterator[Finding]:
    """No key is written that another one makes void."""
    for path, reason, cause in (*_of_shape(view), *_of_traffic(view), *_of_exceptions(view)):
        related = (Related("the reason", cause),)
        yield Finding(f"{path[-1]} has no effect: {reason}", path, hint="remove it", value=None, related=related)


def _of_shape(view: IntentView) -> Iterator[Idle]:
    """Keys of planes and attachments."""
    planes = view.intent.planes
    if planes and "host" in planes.model_fields_set and plane_count(view) == 1:
        yield Idle(("planes", "host"), "there is one plane", ("planes", "count"))
    seen = set()
    for _, attachment, path in attachments(view):
        if attachment.group == "host" and "rails_per_leaf" in attachment.model_fields_set and path not in seen:
            seen.add(path)
            yield Idle((*path, "rails_per_leaf"), "all rails of a host meet one leaf", (*path, "group"))


def _of_traffic(view: IntentView) -> Iterator[Idle]:
    """Keys of the lossless contract and of the collective library."""
    lossless, collectives = view.intent.lossless, view.intent.collectives
    for name in ("watchdog", "headroom") if lossless.mode == "ecn_only" else ():
        if name in lossless.model_fields_set:
            yield Idle(("lossless", name), "without PFC nothing is paused", ("lossless", "mode"))
    if "telemetry_path" in collectives.model_fields_set and not collectives.telemetry:
        yield Idle(("collectives", "telemetry_path"), "telemetry is off", ("collectives", "telemetry"))


def _of_exceptions(view: IntentView) -> Iterator[Idle]:
    """Leafs that an exception sets to what every switch has."""
    own_ecmp = any(tier.ecmp for tier in view.intent.tiers.values())
    everywhere = cache(partial(value_at, view.intent))
    for setting in view.intent.settings:
        if setting.item.device is None or (own_ecmp and setting.leaf[0] == "routing"):
            continue
        if setting.value == everywhere(setting.leaf):
            yield Idle(setting.path, "every switch has that value", setting.leaf)
