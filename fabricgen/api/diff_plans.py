"""The part of two plans that no file of a device has: tiers, and the change of intent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache

from fabricgen.analysis.capacity import count_gpus
from fabricgen.api.render import build_header
from fabricgen.api.sides import Opened
from fabricgen.compiler.compile import Compiled
from fabricgen.diagnostics import Bag
from fabricgen.diff.plans import list_keys, part_of
from fabricgen.render.tree.access import load_manifest


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
    tiers = sorted(part_of(manifest.header if manifest is not None else {}, "tiers"), key=len, reverse=True)
    for path, entry in manifest.entries.items() if manifest is not None else ():
        folder, _, rest = path.partition("/")
        if folder == "switches":
            tier = next((each for each in tiers if entry.shard == each or entry.shard.startswith(f"{each}-")), "")
            yield rest.partition("/")[0], tier


def describe_change(deployed: Opened, intended: Opened, compiled: Compiled | None) -> str:
    """Return the change of intent between two sides in one line, as far as inventories and manifests have it.

    It is empty if a side is neither an inventory nor a rendered tree, or nothing changes. ``compiled`` is the intended
    inventory, or that of the tree.
    """
    before, after = deployed.compiled, compiled or intended.compiled
    if before is not None and after is not None and before.plan is not None and after.plan is not None:
        words = list_keys(before.document.data, after.document.data)
        gpus = count_gpus(before.plan), count_gpus(after.plan)
        return ", ".join([*words, *([f"{gpus[0]:,} → {gpus[1]:,} GPUs"] if gpus[0] != gpus[1] else [])])
    old, new = _header(deployed), _header(intended)
    if not old or not new or old.get("intent") == new.get("intent"):
        return ""
    return f"changed, with {'the same' if old.get('layout') == new.get('layout') else 'another'} layout"


def _header(opened: Opened) -> Mapping[str, object]:
    """Return the header of a tree's manifest, or the one that an inventory would be rendered with."""
    if opened.tree is not None:
        manifest = load_manifest(opened.tree, Bag())
        return manifest.header if manifest is not None else {}
    compiled = opened.compiled
    return build_header(compiled, ()) if compiled is not None else {}
