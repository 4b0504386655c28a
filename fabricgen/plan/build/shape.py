"""The shape of a fabric: which tier stands on which, and how many devices there are along each dimension."""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.diagnostics import Bag, Related
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.hosts import Attachment
from fabricgen.intent.topology import Links
from fabricgen.intent.types import Count
from fabricgen.physics.capacity import next_power_of_two
from fabricgen.plan.build import codes
from fabricgen.plan.model.numbering import Coordinates

ROLES = ("leaf", "spine", "core", "super_core", "fifth")


@dataclass(slots=True)
class TierShape:
    """Dimensions of one tier; ``per`` is the scope it is built in."""

    name: str
    per: str
    counts: Coordinates
    reserved: Coordinates
    pattern: str
    width: int
    width_reserved: int


@dataclass(slots=True)
class Shape:
    """Tiers from the leaf up and the links below each of them.

    Attributes:
        links: ``links[0]`` joins hosts and leafs, ``links[n]`` tier n-1 and tier n; each (name, intent).
        outermost: Dimension that may grow without a maximum: ``zone``, ``pod`` or ``unit``.
    """

    tiers: list[TierShape]
    links: list[tuple[str, Links]]
    outermost: str
    rails: int
    rails_per_group: int


def build_shape(intent: FabricIntent, rails: int, bag: Bag) -> Shape | None:
    """Order the tiers by their links and count devices; None if no tier stands on the hosts."""
    links = _chain(intent, bag)
    if not links:
        return None
    outermost = "zone" if intent.zones else "pod" if intent.pods else "unit"
    rails_per_group = _rails_per_group(intent.attachment, rails, bag)
    shape = Shape([], links, outermost, rails, rails_per_group)
    scopes = {
        "zone": reserve(intent.zones, outermost == "zone", ("zones",), bag),
        "pod": reserve(intent.pods, outermost == "pod", ("pods",), bag),
        "unit": reserve(intent.units, outermost == "unit", ("units",), bag),
    }
    planes = intent.planes.count if intent.planes else 1
    shape.tiers.append(_leaf_shape(intent, links[0][0], shape, scopes, planes, bag))
    for name, link in links[1:]:
        shape.tiers.append(_upper_shape(intent, name, link, shape.tiers[-1], scopes, planes, bag))
    return shape


def _chain(intent: FabricIntent, bag: Bag) -> list[tuple[str, Links]]:
    """Link groups from the hosts upwards; what does not fit the chain is diagnosed and left out."""
    above = _links_upwards(intent, bag)
    if "host" not in above:
        bag.add(
            codes.NO_HOST_LINKS,
            "no link joins the hosts to a tier",
            ("links",),
            hint="add links.host-leaf with speed and cable",
        )
    chain = [] if "host" in above else _guess_host_links(intent, above)
    tier = chain[0][0].partition("-")[2] if chain else "host"
    reached = {tier}
    while tier in above:
        tier, name = above[tier]
        if tier in reached or len(chain) == len(ROLES):
            bag.add(
                codes.BRANCHING,
                f"links.{name} leads back to a tier below it" if tier in reached else f"{tier!r} is one tier too many",
                ("links", name),
                on_key=True,
                hint=f"tiers form one chain of at most {len(ROLES)}; remove the link",
            )
            break
        chain.append((name, intent.links[name]))
        reached.add(tier)
    for name in sorted(set(intent.tiers) - reached) if chain else ():
        bag.add(
            codes.UNLINKED_TIER,
            f"tier {name!r} is joined to no tier below it",
            ("tiers", name),
            on_key=True,
            hint=f"add links.<lower>-{name}, or remove the tier",
        )
    return chain


def _links_upwards(intent: FabricIntent, bag: Bag) -> dict[str, tuple[str, str]]:
    """The tier above each tier and the name of the links to it."""
    above: dict[str, tuple[str, str]] = {}
    for name in sorted(intent.links):
        lower, _, upper = name.partition("-")
        unknown = [end for end in (lower, upper) if end not in intent.tiers and not (end == "host" and end == lower)]
        if unknown:
            known = ", ".join(["host", *sorted(intent.tiers)])
            bag.add(
                codes.UNKNOWN_TIER,
                f"links.{name} names the tier {unknown[0]!r}; there are {known}",
                ("links", name),
                on_key=True,
                hint=f"add tiers.{unknown[0]}, or rename the link",
            )
        elif lower in above:
            bag.add(
                codes.BRANCHING,
                f"tier {lower!r} has two tiers above it: {above[lower][0]!r} and {upper!r}",
                ("links", name),
                on_key=True,
                related=[Related("the other link", ("links", above[lower][1]))],
                hint="every tier has one tier above it; remove one of the two links",
            )
        else:
            above[lower] = (upper, name)
    return above


