"""Table of what addresses, BGP, bonds and links ask of both ends: switches, systems of hosts and NICs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from fabricgen.checks.beyond import (
    LACKING,
    NOTES,
    TOO_MUCH,
    Asked,
    Row,
    Who,
    is_absent,
    is_at_most,
    is_one_of,
    is_there,
    stated,
    table,
)
from fabricgen.checks.model import IntentView, PlanView
from fabricgen.checks.rules.addressing import FABRIC_POOLS
from fabricgen.checks.rules.attachment import attachments
from fabricgen.checks.rules.lossless_mode import DCQCN, parameters_of
from fabricgen.checks.rules.platforms import (
    ask_release,
    each_family,
    each_link_end,
    each_linked_nic,
    each_planned_tier,
    each_session,
    each_speaker,
    each_system,
    each_tier,
    leafs_and_systems,
)
from fabricgen.diagnostics import IntentPath, Related, Severity, register
from fabricgen.diagnostics.words import and_list, or_list
from fabricgen.intent.network import UNNUMBERED
from fabricgen.plan.planner.plan_codes import NOT_IN_RELEASE
from fabricgen.plan.planner.shape import attachment_path
from fabricgen.platforms.manifest.capabilities import HostRoutes, LacpIdentity, SwitchCapabilities
from fabricgen.platforms.manifest.spec import PlatformSpec

LACP, ROUTED = "lacp", "routed"
FORMS: Mapping[str, str] = {LACP: "an LACP bond across two leafs", ROUTED: "a routed LACP bond across two leafs"}
"""Forms of a bond by the word of the intent."""


def can_bond(spec: PlatformSpec, form: str, families: Collection[str]) -> bool:
    """Return whether a leaf or a host's system is written as one end of a form of bond over two leafs."""
    can = spec.capabilities
    if not isinstance(can, SwitchCapabilities):
        return spec.speaker.bond_lacp
    return can.bond_routed if form == ROUTED else can.bond_lacp and not any(_gaps(can, families, accepted=True))


def lacks_port_ids(spec: PlatformSpec, families: Collection[str]) -> bool:
    """Return whether a leaf is written as one end of a bond in one subnet, and lacks port ids of its own only."""
    can = spec.capabilities
    return isinstance(can, SwitchCapabilities) and can_bond(spec, LACP, families) and not can.lacp_port_ids


def other_form(spec: PlatformSpec, form: str, families: Collection[str]) -> str:
    """Return the form that a leaf is written with instead; empty where there is none."""
    if not isinstance(spec.capabilities, SwitchCapabilities):
        return ""
    return next((word for word in FORMS if word != form and can_bond(spec, word, families)), "")


def missing_for_bond(spec: PlatformSpec, form: str, families: Collection[str]) -> str:
    """Return why a platform cannot have a form of bond, to follow a sentence; of a leaf also what its system lacks."""
    can = spec.capabilities
    if not isinstance(can, SwitchCapabilities):
        return spec.because("bond_lacp")
    if form == ROUTED:
        return spec.because("bond_routed")
    gaps = and_list([*_gaps(can, families, accepted=False), *([] if can.bond_lacp else ["a template"])])
    return f"{spec.because('bond_lacp')}; for one subnet on both leafs it lacks {gaps}"


def _gaps(can: SwitchCapabilities, families: Collection[str], *, accepted: bool) -> Iterator[str]:
    """Yield what a system lacks of one subnet for a pair of leafs, unless it may be accepted, the system id first."""
    if can.lacp_system_id is LacpIdentity.NONE:
        yield "an LACP system id to share"
    if not (can.lacp_port_ids or accepted):
        yield "LACP port ids of each leaf's own"
    if can.host_routes in (HostRoutes.NONE, HostRoutes.AGENT):
        yield "host routes from ARP" + (" without an agent" if can.host_routes is HostRoutes.AGENT else "")
    elif can.host_routes is HostRoutes.IPV4 and "ipv6" in families:
        yield "host routes from ND"
    if not can.local_proxy_arp:
        yield "local proxy ARP"


HOSTS, BFD, TTL = ("routing", "hosts"), ("routing", "bfd"), ("routing", "security", "ttl")
FAMILIES: IntentPath = ("addressing", "families")
_OTHER = {"ipv4": "ipv6", "ipv6": "ipv4"}
"""The family that is left where one is not carried."""
Asks = Callable[[IntentView, Who], Iterable[Asked]]


def each_speaking_system(view: IntentView) -> Iterator[Who]:
    """Ask the systems of hosts that speak BGP."""
    yield from each_system(view) if view.intent.routing.hosts == "bgp" else ()


