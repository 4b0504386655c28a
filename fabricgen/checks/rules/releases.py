"""Rules on the releases of switch software."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, rule
from fabricgen.diagnostics import Related


@rule(
    "FG-PLT-095",
    "A release the platform is not written for",
    why="The schema of the files and the headroom that an image computes follow its release; for an unknown one both "
    "would be guesses.",
    fix="Use a listed release, or leave the key out for the newest published one that has the board.",
    source="templates/switch: releases of the platform's manifest",
)
def check_release(view: IntentView) -> Iterator[Finding]:
    """A tier's release is one its platform lists."""
    for name, tier in sorted(view.intent.tiers.items()):
        spec = view.switch(tier.platform)
        names = [release.name for release in spec.releases] if spec is not None else []
        if names and tier.release is not None and tier.release not in names:
            yield Finding(
                f"{tier.platform} does not support release {tier.release}; it supports {', '.join(names)}",
                ("tiers", name, "release"),
                hint="use a listed release, or leave release out for the newest published one that has the board",
                value=None,
                related=(Related("the platform", ("tiers", name, "platform")),),
            )
