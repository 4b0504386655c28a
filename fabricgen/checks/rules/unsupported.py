"""What the language can say and no stage turns into configuration yet: understood, not implemented."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, Needs, rule
from fabricgen.checks.rules.families import named_platforms
from fabricgen.diagnostics import Related

WHY = "The intent is understood, but nothing would be rendered from it; a silent omission is worse than an error."
DOCS = "docs/intent.md, what renders"


@rule("FG-RTE-901", "BGP on hosts is not rendered", needs=Needs.INTENT, why=WHY, fix="Use hosts: static.", source=DOCS)
def check_host_bgp(view: IntentView) -> Iterator[Finding]:
    """Hosts route statically where their system, or their leafs', has no BGP between them."""
    if view.intent.routing.hosts == "static":
        return
    for platform, where in named_platforms(view, hosts=True):
        spec = view.platforms.get(platform)
        reason = spec.lacks.get("hosts_bgp", "") if spec else ""
        if spec is not None and not spec.capabilities.get("hosts_bgp", False) and (reason or spec.kind == "host"):
            yield Finding(
                f"{platform} is not rendered with BGP on hosts{': ' if reason else ''}{reason}",
                ("routing", "hosts"),
                hint="use static",
                related=(Related("chosen here", where),),
            )
