"""Diagnostics of the exceptions of one fabric."""

from __future__ import annotations

from functools import partial

from fabricgen.diagnostics import register

declare = partial(register, source="docs/intent.md, exceptions")

SET_TWICE = declare(
    "FG-EXC-002",
    "Two exceptions set the same of one device or link",
    why="Only one of them can hold.",
    fix="Keep one of the exceptions.",
)
NO_SUCH_LINK = declare(
    "FG-EXC-003",
    "Exception that does not name one link",
    why="It would change nothing, or more than one cable would be in a port; the link that was meant would stay "
    "regular.",
    fix="Name the two ends as `fabricgen show links` lists them, and n, counted from 1, where several links join them.",
)
UNFIT_PORT = register(
    "FG-EXC-006",
    "Port that cannot take the link",
    why="A link needs a port of its own that the model has, the same speed over the same number of lanes at both ends, "
    "and all ports of a cage one breakout.",
    fix="Use a free cage of the model that runs the link's speed, and a sub-port that this breakout has; or move the "
    "other link as well.",
    source="The model's file in the catalog, with its breakout modes",
)
NOT_AN_END = declare(
    "FG-EXC-007",
    "Port of a device at which the link does not end",
    why="It would change nothing; the port that was meant would stay regular.",
    fix="Name the switches at which the cable ends. A host's port is its NIC's, which the rail names.",
)
OUT_OF_REACH = register(
    "FG-EXC-010",
    "Cable that ends at a device out of reach",
    why="Paths from there would not be those that routing and addressing are planned for.",
    fix="End it at a device that the lower end has links to, or at another leaf of the host's unit and plane.",
    source="RFC 7938 section 5.2.1; docs/intent.md, exceptions",
)
BEYOND_MEDIUM = register(
    "FG-EXC-011",
    "Cable of an exception longer than its medium reaches",
    why="The link would not come up, or lose frames.",
    fix="Use a medium with the reach.",
    source="IEEE 802.3ck, 802.3db, 802.3cu; docs/intent.md, links",
)
NOT_SETTABLE = declare(
    "FG-EXC-015",
    "Setting that is not one device's or one link's own",
    why="What the fabric agrees on cannot differ at one end; changing it there would break the agreement in silence.",
    fix="Set a leaf that the reference marks as per device or per link, or change it for the whole fabric.",
)
BAD_SETTING = declare(
    "FG-EXC-016",
    "Setting with a value that is not legal",
    why="The leaf has the same legal values for one device as for all of them.",
    fix="Write a value that the leaf itself could have.",
)
UNLIKE_LINK = register(
    "FG-EXC-197",
    "Switch of another model or platform that runs the links of its tier in another way",
    why="A link has two ends: where one runs it over other lanes, or negotiates and the other does not, it stays down.",
    fix="Use a model and a platform that run the links as the others of the tier do.",
    source="IEEE 802.3ck, 802.3db, 802.3cd (lanes of each rate); docs/intent.md, exceptions",
)
OUTSIDE_AGGREGATE = declare(
    "FG-EXC-013",
    "Host cabled to a port without host addresses",
    why="A leaf announces one aggregate of its reserved host ports; a host outside it could not be reached.",
    fix="Use a port of the range that the leaf reserves for the hosts of its group.",
)
BONDED = register(
    "FG-EXC-903",
    "Moved cables of bonds are not implemented",
    why="All ports of a bond answer with one LACP key and one address, which follow from the leaf's port.",
    fix="Use state: absent; the bond goes on over its other ports.",
    source="docs/intent.md, what renders",
)
DRAINED_HOST_LINK = register(
    "FG-EXC-014",
    "Drained link to a host",
    why="The address of a rail is reached over its link alone, so traffic to it would go on.",
    fix="Use state: absent, or drain the host.",
    source="RFC 8326 section 2",
)
