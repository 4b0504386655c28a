"""ECMP settings of a tier, and rules on balancing beside the hash: flowlets, spraying, adaptive routing."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.catalog.host_records import NicModel
from fabricgen.checks.model import Finding, IntentView, PlanView, further, rule
from fabricgen.checks.rules.platforms import platform_of, tier_platforms
from fabricgen.checks.rules.topology import host_path
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.diagnostics.words import and_list
from fabricgen.intent.topology import Ecmp, HashWord
from fabricgen.physics.path_delay import gap_above_us, path_spread_us
from fabricgen.plan.planner.routing import fabric_links
from fabricgen.plan.planner.shape import attachment_of, attachment_path
from fabricgen.platforms.manifest.spec import PlatformSpec


def tier_key(view: IntentView | PlanView, tier: str, key: str) -> IntentPath:
    """Path of an ECMP setting: the tier's own if it has one, else the fabric's."""
    own = view.intent.tiers[tier].ecmp
    if own is not None and getattr(own, key) is not None:
        return ("tiers", tier, "ecmp", key)
    return ("routing", "ecmp", key)


def ecmp_of(view: IntentView | PlanView, tier: str) -> Ecmp:
    """Multipath settings of a tier."""
    return view.intent.routing.ecmp.with_own(view.intent.tiers[tier].ecmp)


def hash_of(view: IntentView, tier: str) -> list[HashWord]:
    """Hash words of a tier."""
    return ecmp_of(view, tier).hash


HASHED = ("auto", "static")
"""Words of the intent with which nothing but the hash, or the makers' advice, chooses."""
SPRAYED = ("per_packet", "adaptive")
"""Words with which packets of one flow take several paths."""


@rule(
    "FG-RTE-018",
    "Per-packet spraying to NICs that require order",
    why="A NIC that takes a packet out of order for a loss asks for all that follow again (go-back-N). Adaptive "
    "routing requires NICs that take part in it.",
    fix="Use static or flowlet, or NICs that place packets out of order: ConnectX-8 or BlueField-3 for adaptive.",
    source="The NIC's file in the catalog; NVIDIA Cumulus Linux user guide, Adaptive Routing",
)
def check_packet_order(view: IntentView) -> Iterator[Finding]:
    """Spraying needs NICs that place packets out of order, adaptive routing those of its maker."""
    reported: set[tuple[IntentPath, str]] = set()
    for name in sorted(view.intent.tiers):
        word, path = ecmp_of(view, name).load_balancing, tier_key(view, name, "load_balancing")
        if word not in SPRAYED:
            continue
        for group_name, group in sorted(view.intent.hosts.items()):
            nic = view.catalog.nics.get(group.nic)
            family = view.nic(nic.family) if nic else None
            lacks = _lacks(word, nic, family)
            if nic is None or not lacks or (path, group_name) in reported:
                continue
            reported.add((path, group_name))
            message = f"load_balancing is {word}; {group.nic} of {group_name} {lacks}"
            related = (Related("the NIC", host_path(view, group_name, "nic")),)
            yield Finding(message, path, hint="use static", related=related)


def _lacks(word: str, nic: NicModel | None, family: PlatformSpec | None) -> str:
    """Return what a NIC lacks for a way to spray; empty if nothing."""
    if nic is None:
        return ""
    if not nic.out_of_order:
        return "is not known to place packets out of order"
    alone = word == "adaptive" and family is not None and not family.nic.adaptive
    return "takes no part in the adaptive routing of the switches" if alone else ""


_LEAST_GAP_US = 16


@rule(
    "FG-RTE-043",
    "Resilient hashing beside balancing by load",
    why="A table that keeps flows where they are and one that moves them by load exclude each other in the ASIC.",
    fix="Take out resilient, or use load_balancing: static.",
    source="Juniper, Dynamic Load Balancing: DLB and resilient hashing together fail to commit; NVIDIA, Cumulus Linux "
    "user guide, Adaptive Routing",
)
def check_resilient_alone(view: IntentView) -> Iterator[Finding]:
    """A tier hashes resiliently or balances by load."""
    for name in sorted(view.intent.tiers):
        ecmp = ecmp_of(view, name)
        if ecmp.resilient and ecmp.load_balancing not in HASHED:
            message = f"resilient is true; load_balancing of tier {name!r} is {ecmp.load_balancing}"
            related = (Related("the balancing", tier_key(view, name, "load_balancing")),)
            yield Finding(message, tier_key(view, name, "resilient"), hint="use false", related=related)


