"""Cabling: both ends agree."""

from __future__ import annotations

from hypothesis import given

from fabricgen.plan.model.cabling import downlinks, host_links_of_host, host_links_of_leaf, link_of, uplinks
from tests.property.fabrics import Data, fabrics, plan_fabric

Device = tuple[object, ...]


@given(fabrics())
def test_the_peer_of_a_peer_is_oneself(data: Data) -> None:
    plan = plan_fabric(data)
    from_above = [
        link for tier in plan.tiers[1:] for where in tier.coordinates() for link in downlinks(plan, tier, where)
    ]
    assert len(from_above) == len(set(from_above))
    from_below = {link for tier in plan.tiers for where in tier.coordinates() for link in uplinks(plan, tier, where)}
    assert set(from_above) == from_below
    from_leafs = [link for where in plan.tiers[0].coordinates() for link in host_links_of_leaf(plan, where)]
    from_hosts = [link for host in plan.all_hosts() for link in host_links_of_host(plan, host)]
    assert len(from_leafs) == len(set(from_leafs))
    assert set(from_leafs) == set(from_hosts)
    assert all(link_of(plan, link.id) == link for link in (*from_above, *from_hosts))


@given(fabrics())
def test_no_port_has_two_links(data: Data) -> None:
    plan = plan_fabric(data)
    for tier in plan.tiers:
        for where in tier.coordinates():
            up = [link.lower_position for link in uplinks(plan, tier, where)]
            below = downlinks(plan, tier, where) if tier.number else ()
            down = [link.upper_position for link in below]
            down += [link.upper_position for link in host_links_of_leaf(plan, where)] if not tier.number else []
            slots = [tier.up.slots[at] for at in up] if tier.up else []
            slots += [tier.down.slots[at] for at in down]
            assert len(slots) == len(set(slots))
