"""Refusal of a formula whose inputs lie outside the range that its source covers."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Refusal:
    """A formula's refusal: the diagnostic code that fits and the facts a message needs."""

    code: str
    facts: dict[str, object] = field(default_factory=dict)
