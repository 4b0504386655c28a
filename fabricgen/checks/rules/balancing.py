"""Rules on the order of packets, which switches that spray change."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.catalog.host_records import NicModel
from fabricgen.checks.model import Finding, IntentView, rule
from fabricgen.checks.rules.tier_settings import ecmp_of, tier_key
from fabricgen.checks.rules.topology import host_path
from fabricgen.diagnostics import IntentPath, Related
from fabricgen.platforms.manifest.spec import PlatformSpec

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
            yield Finding(
                f"load_balancing is {word}; {group.nic} of {group_name} {lacks}",
                path,
                hint="use static",
                value="static",
                related=(Related("the NIC", host_path(view, group_name, "nic")),),
            )


def _lacks(word: str, nic: NicModel | None, family: PlatformSpec | None) -> str:
    """Return what a NIC lacks for a way to spray; empty if nothing."""
    if nic is None:
        return ""
    if not nic.out_of_order:
        return "is not known to place packets out of order"
    alone = word == "adaptive" and family is not None and not family.nic.adaptive
    return "takes no part in the adaptive routing of the switches" if alone else ""
