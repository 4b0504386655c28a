"""Rules on adaptive routing: which links it runs on, and what else has to take part."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, rule
from fabricgen.checks.rules.platforms import platform_of, tier_platforms
from fabricgen.checks.rules.tier_settings import ecmp_of, tier_key
from fabricgen.checks.rules.topology import host_path
from fabricgen.diagnostics import Fix, KeyChange, Related, Severity
from fabricgen.diagnostics.words import and_list
from fabricgen.plan.planner.balancing import fabric_links
from fabricgen.plan.planner.shape import attachment_of, attachment_path
from fabricgen.platforms.manifest.spec import PlatformSpec

_GUIDE = "NVIDIA, Cumulus Linux 5.16 user guide, Equal Cost Multipath Load Sharing, Adaptive Routing"


def adaptive_tiers(view: IntentView) -> Iterator[tuple[str, PlatformSpec]]:
    """Yield the tiers that are to route adaptively on a platform that can."""
    for name, spec in tier_platforms(view):
        if ecmp_of(view, name).load_balancing == "adaptive" and spec.switch.adaptive != ():
            yield name, spec


@rule(
    "FG-RTE-040",
    "Adaptive routing on links that it does not run on",
    why="Every next hop of a group has to take part: on a link that does not, packets are hashed unpredictably.",
    fix="Use two links of half the speed in place of each, or another load balancing.",
    source=_GUIDE + ": Spectrum-4 at 200G and 400G, not on 800G links",
)
def check_adaptive_speeds(view: IntentView) -> Iterator[Finding]:
    """All links between switches of an adaptive tier run at speeds that adaptive routing supports."""
    reported = set()
    for name, spec in adaptive_tiers(view):
        speeds = spec.switch.adaptive or ()
        for link_name, link in fabric_links(view.intent):
            if name not in link_name.split("-") or not speeds or link.speed in speeds or link_name in reported:
                continue
            reported.add(link_name)
            least = max((gbps for gbps in speeds if link.speed % gbps == 0), default=max(speeds))
            pairs = link.per_pair * max(1, link.speed // least)
            to = ("links", link_name)
            yield Finding(
                f"links of {link_name} run at {link.speed}G; adaptive routing of tier {name!r} runs at "
                f"{and_list(map(str, speeds))}G",
                (*to, "speed"),
                hint=f"use {max(1, link.speed // least)} x {least}G: speed: {least}G and per_pair: {pairs}",
                related=(Related("the balancing", tier_key(view, name, "load_balancing")), *platform_of(name)),
            )


@rule(
    "FG-RTE-041",
    "Adaptive routing beside other switches",
    why="The maker supports it where all switches and NICs are of its platform; others hash what is sprayed elsewhere.",
    fix="Use switches of one platform with adaptive routing in all tiers, or another load balancing.",
    source=_GUIDE,
)
def check_adaptive_neighbours(view: IntentView) -> Iterator[Finding]:
    """Every tier runs adaptive routing, or none does."""
    adaptive = [name for name, _ in adaptive_tiers(view)]
    for name, spec in tier_platforms(view) if adaptive else ():
        if ecmp_of(view, name).load_balancing == "adaptive":
            continue
        can = spec.switch.adaptive != ()
        what = f"is {ecmp_of(view, name).load_balancing}" if can else f"runs {spec.name}, which has none"
        yield Finding(
            f"tier {adaptive[0]!r} routes adaptively; tier {name!r} {what}",
            tier_key(view, adaptive[0], "load_balancing"),
            hint="use adaptive in routing.ecmp" if can else "use static",
            fixes=() if can else (Fix((KeyChange(tier_key(view, adaptive[0], "load_balancing"), "static"),)),),
            related=platform_of(name),
        )


@rule(
    "FG-RTE-042",
    "Adaptive routing to hosts that bond",
    why="Adaptive routing is not supported on bonds, their members, subinterfaces and VLAN interfaces.",
    fix="Attach hosts without bonds, or use another load balancing.",
    source=_GUIDE,
)
def check_adaptive_bonds(view: IntentView) -> Iterator[Finding]:
    """No host bonds where leafs route adaptively."""
    for name, _ in adaptive_tiers(view):
        for group in sorted(view.intent.hosts):
            if attachment_of(view.intent, group).bond == "none" or not any(
                link.endswith(f"-{name}") and link.partition("-")[0] not in view.intent.tiers
                for link in view.intent.links
            ):
                continue
            yield Finding(
                f"hosts of {group} bond; tier {name!r} routes adaptively, which bonds take no part in",
                (*attachment_path(view.intent, group), "bond"),
                hint="use none",
                value="none",
                related=(Related("the balancing", tier_key(view, name, "load_balancing")),),
            )


@rule(
    "FG-RTE-986",
    "Spraying beyond what the NIC's maker supports",
    severity=Severity.INFO,
    why="The maker documents packets out of order for its NICs behind switches with adaptive routing only.",
    fix="No action is needed; measure retransmissions on one pair of hosts before jobs run.",
    source=_GUIDE + "; NVIDIA network operator, Spectrum-X configuration",
)
def check_spraying_supported(view: IntentView) -> Iterator[Finding]:
    """Say where NICs of adaptive routing take packets that other switches spray."""
    for name, _ in tier_platforms(view):
        for group_name, group in sorted(view.intent.hosts.items()):
            nic = view.catalog.nics.get(group.nic)
            family = view.nic(nic.family) if nic else None
            if ecmp_of(view, name).load_balancing != "per_packet" or not family or not family.nic.adaptive:
                continue
            if nic and nic.out_of_order:
                yield Finding(
                    f"{group.nic} of {group_name} is supported with packets out of order behind adaptive routing only; "
                    f"tier {name!r} sprays without it",
                    tier_key(view, name, "load_balancing"),
                    related=(Related("the NIC", host_path(view, group_name, "nic")), *platform_of(name)),
                )
