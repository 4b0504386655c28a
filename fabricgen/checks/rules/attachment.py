"""Rules on planes, leaf pairs and bonds: what the ports of a NIC meet, and what hosts see of it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from fabricgen.analysis.cells import Symmetry
from fabricgen.analysis.failure_classes import FailureClass
from fabricgen.analysis.failures import PlanFailures, measure_reachability
from fabricgen.checks.model import Finding, IntentView, PlanView, further, rule
from fabricgen.checks.rules.topology import host_path
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.diagnostics.words import and_list, counted
from fabricgen.intent.topology import Attachment
from fabricgen.plan.model.fabric import NO_EXCEPTIONS
from fabricgen.plan.model.topology import Tier
from fabricgen.plan.planner.shape import attachment_of, attachment_path

DOCS = "docs/intent.md, attachment"
HPN = "Qian et al., Alibaba HPN, SIGCOMM 2024, section 4"


def attachments(view: IntentView) -> Iterator[tuple[str, Attachment, IntentPath]]:
    """Each host group with the attachment that applies to it and where that stands."""
    for name in sorted(view.intent.hosts):
        yield name, attachment_of(view.intent, name), attachment_path(view.intent, name)


def plane_count(view: IntentView) -> int:
    """Planes of the fabric."""
    return view.intent.planes.count if view.intent.planes else 1


@rule(
    "FG-TOP-022",
    "NIC ports do not match planes and leafs",
    why="Every NIC port goes to one leaf of one plane; a port without a leaf is dark, a leaf without a port idle.",
    fix="Choose a NIC with planes times leafs_per_group ports.",
    source=DOCS,
)
def check_nic_ports(view: IntentView) -> Iterator[Finding]:
    """NIC ports equal planes times leafs per group; whole hosts may bring a multiple of it."""
    planes = plane_count(view)
    for name, attachment, path in attachments(view):
        nic = view.catalog.nics.get(view.intent.hosts[name].nic)
        wanted = planes * attachment.leafs_per_group
        # A record without ports is reported as such.
        if nic is None or nic.ports in (0, wanted) or (attachment.group == "host" and nic.ports % wanted == 0):
            continue
        related = [Related("the leafs", (*path, "leafs_per_group"))]
        if view.intent.planes:
            related.append(Related("the planes", ("planes",)))
        doubled = nic.ports == 2 * wanted == 2 * planes
        pairs = "use leafs_per_group: 2, or " if doubled else "use "
        yield Finding(
            f"{nic.id} has {counted(nic.ports, 'port')}; {counted(planes, 'plane')} with "
            f"{counted(attachment.leafs_per_group, 'leaf')} per group need {wanted}",
            host_path(view, name, "nic"),
            hint=f"{pairs}a NIC with {counted(wanted, 'port')}",
            related=tuple(related),
        )


@rule(
    "FG-TOP-028",
    "Hosts that bond unlike their leafs, planes or other hosts",
    why="Whether a host has one bond or several interfaces decides its addresses; both keys set it. Bonds share a "
    "block of addresses on all leafs of their group, which the leafs route in one way: as one subnet, or with a prefix "
    "for each bond. A second interface in it would have no address, and a bond on a single leaf would not outlive it.",
    fix="Use planes.host: bond together with attachment.bond: routed or lacp, for every group whose NICs have several "
    "ports, or neither; and leafs_per_group: 2, or two planes.",
    source=f"{DOCS}; {HPN}",
)
def check_bond_is_agreed(view: IntentView) -> Iterator[Finding]:
    """A bond spans two leafs; with several planes, hosts bond if and only if they see the planes as a bond."""
    planes = view.intent.planes
    for name, attachment, path in attachments(view):
        if attachment.bond != "none" and plane_count(view) * attachment.leafs_per_group < 2:
            yield Finding(
                f"hosts {name!r} bond, but each rail meets one leaf",
                (*path, "bond"),
                hint="add leafs_per_group: 2 or planes: {count: 2, host: bond}, or use bond: none",
                related=(Related("the NIC", host_path(view, name, "nic")),),
            )
        if planes and planes.count > 1 and (planes.host == "bond") != (attachment.bond != "none"):
            message = f"planes.host is {planes.host}, but hosts {name!r} have bond: {attachment.bond}"
            hint = "use bond: routed or lacp with planes.host: bond, or bond: none with planes.host: separate"
            yield Finding(message, (*path, "bond"), hint=hint, related=(Related("the planes", ("planes", "host")),))


@further("FG-TOP-028")
def check_bonds_alike(view: IntentView) -> Iterator[Finding]:
    """Require the same bond on every host with several NIC ports where other hosts of the fabric have one."""
    found = list(attachments(view))
    bonded = [(name, each.bond, path) for name, each, path in found if each.bond != "none"]
    if not bonded:
        return
    first, form, there = bonded[0]
    for name, attachment, path in found:
        nic = view.catalog.nics.get(view.intent.hosts[name].nic)
        if attachment.bond != form and nic is not None and (nic.ports > 1 or attachment.bond != "none"):
            yield Finding(
                f"hosts {first!r} have bond: {form}, hosts {name!r} with {counted(nic.ports, 'port')} have bond: "
                f"{attachment.bond}",
                (*path, "bond"),
                hint=f"use bond: {form} for every group of this fabric, or bond: none",
                related=(Related("the hosts that bond", (*there, "bond")),),
            )


@rule(
    "FG-HST-010",
    "What bonded hosts need of their kernel",
    severity=Severity.INFO,
    why="Each leaf forwards by the ARP that it receives, and makes host routes of it where hosts share a subnet. A "
    "bond sends ARP over one port, so the other leaf has no entry. The bond option broadcast_neighbor sends it by "
    "every port; a kernel without it rejects the bond.",
    fix="Run a kernel and an iproute2 that know broadcast_neighbor.",
    source="Linux ce7a381697cb (6.17), e0caeb24f538 (its fix), stable 6.6 7e0006e8554d; HPN, section 4.2",
)
def check_bond_kernel(view: IntentView) -> Iterator[Finding]:
    """Report the kernel that bonded hosts require."""
    for name, attachment, path in attachments(view):
        if attachment.bond != "none":
            yield Finding(
                f"hosts {name!r} need Linux 6.17, or 6.6 or 6.12 with broadcast_neighbor, to send ARP to both leafs",
                (*path, "bond"),
            )


@rule(
    "FG-TOP-047",
    "Both leafs of a bond in one rack",
    severity=Severity.INFO,
    why="A bond survives the loss of a leaf as long as what takes one leaf leaves the other. A unit that is a rack has "
    "both leafs: its power, cooling and cable tray are one failure domain for the pair.",
    fix="Use different power supplies for the two leafs, or units that are more than a rack.",
    source="Qian et al., Alibaba HPN, SIGCOMM 2024, section 4 (a pair of leafs against single failures)",
)
def check_pairs_in_racks(view: IntentView) -> Iterator[Finding]:
    """Say where units are racks, each of which has all leafs that its hosts bond over."""
    if view.intent.units.name != "rack":
        return
    for name, attachment, path in attachments(view):
        leafs = plane_count(view) * attachment.leafs_per_group
        if attachment.bond != "none" and leafs > 1:
            message = f"hosts {name!r} bond over {leafs} leafs in one rack: what stops the rack stops all of them"
            related = (Related("units are racks", ("units", "name")),)
            yield Finding(message, (*path, "bond"), hint="use different power supplies for the leafs", related=related)


_WHY = (
    "Each leaf announces every host of a bond as a route, and every switch of a plane takes all of them. One that does "
    "not fit its table is missing: traffic follows the block of the leaf, which may have lost the host."
)
_SOURCE = "Qian et al., Alibaba HPN, SIGCOMM 2024, section 4.2 (a /32 per host); {}"


@rule(
    "FG-TOP-046",
    "More host routes than the ASIC takes",
    why=_WHY,
    fix="Use another model, or no bonds; waive it where the platform keeps host routes in the table of prefixes.",
    source=_SOURCE.format("the ASIC's file in the catalog"),
    waivable=True,
)
def check_host_routes(view: PlanView) -> Iterator[Finding]:
    """The host routes of all bonded NICs of a plane fit the ASIC of each tier."""
    if _are_routed(view):
        return
    for tier, routes, routes_max in _tables(view):
        if routes_max is not None and routes > routes_max:
            asic = view.catalog.switches[tier.model].asic.id
            message = f"bonds of hosts make {routes} host routes in tier {tier.name!r}; {asic} takes {routes_max}"
            path = ("tiers", tier.name, "model")
            related = (Related("the limit of its ASIC", record=("asics", asic)), *_bonds(view))
            yield Finding(message, path, hint="use another model, or bond: none", related=related)


@rule(
    "FG-TOP-981",
    "Host routes against a table of unpublished size",
    severity=Severity.INFO,
    why=_WHY,
    fix="Compare the number with the table that the running release reports, on one switch of each model.",
    source=_SOURCE.format("the ASIC's file in the catalog, which has no number"),
)
def check_host_routes_known(view: PlanView) -> Iterator[Finding]:
    """Say how many host routes a table must take whose size the catalog does not have, once for each ASIC."""
    tiers: dict[str, list[Tier]] = {}
    for tier, _, routes_max in _tables(view):
        if routes_max is None or _are_routed(view):
            tiers.setdefault(view.catalog.switches[tier.model].asic.id, []).append(tier)
    routes = "routes to prefixes of their own; how many routes" if _are_routed(view) else "host routes; how many"
    for asic, (first, *others) in tiers.items():
        what = "bonds" if any(group.bond for group in view.plan.hosts) else "links"
        message = f"{what} of hosts make {_count_routes(view)} {routes} {asic} takes is not known"
        hint = "compare it with the table that a switch of this model reports"
        related = (*(Related("the same", ("tiers", tier.name, "model")) for tier in others), *_bonds(view))
        yield Finding(message, ("tiers", first.name, "model"), hint=hint, related=related)


def _tables(view: PlanView) -> Iterator[tuple[Tier, int, int | None]]:
    """Yield each tier with the host routes that one of its switches takes at most, and the size of its table."""
    routes = _count_routes(view)
    for tier in view.plan.tiers if routes else ():
        model = view.catalog.switches.get(tier.model)
        # A model that the catalog does not have is reported as such.
        if model is not None:
            yield tier, routes, model.asic.host_routes_max


def _count_routes(view: PlanView) -> int:
    """Return the host routes of a plane: one for each NIC with one, spares included, in each family."""
    plan = view.plan
    leafs = plan.tiers[0].counts
    pods = leafs.zone * leafs.pod
    nics = sum(
        (group.per_unit + group.backup_per_unit) * len(group.rails) * sum(map(group.in_unit, range(leafs.unit)))
        for group in plan.hosts
        if group.bond or plan.tiers[0].layout.shared_block
    )
    return nics * pods * len(view.intent.addressing.families)


def _are_routed(view: PlanView) -> bool:
    """Return whether each NIC has a prefix, which is a route like any other and no entry of the table of hosts."""
    return view.plan.tiers[0].layout.shared_block is not None or any(group.routed for group in view.plan.hosts)


def _bonds(view: PlanView) -> tuple[Related, ...]:
    """Return where the bonds, or the order of the links, are asked for."""
    paths = {(*attachment_path(view.intent, group.name), "bond"): None for group in view.plan.hosts if group.bond}
    if paths or not _are_routed(view):
        return tuple(Related("the bond", path) for path in paths)
    return (Related("the order", ("addressing", "series", view.plan.tiers[0].name, "host_links")),)


@rule(
    "FG-TOP-030",
    "Planes of a bond meet only at the host",
    severity=Severity.WARNING,
    why="A leaf whose link to a host fails withdraws the host's route, so that traffic finds the other leaf. Planes "
    "have no way to each other's leafs: what senders put into that plane for that host is lost until the link is back. "
    "HPN is built so and reports 6.25 % less training throughput; how senders leave the plane is not published. "
    "What Cumulus Linux announces of lost prefixes to NICs (routing.unreachability) changes no hash of a bond.",
    fix="Attach the bond to two leafs of one plane (leafs_per_group: 2), or waive it with a reason that names "
    "how hosts leave a plane.",
    source="Qian et al., Alibaba HPN, SIGCOMM 2024, section 4.2 (host routes) and its tier 2: the ports of a NIC stand "
    "in planes that meet only at the host; docs/failures.md",
)
def check_lost_flows(view: PlanView) -> Iterator[Finding]:
    """The loss of a port of a bond, or of its leaf, leaves no flow without a way; exceptions are not looked at."""
    bonded = [group for group in view.plan.hosts if group.bond]
    if not bonded or (len(view.plan.tiers) > 1 and view.plan.tiers[0].counts.plane == 1):
        # Leafs of a bond have a way to each other.
        return
    failures = PlanFailures(Symmetry(view.plan._replace(exceptions=NO_EXCEPTIONS)))
    leaf = view.plan.tiers[0].name
    for group in bonded:
        lost = {scope: _lost_by(failures, scope) for scope in (group.link.name, leaf)}
        if not any(part for _, part in lost.values()):
            continue
        planes = view.plan.tiers[0].counts.plane
        over = f"{planes} planes, which meet" if planes > 1 else "leafs that meet"
        yield Finding(
            f"hosts {group.name!r} bond over {over} only at the host: {and_list(map(_show_lost, lost.items()))}, until "
            "their senders use another port",
            (*attachment_path(view.intent, group.name), "bond"),
            hint=f"{'use one plane with leafs_per_group: 2' if planes > 1 else 'add a tier above'}, or waive it",
            related=(Related("the planes", ("planes", "count")),) if view.intent.planes else (),
        )


def _lost_by(failures: PlanFailures, scope: str) -> tuple[int, Fraction]:
    """Return how many elements there are of a scope, and the part of all flows that the loss of one loses at most."""
    classes: list[FailureClass] = failures.single([scope])
    parts = (measure_reachability(failures, failures.effect(each)).lost for each in classes)
    return sum(each.size for each in classes), max(parts, default=Fraction(0))


def _show_lost(lost: tuple[str, tuple[int, Fraction]]) -> str:
    scope, (count, part) = lost
    return f"one lost {scope!r} of {count} loses {float(part * 100):.3g} % of all flows"
