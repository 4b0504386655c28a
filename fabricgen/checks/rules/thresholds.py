"""Rules on what a lossless class needs of a platform beside the contract: thresholds, and no flooding."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, rule
from fabricgen.checks.rules.platforms import NOTES, platform_of, tier_platforms
from fabricgen.diagnostics import IntentPath, Severity
from fabricgen.diagnostics.words import and_list


@rule(
    "FG-BUF-980",
    "Pause thresholds that are not pinned",
    severity=Severity.WARNING,
    why="Marking has to begin below the fill from which PFC pauses. That fill follows from alpha, headroom and pools "
    "of the running release; where the maker publishes none of them and no file sets them, an upgrade may change what "
    "marks first.",
    fix="Read alpha and headroom on one switch of each model, compare them with show buffers, and waive this; or pin "
    "them with the lines of NOTES.md in a raw snippet once the switch accepts each of them.",
    source=NOTES,
)
def check_unpinned_thresholds(view: IntentView) -> Iterator[Finding]:
    """Say which tiers pause at thresholds that are neither written nor published."""
    if view.intent.lossless.mode == "ecn_only":
        return
    tiers: dict[str, list[str]] = {}
    for name, spec in tier_platforms(view):
        if spec.switch.thresholds_unpublished:
            tiers.setdefault(spec.name, []).append(name)
    for platform, names in tiers.items():
        runs = f"{and_list(names)} {'runs' if len(names) == 1 else 'run'} {platform}"
        yield Finding(
            f"{runs}, whose pause thresholds and headroom are not published and not written; marking assumes those "
            "that the catalog has of the same model",
            ("tiers", names[0], "platform"),
            related=tuple(related for name in names[1:] for related in platform_of(name)),
        )


@rule(
    "FG-PLT-080",
    "A lossless VLAN that may be flooded",
    why="A host that is silent on one leg loses its MAC entry before its ARP entry; every packet to it then goes to "
    "all ports of the VLAN, and a flooded class under PFC can stop the fabric.",
    fix="Use bond: none, or a platform that keeps ARP and ND below MAC aging and limits unknown unicast.",
    source="Guo et al., SIGCOMM 2016, section 4.2; Qian et al., Alibaba HPN, SIGCOMM 2024, section 4.2",
)
def check_flood_guard(view: IntentView) -> Iterator[Finding]:
    """Bonds of hosts only where the leaf's platform guards their VLAN, as long as anything pauses."""
    if view.intent.lossless.mode == "ecn_only":
        return
    paths: dict[IntentPath, None] = {}
    for group_name, group in sorted(view.intent.hosts.items()):
        if (group.attachment or view.intent.attachment).bond == "lacp":
            own = group.attachment is not None
            paths[("hosts", group_name, "attachment", "bond") if own else ("attachment", "bond")] = None
    leaf = view.intent.tiers.get("leaf")
    spec = view.switch(leaf.platform) if leaf else None
    if spec is None or not spec.switch.bond_lacp or spec.switch.flood_guard:
        return
    for path in paths:
        yield Finding(
            f"{spec.name} bonds hosts over a pair of leafs and does not keep their VLAN from being flooded",
            path,
            hint="use bond: none",
            value="none",
            related=platform_of("leaf"),
        )
