"""Rules on where logins come from, and on addresses of the management network that are taken."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, PlanView, further, rule
from fabricgen.checks.rules.addressing import FABRIC_POOLS, overlap, pools_of, services_of
from fabricgen.diagnostics import IntentPath, Related, Severity, format_path
from fabricgen.diagnostics.words import and_list
from fabricgen.intent.types import IPAddress

SHORTEST = {4: 8, 6: 16}
"""Prefixes of fewer bits than these hold other networks than the operator's own."""


@further("FG-HST-022")
def check_assets_apart(view: PlanView) -> Iterator[Finding]:
    """No host has the address of a service or of the gateway."""
    taken: dict[str, IntentPath] = {str(address): path for path, address in services_of(view)}
    management = view.plan.addressing.management
    taken.setdefault(management.text(view.plan.addressing.management_gateway), ("addressing", "management", "gateway"))
    for name, asset in sorted(view.plan.assets.items()):
        address = str(IPAddress(asset.management_ip)) if asset.management_ip else ""
        if address in taken:
            yield Finding(
                f"management_ip {address} of {name} is also {format_path(taken[address])}",
                ("assets",),
                hint=f"correct management_ip of {name}",
                related=(Related("the same address", taken[address]),),
            )


@further("FG-ADR-014")
def check_service_is_host(view: IntentView) -> Iterator[Finding]:
    """No service is the first or last address of the management pool."""
    pool = view.intent.addressing.management.pool
    for path, address in services_of(view):
        last = pool.version == 4 and pool.prefixlen < 31 and int(address) == pool.last
        if address.version == pool.version and (int(address) == pool.first or last):
            kind = "broadcast" if last else "network"
            yield Finding(
                f"{address} is the {kind} address of {pool}",
                path,
                hint="use the service's own address",
                related=(Related("the pool", ("addressing", "management", "pool")),),
            )


@rule(
    "FG-ADR-033",
    "Logins from everywhere, or from the fabric",
    severity=Severity.WARNING,
    why="The list is what keeps hosts and strangers from the switches' own services; a prefix that holds them opens "
    "SSH, SNMP and gNMI to every job.",
    fix="Name the networks that operators and collectors are in.",
    source="RFC 6192 section 3 (control plane protection); docs/intent.md, operations",
)
def check_sources(view: IntentView) -> Iterator[Finding]:
    """No source of logins holds a pool of the fabric or the whole address space."""
    pools = [(path, pool) for path, pool in pools_of(view.intent) if path[1] in FABRIC_POOLS]
    access = view.intent.operations.access
    for prefix in (access.management or ()) if access.acl else ():
        inside = [(path, pool) for path, pool in pools if overlap(prefix, pool)]
        if not inside and prefix.prefixlen >= SHORTEST[prefix.version]:
            continue
        what = and_list(f"{format_path(path)} {pool}" for path, pool in inside) or "far more than one network"
        yield Finding(
            f"{prefix} lets in {what}",
            ("operations", "access", "management", f"[{prefix}]"),
            hint="name the prefixes of operators and collectors only",
            related=tuple(Related("a pool of the fabric", path) for path, _ in inside),
        )
