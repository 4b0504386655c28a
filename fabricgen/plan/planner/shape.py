"""The shape of a fabric: which tier stands on which, how many devices there are along each dimension, default names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from fabricgen.diagnostics import Bag, IntentPath, Related
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.topology import Attachment, Links
from fabricgen.intent.types import Count
from fabricgen.physics.capacity import next_power_of_two
from fabricgen.plan.model.identity import Coordinates
from fabricgen.plan.planner import plan_codes as codes

ROLES = ("leaf", "spine", "core", "super_core")


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
class FabricShape:
    """Tiers from the leaf up and the links below each of them.

    Attributes:
        links: ``links[0]`` joins hosts and leafs, ``links[n]`` tier n-1 and tier n; each (name, intent).
        host_links: The links of each host group: ``links[0]``, or those that bear the group's name.
        outermost: Dimension that may grow without a maximum: ``zone``, ``pod`` or ``unit``.
        rails: Rails of the hosts with the most of them; ``rails_per_group`` of them share a leaf.
    """

    tiers: list[TierShape]
    links: list[tuple[str, Links]]
    host_links: dict[str, tuple[str, Links]]
    outermost: str
    rails: int
    rails_per_group: int
    rails_per_leaf: dict[str, int]


class Rails(NamedTuple):
    """Rails of each host group, and which groups have GPUs."""

    by_group: Mapping[str, int]
    with_gpus: frozenset[str]

    @property
    def widest(self) -> str:
        """The group with GPUs whose hosts have the most rails; any group where none has GPUs."""
        groups = sorted(self.with_gpus or self.by_group)
        return max(groups, key=lambda name: self.by_group[name])

    @property
    def of_fabric(self) -> int:
        """Rails of the hosts of that group."""
        return self.by_group[self.widest]


def build_shape(intent: FabricIntent, rails: Rails, bag: Bag) -> FabricShape | None:
    """Order the tiers by their links and count devices; None if no tier stands on the hosts."""
    links = _chain(intent, bag)
    if not links:
        return None
    outermost = "zone" if intent.zones else "pod" if intent.pods else "unit"
    per_leaf = {name: _rails_per_leaf(intent, name, count, bag) for name, count in sorted(rails.by_group.items())}
    host_links = _host_links(intent, links[0], bag)
    shape = FabricShape([], links, host_links, outermost, rails.of_fabric, per_leaf[rails.widest], per_leaf)
    scopes = {
        "zone": reserve(intent.zones, outermost == "zone", ("zones",), bag),
        "pod": reserve(intent.pods, outermost == "pod", ("pods",), bag),
        "unit": reserve(intent.units, outermost == "unit", ("units",), bag),
        "plane": reserve(intent.planes, False, ("planes",), bag),
    }
    groups = max(1, *(-(-count // per_leaf[name]) for name, count in rails.by_group.items()))
    shape.tiers.append(_leaf_shape(intent, links[0][0], groups, scopes, bag))
    for name, link in links[1:]:
        shape.tiers.append(_upper_shape(intent, name, link, shape.tiers[-1], scopes, bag))
    return shape


def attachment_of(intent: FabricIntent, group: str) -> Attachment:
    """Return how a host group meets the leafs: its own attachment, else the fabric's."""
    return intent.hosts[group].attachment or intent.attachment


def attachment_path(intent: FabricIntent, group: str) -> IntentPath:
    """Return the path of the attachment of a host group."""
    return ("hosts", group, "attachment") if intent.hosts[group].attachment else ("attachment",)


