"""The part of two plans that no file of a device has: tiers, the change of intent, exchanged switches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from fabricgen.analysis.capacity import count_gpus
from fabricgen.api.compile import Compiled
from fabricgen.api.sides import Opened
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.visible import show_line
from fabricgen.plan.model.fabric import Asset, FabricPlan
from fabricgen.render.tree.opening import load_manifest

_KEYS_MAX = 4
"""Keys of the intent that the first line of a comparison names."""
_COUNT = ".count"
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
    layout: Any = manifest.header.get("layout") if manifest is not None else None
    tiers = sorted(layout.get("tiers", {}), key=len, reverse=True) if isinstance(layout, dict) else []
    for path, entry in manifest.entries.items() if manifest is not None else ():
        folder, _, rest = path.partition("/")
        if folder == "switches":
            tier = next((each for each in tiers if entry.shard == each or entry.shard.startswith(f"{each}-")), "")
            yield rest.partition("/")[0], tier


def describe_intent(before: Compiled | None, after: Compiled | None) -> str:
    """Return the change between two inventories in one line; empty if a side is none, or nothing changes."""
    if before is None or after is None or before.plan is None or after.plan is None:
        return ""
    old, new = _flatten(before.document.data), _flatten(after.document.data)
    changed = [key for key in {**old, **new} if old.get(key) != new.get(key)]
    words = [_change(key, old, new) for key in changed[:_KEYS_MAX]]
    words += [f"{len(changed) - _KEYS_MAX:,} more keys"] if len(changed) > _KEYS_MAX else []
    gpus = count_gpus(before.plan), count_gpus(after.plan)
    words += [f"{gpus[0]:,} → {gpus[1]:,} GPUs"] if gpus[0] != gpus[1] else []
    return ", ".join(words)


def list_exchanged(before: FabricPlan, after: FabricPlan) -> list[str]:
    """Return the switches whose serial number or MAC address differs in the asset lists of two plans, in words."""
    found = []
    for device in after.switches():
        name = after.device_name(device)
        old, new = before.assets.get(name, Asset()), after.assets.get(name, Asset())
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
