"""The table of origins: for each field of the device model the intent paths it comes from.

A segment in braces is a variable of ``device.origins``. The first pattern that can be filled in names the key whose
change shows in the field most directly; the others take part in the decision. A field without patterns is a constant
of planning.
"""

from __future__ import annotations

from collections.abc import Mapping

from fabricgen.diagnostics import IntentPath

_Patterns = tuple[IntentPath, ...]

_MODEL: IntentPath = ("tiers", "{tier}", "model")
_RELEASE: IntentPath = ("tiers", "{tier}", "release")
_SPEED: IntentPath = ("links", "{link}", "speed")
_LENGTH: IntentPath = ("links", "{link}", "cable", "length_m")
_MEDIA: IntentPath = ("links", "{link}", "cable", "media")
_MTU: IntentPath = ("links", "{link}", "mtu")
_PER_PAIR: IntentPath = ("links", "{link}", "per_pair")
_SERVER: IntentPath = ("hosts", "{group}", "server")
_NIC: IntentPath = ("hosts", "{group}", "nic")
_PER_UNIT: IntentPath = ("hosts", "{group}", "per_unit", "count")
_PER_UNIT_MAX: IntentPath = ("hosts", "{group}", "per_unit", "max")
_LOOPBACKS: IntentPath = ("addressing", "loopbacks", "{ipv4}")
_LOOPBACKS6: IntentPath = ("addressing", "loopbacks", "{ipv6}")
_HOST_LINKS: IntentPath = ("addressing", "host_links", "{ipv4}")
_HOST_LINKS6: IntentPath = ("addressing", "host_links", "{ipv6}")
_FAMILIES: IntentPath = ("addressing", "families")
_NO_IPV4: IntentPath = ("addressing", "{without_ipv4}")
_NO_IPV6: IntentPath = ("addressing", "{without_ipv6}")
_UNNUMBERED: IntentPath = ("addressing", "fabric_links")
_MANAGEMENT: IntentPath = ("addressing", "management", "pool")
_ASN: IntentPath = ("routing", "asn", "base")
_HOSTS_BGP: IntentPath = ("routing", "hosts")
_BFD: IntentPath = ("routing", "bfd")
_ECN: IntentPath = ("lossless", "ecn")
_MODE: IntentPath = ("lossless", "mode")
_PLACE: IntentPath = ("{scope}", "name")
_EXCEPTION: IntentPath = ("exceptions", "[{hostname} state]")
_ASSETS: IntentPath = ("assets",)
_BOND: IntentPath = ("attachment", "bond")
_CONSTANT: _Patterns = ()
"""Planning decides by a standard or a published default, whatever the intent says."""


def _class(key: str) -> _Patterns:
    """A key of a traffic class."""
    return (("lossless", "classes", "{name}", key),)


def _ecmp(key: str) -> _Patterns:
    """A key of the multipath settings: what the tier has different goes before what all tiers have."""
    return (("tiers", "{tier}", "ecmp", key), ("routing", "ecmp", key))


_ECN_VALUE: _Patterns = (("lossless", "ecn", "{marking_key}"), _ECN, _SPEED, _MODEL)
_HEADROOM_VALUE: _Patterns = (_LENGTH, _SPEED, _MODEL)
_PEER_NAME: _Patterns = (("hosts", "{peer_group}", "name"), ("tiers", "{peer_tier}", "name"))
_PEER_PORT: _Patterns = (("tiers", "{peer_tier}", "model"), ("hosts", "{peer_group}", "server"), _SPEED)
_LINK_ADDRESS: _Patterns = (("addressing", "{pool}", "{ipv4}"), _NO_IPV4)
_LINK_ADDRESS6: _Patterns = (("addressing", "{pool}", "{ipv6}"), _NO_IPV6)
_USED: _Patterns = (
    ("hosts", "{peer_group}", "per_unit", "count"),
    ("{below}", "count"),
    ("tiers", "{counted_tier}", "count", "count"),
    _PER_PAIR,
    _MODEL,
)
_USED_SPEED: IntentPath = ("links", "{used_link}", "speed")
_USED_LENGTH: IntentPath = ("links", "{used_link}", "cable", "length_m")

