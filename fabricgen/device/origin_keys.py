"""Intent paths that many fields of the device model come from; segments in braces as in ``device.origins``."""

from __future__ import annotations

from fabricgen.diagnostics import IntentPath

Patterns = tuple[IntentPath, ...]

MODEL: IntentPath = ("tiers", "{tier}", "model")
RELEASE: IntentPath = ("tiers", "{tier}", "release")
SPEED: IntentPath = ("links", "{link}", "speed")
LENGTH: IntentPath = ("links", "{link}", "cable", "length_m")
MEDIA: IntentPath = ("links", "{link}", "cable", "media")
MTU: IntentPath = ("links", "{link}", "mtu")
PER_PAIR: IntentPath = ("links", "{link}", "per_pair")
SERVER: IntentPath = ("hosts", "{group}", "server")
NIC: IntentPath = ("hosts", "{group}", "nic")
PER_UNIT: IntentPath = ("hosts", "{group}", "per_unit", "count")
PER_UNIT_MAX: IntentPath = ("hosts", "{group}", "per_unit", "max")
LOOPBACKS: IntentPath = ("addressing", "loopbacks", "{ipv4}")
LOOPBACKS6: IntentPath = ("addressing", "loopbacks", "{ipv6}")
HOST_LINKS: IntentPath = ("addressing", "host_links", "{ipv4}")
HOST_LINKS6: IntentPath = ("addressing", "host_links", "{ipv6}")
FAMILIES: IntentPath = ("addressing", "families")
NO_IPV4: IntentPath = ("addressing", "{without_ipv4}")
NO_IPV6: IntentPath = ("addressing", "{without_ipv6}")
FABRIC_LINKS: IntentPath = ("addressing", "fabric_links", "{ipv4}")
FABRIC_LINKS6: IntentPath = ("addressing", "fabric_links", "{ipv6}")
UNNUMBERED: IntentPath = ("addressing", "fabric_links")
MANAGEMENT: IntentPath = ("addressing", "management", "pool")
ASN: IntentPath = ("routing", "asn", "base")
HOSTS_BGP: IntentPath = ("routing", "hosts")
ACCESS_ACL: IntentPath = ("operations", "access", "acl")
ACCESS_MANAGEMENT: IntentPath = ("operations", "access", "management")
BFD: IntentPath = ("routing", "bfd")
BGP_KEY: IntentPath = ("routing", "security", "key")
GTSM: IntentPath = ("routing", "security", "ttl")
ECN: IntentPath = ("lossless", "ecn")
MODE: IntentPath = ("lossless", "mode")
PLACE: IntentPath = ("{scope}", "name")
EXCEPTION: IntentPath = ("exceptions", "[{hostname} state]")
ASSETS: IntentPath = ("assets",)
BOND: IntentPath = ("attachment", "bond")
CONSTANT: Patterns = ()
"""Planning decides by a standard or a published default, whatever the intent says."""


def class_key(key: str) -> Patterns:
    """A key of a traffic class."""
    return (("lossless", "classes", "{name}", key),)


def ecmp_key(key: str) -> Patterns:
    """A key of the multipath settings: what the tier has different goes before what all tiers have."""
    return (("tiers", "{tier}", "ecmp", key), ("routing", "ecmp", key))


ECN_VALUE: Patterns = (("lossless", "ecn", "{marking_key}"), ECN, SPEED, MODEL, ("lossless", "rtt_us"))
HEADROOM_VALUE: Patterns = (LENGTH, SPEED, MODEL)
MOST_PORTS: Patterns = (("tiers",), ("links",))
POLLED_PORTS: Patterns = (MODEL, ("links", "{links}", "speed"))
PEER_NAME: Patterns = (("hosts", "{peer_group}", "name"), ("tiers", "{peer_tier}", "name"))
PEER_PORT: Patterns = (("tiers", "{peer_tier}", "model"), ("hosts", "{peer_group}", "server"), SPEED)
LINK_ADDRESS: Patterns = (("addressing", "{pool}", "{ipv4}"), NO_IPV4)
LINK_ADDRESS6: Patterns = (("addressing", "{pool}", "{ipv6}"), NO_IPV6)
USED: Patterns = (
    ("hosts", "{peer_group}", "per_unit", "count"),
    ("{below}", "count"),
    ("tiers", "{counted_tier}", "count", "count"),
    PER_PAIR,
    MODEL,
)
USED_SPEED: IntentPath = ("links", "{used_link}", "speed")
USED_LENGTH: IntentPath = ("links", "{used_link}", "cable", "length_m")
