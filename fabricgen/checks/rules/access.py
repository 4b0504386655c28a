"""Rules on who may open connections to the switches."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, rule
from fabricgen.checks.rules.platforms import platform_of, platforms_with, tier_platforms
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.diagnostics.words import and_list
from fabricgen.intent.network import UNNUMBERED
from fabricgen.platforms.manifest.capabilities import Rendered

NOTES = "The platform's NOTES.md"
ACL: IntentPath = ("operations", "access", "acl")
MANAGEMENT: IntentPath = ("operations", "access", "management")
POOL: IntentPath = ("addressing", "management", "pool")


@rule(
    "FG-PLT-055",
    "Switches are managed from the management pool only",
    severity=Severity.INFO,
    why="The control-plane ACL drops SSH, SNMP and gNMI from all other subnets: an operator there is locked out.",
    fix="Name the subnets of operators and collectors.",
    source=NOTES,
)
def check_management_named(view: IntentView) -> Iterator[Finding]:
    """Say from where the switches are managed unless the intent does."""
    operations = view.intent.operations
    access = operations.access
    if access.management is not None or not access.acl:
        return
    running = {"SSH": True, "SNMP": operations.snmp, "gNMI": operations.gnmi}
    *others, last = (service for service, asked in running.items() if asked)
    services = f"{', '.join(others)} and {last}" if others else last
    guarded = platforms_with(view, lambda can: can.access, Rendered.YES)
    if guarded:
        pool = view.intent.addressing.management.pool
        names = and_list(spec.name for spec, _ in guarded)
        yield Finding(
            f"{names} {'accept' if len(guarded) > 1 else 'accepts'} {services} from {pool} only, the management pool",
            MANAGEMENT,
            hint=f"write operations: {{access: {{management: [{pool}, …]}}}}",
            related=tuple(place for _, tiers in guarded for place in platform_of(*tiers)),
        )


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
        yield Finding(
            f"tier {name!r} runs {platform}, which drops BFD to the addresses of links without the ACL",
            ACL,
            hint="use acl: true",
            value=True,
            related=(*platform_of(name), Related("BFD", ("routing", "bfd"))),
        )


def without_bfd(view: IntentView) -> Iterator[tuple[str, str]]:
    """Tiers whose platform has BFD but does not let it in on numbered links, with that platform."""
    intent = view.intent
    if intent.operations.access.acl or intent.addressing.fabric_links == UNNUMBERED:
        return
    for name, spec in tier_platforms(view):
        if spec.switch.bfd_needs_acl:
            yield name, spec.name