_PORT_ORIGINS: Mapping[str, Mapping[str, _Patterns]] = {
    "PortShape": {
        "name": (_MODEL, _SPEED),
        "alias": (_MODEL, _SPEED),
        "cage": (_MODEL,),
        "subport": (_SPEED, _MODEL),
        "lanes": (_MODEL, _SPEED),
        "speed_gbps": (_SPEED, _MODEL),
        "fec": (_SPEED, _MODEL),
        "autoneg": (_SPEED, _MODEL),
        "side": (_PER_PAIR, _MODEL),
        "position": (_PER_PAIR, _MODEL),
        "link": (("links", "{link}"), _MODEL),
        "used": _USED,
        "mtu_bytes": (_MTU, ("links", "{down_link}", "mtu")),
        "cable_m": (_USED_LENGTH, *_USED),
        "pg_profile": (_USED_LENGTH, _USED_SPEED, *_USED),
        "ecn": (_USED_SPEED, _MODE, *_USED),
        "number": (_MODEL, _SPEED),
        "profile": (_SPEED, _MEDIA, _MODEL),
        "service": (_MODEL,),
        "peer_platform": (("tiers", "{upper_tier}", "platform"), ("tiers", "{tier}", "platform"), *_USED),
    },
    "Port": {
        "shape": (("links", "{link}"),),
        "peer": _PEER_NAME,
        "peer_port": _PEER_PORT,
        "address": _LINK_ADDRESS,
        "peer_address": _LINK_ADDRESS,
        "peer_asn": (_ASN, _HOSTS_BGP),
        "prefix_len": (_BOND, _HOST_LINKS),
        "drained": (("exceptions",),),
        "bond": (_BOND, _PER_UNIT),
        "address6": _LINK_ADDRESS6,
        "peer_address6": _LINK_ADDRESS6,
        "prefix_len6": (_BOND, _HOST_LINKS6),
    },
    "CageMode": {
        "cage": (_MODEL,),
        "port": (_MODEL,),
        "mode": (_SPEED, _MODEL),
    },
}

_SWITCH_ORIGINS: Mapping[str, Mapping[str, _Patterns]] = {
    "Switch": {
        "cls": (("tiers", "{tier}"),),
        "hostname": (("tiers", "{tier}", "name"),),
        "place": (_PLACE,),
        "asn": (_ASN,),
        "loopback": (_LOOPBACKS, _NO_IPV4),
        "management": (_MANAGEMENT,),
        "management_len": (_MANAGEMENT,),
        "management_gateway": (("addressing", "management", "gateway"), _MANAGEMENT),
        "aggregate": (_HOST_LINKS, _NO_IPV4, _PER_UNIT_MAX),
        "state": ((*_EXCEPTION, "state"),),
        "reason": ((*_EXCEPTION, "reason"),),
        "mac": (_ASSETS,),
        "serial": (_ASSETS,),
        "ports": (("links", "{links}", "per_pair"), ("units", "count"), _PER_UNIT),
        "raw": (("exceptions", "[{hostname} raw]", "raw"),),
        "host_subnet": (_BOND, _HOST_LINKS),
        "router_id": (_LOOPBACKS, _LOOPBACKS6),
        "loopback6": (_LOOPBACKS6, _NO_IPV6),
        "aggregate6": (_HOST_LINKS6, _NO_IPV6, _PER_UNIT_MAX),
    },
    "HostSubnet": {
        "prefix": (_HOST_LINKS, _NO_IPV4),
        "prefix_len": (_PER_UNIT_MAX, _PER_UNIT, _HOST_LINKS),
        "address": (_HOST_LINKS, _NO_IPV4),
        "gateway": (_HOST_LINKS, _NO_IPV4),
        "gateway_mac": _CONSTANT,
        "vlan": _CONSTANT,
        "lacp_system_id": (_BOND,),
        "lacp_first_port_id": (("planes", "count"), ("attachment", "leafs_per_group"), _BOND),
        "lacp_last_port_id": (("planes", "count"), ("attachment", "leafs_per_group"), _BOND),
        "prefix6": (_HOST_LINKS6, _NO_IPV6),
        "prefix_len6": (_PER_UNIT_MAX, _PER_UNIT, _HOST_LINKS6),
        "address6": (_HOST_LINKS6, _NO_IPV6),
        "gateway6": (_HOST_LINKS6, _NO_IPV6),
    },
    "SwitchClass": {
        "key": (("tiers", "{tier}"),),
        "fabric": (("fabric",),),
        "tier": (("tiers", "{tier}"),),
        "role": (("tiers",), ("links", "{links}")),
        "has_upper": (("links", "{links}"),),
        "model": (_MODEL,),
        "platform": (("tiers", "{tier}", "platform"),),
        "board": (_MODEL,),
        "sku": (_MODEL, ("links", "{links}", "speed")),
        "sku_is_exact": (_MODEL, ("links", "{links}", "speed")),
        "ports": (_MODEL, ("links", "{links}", "speed")),
        "modes": (("links", "{links}", "speed"), _MODEL),
        "contract": (("lossless", "classes"), _MODE),
        "watchdog": (("lossless", "watchdog"),),
        "buffers": (_MODEL,),
        "ecn": (_MODE, _ECN, ("links", "{links}", "speed")),
        "routing": (("routing",), ("tiers", "{tier}", "ecmp")),
        "services": (("operations",),),
        "prefixes": (("addressing",),),
        "host_groups": (("hosts", "{group}"),),
        "board_data": (("tiers", "{tier}", "board_data"),),
        "bonds_hosts": (_BOND,),
        "release": (_RELEASE,),
        "ipv4": (_FAMILIES,),
        "ipv6": (_FAMILIES,),
        "unnumbered": (_UNNUMBERED,),
        "hosts_bgp": (_HOSTS_BGP,),
    },
    "FabricPrefixes": {
        "loopbacks": (_LOOPBACKS, _NO_IPV4),
        "loopback_len": _CONSTANT,
        "host_links": (_HOST_LINKS, _NO_IPV4),
        "host_len": (_BOND,),
        "host_len6": (_BOND,),
        "host_block_len": (_PER_UNIT_MAX, _PER_UNIT, ("attachment", "rails_per_leaf"), _HOST_LINKS),
        "loopbacks6": (_LOOPBACKS6, _NO_IPV6),
        "loopback_len6": _CONSTANT,
        "host_links6": (_HOST_LINKS6, _NO_IPV6),
        "host_block_len6": (_PER_UNIT_MAX, _PER_UNIT, ("attachment", "rails_per_leaf"), _HOST_LINKS6),
    },
}

