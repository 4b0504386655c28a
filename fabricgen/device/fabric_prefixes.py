"""Pools of a fabric as prefixes, which its switches and the hosts that speak BGP have alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

if TYPE_CHECKING:
    from fabricgen.plan.model import origin_keys as keys
    from fabricgen.plan.model.origin_keys import Origin, Sticky


@dataclass(slots=True)
class FabricPrefixes:
    """Address pools that routing policy names, as text, with the prefix lengths that may appear inside.

    What ends in ``6`` is of IPv6; a pool is empty where the fabric has not the family.

    Attributes:
        host_len: Length of routes to single hosts; 0 where no host has one.
        fabric_links: Links between switches; empty where these are unnumbered.
    """

    loopbacks: Annotated[str, Origin(keys.LOOPBACKS, keys.NO_IPV4)]
    loopback_len: Annotated[int, Origin()]
    host_links: Annotated[str, Origin(keys.HOST_LINKS, keys.NO_IPV4)]
    host_block_len: Annotated[int, Origin(keys.PER_UNIT_MAX, keys.PER_UNIT, keys.RAILS_PER_LEAF, keys.HOST_LINKS)]
    loopbacks6: Annotated[str, Origin(keys.LOOPBACKS6, keys.NO_IPV6)] = ""
    loopback_len6: Annotated[int, Origin()] = 128
    host_links6: Annotated[str, Origin(keys.HOST_LINKS6, keys.NO_IPV6)] = ""
    host_block_len6: Annotated[int, Origin(keys.PER_UNIT_MAX, keys.PER_UNIT, keys.RAILS_PER_LEAF, keys.HOST_LINKS6)] = (
        128
    )
    host_len: Annotated[int, Sticky(keys.BOND)] = 0
    host_len6: Annotated[int, Sticky(keys.BOND)] = 0
    fabric_links: Annotated[str, Origin(keys.FABRIC_LINKS, keys.UNNUMBERED, keys.NO_IPV4)] = ""
    fabric_links6: Annotated[str, Origin(keys.FABRIC_LINKS6, keys.UNNUMBERED, keys.NO_IPV6)] = ""
