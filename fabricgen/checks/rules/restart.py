"""Effect of a routing daemon's restart on traffic."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.diagnostics import Related, Severity


@rule(
    "FG-RTE-905",
    "Leafs do not restart gracefully",
    severity=Severity.INFO,
    why="A leaf is the only way to its hosts: they are cut off while its routing daemon starts anew, although the "
    "switch could go on forwarding. Neighbours may keep its routes only where BFD takes away what does not forward.",
    fix="Drain the leaf before its software is changed; or use a platform that is rendered with it, and BFD.",
    source="RFC 4724; RFC 5882 section 4.3; sonic-net/sonic-buildimage bgpd.main.conf.j2 (ToRRouter)",
)
def check_graceful_restart(view: PlanView) -> Iterator[Finding]:
    """Say where a restart of a leaf's routing cuts its hosts off."""
    leaf = view.plan.tiers[0]
    spec = view.switch(leaf.platform)
    if spec is None or leaf.up is None or (leaf.routing.bfd_upper and spec.switch.graceful_restart):
        return
    lacks_bfd = spec.switch.graceful_restart
    yield Finding(
        f"tier {leaf.name!r} runs {spec.name}, "
        + ("and no BFD watches its uplinks" if lacks_bfd else "which is not rendered with graceful restart"),
        ("routing", "bfd") if lacks_bfd else ("tiers", leaf.name, "platform"),
        related=(Related("the platform", ("tiers", leaf.name, "platform")),) if lacks_bfd else (),
    )