_HOST_ORIGINS: Mapping[str, Mapping[str, _Patterns]] = {
    "RailShape": {
        "rail": (_SERVER,),
        "interface": (_SERVER,),
        "rdma": (_SERVER,),
        "table": (_SERVER, _HOSTS_BGP),
        "mtu_bytes": (_MTU,),
        "speed_gbps": (_SPEED,),
        "cable_m": (_LENGTH,),
        "nic_bdf": (_SERVER, _ASSETS),
        "gpu_bdf": (_SERVER,),
        "switch_bdf": (_SERVER,),
        "numa": (_SERVER,),
        "link": (("links", "{link}"),),
        "port": (_NIC, ("planes", "count")),
        "members": (_BOND, _NIC),
    },
    "RailPort": {
        "port": (_NIC, ("planes", "count")),
        "interface": (_SERVER, _BOND),
        "nic_bdf": (_SERVER, _ASSETS),
    },
    "RailLink": {
        "port": (_NIC, ("planes", "count")),
        "interface": (_SERVER, _BOND),
        "peer": _PEER_NAME,
        "peer_port": _PEER_PORT,
        "mac": (_ASSETS,),
    },
    "HostClass": {
        "key": (("hosts", "{group}"),),
        "fabric": (("fabric",),),
        "group": (("hosts", "{group}"),),
        "server": (_SERVER,),
        "nic": (_NIC,),
        "os": (("hosts", "{group}", "os"),),
        "nic_family": (_NIC,),
        "gpus": (_SERVER,),
        "gpu_sm": (_SERVER,),
        "cpu_vendor": (_SERVER,),
        "numa_nodes": (_SERVER,),
        "pcie_gen": (_SERVER,),
        "nic_pci_vendor": (_NIC,),
        "nic_pci_device": (_NIC,),
        "rails": (_SERVER,),
        "supernet": (_HOST_LINKS, _NO_IPV4),
        "contract": (("lossless", "classes"), _MODE),
        "collectives": (("collectives",),),
        "reordered": (("routing", "ecmp", "load_balancing"),),
        "nic_ports": (_NIC, ("planes", "count")),
        "nvlink_domain": (("hosts", "{group}", "nvlink_domain"),),
        "nvlink_hosts": (_SERVER,),
        "library": (("collectives", "library"), _SERVER),
        "supernet6": (_HOST_LINKS6, _NO_IPV6),
        "bgp": (_HOSTS_BGP,),
    },
    "HostRouting": {
        "asn": (_HOSTS_BGP,),
        "table": (_HOSTS_BGP,),
        "policy": (("routing",),),
        "prefixes": (("addressing",),),
    },
    "Rail": {
        "shape": (("links", "{link}"),),
        "address": (_HOST_LINKS, _NO_IPV4),
        "gateway": (_HOST_LINKS, _NO_IPV4),
        "peer": _PEER_NAME,
        "peer_port": _PEER_PORT,
        "mac": (_ASSETS,),
        "prefix_len": (_BOND, _HOST_LINKS),
        "links": (_BOND, _NIC, ("planes", "host")),
        "address6": (_HOST_LINKS6, _NO_IPV6),
        "gateway6": (_HOST_LINKS6, _NO_IPV6),
        "prefix_len6": (_BOND, _HOST_LINKS6),
        "peer_asn": (_ASN, _HOSTS_BGP),
    },
    "Host": {
        "cls": (("hosts", "{group}"),),
        "hostname": (("hosts", "{group}", "name"),),
        "place": (_PLACE,),
        "state": ((*_EXCEPTION, "state"),),
        "reason": ((*_EXCEPTION, "reason"),),
        "serial": (_ASSETS,),
        "rails": (_SERVER,),
        "nvlink_nodes": (("hosts", "{group}", "nvlink_domain"), ("hosts", "{group}", "name"), _ASSETS),
        "router_id": (_HOST_LINKS, _HOST_LINKS6),
    },
}

