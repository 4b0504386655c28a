"""Rules on planes, leaf pairs and bonds: what the ports of a NIC meet, and what a host sees of it."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, rule
from fabricgen.checks.rules.topology import host_path
from fabricgen.diagnostics import IntentPath, Related, Severity, set_to
from fabricgen.intent.hosts import Attachment

DOCS = "docs/intent.md, attachment"
HPN = "Qian et al., Alibaba HPN, SIGCOMM 2024, section 4"


def attachments(view: IntentView) -> Iterator[tuple[str, Attachment, IntentPath]]:
    """Each host group with the attachment that applies to it and where that stands."""
    for name, group in sorted(view.intent.hosts.items()):
        if group.attachment:
            yield name, group.attachment, host_path(view, name, "attachment")
        else:
            yield name, view.intent.attachment, ("attachment",)


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
            f"{nic.id} has {_counted(nic.ports, 'port')}; {_counted(planes, 'plane')} with "
            f"{_counted(attachment.leafs_per_group, 'leaf')} per group need {wanted}",
            host_path(view, name, "nic"),
            hint=f"{pairs}a NIC with {_counted(wanted, 'port')}",
            fixes=set_to((*path, "leafs_per_group"), 2, hinted=True) if doubled else (),
            related=tuple(related),
        )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number != 1 else ''}"


@rule(
    "FG-TOP-027",
    "Bond on a single leaf",
    why="A bond over the ports of one NIC survives the loss of a leaf only if its ports meet two.",
    fix="Use leafs_per_group: 2, or two planes.",
    source=HPN,
)
def check_bond_has_leafs(view: IntentView) -> Iterator[Finding]:
    """A bond spans two leafs."""
    for name, attachment, path in attachments(view):
        if attachment.bond != "none" and plane_count(view) * attachment.leafs_per_group < 2:
            yield Finding(
                f"hosts {name!r} bond, but each rail meets one leaf",
                (*path, "bond"),
                hint="add leafs_per_group: 2 or planes: {count: 2, host: bond}, or use bond: none",
                fixes=set_to((*path, "bond"), "none", hinted=True),
                related=(Related("the NIC", host_path(view, name, "nic")),),
            )


@rule(
    "FG-TOP-028",
    "Planes and attachment disagree about the bond",
    why="Whether a host has one bond or several interfaces decides its addresses; both keys set it.",
    fix="Use planes.host: bond together with attachment.bond: lacp.",
    source=DOCS,
)
def check_bond_is_agreed(view: IntentView) -> Iterator[Finding]:
    """With several planes, hosts bond if and only if they see the planes as a bond."""
    planes = view.intent.planes
    if planes is None or planes.count < 2:
        return
    for name, attachment, path in attachments(view):
        if (planes.host == "bond") != (attachment.bond != "none"):
            yield Finding(
                f"planes.host is {planes.host}, but hosts {name!r} have bond: {attachment.bond}",
                (*path, "bond"),
                hint="use bond: lacp with planes.host: bond, or bond: none with planes.host: separate",
                fixes=set_to(("planes", "host"), "separate", hinted=True)
                if planes.host == "bond"
                else set_to((*path, "bond"), "none", hinted=True),
                related=(Related("the planes", ("planes", "host")),),
            )


@rule(
    "FG-TOP-029",
    "Hosts of one fabric that bond and hosts that do not",
    why="Bonded hosts share one block of addresses on all leafs of their group; a second interface in it would have no "
    "address. The leafs route the block in one way: as one subnet, or with a prefix for each bond.",
    fix="Bond every group whose NICs have several ports, all in the same way, or none.",
    source=DOCS,
)
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
                f"hosts {first!r} have bond: {form}, hosts {name!r} with {_counted(nic.ports, 'port')} have bond: "
                f"{attachment.bond}",
                (*path, "bond"),
                hint=f"use bond: {form} for every group of this fabric, or bond: none",
                related=(Related("the hosts that bond", (*there, "bond")),),
            )


@rule(
    "FG-HST-010",
    "What bonded hosts need of their kernel",
    severity=Severity.INFO,
    why=(
        "Each leaf forwards by the ARP that it receives, and makes host routes of it where hosts share a subnet. A "
        "bond sends ARP over one port, so the other leaf has no entry. The bond option broadcast_neighbor sends it by "
        "every port; a kernel without it rejects the bond."
    ),
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
