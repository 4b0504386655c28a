"""Routing policy in the terms of BGP++: statements of terms, the first that matches decides, none denies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated

from fabricgen.device.model import LeafRoutes, Switch
from fabricgen.platforms.views.bgp import ClassBgp, list_name

PERMIT, DENY = 5, 6
"""BgpPolicyActionType of a verdict (facebook/fboss 14ec47ec, bgp_policy.thrift)."""
DESCENDED = ("64512:1",)
"""Mark of a route that came from above; it never goes up again."""
GRACEFUL_SHUTDOWN = ("65535:0",)
"""RFC 8326: a route to be used only where there is no other."""
DRAINED_LINK = "_DRAINED"
"""End of the name of a policy for the sessions of drained links."""


@dataclass(frozen=True, slots=True)
class PolicyPrefix:
    """Prefixes of one length inside a block; ``origins`` names where both come from."""

    block: Annotated[
        str,
        "FabricPrefixes.loopbacks",
        "FabricPrefixes.host_links",
        "FabricPrefixes.loopbacks6",
        "FabricPrefixes.host_links6",
        "Switch.loopback",
        "Switch.aggregate",
        "Switch.loopback6",
        "Switch.aggregate6",
        "LeafRoutes.loopback",
        "LeafRoutes.aggregate",
        "LeafRoutes.loopback6",
        "LeafRoutes.aggregate6",
    ]
    length: Annotated[
        int,
        "FabricPrefixes.host_block_len",
        "FabricPrefixes.host_block_len6",
        "FabricPrefixes.host_len",
        "FabricPrefixes.host_len6",
        "FabricPrefixes.loopback_len",
        "FabricPrefixes.loopback_len6",
        "Switch.aggregate",
        "Switch.aggregate6",
        "LeafRoutes.aggregate",
        "LeafRoutes.aggregate6",
    ]
    origins: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Match:
    """Marks one of which a route must carry, or prefixes one of which it must be; the other is empty."""

    communities: Annotated[tuple[str, ...], "SwitchClass.role"]
    prefixes: Annotated[tuple[PolicyPrefix, ...], "SwitchClass.prefixes"]


@dataclass(frozen=True, slots=True)
class Term:
    """One term: all its matches must be met.

    Attributes:
        demoted: It is used only where there is no other.
        adds: Marks that are put on it.
        verdict: ``PERMIT`` or ``DENY``.
    """

    name: Annotated[str, "SwitchClass.role"]
    matches: Annotated[tuple[Match, ...], "SwitchClass.role"]
    demoted: Annotated[bool, "Switch.state", "Port.drained"]
    adds: Annotated[tuple[str, ...], "Switch.state", "Port.drained"]
    verdict: Annotated[int, "SwitchClass.role"]


NOTHING = Term("nothing", (), False, (), DENY)
"""Whatever comes is refused."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A named policy of one direction."""

    name: Annotated[str, "SwitchClass.role", "LeafRoutes.name"]
    description: Annotated[str, "Switch.reason"]
    terms: Annotated[tuple[Term, ...], "SwitchClass.prefixes", "Switch.leafs"]


def fabric_prefixes(bgp: ClassBgp) -> tuple[PolicyPrefix, ...]:
    """All that may be heard or said: loopbacks, whole host blocks, and single hosts where hosts bond below."""
    found = []
    for family in bgp.families:
        loopbacks, host_links = family.origins["loopbacks"], family.origins["host_links"]
        of_hosts = {"block": host_links, "length": family.origins["host_block_len"]}
        of_host = {"block": host_links, "length": family.origins["host_len"]}
        found.append(PolicyPrefix(family.loopbacks, family.loopback_len, {"block": loopbacks, "length": ()}))
        found.append(PolicyPrefix(family.host_links, family.host_block_len, of_hosts))
        if family.host_len:
            found.append(PolicyPrefix(family.host_links, family.host_len, of_host))
    return tuple(found)


def own_prefixes(of: Switch | LeafRoutes) -> tuple[PolicyPrefix, ...]:
    """All that a leaf may say: itself and its hosts."""
    owner = type(of).__name__
    single = ((of.loopback, 32, f"{owner}.loopback"), (of.loopback6, 128, f"{owner}.loopback6"))
    blocks = ((of.aggregate, f"{owner}.aggregate"), (of.aggregate6, f"{owner}.aggregate6"))
    return (
        *(
            PolicyPrefix(f"{address}/{length}", length, {"block": (origin,), "length": ()})
            for address, length, origin in single
            if address
        ),
        *(
            PolicyPrefix(block, int(block.rpartition("/")[2]), {"block": (origin,), "length": (origin,)})
            for block, origin in blocks
            if block
        ),
    )


