"""Origins of fields: the intent paths they come from.

A field of the device model, or of what it carries of the plan, has its origin in its annotation. A segment in braces is
a variable of ``device.origins``. The first path that can be filled in names the key whose change shows in the
field most directly; the others take part in the decision. Only ``explain`` evaluates the annotations.
"""

from __future__ import annotations

IntentPath = tuple[str, ...]
Patterns = tuple[IntentPath, ...]


class Origin(Patterns):
    """Paths a field comes from; none where planning decides by a standard or default, whatever the intent says."""

    __slots__ = ()

    def __new__(cls, *patterns: IntentPath) -> Origin:
        """Take the paths, the most decisive first."""
        return super().__new__(cls, patterns)


class Sticky(Origin):
    """Origin of a field that often keeps its value when its key changes, such as the name of a box's first port."""

    __slots__ = ()


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
SERIES: IntentPath = ("addressing", "series")
ASN_SERIES: IntentPath = ("routing", "asn", "series")
IF_WRITTEN = (SERIES, ASN_SERIES)
"""Maps that take part only where the intent has them."""
HOSTS_BGP: IntentPath = ("routing", "hosts")
ACCESS_ACL: IntentPath = ("operations", "access", "acl")
BFD: IntentPath = ("routing", "bfd")
WEIGHTS: IntentPath = ("routing", "ecmp", "weights")
BGP_KEY: IntentPath = ("routing", "security", "key")
GTSM: IntentPath = ("routing", "security", "ttl")
ECN: IntentPath = ("lossless", "ecn")
MODE: IntentPath = ("lossless", "mode")
PLACE: IntentPath = ("{scope}", "name")
ASSETS: IntentPath = ("assets",)
BOND: IntentPath = ("attachment", "bond")
TIER: IntentPath = ("tiers", "{tier}")
LINKS_SPEED: IntentPath = ("links", "{links}", "speed")
TIER_PLATFORM: IntentPath = ("tiers", "{tier}", "platform")
UPPER_PLATFORM: IntentPath = ("tiers", "{upper_tier}", "platform")
LOWER_PLATFORM: IntentPath = ("tiers", "{lower_tier}", "platform")
LOWER_TIER: IntentPath = ("tiers", "{lower_tier}")
LINK: IntentPath = ("links", "{link}")
HOST_GROUP: IntentPath = ("hosts", "{group}")
PLANES: IntentPath = ("planes", "count")
PLANES_HOST: IntentPath = ("planes", "host")
UNREACHABILITY: IntentPath = ("routing", "unreachability")
CLASSES: IntentPath = ("lossless", "classes")
FABRIC: IntentPath = ("fabric",)
UNITS: IntentPath = ("units", "count")
NVLINK_DOMAIN: IntentPath = ("hosts", "{group}", "nvlink_domain")
LEAFS_PER_GROUP: IntentPath = ("attachment", "leafs_per_group")
RAILS_PER_LEAF: IntentPath = ("attachment", "rails_per_leaf")
LINKS_LENGTH: IntentPath = ("links", "{links}", "cable", "length_m")
DETECTION: IntentPath = ("lossless", "watchdog", "detection_ms")
RESTORATION: IntentPath = ("lossless", "watchdog", "restoration_ms")
LOSSLESS_DSCP: IntentPath = ("lossless", "classes", "{lossless}", "dscp")
DATA_MARK: Patterns = (("lossless", "classes", "{lossless}", "mark"), LOSSLESS_DSCP)
LOSSLESS_PRIORITY: IntentPath = ("lossless", "classes", "{lossless}", "priority")
UPPER_COUNT: IntentPath = ("tiers", "{upper_tier}", "count", "count")
LINKS_PER_PAIR: IntentPath = ("links", "{links}", "per_pair")
OWN_PRIORITY: IntentPath = ("lossless", "classes", "{lossless_name}", "priority")
DCQCN: IntentPath = ("lossless", "dcqcn")


def class_key(key: str) -> IntentPath:
    """A key of a traffic class."""
    return ("lossless", "classes", "{name}", key)


def items(*path: str) -> Patterns:
    """An item of a list, or the list."""
    return ((*path, "[{item}]"), path)


def ecmp_key(key: str) -> Patterns:
    """A key of the multipath settings: what the tier has different goes before what all tiers have."""
    return (("tiers", "{tier}", "ecmp", key), ("routing", "ecmp", key))


ECN_VALUE: Patterns = (("lossless", "ecn", "{marking_key}"), ECN, SPEED, MODEL, ("lossless", "rtt_us"))
HEADROOM_VALUE: Patterns = (LENGTH, SPEED, MODEL)
ACCESS_FROM: Patterns = (*items("operations", "access", "management"), MANAGEMENT)
POLLED_PORTS: Patterns = (MODEL, LINKS_SPEED)
PEER_NAME: Patterns = (("hosts", "{peer_group}", "name"), ("tiers", "{peer_tier}", "name"))
PEER_PORT: Patterns = (("tiers", "{peer_tier}", "model"), ("hosts", "{peer_group}", "server"), SPEED)
IN_BLOCK: Patterns = (PER_UNIT_MAX, PER_UNIT, RAILS_PER_LEAF)
LINK_ADDRESS: Patterns = (("addressing", "{pool}", "{ipv4}"), NO_IPV4, SERIES)
LINK_ADDRESS6: Patterns = (("addressing", "{pool}", "{ipv6}"), NO_IPV6, SERIES)
USED: Patterns = (
    ("hosts", "{absent_group}", "units"),
    ("hosts", "{peer_group}", "per_unit", "count"),
    ("{below}", "count"),
    ("tiers", "{counted_tier}", "count", "count"),
    PER_PAIR,
    MODEL,
)
USED_SPEED: IntentPath = ("links", "{used_link}", "speed")
USED_LENGTH: IntentPath = ("links", "{used_link}", "cable", "length_m")
CODE_POINTS: Patterns = (
    ("lossless", "classes", "{dscp_class}", "dscp"),
    ("lossless", "classes", "{dscp_class}", "priority"),
    ("lossless", "classes", "{rest_class}", "priority"),
)
