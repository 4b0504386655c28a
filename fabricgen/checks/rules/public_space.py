"""Rules on whose addresses the pools are."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, rule
from fabricgen.checks.rules.addressing import RESERVED, overlap, pools_of
from fabricgen.diagnostics import Related, Severity, format_path
from fabricgen.intent.types import IPNetwork

OPEN = tuple(
    map(
        IPNetwork,
        (
            "10.0.0.0/8",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "100.64.0.0/10",
            "192.0.2.0/24",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "198.18.0.0/15",
            "fc00::/7",
            "2001:db8::/32",
            "3fff::/20",
            "2001:2::/48",
        ),
    )
)
"""Ranges without a particular owner: private (RFC 1918, RFC 4193), shared (RFC 6598), for documentation
(RFC 5737, RFC 3849, RFC 9637) and for benchmarks (RFC 2544, RFC 5180)."""

_EXAMPLES = {4: "10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16", 6: "a random prefix of fd00::/8"}


@rule(
    "FG-ADR-030",
    "Pool in public address space",
    severity=Severity.WARNING,
    why="The addresses belong to another network: traffic to their owner stays in the fabric, and a route that leaks "
    "counts as a hijack. Most such pools are private ones with a wrong digit.",
    fix="Use private addresses: 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 (RFC 1918) or a random prefix of fd00::/8 "
    "(RFC 4193). Waive it if the range is allocated to you.",
    source="RFC 1918 section 3; RFC 4193 section 3.2; RFC 6598; IANA IPv4 and IPv6 Special-Purpose Address Registries",
)
def check_public_space(view: IntentView) -> Iterator[Finding]:
    """Every pool lies in a private range, or in one that is set aside for such uses."""
    for path, pool in pools_of(view.intent):
        if any(pool in known for known in OPEN) or any(overlap(pool, reserved) for reserved, _ in RESERVED):
            continue
        touched = next((known for known in OPEN if overlap(pool, known)), None)
        private = f" beside those of {touched}" if touched else ""
        yield Finding(
            f"{format_path(path)} {pool} holds public addresses{private}",
            path,
            hint=f"use {_EXAMPLES[pool.version]}, or waive this if the range is yours",
            related=(Related("the families", ("addressing", "families")),) if pool.version == 6 else (),
        )
