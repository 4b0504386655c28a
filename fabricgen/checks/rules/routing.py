"""Rules on BGP and BFD."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, further, rule
from fabricgen.checks.rules.access import ACL, without_bfd
from fabricgen.checks.rules.attachment import attachments
from fabricgen.diagnostics import Related


@further("FG-RTE-010")
def check_bfd(view: IntentView) -> Iterator[Finding]:
    """BFD is asked only where the control-plane ACL lets it in, on platforms that need one."""
    for name, platform in without_bfd(view) if view.intent.routing.bfd == "on" else ():
        yield Finding(
            f"tier {name!r} runs {platform}, which drops BFD to the addresses of links without the control-plane ACL",
            ("routing", "bfd"),
            hint="use operations: {access: {acl: true}}",
            related=(Related("the ACL", ACL),),
        )


@rule(
    "FG-RTE-026",
    "BGP on hosts that bond",
    why="A bond sends a flow by either port, so what is meant for one leaf of the pair reaches the other one. Both are "
    "one gateway, and make host routes of ARP entries.",
    fix="Use hosts: static, or no bond.",
    source="Qian et al., Alibaba HPN, SIGCOMM 2024, section 4.2 (no routing daemon on hosts)",
)
def check_bonds_and_host_bgp(view: IntentView) -> Iterator[Finding]:
    """Hosts that speak BGP have an interface for each port, whose other end is known."""
    if view.intent.routing.hosts == "static":
        return
    for name, attachment, path in attachments(view):
        if attachment.bond != "none":
            yield Finding(
                f"hosts {name!r} bond, and routing.hosts is {view.intent.routing.hosts}",
                ("routing", "hosts"),
                hint="use static",
                value="static",
                related=(Related("the bond", (*path, "bond")),),
            )
    planes = view.intent.planes
    if planes is not None and planes.count > 1 and planes.host == "nic":
        yield Finding(
            f"the NICs spread over {planes.count} planes, and routing.hosts is {view.intent.routing.hosts}",
            ("routing", "hosts"),
            hint="use static",
            value="static",
            related=(Related("the planes", ("planes", "host")),),
        )