_CONTRACT_ORIGINS: Mapping[str, Mapping[str, _Patterns]] = {
    "TrafficClass": {
        "name": (("lossless", "classes", "{name}"),),
        "dscp": _class("dscp"),
        "priority": _class("priority"),
        "priority_group": (("lossless", "classes", "{lossless_name}", "priority"), *_class("lossless")),
        "lossless": _class("lossless"),
        "strict": _class("strict"),
        "weight_pct": _class("weight_pct"),
    },
    "Contract": {
        "mode": (_MODE,),
        "classes": (("lossless", "classes"),),
        "priority_by_dscp": (
            ("lossless", "classes", "{dscp_class}", "dscp"),
            ("lossless", "classes", "{dscp_class}", "priority"),
            ("lossless", "classes", "{rest_class}", "priority"),
        ),
        "lossless": (("lossless", "classes", "{lossless}", "priority"), _MODE, ("lossless", "classes")),
        "reason": (("lossless", "reason"),),
    },
    "Watchdog": {
        "detection_ms": (("lossless", "watchdog", "detection_ms"),),
        "restoration_ms": (("lossless", "watchdog", "restoration_ms"),),
        "poll_ms": (("lossless", "watchdog", "detection_ms"), ("lossless", "watchdog", "restoration_ms")),
        "action": (("lossless", "watchdog", "action"),),
    },
    "EcnThresholds": {
        "name": (_SPEED,),
        "speed_gbps": (_SPEED,),
        "kmin_bytes": _ECN_VALUE,
        "kmax_bytes": _ECN_VALUE,
        "pmax_pct": _ECN_VALUE,
        "source": _ECN_VALUE,
        "key": (_ECN,),
    },
    "MarkingBound": {
        "alpha": (_MODEL,),
        "pool_bytes": (_MODEL, _LENGTH),
        "ports": (_MODEL, _PER_PAIR),
        "priorities": (("lossless", "classes"),),
        "bound_bytes": (_MODEL, ("lossless", "classes"), _PER_PAIR),
        "alone_bytes": (_MODEL,),
    },
    "PgProfile": {
        "name": _HEADROOM_VALUE,
        "speed_gbps": (_SPEED,),
        "cable_m": _HEADROOM_VALUE,
        "size_bytes": (_MODEL, _LENGTH, _SPEED),
        "xon_bytes": (_MODEL, _LENGTH, _SPEED),
        "xon_offset_bytes": (_MODEL, _LENGTH, _SPEED),
        "xoff_bytes": _HEADROOM_VALUE,
        "dynamic_th": (_MODEL, _LENGTH, _SPEED),
        "source": (_MODEL,),
        "lanes": (_SPEED, _MODEL),
        "mtu_bytes": (_MTU,),
        "derivation": _HEADROOM_VALUE,
    },
    "Pool": dict.fromkeys(("name", "kind", "mode", "size_bytes", "xoff_bytes", "computed"), (_MODEL,)),
    "Profile": dict.fromkeys(("name", "pool", "size_bytes", "dynamic_th", "static_th_bytes"), (_MODEL,)),
    "Buffers": {
        "pools": (_MODEL,),
        "profiles": (_MODEL,),
        "headroom": (("links", "{links}", "cable", "length_m"), ("links", "{links}", "speed"), _MODEL),
        "source": (_MODEL,),
        "asic": (_MODEL,),
        "asic_source": (_MODEL,),
        "buffer_bytes": (_MODEL,),
        "cell_bytes": (_MODEL,),
        "itm": (_MODEL,),
        "cells_available": (_MODEL,),
        "pools_exclude_reserved": (_MODEL,),
        "skips_reservation": (_MODEL, ("links", "{links}", "speed")),
        "group_reserved_bytes": (_MODEL,),
        "group_reserved_8_lanes_bytes": (_MODEL,),
        "port_reserved_bytes": (_MODEL,),
        "fixed_reserved_bytes": (_MODEL,),
        "computed": (_MODEL,),
        "traffic_mtu_bytes": (_MODEL,),
        "small_packet_pct": (_MODEL,),
        "default_dynamic_th": (_MODEL,),
    },
}

