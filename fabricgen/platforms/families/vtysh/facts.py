"""Facts of an FRR configuration that BGP neighbours rely on.

Source:
    FRR user guide, bgp: ``router bgp`` and ``neighbor PEER remote-as``.
"""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.platforms.reading.link_facts import Fact, Matter
from fabricgen.platforms.reading.reader import Tree

_ROUTER, _NEIGHBOR = "router bgp", "neighbor "


def list_facts(tree: Tree) -> Iterator[Fact]:
    """The AS number, and that of every neighbour that has one of its own."""
    router = tree.get(_ROUTER)
    if not isinstance(router, dict):
        return
    if "as-number" in router:
        yield Fact(Matter.ASN, "", str(router["as-number"]), ((_ROUTER, "as-number"),))
    for key, neighbor in router.items():
        if key.startswith(_NEIGHBOR) and isinstance(neighbor, dict):
            said = next((word for word in neighbor if word.endswith("remote-as")), "")
            if said:
                value = str(neighbor[said])
                yield Fact(Matter.PEER_ASN, key.removeprefix(_NEIGHBOR), value, ((_ROUTER, key, said),))
