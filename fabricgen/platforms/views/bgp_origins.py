"""Origins of the fields of the BGP view, for every platform that has it."""

from __future__ import annotations

from collections.abc import Mapping


def _of_family(suffix: str) -> Mapping[str, tuple[str, ...]]:
    """Return where the fields of a family's objects come from; ``suffix`` ends the names of those in IPv6."""
    loopback, aggregate = (f"Switch.loopback{suffix}",), (f"Switch.aggregate{suffix}",)
    own = {"loopback": loopback, "loopback_prefix": loopback, "aggregate": aggregate}
    return {"loopback_len": (f"FabricPrefixes.loopback_len{suffix}",), "lists": (), **own}


OF_IPV4 = {**_of_family(""), "upper_group": ("SwitchClass.has_upper",)}
"""Lists and groups of IPv4 have their plain names."""
OF_IPV6 = _of_family("6")
BELOW: Mapping[bool, tuple[str, ...]] = {False: ("SwitchClass.role",), True: ("SwitchClass.hosts_bgp",)}
"""Keys that say who is below a switch, by whether it is a leaf: every other switch has a tier below it."""
BELOW_IPV4: Mapping[bool, Mapping[str, tuple[str, ...]]] = {
    leaf: {"lower_group": origins} for leaf, origins in BELOW.items()
}
BELOW_IPV6: Mapping[bool, Mapping[str, tuple[str, ...]]] = {
    False: {"lower_group": ("SwitchClass.role", "SwitchClass.unnumbered")},
    True: BELOW_IPV4[True],
}
"""Origin of the name of the peer group below, in each family."""
OF_NEIGHBOR: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "ipv4": {"name": ("Port.peer_address",)},
    "ipv6": {"name": ("Port.peer_address6",)},
    "unnumbered": {"name": ("PortShape.name",)},
}
"""Origin of the name of a neighbour."""


def _of_group(side: str, named: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    """Return the origins of the fields of a peer group whose neighbours are on one side of the policy."""
    guards = {"bfd": f"bfd_{side}", "gtsm": f"gtsm_{side}", "password": f"key_{side}"}
    return {"name": named, "side": named, **{name: (f"RoutingPolicy.{field}",) for name, field in guards.items()}}


OF_UPPER = _of_group("upper", ("SwitchClass.has_upper",))
OF_LOWER = _of_group("lower", BELOW[False])
OF_HOSTS = _of_group("lower", BELOW[True])
"""Origin of the fields of a peer group: what makes it, and the guards of its side."""