def _second_tier(view: PlanView, who: Who) -> list[Asked]:
    """The tier above leafs that are not told apart by addresses of their links."""
    above = view.plan.addressing.fabric_links is None and [tier.name for tier in view.plan.tiers[1:2]] == [who.key]
    return [Asked(("addressing", "fabric_links"))] if above else []


def _host_bgp(view: IntentView, who: Who, *, ipv6: bool = False) -> list[Asked]:
    asked = view.intent.routing.hosts != "static" and (not ipv6 or "ipv6" in view.intent.addressing.families)
    return [Asked(HOSTS, related=(Related("the families", FAMILIES),))] if asked else []


def _host_bgp_in_ipv6(view: IntentView, who: Who) -> list[Asked]:
    return _host_bgp(view, who, ipv6=True) if who.can.hosts_bgp else []


def each_end_of_hosts(view: IntentView) -> Iterator[Who]:
    """Ask the platforms of leafs and the systems of hosts once."""
    ends = dict(end for name in sorted(view.intent.hosts) for end in reversed(leafs_and_systems(view, name)))
    for platform, where in sorted(ends.items()):
        spec = view.speaker(platform)
        if spec is not None:
            yield Who(spec.speaker, spec.name, where, where[1], "chosen here", spec=spec)


def _family(family: str) -> Asks:
    """Return what asks for an address family, with its pools."""

    def asks(view: IntentView, who: Who) -> Iterator[Asked]:
        pools = [name for name in FABRIC_POOLS if getattr(getattr(view.intent.addressing, name), family, None)]
        if family in view.intent.addressing.families:
            mended = who.can.ipv4 or who.can.ipv6
            hint = f"use families: [{_OTHER[family]}]" if mended else "use another platform"
            related = tuple(Related("a pool of it", ("addressing", name, family)) for name in pools)
            yield Asked(FAMILIES, None, {"hint": hint}, related)

    return asks


def each_end_of_bonds(view: IntentView) -> Iterator[Who]:
    """Ask leafs, systems and NICs of every group of hosts that bonds."""
    for group, attachment, path in attachments(view):
        words = {"group": group, "form": attachment.bond, "at": (*path, "bond")}
        for platform, where in leafs_and_systems(view, group) if attachment.bond != "none" else ():
            spec = view.speaker(platform)
            if spec is not None:
                yield Who(spec.capabilities, spec.name, where, group, "chosen here", words=words, spec=spec)


def _of_leafs(form: str) -> Callable[[IntentView, Who], Iterator[Asked]]:
    """Ask a leaf whose hosts have a form of bond; of a routed one, where something is above it."""

    def asks(view: IntentView, who: Who) -> Iterator[Asked]:
        is_leaf = isinstance(who.can, SwitchCapabilities) and (form == LACP or len(view.intent.tiers) > 1)
        if is_leaf and who.words["form"] == form and isinstance(who.words["at"], tuple):
            yield Asked(who.words["at"])

    return asks


def _bond(view: IntentView, who: Who) -> Iterator[Asked]:
    """The form of a bond, and what its end has instead."""
    families, form, spec = view.intent.addressing.families, str(who.words["form"]), who.spec
    if spec is not None:
        other = other_form(spec, form, families)
        words = {
            "bond": FORMS[form],
            "missing": missing_for_bond(spec, form, families),
            "other": other or "none",
            "hint": f"use bond: {other}, or bond: none" if other else "use bond: none",
            "alone": form == LACP and lacks_port_ids(spec, families),
        }
        yield Asked(who.words["at"], can_bond(spec, form, families), words)  # type: ignore[arg-type]


def _bond_of_nic(view: IntentView, who: Who) -> Iterator[Asked]:
    for group, attachment, path in attachments(view):
        if group == who.key and attachment.bond != "none":
            yield Asked((*path, "bond"), None, {"bond": FORMS[attachment.bond]})


def _planes(view: IntentView, _: Who) -> list[Asked]:
    planes = view.intent.planes
    return [Asked(("planes", "host"))] if planes and planes.count > 1 and planes.host == "nic" else []


def _routed_bond(view: PlanView, who: Who) -> Iterator[Asked]:
    """Need of a routed bond of the leafs' release, with the first release that has it."""
    routed = [group for group in view.plan.hosts if group.routed]
    if routed and who.can.bond_routed:
        place = Related("the bond", (*attachment_path(view.intent, routed[0].name), "bond"))
        yield from ask_release(view.plan.tiers[0], who, who.can.bond_routed_needs, place)


