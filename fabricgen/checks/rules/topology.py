"""Rules on tiers, links, attachment and names."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from fabricgen.checks.model import Finding, IntentView, PlanView, further, rule
from fabricgen.diagnostics import Related, Severity, set_to
from fabricgen.diagnostics.words import or_list
from fabricgen.intent.topology import Links
from fabricgen.physics.path_delay import REACH_M, media_for


@rule(
    "FG-TOP-020",
    "Cable longer than its medium reaches",
    why="The link trains with errors or not at all, and FEC hides it until load.",
    fix="Use a medium with the reach.",
    source="IEEE 802.3ck (copper, 2 m; assemblies to 3 m), 802.3db, 802.3cu",
    waivable=True,
)
def check_reach(view: IntentView) -> Iterator[Finding]:
    """A cable is no longer than its medium reaches."""
    for name, link in sorted(view.intent.links.items()):
        reach = REACH_M[link.cable.media]
        if link.cable.length_m > reach:
            further = media_for(link.cable.length_m)
            yield Finding(
                f"{link.cable.length_m:g} m of {link.cable.media} is longer than its reach of {reach} m",
                ("links", name, "cable", "length_m"),
                hint=f"use media {or_list(further)}" if further else "no medium reaches that far",
                fixes=set_to(("links", name, "cable", "media"), further[0], hinted=True) if further else (),
                related=(Related("the medium", ("links", name, "cable", "media")),),
            )


@further("FG-TOP-006")
def check_host_links(view: IntentView) -> Iterator[Finding]:
    """Host links carry neither per_pair nor pattern."""
    for name, link, _ in host_links(view):
        if link.per_pair != 1:
            yield Finding(
                f"links.{name}.per_pair is {link.per_pair}; a NIC port is one cable",
                ("links", name, "per_pair"),
                hint="remove per_pair",
                value=None,
            )
        if link.pattern is not None:
            yield Finding(
                f"links.{name}.pattern is set; attachment decides how hosts attach",
                ("links", name, "pattern"),
                on_key=True,
                hint="remove pattern",
                value=None,
            )


@rule(
    "FG-TOP-025",
    "MTU smaller above than below",
    why="A packet that fits the host link is dropped further up; RoCE does not fragment.",
    fix="Use one MTU everywhere, or grow it towards the spine; a host link has none above that of every link "
    "between switches.",
    source="InfiniBand annex A17 (RoCEv2): no fragmentation; RFC 8200 section 4.5",
)
def check_mtu_grows(view: IntentView) -> Iterator[Finding]:
    """No fabric link has a smaller MTU than the host links."""
    hosts = {name: link for name, link, _ in host_links(view)}
    for host_name, host_link in sorted(hosts.items()):
        for name, link in sorted(view.intent.links.items()):
            if name not in hosts and link.mtu < host_link.mtu:
                yield Finding(
                    f"mtu {link.mtu} is below the {host_link.mtu} of links.{host_name}",
                    ("links", name, "mtu"),
                    hint=f"use {host_link.mtu} or more",
                    value=host_link.mtu,
                    related=(Related("the host links", ("links", host_name, "mtu")),),
                )


@rule(
    "FG-TOP-026",
    "Upper tier with a single switch",
    severity=Severity.WARNING,
    why="When it fails, or is drained, the fabric is cut.",
    fix="Use two or more.",
    source="RFC 7938 section 3.2",
)
def check_tier_redundancy(view: PlanView) -> Iterator[Finding]:
    """Every leaf reaches at least two switches of each upper tier."""
    for tier in view.plan.tiers[1:]:
        if view.plan.links[tier.number].width < 2:
            yield Finding(
                f"a switch of tier {view.plan.tiers[tier.number - 1].name!r} meets one switch of "
                f"{tier.name!r}; its failure cuts it off",
                ("tiers", tier.name, "count"),
                hint="use 2 or more",
                value=2,
            )


@rule(
    "FG-TOP-031",
    "Tier built per less than the tier below it",
    why="Switches below are shared by several of its scopes and would meet those of one; the others stand idle.",
    fix="Build it per the same scope as the tier below, or a wider one.",
    source="docs/intent.md, tiers",
)
def check_scopes_widen(view: PlanView) -> Iterator[Finding]:
    """No tier is built per a smaller scope than the tier below it."""
    order = ("unit", "pod", "zone", "fabric")
    for lower, tier in pairwise(view.plan.tiers):
        if order.index(tier.scope) < order.index(lower.scope):
            yield Finding(
                f"tier {tier.name!r} is built per {tier.scope}, tier {lower.name!r} below it per {lower.scope}",
                ("tiers", tier.name, "per"),
                hint=f"use per: {lower.scope}",
                value=lower.scope,
                related=(Related("the tier below", ("tiers", lower.name)),),
            )


def host_links(view: IntentView) -> Iterator[tuple[str, Links, list[str]]]:
    """Every link group of hosts, with the host groups that use it."""
    ends = {name: name.partition("-")[::2] for name in sorted(view.intent.links)}
    common = {upper for lower, upper in ends.values() if lower == "host"}
    groups = set(view.intent.hosts) - set(view.intent.tiers) - {"host"}
    own = {lower for lower, upper in ends.values() if lower in groups and upper in (common or {upper})}
    for name, (lower, _) in ends.items():
        if lower == "host" and "host" not in view.intent.tiers:
            yield name, view.intent.links[name], sorted(set(view.intent.hosts) - own)
        elif lower in own:
            yield name, view.intent.links[name], [lower]


def host_path(view: IntentView | PlanView, group: str, *rest: str) -> tuple[str, ...]:
    """Path of a host group; the group ``gpu`` may be written without its name, which positions resolve."""
    return ("hosts", group, *rest)