@rule(
    "FG-RTE-046",
    "Flowlet gap below the spread of path delays",
    severity=Severity.WARNING,
    why="A flow that moves to a shorter path overtakes its own packets; NICs that require order ask for them again.",
    fix="Use flowlet_gap_us: auto, or a gap above the difference between the longest and the shortest path.",
    source="fabricgen/physics/path_delay.py; Juniper, Dynamic Load Balancing, flowlet mode",
)
def check_gap_wide(view: PlanView) -> Iterator[Finding]:
    """The pause that ends a flowlet is longer than paths differ."""
    spread_us = path_spread_us(link.length_m for link in view.plan.links[1:])
    for tier in view.plan.tiers:
        gap = tier.routing.flowlet_gap_us
        if tier.routing.load_balancing == "flowlet" and 0 < gap <= spread_us:
            links = [Related("the cables", ("links", name, "cable")) for name, _ in fabric_links(view.intent)]
            yield Finding(
                f"flowlet_gap_us of tier {tier.name!r} is {gap}; delays of its paths differ by up to {spread_us:.1f}",
                tier_key(view, tier.name, "flowlet_gap_us"),
                hint=f"use auto, or {gap_above_us(spread_us, _LEAST_GAP_US)} or more",
                related=tuple(links),
            )


_GUIDE = "NVIDIA, Cumulus Linux 5.16 user guide, Equal Cost Multipath Load Sharing, Adaptive Routing"


def adaptive_tiers(view: IntentView) -> Iterator[tuple[str, PlatformSpec]]:
    """Yield the tiers that are to route adaptively on a platform that can."""
    for name, spec in tier_platforms(view):
        if ecmp_of(view, name).load_balancing == "adaptive" and spec.switch.adaptive != ():
            yield name, spec


@rule(
    "FG-RTE-040",
    "Adaptive routing where not everything takes part",
    why="Every next hop of a group has to take part: links of other speeds, switches of other platforms and bonds of "
    "hosts do not, and there packets are hashed unpredictably.",
    fix="Use two links of half the speed in place of each, switches of one platform, hosts without bonds; or another "
    "load balancing.",
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


@further("FG-RTE-040")
def check_adaptive_ends(view: IntentView) -> Iterator[Finding]:
    """Every tier runs adaptive routing, or none does, and no host bonds where leafs do."""
    adaptive = [name for name, _ in adaptive_tiers(view)]
    for name, spec in tier_platforms(view) if adaptive else ():
        if ecmp_of(view, name).load_balancing == "adaptive":
            continue
        can = spec.switch.adaptive != ()
        what = f"is {ecmp_of(view, name).load_balancing}" if can else f"runs {spec.name}, which has none"
        message = f"tier {adaptive[0]!r} routes adaptively; tier {name!r} {what}"
        hint = "use adaptive in routing.ecmp" if can else "use static"
        yield Finding(message, tier_key(view, adaptive[0], "load_balancing"), hint=hint, related=platform_of(name))
    for name, _ in adaptive_tiers(view):
        for group in sorted(view.intent.hosts):
            if attachment_of(view.intent, group).bond == "none" or not any(
                link.endswith(f"-{name}") and link.partition("-")[0] not in view.intent.tiers
                for link in view.intent.links
            ):
                continue
            message = f"hosts of {group} bond; tier {name!r} routes adaptively, which bonds take no part in"
            related = (Related("the balancing", tier_key(view, name, "load_balancing")),)
            yield Finding(message, (*attachment_path(view.intent, group), "bond"), hint="use none", related=related)


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
