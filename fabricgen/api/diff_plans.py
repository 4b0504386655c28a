"""The part of two plans that no file of a device has: tiers, the change of intent, exchanged switches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from fabricgen.analysis.capacity import count_gpus
from fabricgen.api.compile import Compiled
from fabricgen.api.render import build_header
from fabricgen.api.sides import Opened
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.visible import show_line
from fabricgen.plan.model.fabric import Asset, FabricPlan
from fabricgen.render.tree.opening import load_manifest

_KEYS_MAX = 4
"""Keys of the intent that the first line of a comparison names."""
_COUNT = ".count"
_DIMENSIONS = ("zones", "pods", "units", "planes", "groups", "switches")
"""Counts of a tier in the layout of a manifest, see ``plan.model.numbering.Coordinates``."""
_NAMES = ("name", "device", "link", "match", "rail", "id")
"""Keys that name an item of a list."""


def find_tiers(opened: Opened, compiled: Compiled | None) -> Callable[[str], str]:
    """Return a function from the name of a switch to its tier, empty where neither plan nor manifest has it."""

    @cache
    def known() -> Mapping[str, str]:
        if compiled is not None and compiled.plan is not None:
            plan = compiled.plan
            return {plan.device_name(device): plan.tiers[device.tier].name for device in plan.switches()}
        return dict(_list_tiers(opened))

    return lambda name: known().get(name, "")


def _list_tiers(opened: Opened) -> Iterator[tuple[str, str]]:
    """Yield switches of a tree with their tiers, which the shards of its manifest are named after."""
    manifest = load_manifest(opened.tree, Bag()) if opened.tree is not None else None
    tiers = sorted(_part(manifest.header if manifest is not None else {}, "tiers"), key=len, reverse=True)
    for path, entry in manifest.entries.items() if manifest is not None else ():
        folder, _, rest = path.partition("/")
        if folder == "switches":
            tier = next((each for each in tiers if entry.shard == each or entry.shard.startswith(f"{each}-")), "")
            yield rest.partition("/")[0], tier


def describe_change(deployed: Opened, intended: Opened, compiled: Compiled | None) -> str:
    """Return the change of intent between two sides in one line, as far as inventories and manifests of trees have it.

    Args:
        deployed: The deployed side.
        intended: The intended side.
        compiled: The inventory of the intended side, or of its tree; None if that is not known.

    Returns:
        The line; empty if a side is neither an inventory nor a rendered tree, or nothing changes.
    """
    before, after = deployed.compiled, compiled or intended.compiled
    if before is not None and after is not None and before.plan is not None and after.plan is not None:
        return _describe_intent(before, before.plan, after, after.plan)
    old, new = _header(deployed), _header(intended)
    if not old or not new or old.get("intent") == new.get("intent"):
        return ""
    return ", ".join(_layout_changes(old, new)) or "changed, with the same layout"


def _header(opened: Opened) -> Mapping[str, object]:
    """Return the header of a tree's manifest, or the one that an inventory would be rendered with."""
    if opened.tree is not None:
        manifest = load_manifest(opened.tree, Bag())
        return manifest.header if manifest is not None else {}
    compiled = opened.compiled
    return build_header(compiled.document, compiled.plan, ()) if compiled is not None and compiled.plan else {}


def _part(header: Mapping[str, object], key: str) -> Mapping[str, Any]:
    """Return the tiers or host groups of the layout in a manifest, by name."""
    layout = header.get("layout")
    part = layout.get(key) if isinstance(layout, dict) else None
    return {name: each for name, each in part.items() if isinstance(each, dict)} if isinstance(part, dict) else {}


def _layout_changes(old: Mapping[str, object], new: Mapping[str, object]) -> Iterator[str]:
    """Yield in words how many of each dimension the layouts of two manifests have, and other changes of them."""
    for key, noun, counted in (("tiers", "tier", "counts"), ("hosts", "host group", "hosts")):
        before, after = _part(old, key), _part(new, key)
        yield from (f"{noun} {show_line(name)} is new" for name in after if name not in before)
        yield from (f"{noun} {show_line(name)} is gone" for name in before if name not in after)
        for name, now in after.items():
            was = before.get(name, now)
            yield from _count_changes(show_line(name), was.get(counted), now.get(counted))
            if {**was, counted: None} != {**now, counted: None}:
                yield f"other names, numbers or ports of {noun} {show_line(name)}"


def _count_changes(name: str, old: Any, new: Any) -> Iterator[str]:
    """Yield in words the counts of a tier, or of the hosts per unit, that two layouts have otherwise."""
    if isinstance(old, list) and isinstance(new, list):
        pairs = zip(_DIMENSIONS, old, new, strict=False)
        yield from (f"{word} of {name} {was} → {now}" for word, was, now in pairs if was != now)
    elif old != new:
        yield f"{name} hosts per unit {old} → {new}"


def _describe_intent(before: Compiled, old_plan: FabricPlan, after: Compiled, new_plan: FabricPlan) -> str:
    """Return the change between two inventories in one line; empty if nothing changes."""
    old, new = _flatten(before.document.data), _flatten(after.document.data)
    changed = [key for key in {**old, **new} if old.get(key) != new.get(key)]
    words = [_change(key, old, new) for key in changed[:_KEYS_MAX]]
    words += [f"{len(changed) - _KEYS_MAX:,} more keys"] if len(changed) > _KEYS_MAX else []
    gpus = count_gpus(old_plan), count_gpus(new_plan)
    words += [f"{gpus[0]:,} → {gpus[1]:,} GPUs"] if gpus[0] != gpus[1] else []
    return ", ".join(words)


def list_exchanged(before: Compiled | None, after: Compiled | None) -> list[str]:
    """Return the switches whose serial number or MAC address differs between two asset lists, in words."""
    if before is None or after is None or before.plan is None or after.plan is None:
        return []
    found = []
    for device in after.plan.switches():
        name = after.plan.device_name(device)
        old, new = before.plan.assets.get(name, Asset()), after.plan.assets.get(name, Asset())
        pairs = (("serial", old.serial, new.serial), ("MAC", old.mac, new.mac))
        words = [
            f"{word} {show_line(was)} → {show_line(now)}" for word, was, now in pairs if was and now and was != now
        ]
        found += [f"{name} {', '.join(words)}"] if words else []
    return found


def _flatten(value: Any, key: str = "") -> dict[str, str]:
    """Return what a document says by key; items of lists are known by the key that names them."""
    found: dict[str, str] = {}
    if isinstance(value, Mapping):
        for name, below in value.items():
            found |= _flatten(below, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list | tuple) and any(isinstance(item, Mapping) for item in value):
        for number, item in enumerate(value):
            names = (item.get(name) for name in _NAMES) if isinstance(item, Mapping) else ()
            found |= _flatten(item, f"{key}[{next((name for name in names if name), number)}]")
    else:
        found[key] = show_line(str(getattr(value, "raw", value)))
    return found


def _change(key: str, old: Mapping[str, str], new: Mapping[str, str]) -> str:
    name = show_line(key.removesuffix(_COUNT))
    if key not in old:
        return f"{name} {new[key]} is new"
    return f"{name} {old[key]} → {new[key]}" if key in new else f"{name} {old[key]} is gone"
