"""Rules on what the leafs of a bond have in common beside the hosts."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, rule
from fabricgen.checks.rules.attachment import attachments, plane_count
from fabricgen.diagnostics import Related, Severity


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
            yield Finding(
                f"hosts {name!r} bond over {leafs} leafs in one rack: what stops the rack stops all of them",
                (*path, "bond"),
                hint="use different power supplies for the leafs",
                related=(Related("units are racks", ("units", "name")),),
            )


@rule(
    "FG-TOP-982",
    "A leaf without uplinks keeps its bonds up",
    severity=Severity.INFO,
    why="Hosts send to each leaf whose port is up. One that has lost all its uplinks, or that has just started and has "
    "no routes yet, drops what it gets from them. Bonds that follow the state of the uplinks are rendered for lacp "
    "only, where the platform has that.",
    fix="Watch the BGP sessions of leafs, and shut the host ports of one that has none.",
    source="aristanetworks/avd, link-tracking-groups of its designs; the NOTES.md of each platform, Dual-ToR",
)
def check_uplinks_of_pairs(view: IntentView) -> Iterator[Finding]:
    """Say of routed bonds that nothing takes them down with the last uplink of a leaf."""
    for name, attachment, path in attachments(view):
        if attachment.bond == "routed" and len(view.intent.tiers) > 1:
            yield Finding(
                f"hosts {name!r} go on sending to a leaf that has lost all its uplinks: its bonds stay up",
                (*path, "bond"),
                hint="watch the BGP sessions of leafs, and shut the host ports of one that has none",
            )