def _host_links(intent: FabricIntent, common: tuple[str, Links], bag: Bag) -> dict[str, tuple[str, Links]]:
    """The links of each host group: those that bear its name, else those of all hosts."""
    leaf = common[0].partition("-")[2]
    found = {}
    for group in sorted(intent.hosts):
        own = [name for name in intent.links if name.partition("-")[0] == group and group not in intent.tiers]
        for name in own:
            tier = name.partition("-")[2]
            if tier != leaf:
                message = f"links.{name} joins the host group {group!r} to {tier!r}; hosts attach to {leaf!r}"
                bag.add(codes.UNKNOWN_TIER, message, ("links", name), on_key=True, hint=f"rename it to {group}-{leaf}")
        name = f"{group}-{leaf}"
        found[group] = (name, intent.links[name]) if name in own else common
    return found


def _chain(intent: FabricIntent, bag: Bag) -> list[tuple[str, Links]]:
    """Link groups from the hosts upwards; what does not fit the chain is diagnosed and left out."""
    above = _links_upwards(intent, bag)
    if "host" not in above:
        hint = "add links.host-leaf: {speed: …, cable: {media: …, length_m: …}}"
        bag.add(codes.UNLINKED_TIER, "no link joins the hosts to a tier", ("links",), hint=hint)
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
        turned = next((lower for lower in sorted(reached) if f"{name}-{lower}" in intent.links), None)
        bag.add(
            codes.UNLINKED_TIER,
            f"tier {name!r} is joined to no tier below it",
            ("tiers", name),
            on_key=True,
            hint=f"rename links.{name}-{turned} to {turned}-{name}: the lower tier goes first"
            if turned
            else f"add links.<lower>-{name}, or remove the tier",
            related=[Related("the links", ("links", f"{name}-{turned}"))] if turned else [],
        )
    return chain


def _links_upwards(intent: FabricIntent, bag: Bag) -> dict[str, tuple[str, str]]:
    """The tier above each tier and the name of the links to it."""
    above: dict[str, tuple[str, str]] = {}
    for name in sorted(intent.links):
        lower, _, upper = name.partition("-")
        unknown = [end for end in (lower, upper) if end not in intent.tiers]
        if unknown == [lower] and (lower == "host" or lower in intent.hosts):
            unknown = []
        if unknown:
            known = ", ".join(dict.fromkeys(["host", *sorted(intent.hosts), *sorted(intent.tiers)]))
            message = f"links.{name} names the tier {unknown[0]!r}; there are {known}"
            path = ("links", name)
            bag.add(codes.UNKNOWN_TIER, message, path, on_key=True, hint=f"add tiers.{unknown[0]}, or rename the link")
        elif lower != "host" and lower not in intent.tiers:
            # Links of one host group; they stand beside those of all hosts.
            continue
        elif lower in above:
            message = f"tier {lower!r} has two tiers above it: {above[lower][0]!r} and {upper!r}"
            related = [Related("the other link", ("links", above[lower][1]))]
            hint = "remove one of the two links: a tier has one tier above it"
            bag.add(codes.BRANCHING, message, ("links", name), on_key=True, related=related, hint=hint)
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


def _rails_per_leaf(intent: FabricIntent, group: str, rails: int, bag: Bag) -> int:
    """Return how many rails of a host group share a leaf; all of them where hosts attach whole."""
    attachment = attachment_of(intent, group)
    if attachment.group == "host" or rails == 0:
        return max(rails, 1)
    if rails % attachment.rails_per_leaf:
        legal = ", ".join(str(n) for n in range(1, rails + 1) if rails % n == 0)
        message = f"{attachment.rails_per_leaf} rails per leaf do not divide the {rails} rails of a host"
        path = (*attachment_path(intent, group), "rails_per_leaf")
        related = [Related("the hosts", ("hosts", group, "server"))]
        bag.add(codes.RAILS_DO_NOT_DIVIDE, message, path, hint=f"use one of {legal}", related=related)
        return rails
    return attachment.rails_per_leaf


Scopes = dict[str, tuple[int, int]]


