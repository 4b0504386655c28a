"""The layout a tree was numbered with, and whether a new plan would move an existing identity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fabricgen.diagnostics import Bag, register
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import AddressPool, Coordinates, DeviceId, HostId, Numbering
from fabricgen.plan.model.topology import Tier

MOVED = register(
    "FG-OUT-020",
    "Existing identities would move",
    why="Addresses, AS numbers, names or ports of running devices would change: a renumbering, not a growth.",
    fix="Undo the change of the maximum or pool, or render with --renumber and roll out drained.",
    source="docs/intent.md, growth",
)

OTHER_FABRIC = register(
    "FG-OUT-030",
    "Tree of another fabric",
    why="Every file of that fabric would be replaced or deleted.",
    fix="Render into a folder of its own; to render a renamed fabric into its old tree, give it its old name.",
    source="docs/intent.md, growth",
)

_NUMBERINGS = {
    "loopback": "loopbacks",
    "management": "management addresses",
    "asn": "AS numbers",
    "uplink": "link addresses",
    "host_block": "host addresses",
}
_POOLS = {"loopback": "loopbacks", "uplink": "fabric_links", "host_block": "host_links"}
"""Pools of the numberings that may have two families."""


def describe_layout(plan: FabricPlan) -> dict[str, Any]:
    """Strides, bases, name patterns, port positions, and what devices have of their own: all that identity leads to."""
    return {
        "tiers": {tier.name: _describe_tier(plan, tier) for tier in plan.tiers},
        "hosts": {
            group.name: {
                "name": group.name_pattern,
                "slot_base": group.slot_base,
                "slots_per_host": group.slots_per_host,
                "hosts": group.per_unit,
                **_describe_own(plan, number, HostId),
            }
            for number, group in enumerate(plan.hosts)
        },
    }


def _describe_own(plan: FabricPlan, number: int, kind: type[DeviceId | HostId]) -> dict[str, Any]:
    """Return what devices of a tier or host group have of their own, by their place; nothing where none has."""
    own = {
        ".".join(map(str, [*device.where, *device[2:]])): [str(value) for value in mine[:-1]]
        for device, mine in sorted(plan.own.items())
        if device[0] == number and isinstance(device, kind)
    }
    return {"own": own} if own else {}


def _own_moved(before: Mapping[str, Any], after: Mapping[str, Any], counts: Sequence[int] = ()) -> list[str]:
    """Return in words that a device had something else of its own; hosts that had nothing may be new."""
    old, new = ({} if not isinstance(own := each.get("own"), dict) else own for each in (before, after))
    for place in old.keys() | new.keys():
        places = [int(at) for at in place.split(".") if at.isdecimal()]
        known = all(at < count for at, count in zip(places, counts, strict=False)) if counts else place in old
        if known and old.get(place) != new.get(place):
            return ["names, numbers or addresses of their own"]
    return []


def _describe_tier(plan: FabricPlan, tier: Tier) -> dict[str, Any]:
    described: dict[str, Any] = {
        "counts": list(tier.counts),
        "name": tier.name_pattern,
        "down": [tier.slots[at].name for at in tier.down.slots],
        "up": [tier.slots[at].name for at in tier.up.slots] if tier.up else [],
        "ordinal": list(plan.links[tier.number].ordinal.strides),
        "per_pair": plan.links[tier.number].per_pair,
        **_describe_own(plan, tier.number, DeviceId),
    }
    for name in _NUMBERINGS:
        numbering: Numbering | None = getattr(tier.layout, name)
        pool: AddressPool | None = getattr(plan.addressing, _POOLS.get(name, ""), None)
        if numbering is not None and (pool is None or pool.ipv4):
            described[name] = [numbering.base, *numbering.strides, *numbering.of_links]
        if numbering is not None and pool and pool.ipv6:
            described[f"{name}6"] = [numbering.base + pool.shift, *numbering.strides, *numbering.of_links]
    return described


def check_same_fabric(header: Mapping[str, object], name: str, out: Path, bag: Bag) -> bool:
    """Return whether a tree is new, or of this fabric; one that another fabric was rendered into is reported.

    The header of the manifest of a new tree is empty.
    """
    before = header.get("fabric", name)
    if before == name:
        return True
    bag.add(
        OTHER_FABRIC,
        f"{out} holds the fabric {before!r}, not {name!r}",
        ("fabric",),
        hint=f"render into another folder, such as -o {out.parent / name}",
    )
    return False


def check_moved(old: Mapping[str, Any], new: Mapping[str, Any], bag: Bag) -> None:
    """Report everything that an existing device would have renumbered: once per tier and kind of number.

    The layout of the tree on disk may come from an older version or be damaged.
    """
    for section, what, who, find_moved in (
        ("tiers", "tier", "devices", _moved_in_tier), ("hosts", "hosts", "hosts", _moved_of_hosts),
    ):  # fmt: skip
        for name, before in _mappings(old.get(section)).items():
            after = new[section].get(name)
            for moved in dict.fromkeys(find_moved(before, after) if after else ()):
                bag.add(
                    MOVED,
                    f"{what} {name!r}: {moved} of existing {who} would change",
                    (section, name),
                    on_key=section == "tiers",
                    hint="undo the change, or render the whole tree with --renumber",
                )


def _moved_of_hosts(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    words = {"name": "names", "slot_base": "leaf ports", "slots_per_host": "leaf ports"}
    return [what for key, what in words.items() if before.get(key) != after[key]] + _own_moved(before, after)


def _mappings(value: object) -> dict[str, dict[str, Any]]:
    if not isinstance(value, dict):
        return {}
    return {str(key): item for key, item in value.items() if isinstance(item, dict)}


def _moved_in_tier(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return what would move, in words; dimensions with one member have no say."""
    counts = before.get("counts")
    if not isinstance(counts, list) or len(counts) != len(Coordinates._fields):
        return []
    varied = [at for at, count in enumerate(counts) if count > 1 and after["counts"][at] > 1]
    named = {**_NUMBERINGS, **{f"{name}6": f"IPv6 {_NUMBERINGS[name]}" for name in _POOLS}}
    moved = [words for name, words in named.items() if _moved_numbers(before.get(name), after.get(name), varied)]
    if before.get("name") != after["name"]:
        moved.append("names")
    if _moved_ports(before, after, "down") or before.get("per_pair") != after["per_pair"]:
        moved.append("downlink ports")
    if _moved_ports(before, after, "up"):
        moved.append("uplink ports")
    return moved + _own_moved(before, after, counts)


def _moved_numbers(one: Sequence[int] | None, other: Sequence[int] | None, varied: Sequence[int]) -> bool:
    """Return whether a base, the stride of a dimension that varies, or that from link to link, is another."""
    kept = [0, *(1 + at for at in varied)]
    links = 1 + len(Coordinates._fields)
    return bool(
        one and other and ([one[at] for at in kept], one[links:]) != ([other[at] for at in kept], other[links:])
    )


def _moved_ports(before: Mapping[str, Any], after: Mapping[str, Any], side: str) -> bool:
    known = before.get(side) or []
    return bool(known[: len(after[side])] != after[side][: len(known)])
