"""Forms in which two leafs can answer the bond of a host, and what each asks of the system of a leaf.

One subnet for all hosts of a pair of leafs takes an LACP system id that both have, port ids that differ, host routes
from ARP and ND entries, and answers to ARP between hosts. A routed bond with a prefix for each NIC takes a system id
and a MAC address that both leafs have: a lost link ends its connected route. Linux compares system, priority and key
before it joins ports, not the port id; the offset matters to partners that compare it. So a leaf that has all but
the port ids can answer, where the owner of the fabric accepts that.

Source:
    Qian et al., Alibaba HPN, SIGCOMM 2024, section 4.2; Linux drivers/net/bonding/bond_3ad.c, ad_port_selection_logic.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from fabricgen.diagnostics.words import and_list
from fabricgen.platforms.manifest.capabilities import HostRoutes, LacpIdentity, SwitchCapabilities
from fabricgen.platforms.manifest.spec import PlatformSpec

LACP, ROUTED = "lacp", "routed"
FORMS: Mapping[str, str] = {
    LACP: "an LACP bond across two leafs",
    ROUTED: "a routed LACP bond across two leafs",
}
"""Forms of a bond by the word of the intent."""


def can_bond(spec: PlatformSpec, form: str, families: Collection[str]) -> bool:
    """Return whether a leaf or a host's system is written as one end of a bond over two leafs.

    Args:
        spec: The platform.
        form: One of ``FORMS``.
        families: Address families of the fabric.
    """
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