def _leaf_shape(intent: FabricIntent, link: str, groups: int, scopes: Scopes, bag: Bag) -> TierShape:
    """Leafs are placed by the attachment, once per unit, plane and rail group."""
    name = link.partition("-")[2]
    tier = intent.tiers[name]
    for key in ("per", "count"):
        if getattr(tier, key) is not None:
            message = f"tiers.{name}.{key} is set, but the attachment places the leafs"
            path = ("tiers", name, key)
            bag.add(codes.PLACED, message, path, on_key=True, hint=f"remove {key}; leafs follow units and rail groups")
    members = max(attachment_of(intent, group).leafs_per_group for group in intent.hosts)
    here, room = (
        Coordinates(*(scopes[scope][at] for scope in ("zone", "pod", "unit", "plane")))._replace(
            group=groups, index=members
        )
        for at in (0, 1)
    )
    return TierShape(name, "unit", here, room, "mesh", 0, 0)


def _upper_shape(
    intent: FabricIntent, link: str, links: Links, lower: TierShape, scopes: Scopes, bag: Bag
) -> TierShape:
    """An upper tier: ``count`` devices per scope and plane, in stripe groups where its links are striped."""
    name = link.partition("-")[2]
    tier = intent.tiers[name]
    per = tier.per or "fabric"
    path = ("tiers", name, "count")
    if tier.count is None:
        message = f"tiers.{name}.count is missing: the number of switches per {per} and plane"
        bag.add(codes.NO_COUNT, message, path, hint=f"add count to tiers.{name}")
    count, room = reserve(tier.count, False, path, bag)
    pattern = f"stripe_{links.pattern.stripe}" if links.pattern else "mesh"
    dimension = {"stripe_index": "index", "stripe_rail": "group"}.get(pattern)
    groups, groups_room = (getattr(each, dimension) if dimension else 1 for each in (lower.counts, lower.reserved))
    if count % groups:
        message = f"{count} switches of tier {name!r} do not divide into {groups} stripe groups"
        hint = f"use a multiple of {groups}, such as {groups * -(-count // groups)}"
        related = [Related("the stripe", ("links", link, "pattern"))]
        bag.add(codes.STRIPE_DOES_NOT_DIVIDE, message, path, hint=hint, related=related)
        count = groups * max(1, count // groups)
    width = count // groups
    explicit = tier.count is not None and tier.count.max is not None
    width_room = max(width, room // groups_room if explicit else next_power_of_two(width))
    zone = scopes["zone"] if per in ("zone", "pod") else (1, 1)
    pod = scopes["pod"] if per == "pod" else (1, 1)
    planes = scopes["plane"]
    here = Coordinates(zone[0], pod[0], 1, planes[0], groups, width)
    there = Coordinates(zone[1], pod[1], 1, planes[1], groups_room, width_room)
    return TierShape(name, per, here, there, pattern, width, width_room)


def default_host_name(intent: FabricIntent) -> str:
    """Host name pattern that names every dimension with more than one member."""
    zone = "z{zone:02}-" if intent.zones else ""
    pod = "p{pod:02}-" if intent.pods else ""
    return "{group}-" + zone + pod + "u{unit:03}-h{host:02}"


def default_switch_name(intent: FabricIntent, shape: TierShape, number: int) -> str:
    """Name pattern that names every dimension the tier has; widths follow the reserved maxima."""
    name = shape.name.replace("_", "-")
    scope = ("z{zone:02}-" if intent.zones and shape.per != "fabric" else "") + (
        "p{pod:02}-" if intent.pods and shape.per in ("pod", "unit") else ""
    )
    plane = "{plane}" if shape.counts.plane > 1 else ""
    if number == 0:
        group = "-r{rail}" if shape.counts.group > 1 else ""
        member = "-{index}" if shape.counts.index > 1 else ""
        return f"{name}-{scope}u{{unit:03}}{group}{plane}{member}"
    digits = max(2, len(str(shape.reserved.group * shape.reserved.index)))
    return f"{name}-{scope}{plane}{{index:0{digits}}}"
