"""What the language can say and no stage turns into configuration yet: understood, not implemented."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, Needs, rule

WHY = "The intent is understood, but nothing would be rendered from it; a silent omission is worse than an error."
DOCS = "docs/intent.md, what renders"


@rule(
    "FG-RTE-901", "BGP on hosts is not rendered yet", needs=Needs.INTENT, why=WHY, fix="Use hosts: static.", source=DOCS
)
def check_host_bgp(view: IntentView) -> Iterator[Finding]:
    """Hosts route statically."""
    if view.intent.routing.hosts != "static":
        yield Finding("routing.hosts: bgp is not rendered yet", ("routing", "hosts"), hint="use static")
