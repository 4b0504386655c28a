"""Change between two plans that no file of a device has: keys of the intent, the layout, exchanged switches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabricgen.diagnostics.visible import show_line
from fabricgen.plan.model.fabric import Asset, FabricPlan

_KEYS_MAX = 4
"""Keys of the intent that the first line of a comparison names."""
_COUNT = ".count"
_NAMES = ("name", "device", "link", "match", "rail", "id")
"""Keys that name an item of a list."""


def list_keys(before: Any, after: Any) -> list[str]:
    """Return in words the keys that the data of two intents have otherwise, the first ones by name."""
    old, new = _flatten(before), _flatten(after)
    changed = [key for key in {**old, **new} if old.get(key) != new.get(key)]
    words = [_change(key, old, new) for key in changed[:_KEYS_MAX]]
    return words + ([f"{len(changed) - _KEYS_MAX:,} more keys"] if len(changed) > _KEYS_MAX else [])


def part_of(header: Mapping[str, object], key: str) -> Mapping[str, Any]:
    """Return the tiers or host groups of the layout in a manifest, by name."""
    layout = header.get("layout")
    part = layout.get(key) if isinstance(layout, dict) else None
    return {name: each for name, each in part.items() if isinstance(each, dict)} if isinstance(part, dict) else {}


def list_exchanged(before: FabricPlan, after: FabricPlan) -> list[str]:
    """Return the switches whose serial number or MAC address differs between two asset lists, in words."""
    found = []
    for device in after.switches():
        name = after.device_name(device)
        old, new = before.assets.get(name, Asset()), after.assets.get(name, Asset())
        pairs = (("serial", old.serial, new.serial), ("MAC", old.mac, new.mac))
        words = [f"{key} {show_line(was)} → {show_line(now)}" for key, was, now in pairs if was and now and was != now]
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
