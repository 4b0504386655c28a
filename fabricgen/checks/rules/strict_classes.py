"""Rule on the order of queues that a platform requires."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.beyond import NOTES
from fabricgen.checks.model import Finding, IntentView, rule
from fabricgen.checks.rules.platforms import platform_of, tier_platforms
from fabricgen.diagnostics import Severity, set_to


@rule(
    "FG-PLT-027",
    "A strict class below a weighted one",
    severity=Severity.WARNING,
    why="The platform makes every queue below a weighted one weighted, too, so the class would not be served first.",
    fix="Give strict classes higher priorities than weighted ones.",
    source=NOTES,
)
def check_strict_above_weighted(view: IntentView) -> Iterator[Finding]:
    """Strict classes are above weighted ones where the platform requires it."""
    classes = view.intent.lossless.classes
    highest = max(((c.priority, name) for name, c in classes.items() if not c.strict), default=(-1, ""))
    for name, spec in tier_platforms(view):
        if not spec.switch.strict_above_weighted:
            continue
        free = sorted({*range(highest[0] + 1, 8)} - {cls.priority for cls in classes.values()})
        for class_name, traffic in sorted(classes.items()):
            path = ("lossless", "classes", class_name, "priority")
            if traffic.strict and traffic.priority < highest[0]:
                yield Finding(
                    f"{class_name!r} is strict at priority {traffic.priority}, below the weighted {highest[1]!r} at "
                    f"{highest[0]}; tier {name!r} runs {spec.name}",
                    path,
                    hint=f"use one of the free priorities {', '.join(map(str, free))}"
                    if free
                    else f"use a priority above {highest[0]}",
                    fixes=set_to(path, free[0], hinted=True) if free else (),
                    related=platform_of(name),
                )
