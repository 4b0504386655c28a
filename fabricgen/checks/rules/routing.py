"""Rules on BGP and BFD."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, PlanView, further, rule
from fabricgen.checks.rules.attachment import attachments
from fabricgen.checks.rules.platforms import platform_of, tier_platforms
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.intent.network import UNNUMBERED

ACL: IntentPath = ("operations", "access", "acl")


@rule(
    "FG-RTE-055",
    "No BFD without a control-plane ACL",
    severity=Severity.WARNING,
    why="The platform drops BFD to one end of every numbered link unless an ACL lets it in: a link that fails in "
    "silence is noticed by the hold timer only, and a leaf does not restart gracefully.",
    fix="Keep the ACL, use links without addresses, or turn BFD off in words.",
    source="sonic-net/sonic-host-services scripts/caclmgrd (c2a4cdf), generate_block_ip2me_traffic_iptables_commands",
)
def check_bfd_let_in(view: IntentView) -> Iterator[Finding]:
    """Say where BFD does not run because nothing lets it in; where it is asked for, that is an error elsewhere."""
    intent = view.intent
    if intent.operations.access.acl or intent.routing.bfd != "auto":
        return
    for name, platform in without_bfd(view):
        message = f"tier {name!r} runs {platform}, which drops BFD to the addresses of links without the ACL"
        related = (*platform_of(name), Related("BFD", ("routing", "bfd")))
        yield Finding(message, ACL, hint="use acl: true", related=related)


def without_bfd(view: IntentView) -> Iterator[tuple[str, str]]:
    """Tiers whose platform has BFD but does not let it in on numbered links, with that platform."""
    intent = view.intent
    if intent.operations.access.acl or intent.addressing.fabric_links == UNNUMBERED:
        return
    for name, spec in tier_platforms(view):
        if spec.switch.bfd_needs_acl:
            yield name, spec.name


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
    hosts, planes = view.intent.routing.hosts, view.intent.planes
    if hosts == "static":
        return
    for name, attachment, path in attachments(view):
        if attachment.bond != "none":
            message, related = (
                f"hosts {name!r} bond, and routing.hosts is {hosts}",
                Related("the bond", (*path, "bond")),
            )
            yield Finding(message, ("routing", "hosts"), hint="use static", related=(related,))
    if planes is not None and planes.count > 1 and planes.host == "nic":
        message = f"the NICs spread over {planes.count} planes, and routing.hosts is {hosts}"
        related = Related("the planes", ("planes", "host"))
        yield Finding(message, ("routing", "hosts"), hint="use static", related=(related,))


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
