"""What the language can say and no stage turns into configuration yet: understood, not implemented."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, Needs, rule
from fabricgen.checks.rules.topology import host_path
from fabricgen.diagnostics import IntentPath

WHY = "The intent is understood, but nothing would be rendered from it; a silent omission is worse than an error."
DOCS = "docs/intent.md, what renders"


@rule(
    "FG-TOP-901", "Several planes are not rendered yet", needs=Needs.INTENT, why=WHY, fix="Use one plane.", source=DOCS
)
def check_planes(view: IntentView) -> Iterator[Finding]:
    """One plane, seen by hosts as separate interfaces."""
    planes = view.intent.planes
    if planes and planes.count > 1:
        yield Finding(f"{planes.count} planes are not rendered yet", ("planes",), hint="use one plane")
    if planes and planes.max and planes.max > 1:
        yield Finding("a maximum of several planes is not rendered yet", ("planes", "max"), hint="remove it")
    if planes and planes.host != "separate":
        yield Finding(f"planes.host: {planes.host} is not rendered yet", ("planes", "host"), hint="remove it")


@rule(
    "FG-TOP-902",
    "Leaf pairs and bonds are not rendered yet",
    needs=Needs.INTENT,
    why=WHY,
    fix="Use leafs_per_group: 1 and bond: none.",
    source=DOCS,
)
def check_dual_tor(view: IntentView) -> Iterator[Finding]:
    """One leaf per rail group, no bond."""
    named: list[tuple[IntentPath, object]] = [(("attachment",), view.intent.attachment)]
    attachment = view.intent.attachment
    if attachment.leafs_per_group != 1:
        yield Finding("leafs_per_group: 2 is not rendered yet", (*named[0][0], "leafs_per_group"), hint="use 1")
    if attachment.bond != "none":
        yield Finding(f"bond: {attachment.bond} is not rendered yet", (*named[0][0], "bond"), hint="use none")


@rule(
    "FG-TOP-903",
    "Rail-only stripes are not rendered yet",
    needs=Needs.INTENT,
    why=WHY,
    fix="Use mesh or {stripe: index}.",
    source=DOCS,
)
def check_rail_stripes(view: IntentView) -> Iterator[Finding]:
    """No stripe by rail."""
    for name, link in sorted(view.intent.links.items()):
        if link.pattern is not None and link.pattern.stripe == "rail":
            yield Finding("{stripe: rail} is not rendered yet", ("links", name, "pattern", "stripe"), hint="use mesh")


@rule(
    "FG-TOP-904",
    "Zones and more than three tiers are not rendered yet",
    needs=Needs.INTENT,
    why=WHY,
    fix="Use pods, and at most three tiers.",
    source=DOCS,
)
def check_depth(view: IntentView) -> Iterator[Finding]:
    """At most three tiers, no zones."""
    if view.intent.zones is not None:
        yield Finding("zones are not rendered yet", ("zones",), hint="remove zones")
    if len(view.intent.tiers) > 3:
        yield Finding(
            f"{len(view.intent.tiers)} tiers are not rendered yet", ("tiers",), on_key=True, hint="use three at most"
        )
    for name, tier in sorted(view.intent.tiers.items()):
        if tier.per == "zone":
            yield Finding("per: zone is not rendered yet", ("tiers", name, "per"), hint="use pod or fabric")


@rule(
    "FG-HST-901",
    "Mixed and spare hosts are not rendered yet",
    needs=Needs.INTENT,
    why=WHY,
    fix="Use one host group without spares.",
    source=DOCS,
)
def check_host_groups(view: IntentView) -> Iterator[Finding]:
    """One group of hosts, in every unit, without spares or an attachment of its own."""
    for name in sorted(view.intent.hosts)[1:]:
        yield Finding(
            f"a second host group {name!r} is not rendered yet", ("hosts", name), on_key=True, hint="use one group"
        )
    for name, group in sorted(view.intent.hosts.items()):
        for key in ("backup_per_unit", "units", "attachment", "nvlink_domain"):
            if getattr(group, key) is not None:
                yield Finding(
                    f"hosts.{key} is not rendered yet", host_path(view, name, key), on_key=True, hint=f"remove {key}"
                )


@rule(
    "FG-HST-902",
    "The collective library's settings are not rendered yet",
    needs=Needs.INTENT,
    why=WHY,
    fix="Use library: nccl without fault_tolerance and telemetry.",
    source=DOCS,
)
def check_library(view: IntentView) -> Iterator[Finding]:
    """NCCL only."""
    c = view.intent.collectives
    if c.library != "nccl":
        yield Finding(f"library {c.library!r} is not rendered yet", ("collectives", "library"), hint="use nccl")
    for key in ("fault_tolerance", "telemetry"):
        if getattr(c, key):
            yield Finding(f"collectives.{key} is not rendered yet", ("collectives", key), hint=f"remove {key}")


@rule(
    "FG-ADR-901",
    "IPv6 and unnumbered links are not rendered yet",
    needs=Needs.INTENT,
    why=WHY,
    fix="Use families: [ipv4] and a fabric_links pool.",
    source=DOCS,
)
def check_families(view: IntentView) -> Iterator[Finding]:
    """IPv4, numbered."""
    a = view.intent.addressing
    if a.families != ["ipv4"]:
        yield Finding(f"families {a.families} are not rendered yet", ("addressing", "families"), hint="use [ipv4]")
    if isinstance(a.fabric_links, str):
        yield Finding("unnumbered links are not rendered yet", ("addressing", "fabric_links"), hint="use a pool")


@rule(
    "FG-RTE-901", "BGP on hosts is not rendered yet", needs=Needs.INTENT, why=WHY, fix="Use hosts: static.", source=DOCS
)
def check_host_bgp(view: IntentView) -> Iterator[Finding]:
    """Hosts route statically."""
    if view.intent.routing.hosts != "static":
        yield Finding("routing.hosts: bgp is not rendered yet", ("routing", "hosts"), hint="use static")


@rule("FG-EXP-901", "Workloads are not analysed yet", needs=Needs.INTENT, why=WHY, fix="Remove workload.", source=DOCS)
def check_workload(view: IntentView) -> Iterator[Finding]:
    """No workload file."""
    if view.intent.workload is not None:
        yield Finding("workload is not analysed yet", ("workload",), on_key=True, hint="remove it")
