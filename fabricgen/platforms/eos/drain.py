"""The drain of an EOS switch as its configuration has it, and as a neighbor on EOS shows it.

Source:
    Arista EOS User Manual, Maintenance Mode; pyavd 6.4 for the lines. Batfish, lab_validation, ``show ip bgp vrf all |
    json`` of Arista EOS: ``nextHop`` and ``localPreference`` of each of the ``bgpRoutePaths``. ANTA 1.10,
    VerifyBGPRouteECMP: the ``routeType`` of the head of equal paths is ``active``, and of every one ``ecmp``.
"""

from __future__ import annotations

from fabricgen.platforms.eos.reader import YES
from fabricgen.platforms.patching.rollout import DrainProof
from fabricgen.platforms.reading.reader import Tree

UNIT, DRAINED = "unit System", "quiesce"


def end_drain(tree: Tree) -> Tree | None:
    """Return the configuration of a drained switch as it is after maintenance mode; None outside of that mode."""
    mode = tree.get("maintenance")
    unit = mode.get(UNIT) if isinstance(mode, dict) else None
    if not isinstance(mode, dict) or not isinstance(unit, dict) or unit.get(DRAINED) != YES:
        return None
    # Sections that quiesce has opened go with it.
    left = {key: value for key, value in unit.items() if key != DRAINED}
    others = {**mode, UNIT: left} if left else {key: value for key, value in mode.items() if key != UNIT}
    whole = {**tree, "maintenance": others}
    return whole if others else {key: value for key, value in tree.items() if key != "maintenance"}


def show_drained(neighbor: str, family: str) -> DrainProof | None:
    """Return what shows on an EOS neighbor that a device is drained, or no longer; None where the form is not public.

    Args:
        neighbor: What the neighbor calls the device: the next hop of what the device announces, if it is of IPv4.
        family: ``ipv4`` or ``ipv6``, of the routes that are asked for.
    """
    if family != "ipv4" or neighbor.count(".") != 3 or ":" in neighbor:
        return None
    return DrainProof(
        "show ip bgp vrf all | json",
        f"every path with the next hop {neighbor} has localPreference 0",
        "vrfs.default.bgpRouteEntries",
        "localPreference",
        paths="bgpRoutePaths",
        via="nextHop",
        used=("routeType.active", "routeType.ecmp"),
        returned=f"paths with the next hop {neighbor} have no localPreference 0, and are active or ecmp as before",
    )
