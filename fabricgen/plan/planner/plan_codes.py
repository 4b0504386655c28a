"""Diagnostics of the planning stage."""

from __future__ import annotations

from functools import partial

from fabricgen.diagnostics import Severity, register

declare = partial(register, source="The intent language, docs/intent.md")

UNKNOWN_TIER = declare(
    "FG-TOP-001",
    "Link between others than two tiers, or hosts and leafs",
    why="Links are named by what they join; a name that is not a tier, and hosts above the leaf, would silently build "
    "nothing.",
    fix="Name the link after two declared tiers, lower first, or a host group and the leaf tier; or add the tier.",
)
UNLINKED_TIER = declare(
    "FG-TOP-002",
    "Tier or hosts without links",
    why="Switches without links to the tier below carry no traffic, and nothing can be planned without knowing where "
    "and how fast the hosts attach.",
    fix="Add the links, links.host-leaf for the hosts; or remove the tier.",
)
BRANCHING = register(
    "FG-TOP-003",
    "Tier with two tiers above it",
    why="A Clos is a chain of tiers; with two upper tiers neither oversubscription nor valley-free routing is defined.",
    fix="Keep one link group from each tier upwards.",
    source="Al-Fares et al., SIGCOMM 2008; RFC 7938 section 3",
)
NO_COUNT = declare(
    "FG-TOP-005",
    "Upper tier without a count",
    why="Leafs follow from the attachment; every tier above is as wide as its count says.",
    fix="Add count to the tier.",
)
PLACED = declare(
    "FG-TOP-006",
    "Key of a tier or link that the attachment decides",
    why="The attachment places leafs, once per unit, plane and rail group, and host links, one per NIC port; a "
    "second statement could differ.",
    fix="Remove per and count from the leaf tier, per_pair and pattern from host links.",
)
KIND = declare(
    "FG-TOP-137",
    "Kind of units that the fabric's places do not fit",
    why="Places are reserved by the largest unit, and a unit is of one kind; a leaf with more links to one switch than "
    "to another sends equal shares over unequal bandwidth.",
    fix="Name each unit from 1 to the count in one kind, at most per_unit hosts, and as many uplinks to each switch.",
)
FEW_UPPERS = register(
    "FG-TOP-138",
    "Leafs of a kind that reach some of the upper switches only",
    severity=Severity.INFO,
    why="Those switches carry all traffic of these leafs, the others none of it.",
    fix="Use a multiple of the number of upper switches, with parallel links, where the load has to be equal.",
    source="RFC 7938 section 5.2.1 and RFC 2992 section 2 (equal-cost paths get equal shares)",
)
STRIPE_DOES_NOT_DIVIDE = register(
    "FG-TOP-007",
    "Upper tier does not divide into its stripe groups",
    why="Some lower switches would meet fewer upper switches than others, and capacity would differ by rail or index.",
    fix="Use a multiple of the number of stripe groups.",
    source="Qian et al., Alibaba HPN, SIGCOMM 2024, section 4",
)
RAILS_DO_NOT_DIVIDE = declare(
    "FG-TOP-008",
    "Rails per leaf do not divide the rails of a host",
    why="One leaf would carry fewer rails than the others.",
    fix="Use a divisor of the number of rails.",
)
TOO_FEW_PORTS = register(
    "FG-TOP-009",
    "Too few ports at the reserved maximum",
    why="Ports are reserved so that growth never moves a used one; links beyond the last cage cannot be built.",
    fix="Lower the maximum or the count, use fewer parallel links, or a larger switch.",
    source="The model's port table in the catalog",
)
NO_COMMON_BREAKOUT = register(
    "FG-TOP-010",
    "No breakout both ends can run",
    why="A link needs the same speed over the same number of lanes at both ends; otherwise it never comes up.",
    fix="Choose a speed that both models list.",
    source="Lanes per speed of both models in the catalog",
)
MAX_BELOW_COUNT = declare(
    "FG-TOP-011",
    "Maximum below the count",
    why="The maximum is what addresses and ports are reserved for; it cannot be less than what exists.",
    fix="Raise max, or lower count.",
)
ILLEGAL_PLATFORM = register(
    "FG-TOP-013",
    "The model does not run this platform",
    why="The rendered files would not load on the box.",
    fix="Choose one of the platforms that the model lists, or another model.",
    source="The model's file in the catalog",
)
TOO_LARGE = register(
    "FG-TOP-014",
    "Fabric larger than fabricgen supports",
    why="It is a slip of a few zeros, and planning it would take hours.",
    fix="Lower the count.",
    source="The largest announced clusters have some hundred thousand GPUs; docs/intent.md",
)
NO_PORT_PROFILE = register(
    "FG-TOP-015",
    "No port profile for the medium of a link",
    why="The maker's software sets serdes and FEC by profile; without one for this medium the port cannot be enabled.",
    fix="Use a medium or a speed that the model's port profiles list.",
    source="The model's file in the catalog; facebook/fboss agent/switch_config.thrift, PortProfileID",
)
NO_FREE_PORT = declare(
    "FG-TOP-077",
    "Port of a grandmaster that is not free",
    why="A port carries one cable; one that links use, or will use when the fabric grows, would have to move then.",
    fix="Name a switch of the fabric, and a port of it that no link is planned for; service ports are free.",
)
SKU_NOT_EXACT = register(
    "FG-PLT-020",
    "No port profile of the vendor equals the planned breakouts",
    severity=Severity.INFO,
    why="The default profile plus explicit breakouts loads with the vendor's pools; the rules on buffers check that "
    "they suffice for the planned ports.",
    fix="No action is needed if this is intended; otherwise choose a model or speed for which the vendor ships a "
    "profile.",
    source="sonic-net/sonic-buildimage, hwsku.json of the model",
)
POOL_TOO_SMALL = register(
    "FG-ADR-001",
    "Address pool too small at the reserved maximum",
    why="Addresses come from identity and are reserved for growth; those beyond the pool do not exist.",
    fix="Use a larger pool, or lower a maximum.",
    source="RFC 7938 section 5.2.3; RFC 3021",
)
ASN_EXHAUSTED = register(
    "FG-RTE-001",
    "AS numbers run out at the reserved maximum",
    why="Every leaf needs its own number; beyond the private range they belong to other networks.",
    fix="Start lower, or use the 4-byte private range from 4200000000.",
    source="RFC 6996 section 5; RFC 7938 section 5.2.1",
)
SERIES_OF_NOTHING = declare(
    "FG-ADR-093",
    "Series along what a tier does not have",
    why="No device would get a number from it; a silent omission is worse than an error.",
    fix="Name a tier that has such numbers, and dimensions that it is counted along.",
)
ORDER_FAILS = register(
    "FG-ADR-094",
    "Order without a dimension that varies, or that growth would change",
    why="Devices that differ only along it would have one address, or one AS number where their routes meet, and a "
    "router rejects a route with its own. What has no maximum moves all that is counted outside it.",
    fix="Add the dimension to the order; list the one without a maximum first, or write its maximum or a stride.",
    source="RFC 4271 section 9.1.2; docs/intent.md, addressing",
)
STRIDE_TOO_SMALL = declare(
    "FG-ADR-095",
    "Stride that does not hold what is counted inside it",
    why="Two devices would have one number, or a prefix of one leaf would hold addresses of another.",
    fix="Use the stride that the hint names, or lower a maximum.",
)
SERIES_OVERLAP = declare(
    "FG-ADR-096",
    "Series that overlap",
    why="Two devices of different tiers would have one number, at once or when the fabric grows.",
    fix="Move one of them, or give it a smaller maximum.",
)
SERIES_OUTSIDE = declare(
    "FG-ADR-097",
    "Series outside its pool, or not at the start of a block",
    why="Routing policy permits what is in the pools, by blocks; other addresses are reachable from nowhere.",
    fix="Use the address that the hint names, or a larger pool.",
)
SERIES_LACKING = declare(
    "FG-ADR-961",
    "Series of host links that is not built",
    why="Leafs over which hosts bond or spread have one block between them, and unlike hosts have no common stride.",
    fix="Leave the series out.",
)
POOL_OF_OTHER_FAMILY = declare(
    "FG-ADR-002",
    "Pool of a family the fabric does not have",
    why="Nothing would get an address from it; a silent omission is worse than an error.",
    fix="Add the family to addressing.families, or remove the pool.",
)
NO_POOL = register(
    "FG-ADR-003",
    "No pool for a family of the fabric",
    why="Every loopback and link has an address in each family; fabricgen has no IPv6 prefix of its own to give away.",
    fix="Name a pool of that family.",
    source="RFC 4193 section 3.2.2: the prefix of a site is random, so no default can be right",
)
NO_BUFFER_TABLE = register(
    "FG-BUF-010",
    "No buffer figures for this model",
    why="Pools and thresholds are never guessed; without them the switch would run its image's defaults.",
    fix="Add pools and profiles of the SKU to the model's catalog file.",
    source="The model's file in the catalog",
)
NO_HEADROOM_TABLE = register(
    "FG-BUF-011",
    "No headroom table for this SKU, or none for the speed",
    why="Without headroom a lossless priority group drops what arrives after XOFF; a row of another speed would drop "
    "or waste buffer.",
    fix="Use a speed the table lists, or add the vendor's rows to the model's catalog file.",
    source="sonic-net/sonic-buildimage, pg_profile_lookup.ini",
)
CABLE_TOO_LONG = register(
    "FG-BUF-013",
    "Cable longer than the headroom table",
    why="What is in flight on a longer cable does not fit the headroom, and the vendor publishes no figure.",
    fix="Use a shorter cable, or add the vendor's row to the catalog.",
    source="sonic-net/sonic-buildimage, pg_profile_lookup.ini",
)
NO_HEADROOM_SCRIPT = register(
    "FG-BUF-014",
    "No headroom formula for this ASIC",
    why="On these switches the image computes headroom from the ASIC's cell and delays; for an unknown ASIC its "
    "headroom, and whether it is sufficient, cannot be computed.",
    fix="Use a model with a known ASIC, or a release whose script knows it, once there is one.",
    source="sonic-net/sonic-swss e6b0c5b5, cfgmgr/buffer_headroom_mellanox.lua; platform/mellanox/asic_table.j2",
)
NOT_IN_RELEASE = register(
    "FG-PLT-045",
    "What the release of a switch lacks",
    why="An image without the board does not know its ports, one without the port profile does not start on a "
    "configuration that names it, and one without a command or table goes on without it.",
    fix="Name a release that has it, or choose what this one has: another model, other speeds, load_balancing: "
    "static, bond: none.",
    source="sonic-net/sonic-buildimage, folder device/ of each release branch; since and until in the catalog and "
    "in the manifest of the platform",
)
NOT_COMPUTABLE = register(
    "FG-QOS-020",
    "Nothing to compute marking from",
    why="Computed thresholds follow from the pools of the switch, which are not published; they are never guessed.",
    fix="Name a catalog profile or give kmin_bytes, kmax_bytes and pmax_pct.",
    source="Zhu et al., SIGCOMM 2015, section 4",
)
PROFILE_OF_OTHER_SPEED = register(
    "FG-QOS-021",
    "Marking profile of another speed",
    why="Thresholds are a time at line rate: at another speed the same bytes mark far too early or too late.",
    fix="Name a profile for that speed, one per speed, or use computed.",
    source="The profile's file in the catalog",
)
NO_ROOM_TO_MARK = register(
    "FG-QOS-031",
    "No room to mark before PFC may pause",
    why="With every port congested a queue reaches alpha B' / (n (1 + alpha p)) before it holds 16 packets: "
    "every ordinary burst would be marked, or senders are paused first. Example: 12 MB, 32 ports of 8 priorities and "
    "fixed thresholds leave 765 bytes.",
    fix="Use fewer lossless priorities or ports, a larger buffer, or state thresholds yourself.",
    source="Zhu et al., SIGCOMM 2015, section 4: t_ECN < alpha B' / (n (1 + alpha p))",
)