def leaf_prefixes(leaf: LeafRoutes, bgp: ClassBgp) -> tuple[PolicyPrefix, ...]:
    """All that may be heard of a leaf: what it may say, and single hosts where they bond below."""
    blocks = {"ipv4": (leaf.aggregate, "LeafRoutes.aggregate"), "ipv6": (leaf.aggregate6, "LeafRoutes.aggregate6")}
    hosts = [
        PolicyPrefix(
            blocks[family.name][0],
            family.host_len,
            {"block": (blocks[family.name][1],), "length": family.origins["host_len"]},
        )
        for family in bgp.families
        if family.host_len
    ]
    return (*own_prefixes(leaf), *hosts)


def host_blocks(bgp: ClassBgp) -> tuple[PolicyPrefix, ...]:
    """All that a host may hear."""
    return tuple(
        PolicyPrefix(
            family.host_links,
            family.host_block_len,
            {"block": family.origins["host_links"], "length": family.origins["host_block_len"]},
        )
        for family in bgp.families
    )


def upper_statements(
    fabric: tuple[PolicyPrefix, ...], said: tuple[PolicyPrefix, ...], description: str, *, drained: bool = False
) -> tuple[Statement, ...]:
    """Policies towards the tier above.

    Args:
        fabric: Prefixes that may be heard.
        said: Prefixes that may be said.
        description: What the statements are for, in words.
        drained: What is heard and said is used only where there is nothing else.
    """
    own = "own" if said != fabric else "fabric"
    heard = (*_last_resort(fabric, DESCENDED, drained), Term("fabric", _among(fabric), drained, DESCENDED, PERMIT))
    told = (_descended(), Term(own, _among(said), False, _leaving(drained), PERMIT))
    return Statement("UPPER_IN", description, heard), Statement("UPPER_OUT", description, told)


def lower_statements(
    fabric: tuple[PolicyPrefix, ...], description: str, *, drained: bool = False
) -> tuple[Statement, ...]:
    """Policies towards the tier below; arguments as above."""
    heard = (
        _descended(),
        *_last_resort(fabric, (), drained),
        Term("fabric", _among(fabric), drained, (), PERMIT),
    )
    told = (Term("fabric", _among(fabric), False, _leaving(drained), PERMIT),)
    return Statement("LOWER_IN", description, heard), Statement("LOWER_OUT", description, told)


def leaf_statements(
    leafs: Iterable[LeafRoutes], bgp: ClassBgp, description: str, *, drained: bool = False
) -> tuple[Statement, ...]:
    """What may be heard of each leaf below, in the statement that its sessions name."""
    found = []
    for leaf in leafs:
        heard, _ = lower_statements(leaf_prefixes(leaf, bgp), description, drained=drained)
        found.append(Statement(list_name(leaf.name, ""), description, heard.terms))
    return tuple(found)


def host_statements(
    blocks: tuple[PolicyPrefix, ...], description: str, *, drained: bool = False
) -> tuple[Statement, ...]:
    """Policies towards hosts, from which nothing is heard.

    Args:
        blocks: Whole host blocks.
        description: What the statements are for, in words.
        drained: What is said is used only where there is nothing else.
    """
    told = (Term("blocks", _among(blocks), False, _leaving(drained), PERMIT),)
    return Statement("HOSTS_IN", description, (NOTHING,)), Statement("HOSTS_OUT", description, told)


def of_drained_links(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """The same policies under the names that the sessions of drained links use."""
    return tuple(Statement(f"{row.name}{DRAINED_LINK}", "drained links", row.terms) for row in statements)


def _among(prefixes: tuple[PolicyPrefix, ...]) -> tuple[Match, ...]:
    """What is one of some prefixes."""
    return (Match((), prefixes),)


def _descended() -> Term:
    """What came from above does not pass."""
    return Term("descended", (Match(DESCENDED, ()),), False, (), DENY)


def _last_resort(fabric: tuple[PolicyPrefix, ...], adds: tuple[str, ...], drained: bool) -> tuple[Term, ...]:
    """What its sender drains, unless all that is heard is drained."""
    if drained:
        return ()
    matches = (Match(GRACEFUL_SHUTDOWN, ()), *_among(fabric))
    return (Term("graceful-shutdown", matches, True, adds, PERMIT),)


def _leaving(drained: bool) -> tuple[str, ...]:
    return GRACEFUL_SHUTDOWN if drained else ()
