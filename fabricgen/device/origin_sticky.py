"""Fields of the device model that tell little of the intent, though they come from it."""

from __future__ import annotations

from collections.abc import Mapping

STICKY_FIELDS: Mapping[str, frozenset[str]] = {
    "PortShape": frozenset(
        (
            "name",
            "alias",
            "cage",
            "subport",
            "lanes",
            "fec",
            "autoneg",
            "side",
            "position",
            "link",
            "used",
            "number",
            "profile",
            "service",
            "peer_platform",
        )
    ),
    "Port": frozenset(("shape", "peer_port", "prefix_len", "prefix_len6")),
    "Switch": frozenset(("cls", "ports")),
    "CageMode": frozenset(("cage", "port")),
    "Rail": frozenset(("shape", "peer_port", "prefix_len", "prefix_len6")),
    "RailLink": frozenset(("port", "interface", "peer_port")),
    "Host": frozenset(("cls", "rails")),
    "HostClass": frozenset(("key", "rails")),
    "RailShape": frozenset(("rail", "interface", "rdma", "table", "numa", "link", "port")),
    "RailPort": frozenset(("port", "interface")),
    "FabricPrefixes": frozenset(("host_len", "host_len6")),
    "SwitchClass": frozenset(("key", "tier", "role", "has_upper", "sku_is_exact", "ports", "modes")),
    "Contract": frozenset(("classes",)),
    "TrafficClass": frozenset(("name", "priority_group")),
    "RoutingPolicy": frozenset(("hash_rank", "udf")),
    "Udf": frozenset(("udp_port", "offset_bytes", "length_bytes")),
    "PgProfile": frozenset(("xon_bytes", "xon_offset_bytes", "dynamic_th")),
    "Buffers": frozenset(("pools", "profiles", "headroom")),
    "Pool": frozenset(("name", "kind", "mode")),
    "Profile": frozenset(("name", "pool")),
}
"""Fields that often keep their value when their key changes, such as the name of a box's first port."""

COUNTED_FROM_ZERO = frozenset({("TrafficClass", "priority")})
"""Class and field of numbers whose zero does not mean that there is nothing."""
