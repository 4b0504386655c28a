"""Routing policy in the terms of BGP++: statements of terms, the first that matches decides, none denies."""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.platforms.bgp_view import ClassBgp

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
    """Prefixes of one length inside a block."""

    block: str
    length: int


@dataclass(frozen=True, slots=True)
class Term:
    """One term: all it names must match.

    Attributes:
        communities: Marks one of which a route must carry; empty for every route.
        prefixes: Prefixes one of which it must be; empty for every route.
        demoted: It is used only where there is no other.
        adds: Marks that are put on it.
        verdict: ``PERMIT`` or ``DENY``.
    """

    name: str
    communities: tuple[str, ...]
    prefixes: tuple[PolicyPrefix, ...]
    demoted: bool
    adds: tuple[str, ...]
    verdict: int


@dataclass(frozen=True, slots=True)
class Statement:
    """A named policy of one direction."""

    name: str
    description: str
    terms: tuple[Term, ...]


def fabric_prefixes(bgp: ClassBgp) -> tuple[PolicyPrefix, ...]:
    """All that may be heard or said: loopbacks, whole host blocks, and single hosts where hosts bond below."""
    found = []
    for family in bgp.families:
        found.append(PolicyPrefix(family.loopbacks, family.loopback_len))
        found.append(PolicyPrefix(family.host_links, family.host_block_len))
        if family.host_len:
            found.append(PolicyPrefix(family.host_links, family.host_len))
    return tuple(found)


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
    heard = (*_last_resort(fabric, DESCENDED, drained), Term("fabric", (), fabric, drained, DESCENDED, PERMIT))
    told = (Term("descended", DESCENDED, (), False, (), DENY), Term(own, (), said, False, _leaving(drained), PERMIT))
    return Statement("UPPER_IN", description, heard), Statement("UPPER_OUT", description, told)


def lower_statements(
    fabric: tuple[PolicyPrefix, ...], description: str, *, drained: bool = False
) -> tuple[Statement, ...]:
    """Policies towards the tier below; arguments as above."""
    heard = (
        Term("descended", DESCENDED, (), False, (), DENY),
        *_last_resort(fabric, (), drained),
        Term("fabric", (), fabric, drained, (), PERMIT),
    )
    told = (Term("fabric", (), fabric, False, _leaving(drained), PERMIT),)
    return Statement("LOWER_IN", description, heard), Statement("LOWER_OUT", description, told)


def of_drained_links(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """The same policies under the names that the sessions of drained links use."""
    return tuple(Statement(f"{row.name}{DRAINED_LINK}", "drained links", row.terms) for row in statements)


def _last_resort(fabric: tuple[PolicyPrefix, ...], adds: tuple[str, ...], drained: bool) -> tuple[Term, ...]:
    """What its sender drains, unless all that is heard is drained."""
    if drained:
        return ()
    return (Term("graceful-shutdown", GRACEFUL_SHUTDOWN, fabric, True, adds, PERMIT),)


def _leaving(drained: bool) -> tuple[str, ...]:
    return GRACEFUL_SHUTDOWN if drained else ()
