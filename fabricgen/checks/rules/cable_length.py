"""Rules on the length of cables."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, rule
from fabricgen.diagnostics import Related, Severity, set_to

SHORTEST_M = 0.5
_KM = 1000


@rule(
    "FG-TOP-043",
    "Cable shorter than the shortest on sale",
    severity=Severity.WARNING,
    why=(
        "Headroom follows from the length. A length written in kilometres gets the headroom of the shortest row "
        "of the table, and drops the frames on the real cable when PFC pauses."
    ),
    fix="Write metres.",
    source="NVIDIA, MCP4Y10-Nxxx product specifications: lengths of 0.5, 1, 1.5 and 2 metres",
)
def check_not_too_short(view: IntentView) -> Iterator[Finding]:
    """No cable is shorter than makers sell."""
    for name, link in sorted(view.intent.links.items()):
        length = link.cable.length_m
        if length < SHORTEST_M:
            in_km = length * _KM >= 1
            yield Finding(
                f"{length:g} m of {link.cable.media} is shorter than the shortest cable on sale, {SHORTEST_M:g} m",
                ("links", name, "cable", "length_m"),
                hint=f"if these are kilometres, write length_m: {length * _KM:g}"
                if in_km
                else f"use length_m: {SHORTEST_M:g} or more",
                fixes=set_to(("links", name, "cable", "length_m"), length * _KM if in_km else SHORTEST_M, hinted=True),
                related=(Related("the medium", ("links", name, "cable", "media")),),
            )