_POLICY_ORIGINS: Mapping[str, Mapping[str, _Patterns]] = {
    "RoutingPolicy": {
        "bfd_upper": (_BFD, ("tiers", "{tier}", "platform"), ("tiers", "{upper_tier}", "platform")),
        "bfd_lower": (_BFD, ("tiers", "{tier}", "platform"), ("tiers", "{lower_tier}", "platform")),
        "bfd_multiplier": _CONSTANT,
        "bfd_interval_ms": _CONSTANT,
        "keepalive_s": _CONSTANT,
        "hold_s": _CONSTANT,
        "connect_s": _CONSTANT,
        "max_paths": (
            *_ecmp("max_paths"),
            ("tiers", "{upper_tier}", "count", "count"),
            ("links", "{links}", "per_pair"),
        ),
        "max_prefixes": (("units", "max"), ("pods", "max"), ("zones", "max"), ("units", "count")),
        "hash_fields": _ecmp("hash"),
        "hash_rank": _ecmp("decorrelate"),
        "load_balancing": _ecmp("load_balancing"),
        "udf": (_MODEL,),
    },
    "Udf": dict.fromkeys(("udp_port", "offset_bytes", "length_bytes"), (_MODEL,)),
    "User": {field: (("operations", "users", "[{name}]", field),) for field in ("name", "ssh_key", "password_hash")},
    "Services": {
        "ntp": (("operations", "ntp", "[{item}]"), ("operations", "ntp")),
        "syslog": (("operations", "syslog", "[{item}]"), ("operations", "syslog")),
        "dns": (("operations", "dns", "[{item}]"), ("operations", "dns")),
        "gnmi_port": (("operations", "gnmi", "port"),),
        "snmp_community": (("operations", "snmp", "community"),),
        "snmp_location": (("operations", "snmp", "location"),),
        "snmp_contact": (("operations", "snmp", "contact"),),
        "tacacs": (("operations", "tacacs", "servers", "[{item}]"), ("operations", "tacacs", "servers")),
        "tacacs_key": (("operations", "tacacs", "key"),),
        "users": (("operations", "users"),),
        "timezone": (("operations", "timezone"),),
        "sflow_collector": (("operations", "sflow", "collector"),),
        "sflow_rate": (("operations", "sflow", "sampling_rate"),),
    },
    "Collectives": {
        "qps_per_connection": (("collectives", "qps_per_connection"),),
        "split_data_on_qps": (("collectives", "split_data_on_qps"),),
        "timeout_exponent": (("collectives", "timeout_exponent"),),
        "retry_count": (("collectives", "retry_count"),),
        "socket_interface": (("collectives", "socket_interface"),),
        "data_dscp": (("lossless", "classes", "{lossless}", "dscp"),),
        "credit_dscp": (("lossless", "classes", "cts", "dscp"),),
        "dcqcn": (("lossless", "dcqcn"), _MODE, _NIC),
        "fault_tolerance": (("collectives", "fault_tolerance"),),
        "telemetry_path": (("collectives", "telemetry_path"), ("collectives", "telemetry")),
    },
}

FIELD_ORIGINS: Mapping[str, Mapping[str, _Patterns]] = {
    **_PORT_ORIGINS,
    **_SWITCH_ORIGINS,
    **_HOST_ORIGINS,
    **_CONTRACT_ORIGINS,
    **_POLICY_ORIGINS,
}

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

EXISTENCE: Mapping[str, tuple[str, str]] = {"Port": ("PortShape", "used")}
"""Class of which there is no object unless a field of another object says so."""
