"""Pure formulas on numbers and catalog records; they know no device and raise nothing."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Refusal:
    """A formula's refusal of inputs beyond the range of its source: the code that fits, and facts for a message."""

    code: str
    facts: dict[str, object] = field(default_factory=dict)
