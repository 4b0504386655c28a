"""Rules on BGP and BFD."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, PlanView, rule
from fabricgen.checks.rules.access import ACL, without_bfd
from fabricgen.checks.rules.attachment import attachments, leafs_and_systems
from fabricgen.checks.rules.families import named_platforms
from fabricgen.checks.rules.topology import host_path
from fabricgen.diagnostics import Related, Severity


@rule(
    "FG-RTE-010",
    "BFD asked where it does not run",
    why="Failures would be noticed by the hold timer only, although the intent says otherwise.",
    fix="Use bfd: auto or off, or another platform.",
    source="The platform's NOTES.md",
)
def check_bfd(view: IntentView) -> Iterator[Finding]:
    """BFD is asked only of platforms that run it, hosts' included where they have sessions."""
    if view.intent.routing.bfd != "on":
        return
    for name, platform in without_bfd(view):
        yield Finding(
            f"tier {name!r} runs {platform}, which drops BFD to the addresses of links without the control-plane ACL",
            ("routing", "bfd"),
            hint="use operations: {access: {acl: true}}",
            related=(Related("the ACL", ACL),),
        )
    for name, tier in sorted(view.intent.tiers.items()):
        spec = view.switch(tier.platform)
        if spec is not None and not spec.switch.bfd:
            yield Finding(
                f"tier {name!r} runs {tier.platform}, which has no BFD",
                ("routing", "bfd"),
                hint="use auto",
                value="auto",
                related=(Related("the platform", ("tiers", name, "platform")),),
            )
    for group, hosts in sorted(view.intent.hosts.items()) if view.intent.routing.hosts == "bgp" else ():
        system = view.host(hosts.os or "")
        if system is not None and not system.host.bfd:
            yield Finding(
                f"hosts {group!r} run {system.name}, which has no BFD",
                ("routing", "bfd"),
                hint="use auto",
                value="auto",
                related=(Related("the system", host_path(view, group, "os")),),
            )


@rule(
    "FG-RTE-065",
    "GTSM asked where it does not run",
    why="With GTSM at one end of a session only, that end drops what the other one sends, and no session comes up.",
    fix="Use ttl: auto or off, or another platform.",
    source="RFC 5082; the platform's NOTES.md",
)
def check_gtsm(view: IntentView) -> Iterator[Finding]:
    """GTSM is asked only of platforms that run it, hosts' included."""
    if view.intent.routing.security.ttl != "on":
        return
    for platform, where in named_platforms(view, hosts=view.intent.routing.hosts == "bgp"):
        spec = view.speaker(platform)
        if spec is not None and not spec.speaker.gtsm:
            yield Finding(
                f"{platform} is not rendered with GTSM",
                ("routing", "security", "ttl"),
                hint="use auto",
                value="auto",
                related=(Related("the platform", where),),
            )


@rule(
    "FG-RTE-965",
    "BGP sessions without the password",
    severity=Severity.WARNING,
    why=(
        "A password at one end alone keeps the session down, so neither end of these links has it: anyone on the "
        "wire can end the session or take its place."
    ),
    fix="Use another platform, or accept that these sessions are guarded by TTL alone.",
    source="RFC 2385; the platform's NOTES.md",
)
def check_session_key(view: IntentView) -> Iterator[Finding]:
    """Say which platforms leave their sessions without the password that the intent names."""
    if view.intent.routing.security.key is None:
        return
    for platform, where in named_platforms(view, hosts=view.intent.routing.hosts == "bgp"):
        spec = view.speaker(platform)
        if spec is not None and not spec.speaker.bgp_md5:
            yield Finding(
                f"{platform} is not rendered with passwords of BGP sessions{spec.because('bgp_md5')}",
                ("routing", "security", "key", "secret"),
                related=(Related("the platform", where),),
            )


@rule(
    "FG-RTE-966",
    "Leafs are not held to their own prefixes",
    severity=Severity.INFO,
    why="A leaf that loads the configuration of another one draws that rack's traffic: the tier above takes any prefix "
    "of the fabric from it, because on these links the platform has no settings for a single neighbour.",
    fix="Give the links addresses (fabric_links: a pool); or check host names before a switch joins.",
    source="RFC 7454 section 6; the platform's NOTES.md",
)
def check_leaf_lists(view: PlanView) -> Iterator[Finding]:
    """Say where no list of its own stands against a leaf."""
    if view.plan.addressing.fabric_links is not None or len(view.plan.tiers) < 2:
        return
    tier = view.plan.tiers[1]
    spec = view.switch(tier.platform)
    if spec is not None and not spec.switch.unnumbered_lists:
        yield Finding(
            f"tier {tier.name!r} runs {spec.name}, which has no prefix list of a neighbour on a link without addresses",
            ("addressing", "fabric_links"),
            related=(Related("the platform", ("tiers", tier.name, "platform")),),
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


@rule(
    "FG-RTE-901",
    "The platform is not rendered with BGP on hosts",
    why="A session that one end does not have never comes up, and the hosts would have no routes.",
    fix="Use hosts: static, or another platform.",
    source="The platform's NOTES.md",
)
def check_host_bgp(view: IntentView) -> Iterator[Finding]:
    """Leafs and host systems have BGP between them where hosts learn their routes."""
    if view.intent.routing.hosts == "static":
        return
    ends = dict(end for name in sorted(view.intent.hosts) for end in reversed(leafs_and_systems(view, name)))
    for platform, where in sorted(ends.items()):
        spec = view.speaker(platform)
        if spec is None:
            continue
        in_ipv6 = spec.kind == "host" and "ipv6" in view.intent.addressing.families
        if not spec.speaker.hosts_bgp:
            capability, words, hint = "hosts_bgp", "BGP on hosts", "use static"
        elif in_ipv6 and not spec.host.hosts_bgp_ipv6:
            capability, words, hint = "hosts_bgp_ipv6", "BGP on hosts in IPv6", "use static, or families: [ipv4]"
        else:
            continue
        yield Finding(
            f"{platform} is not rendered with {words}{spec.because(capability)}",
            ("routing", "hosts"),
            hint=hint,
            value="static",
            related=(Related("chosen here", where), Related("the families", ("addressing", "families"))),
        )
