"""Numbering trees: every address, ASN and link number as an affine map of where a device stands.

The fabric is a tree of blocks: a unit's block lies in its pod's, a pod's in its zone's, a zone's in the fabric's.
A block starts with the tiers built per that scope, at their reserved sizes, and goes on with its children's
blocks. The outermost declared dimension comes last and most significant, so it may grow without end.
"""

from __future__ import annotations

from typing import NamedTuple

from fabricgen.plan.model.numbering import Coordinates, Numbering
from fabricgen.plan.planner.shape import FabricShape, TierShape


class Entries(NamedTuple):
    """Quantity of numbers that one device of a tier takes.

    Attributes:
        shared: All devices of a scope and plane have the same.
        by_group: Only those of one stripe group have.
    """

    each: int
    shared: bool = False
    by_group: bool = False


class Tree(NamedTuple):
    """The maps of all tiers over one number space, and how many numbers are reserved."""

    by_tier: dict[str, Numbering]
    reserved: int
    header: int


def build_tree(shape: FabricShape, entries: dict[str, Entries], base: int) -> Tree:
    """Number every tier that has entries.

    Args:
        shape: Counts and reserved counts of every tier.
        entries: Per tier name, how many numbers a device takes; tiers left out take none.
        base: First number of the space.

    Returns:
        One affine map per tier. ``reserved`` counts the numbers up to the last reserved device.
    """
    leaf = shape.tiers[0]
    room = leaf.reserved
    sizes = {tier.name: _scope_size(tier, entries.get(tier.name)) for tier in shape.tiers}
    header = {
        per: sum(sizes[tier.name] for tier in shape.tiers if tier.per == per) for per in ("fabric", "zone", "pod")
    }
    unit_block = sizes[leaf.name]
    pod_block = header["pod"] + room.unit * unit_block
    zone_block = header["zone"] + room.pod * pod_block
    first = {"fabric": base, "zone": base + header["fabric"]}
    first["pod"] = first["zone"] + header["zone"]
    first["unit"] = first["pod"] + header["pod"]
    maps: dict[str, Numbering] = {}
    for tier in reversed(shape.tiers):
        entry = entries.get(tier.name)
        if entry is None:
            continue
        plane = _plane_size(tier, entry)
        own = 0 if entry.shared else entry.each
        group = entry.each if entry.by_group else own * tier.reserved.index
        maps[tier.name] = Numbering(
            first[tier.per],
            Coordinates(
                zone_block if tier.per != "fabric" else 0,
                pod_block if tier.per in ("pod", "unit") else 0,
                unit_block if tier.per == "unit" else 0,
                plane,
                group,
                own,
            ),
        )
        first[tier.per] += sizes[tier.name]
    return Tree(maps, header["fabric"] + room.zone * zone_block, header["fabric"])


def build_ordinal(lower: TierShape, upper: TierShape) -> Numbering:
    """Number of a lower device among all those that one upper device meets, at the reserved sizes."""
    strides = dict.fromkeys(Coordinates._fields, 0)
    shared = {"pod": ("pod", "zone"), "zone": ("zone",)}.get(upper.per, ())
    own = {"stripe_index": "index", "stripe_rail": "group"}.get(upper.pattern)
    size = 1
    for name in ("index", "group", "unit", "pod", "zone"):
        if name == own or name in shared:
            continue
        strides[name] = size
        size *= getattr(lower.reserved, name)
    return Numbering(0, Coordinates(**strides))


def _plane_size(tier: TierShape, entry: Entries) -> int:
    if entry.shared:
        return entry.each * (tier.reserved.group if entry.by_group else 1)
    return tier.reserved.group * tier.reserved.index * entry.each


def _scope_size(tier: TierShape, entry: Entries | None) -> int:
    return tier.reserved.plane * _plane_size(tier, entry) if entry else 0
