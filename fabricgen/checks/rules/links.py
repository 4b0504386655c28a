"""Rules on cables and their MTU: lengths, copper, and the path MTU that RDMA derives."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.beyond import NOTES
from fabricgen.checks.model import Finding, IntentView, PlanView, further, rule
from fabricgen.checks.rules.platforms import platform_of
from fabricgen.checks.rules.topology import host_links, host_path
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.diagnostics.words import and_list, counted, or_list
from fabricgen.physics.capacity import LARGEST_PATH_MTU_BYTES, least_mtu_bytes, roce_path_mtu_bytes
from fabricgen.physics.path_delay import REACH_M, media_for
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import HostLinkId, LinkId
from fabricgen.plan.model.topology import LinkGroup
from fabricgen.plan.planner.exceptions.links import link_group, name_of
from fabricgen.platforms.manifest.capabilities import Copper

SHORTEST_M = 0.5
_KM = 1000


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
                related=(Related("the medium", ("links", name, "cable", "media")),),
            )


@rule(
    "FG-TOP-043",
    "Cable shorter than the shortest on sale",
    severity=Severity.WARNING,
    why=(
        "Headroom follows from the length. A length written in kilometres gets the headroom of the shortest row "
        "of the table, and drops the frames on the real cable when PFC pauses."
    ),
    fix="Write metres.",
    source="NVIDIA, MCP4Y10-Nxxx product specifications: lengths of 0.5, 1, 1.5 and 2 metres",
)
def check_not_too_short(view: IntentView) -> Iterator[Finding]:
    """No cable is shorter than makers sell."""
    for name, link in sorted(view.intent.links.items()):
        length = link.cable.length_m
        if length < SHORTEST_M:
            in_km = length * _KM >= 1
            yield Finding(
                f"{length:g} m of {link.cable.media} is shorter than the shortest cable on sale, {SHORTEST_M:g} m",
                ("links", name, "cable", "length_m"),
                hint=f"if these are kilometres, write length_m: {length * _KM:g}"
                if in_km
                else f"use length_m: {SHORTEST_M:g} or more",
                related=(Related("the medium", ("links", name, "cable", "media")),),
            )


def _groups(view: PlanView) -> list[LinkGroup]:
    """Every group of links, those of each group of hosts among them."""
    named = {link.name: link for link in view.plan.links}
    named |= {group.link.name: group.link for group in view.plan.hosts}
    return [named[name] for name in sorted(named)]


def _group_of(plan: FabricPlan, link: LinkId) -> LinkGroup:
    """Return the link group of a link."""
    return plan.hosts[link.host.group].link if isinstance(link, HostLinkId) else plan.links[link.lower.tier + 1]


def _place_of_cable(view: PlanView, link: LinkId) -> IntentPath:
    """Return the place of the first exception that gives one of the links of a device another cable."""
    lower = name_of(view.plan, link.host if isinstance(link, HostLinkId) else link.lower)
    named = view.exceptions_of([lower])
    return next(((*path, "cable") for item, path in named if item.cable and lower in (item.link or ())), ())


def list_copper(view: PlanView) -> Iterator[tuple[LinkGroup, str, float, IntentPath]]:
    """Yield each cable that decides on negotiation at both ends: its group of links, medium, length and place."""
    found: dict[tuple[str, str, float], tuple[LinkGroup, IntentPath]] = {
        (link.name, link.media, link.length_m): (link, ("links", link.name, "cable", "media")) for link in _groups(view)
    }
    for identity, change in view.plan.exceptions.links.items():
        link = _group_of(view.plan, identity)
        cable = (link.name, change.media or link.media, change.length_m or link.length_m)
        if cable not in found:
            found[cable] = (link, _place_of_cable(view, identity))
    for (_, media, length_m), (link, path) in found.items():
        if link.autoneg(media, length_m):
            yield link, media, length_m, path


@rule(
    "FG-TOP-980",
    "Copper at 100G per lane, not proven to link up",
    severity=Severity.WARNING,
    why=(
        "Both ends are configured alike, but no public source confirms that this switch, this cable and this NIC "
        "firmware come up with each other, negotiated or forced: a board's media_settings.json has settings of its own "
        "end alone. Where they do not, the link stays down and no counter shows why."
    ),
    fix="Bring one such link up, look at its speed, FEC and error rate, and waive this with what was seen.",
    source=f"IEEE 802.3ck clause 162; sonic-net/SONiC, port-link-training-design.md, Overview; {NOTES}",
)
def check_copper(view: PlanView) -> Iterator[Finding]:
    """Copper whose bring-up is not documented for the switches at its ends."""
    for link, media, length_m, path in list_copper(view):
        tiers = [view.plan.tiers[number] for number in (link.lower, link.upper) if number >= 0]
        unsure = [
            tier.name
            for tier in tiers
            if (spec := view.switch(tier.platform)) and spec.switch.copper_negotiation is not Copper.DOCUMENTED
        ]
        forced = f"is forced, as its switches {'have settings for it' if link.negotiates else 'cannot negotiate'},"
        what = "negotiates" if link.autoneg(media, length_m) == "on" else forced
        if unsure:
            yield Finding(
                f"{length_m:g} m of {media} at {link.speed_gbps}G over {counted(link.lanes, 'lane')} {what} at both "
                f"ends; no source confirms that it comes up on {and_list(unsure)}",
                path,
                hint="use media: mmf or aoc, or waive this once such a link is seen up",
                related=platform_of(unsure[0]),
            )


_KERNEL = "Linux, include/rdma/ib_addr.h, iboe_get_mtu"


@rule(
    "FG-TOP-040",
    "Host links that cost RDMA its path MTU, or differ in it",
    severity=Severity.WARNING,
    why="A NIC sends the largest RDMA payload, 4096, 2048, 1024 …, that fits the interface with 96 bytes of headers. "
    "One step less doubles the packets, and with them headers, CNPs and the work of NIC and switch. Of two hosts with "
    "different ones a program that takes its own port's sends packets that the other end rejects.",
    fix="Use one MTU of 4192 or more on the links of all hosts, and no less on all links above them.",
    source=f"{_KERNEL}; NVIDIA/nccl, src/transport/net_ib (the smaller of both ends); InfiniBand architecture, "
    "volume 1, section 9.7.4",
)
def check_path_mtu(view: IntentView) -> Iterator[Finding]:
    """Host links leave RDMA its largest path MTU, and all give the same one."""
    least = least_mtu_bytes(LARGEST_PATH_MTU_BYTES)
    links = [(name, link) for name, link, groups in host_links(view) if groups]
    largest_name, largest = max(links, key=lambda item: roce_path_mtu_bytes(item[1].mtu), default=("", None))
    most = roce_path_mtu_bytes(largest.mtu) if largest else 0
    for link_name, link, groups in host_links(view):
        path_mtu = roce_path_mtu_bytes(link.mtu)
        if link.mtu < least:
            yield Finding(
                f"mtu {link.mtu} leaves RDMA a path MTU of {path_mtu} bytes; "
                f"{LARGEST_PATH_MTU_BYTES} need an mtu of {least}",
                ("links", link_name, "mtu"),
                hint=f"use mtu: {least} or more, such as the default of 9100",
                related=tuple(Related(f"the NICs of {name}", host_path(view, name, "nic")) for name in groups),
            )
        if groups and largest and path_mtu < most:
            yield Finding(
                f"mtu {link.mtu} gives RDMA on {link_name} a path MTU of {path_mtu} bytes; mtu {largest.mtu} of "
                f"{largest_name} gives {most}",
                ("links", link_name, "mtu"),
                hint=f"use mtu: {largest.mtu}",
                related=(Related("the larger MTU", ("links", largest_name, "mtu")),),
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
                message = f"mtu {link.mtu} is below the {host_link.mtu} of links.{host_name}"
                related = (Related("the host links", ("links", host_name, "mtu")),)
                yield Finding(message, ("links", name, "mtu"), hint=f"use {host_link.mtu} or more", related=related)


@further("FG-TOP-025")
def check_host_exception(view: PlanView) -> Iterator[Finding]:
    """No exception gives a host link a larger MTU than the links between switches have."""
    if not view.intent.exceptions or len(view.plan.links) < 2:
        return
    smallest = min(view.plan.links[1:], key=lambda link: link.mtu_bytes)
    for item, path in view.intent.placed_exceptions:
        mtu = (item.set or {}).get("mtu")
        if not item.link or not isinstance(mtu, int) or mtu <= smallest.mtu_bytes:
            continue
        group = link_group(view.plan, view.names, item.link)
        if group and group.lower < 0:
            message = f"mtu {mtu} of this host link is above the {smallest.mtu_bytes} of links.{smallest.name}"
            related = (Related("the links above", ("links", smallest.name, "mtu")),)
            yield Finding(message, (*path, "set", "mtu"), hint=f"use {smallest.mtu_bytes} or less", related=related)