def _shared_blocks(view: PlanView, who: Who) -> list[Asked]:
    """The leafs whose links with hosts count in one block with those of others, so that each link is a route."""
    leaf = view.plan.tiers[0]
    shared = leaf.layout.shared_block and who.key == leaf.name
    return [Asked(("addressing", "series", leaf.name, "host_links", "order"))] if shared else []


def _mtu(view: IntentView, who: Who) -> list[Asked]:
    return [Asked(("links", who.key, "mtu"), view.intent.links[who.key].mtu)]


def _mtu_at_all(view: IntentView, who: Who) -> list[Asked]:
    return _mtu(view, who) if who.can.mtu_max_bytes == 0 else []


def _speed(view: IntentView, who: Who) -> Iterator[Asked]:
    listed = [f"{speed}G" for speed in sorted(who.can.lanes_by_gbps)]
    words = {"listed": ", ".join(listed), "hint": f"use {or_list(reversed(listed))}" if listed else "use another NIC"}
    yield Asked(("links", who.key, "speed"), view.intent.links[who.key].speed, words)


def each_parameter(view: IntentView) -> Iterator[Who]:
    """Ask the NIC families for every parameter that the intent sets."""
    for family, known in parameters_of(view):
        for name in sorted(view.intent.lossless.dcqcn):
            if name in known:
                yield Who(known[name], family, (*DCQCN, name), name)


def _parameter(view: IntentView, who: Who) -> list[Asked]:
    words = {"default": who.can.default, "range": f"{who.can.minimum} to {who.can.maximum}"}
    return [Asked(who.chosen, view.intent.lossless.dcqcn[who.key], words)]