def _guess_host_links(intent: FabricIntent, above: dict[str, tuple[str, str]]) -> list[tuple[str, Links]]:
    """Stand-in for missing host links, so that the rest can be checked: like the links above the lowest tier."""
    uppers = {upper for upper, _ in above.values()}
    lowest = sorted((tier for tier in intent.tiers if tier not in uppers), key=lambda tier: (tier not in above, tier))
    if not lowest:
        return []
    like = intent.links[above[lowest[0]][1] if lowest[0] in above else min(intent.links)]
    return [(f"host-{lowest[0]}", like.model_copy(update={"per_pair": 1, "pattern": None}))]


def reserve(count: Count | None, outermost: bool, path: tuple[str, ...], bag: Bag) -> tuple[int, int]:
    """(now, reserved) of a count; the outermost dimension reserves nothing unless it says so."""
    if count is None:
        return 1, 1
    if count.max is not None and count.max < count.count:
        bag.add(
            codes.MAX_BELOW_COUNT,
            f"max is {count.max}, below the count of {count.count}",
            (*path, "max"),
            hint=f"set max to {count.count} or more",
            related=[Related("the count", (*path, "count"))],
        )
        return count.count, count.count
    if count.max is not None:
        return count.count, count.max
    return count.count, count.count if outermost else next_power_of_two(count.count)


def _rails_per_group(attachment: Attachment, rails: int, bag: Bag) -> int:
    """How many rails share a leaf; all of them where hosts attach whole."""
    if attachment.group == "host" or rails == 0:
        return max(rails, 1)
    if rails % attachment.rails_per_leaf:
        legal = ", ".join(str(n) for n in range(1, rails + 1) if rails % n == 0)
        bag.add(
            codes.RAILS_DO_NOT_DIVIDE,
            f"{attachment.rails_per_leaf} rails per leaf do not divide the {rails} rails of a host",
            ("attachment", "rails_per_leaf"),
            hint=f"use one of {legal}",
        )
        return rails
    return attachment.rails_per_leaf


Scopes = dict[str, tuple[int, int]]


def _leaf_shape(intent: FabricIntent, link: str, shape: Shape, scopes: Scopes, planes: int, bag: Bag) -> TierShape:
    """Leafs are placed by the attachment, once per unit, plane and rail group."""
    name = link.partition("-")[2]
    tier = intent.tiers[name]
    for key in ("per", "count"):
        if getattr(tier, key) is not None:
            bag.add(
                codes.LEAF_IS_PLACED,
                f"tiers.{name}.{key} is set, but the attachment places the leafs",
                ("tiers", name, key),
                on_key=True,
                hint=f"remove {key}; leafs follow units and rail groups",
            )
    groups = max(1, -(-shape.rails // shape.rails_per_group))
    members = intent.attachment.leafs_per_group
    here = Coordinates(scopes["zone"][0], scopes["pod"][0], scopes["unit"][0], planes, groups, members)
    room = Coordinates(scopes["zone"][1], scopes["pod"][1], scopes["unit"][1], planes, groups, members)
    return TierShape(name, "unit", here, room, "mesh", 0, 0)


def _upper_shape(
    intent: FabricIntent, link: str, links: Links, lower: TierShape, scopes: Scopes, planes: int, bag: Bag
) -> TierShape:
    """An upper tier: ``count`` devices per scope and plane, in stripe groups where its links are striped."""
    name = link.partition("-")[2]
    tier = intent.tiers[name]
    per = tier.per or "fabric"
    path = ("tiers", name, "count")
    if tier.count is None:
        bag.add(
            codes.NO_COUNT,
            f"tiers.{name}.count is missing: how many switches per {per} and plane",
            path,
            hint="add count",
        )
    count, room = reserve(tier.count, False, path, bag)
    pattern = f"stripe_{links.pattern.stripe}" if links.pattern else "mesh"
    groups, groups_room = 1, 1
    if pattern == "stripe_index":
        groups, groups_room = lower.counts.index, lower.reserved.index
    elif pattern == "stripe_rail":
        groups, groups_room = lower.counts.group, lower.reserved.group
    if count % groups:
        bag.add(
            codes.STRIPE_DOES_NOT_DIVIDE,
            f"{count} switches of tier {name!r} do not divide into {groups} stripe groups",
            path,
            hint=f"use a multiple of {groups}",
            related=[Related("the stripe", ("links", link, "pattern"))],
        )
        count = groups * max(1, count // groups)
    width = count // groups
    explicit = tier.count is not None and tier.count.max is not None
    width_room = max(width, room // groups_room if explicit else next_power_of_two(width))
    scope = {"zone": ("zone",), "pod": ("zone", "pod")}.get(per, ())
    zone = scopes["zone"] if "zone" in scope else (1, 1)
    pod = scopes["pod"] if "pod" in scope else (1, 1)
    here = Coordinates(zone[0], pod[0], 1, planes, groups, width)
    there = Coordinates(zone[1], pod[1], 1, planes, groups_room, width_room)
    return TierShape(name, per, here, there, pattern, width, width_room)
