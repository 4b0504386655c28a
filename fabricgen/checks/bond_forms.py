"""Forms in which two leafs can answer the bond of a host, and what each asks of the system of a leaf.

One subnet for all hosts of a pair of leafs takes an LACP system id that both have, port ids that differ, host routes
from ARP and ND entries, and answers to ARP between hosts. A routed bond with a subnet for each NIC takes the system id
alone: a lost link ends its connected route. Linux compares system, priority and key before it joins ports, not the
port id; the offset matters to partners that compare it.

Source:
    Qian et al., Alibaba HPN, SIGCOMM 2024, section 4.2; Linux drivers/net/bonding/bond_3ad.c, ad_port_selection_logic.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from fabricgen.diagnostics.words import and_list
from fabricgen.platforms.manifest.capabilities import HostRoutes, LacpIdentity, SwitchCapabilities
from fabricgen.platforms.manifest.spec import PlatformSpec


def can_bond(spec: PlatformSpec, families: Collection[str]) -> bool:
    """Return whether a leaf or a host's system is written as one end of a bond over two leafs.

    Args:
        spec: The platform.
        families: Address families of the fabric.
    """
    can = spec.capabilities
    return spec.speaker.bond_lacp and not (isinstance(can, SwitchCapabilities) and any(_gaps(can, families)))


def missing_for_bond(spec: PlatformSpec, families: Collection[str]) -> str:
    """Return why a platform cannot bond, to follow a sentence; of a leaf also what its system lacks of either form."""
    can, why = spec.capabilities, spec.because("bond_lacp")
    if not isinstance(can, SwitchCapabilities):
        return why
    gaps = and_list([*_gaps(can, families), *([] if can.bond_lacp else ["a template"])])
    routed = "the system id" if can.lacp_system_id is LacpIdentity.NONE else "a template"
    return f"{why}; for one subnet on both leafs it lacks {gaps}, for a routed subnet of each NIC {routed}"


def _gaps(can: SwitchCapabilities, families: Collection[str]) -> Iterator[str]:
    """Yield what a system lacks of one subnet for a pair of leafs, the system id first."""
    if can.lacp_system_id is LacpIdentity.NONE:
        yield "an LACP system id to share"
    if not can.lacp_port_ids:
        yield "LACP port ids of each leaf's own"
    if can.host_routes in (HostRoutes.NONE, HostRoutes.AGENT):
        yield "host routes from ARP" + (" without an agent" if can.host_routes is HostRoutes.AGENT else "")
    elif can.host_routes is HostRoutes.IPV4 and "ipv6" in families:
        yield "host routes from ND"
    if not can.local_proxy_arp:
        yield "local proxy ARP"