NO_BFD = register(
    "FG-RTE-010",
    "BFD asked where it does not run",
    why="Failures would be noticed by the hold timer only, although the intent says otherwise.",
    fix="Use bfd: auto or off, or another platform.",
    source=NOTES,
)
NO_MD5 = register(
    "FG-RTE-965",
    "BGP sessions without the password",
    severity=Severity.WARNING,
    why="A password at one end alone keeps the session down, so neither end of these links has it: anyone on "
    "the wire can end the session or take its place.",
    fix="Use another platform, or accept that these sessions are guarded by TTL alone.",
    source=f"RFC 2385; {NOTES}",
)
NO_LISTS = register(
    "FG-RTE-966",
    "Leafs are not held to their own prefixes",
    severity=Severity.INFO,
    why="A leaf that loads the configuration of another one draws that rack's traffic: the tier above takes "
    "any prefix of the fabric from it, because on these links the platform has no settings for a single "
    "neighbour.",
    fix="Give the links addresses (fabric_links: a pool); or check host names before a switch joins.",
    source=f"RFC 7454 section 6; {NOTES}",
)
SHARED_PORT_IDS = register(
    "FG-PLT-052",
    "LACP port ids that the leafs of a bond may share",
    why="Two ports of a bond then come with one port id from one system. Linux compares system, priority and "
    "key only; a partner that compares port ids takes the second port for an error.",
    fix="Use bond: routed where the platform has it, or waive this with the reason why no partner compares port ids.",
    source="Qian et al., Alibaba HPN, SIGCOMM 2024, section 4.2 (an offset of port ids); Linux "
    "drivers/net/bonding/bond_3ad.c, ad_port_selection_logic",
    waivable=True,
)
UNHEALED = register(
    "FG-TOP-067",
    "A lost host port that nothing is known to heal",
    severity=Severity.WARNING,
    why="In one subnet for all hosts a leaf announces a host as long as it has its ARP or ND entry. The VLAN stays up "
    "without the port, and no public text says that the entry goes with it: until it ages, after 240 s as rendered, "
    "packets to the host end at that leaf, many times longer than a queue pair repeats them.",
    fix="Use bond: routed, whose prefix is connected and goes with its port; or waive this with what was measured.",
    source=f"Qian et al., Alibaba HPN, SIGCOMM 2024, section 4.2 (its changed software removes both); {NOTES}",
)
UNTRACKED = register(
    "FG-TOP-982",
    "A leaf without uplinks keeps its bonds up",
    severity=Severity.INFO,
    why="Hosts send to each leaf whose port is up. One that has lost all its uplinks, or that has just started and has "
    "no routes yet, drops what it gets from them. Bonds that follow the state of the uplinks are rendered where the "
    "platform has that.",
    fix="Watch the BGP sessions of leafs, and shut the host ports of one that has none.",
    source="aristanetworks/avd, link-tracking-groups of its designs; the NOTES.md of each platform, Dual-ToR",
)
table(
    Row(UNHEALED, each_end_of_bonds, _of_leafs(LACP), "bond_lacp", takes=is_absent).text(
        "hosts {group!r} that lose a port may stay out of reach: {name} announces them until an ARP or ND entry ages",
        "use bond: routed",
    ),
    Row(UNTRACKED, each_end_of_bonds, _of_leafs(ROUTED), "tracks_uplinks").text(
        "hosts {group!r} go on sending to a leaf that has lost all its uplinks: its bonds stay up"
    ),
    Row(NO_BFD, each_tier, stated(BFD, "on"), "bfd").text("tier {key!r} runs {name}, which has no BFD", "use auto"),
    Row(NO_BFD, each_speaking_system, stated(BFD, "on"), "bfd").text(
        "hosts {key!r} run {name}, which has no BFD", "use auto"
    ),
    Row(LACKING, each_session, stated(TTL, "on"), "gtsm").text("{name} is not rendered with GTSM", "use auto"),
    Row(NO_MD5, each_session, stated((*TTL[:2], "key", "secret")), "bgp_md5").text(
        "{name} is not rendered with passwords of BGP sessions{because}"
    ),
    Row(NO_LISTS, each_planned_tier, _second_tier, "unnumbered_lists").text(
        "tier {key!r} runs {name}, which has no prefix list of a neighbour on a link without addresses"
    ),
    Row(LACKING, each_end_of_hosts, _host_bgp, "hosts_bgp").text(
        "{name} is not rendered with BGP on hosts{because}", "use static"
    ),
    Row(LACKING, each_system, _host_bgp_in_ipv6, "hosts_bgp_ipv6").text(
        "{name} is not rendered with BGP on hosts in IPv6{because}", "use static, or families: [ipv4]"
    ),
    *(
        Row(LACKING, each_speaker, _family(family), family).text(
            f"{{name}} is not rendered with {words}{{because}}", "{hint}"
        )
        for family, words in (("ipv4", "IPv4"), ("ipv6", "IPv6"))
    ),
    Row(LACKING, each_tier, stated(("addressing", "fabric_links"), UNNUMBERED), "unnumbered", once=True).text(
        "{name} is not rendered with unnumbered links{because}",
        "write fabric_links: {{ipv4: …}} with a prefix of your own",
    ),
    Row(LACKING, each_family, _bond_of_nic, "bond_lacp").text("{name} cannot have {bond}{because}", "use bond: none"),
    Row(LACKING, each_end_of_bonds, _bond, lambda can, able: able).text("{name} cannot have {bond}{missing}", "{hint}"),
    Row(
        SHARED_PORT_IDS,
        each_end_of_bonds,
        lambda view, who: [each._replace(value=each.words["alone"]) for each in _bond(view, who)],
        lambda can, alone: not alone,
    ).text(
        "{name} has no LACP port ids to set, which the leafs of hosts {group!r} then may share",
        "waive this where no partner compares port ids, or use bond: {other}",
    ),
    Row(LACKING, each_family, _planes, "planes_nic").text(
        "{name} cannot have one interface over several planes{because}", "use planes.host: separate"
    ),
    Row(NOT_IN_RELEASE, each_planned_tier, _routed_bond, "bond_routed_needs", takes=lambda knows, _: knows).text(
        "tier {key!r} runs {name} {release}, which lacks {limit}; bond: routed needs it",
        "use release: {first}, or bond: none",
    ),
    Row(LACKING, each_planned_tier, _shared_blocks, "bond_routed").text(
        "{name} is not rendered with a route for each link of a leaf with hosts{because}",
        "list host and port last in the order",
    ),
    Row(TOO_MUCH, each_link_end, _mtu, lambda can, _: can.mtu_max_bytes or None, takes=is_at_most).text(
        "mtu {value} is above the {limit} that {name} takes", "use {limit} or less"
    ),
    Row(TOO_MUCH, each_link_end, _mtu_at_all, "mtu_max_bytes", takes=is_there).text(
        "{name} is not rendered with an MTU; that of {key} is {value}", "use another platform"
    ),
    Row(TOO_MUCH, each_linked_nic, _mtu, lambda can, _: can.mtu_max_bytes or None, takes=is_at_most).text(
        "mtu {value} is above the {limit} that {name} takes", "use {limit} or less"
    ),
    Row(TOO_MUCH, each_linked_nic, _speed, "lanes_by_gbps", takes=is_one_of).text(
        "{name} runs {listed}, not {value}G", "{hint}"
    ),
    Row(
        TOO_MUCH,
        each_parameter,
        _parameter,
        lambda parameter, _: (parameter.minimum, parameter.maximum),
        takes=lambda value, limit: limit[0] <= value <= limit[1],
    ).text("{key} is {value}; {name} takes {range}", "use {default}, which it ships with"),
)
