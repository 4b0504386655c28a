"""The inventory that a rendered tree comes from."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from fabricgen.api.render import digest_intent
from fabricgen.compiler.compile import INTENT_FILE, Compiled, compile_inventory, read_inventory
from fabricgen.compiler.positions import place_diagnostics
from fabricgen.compiler.waivers import list_waived
from fabricgen.diagnostics import Bag, Severity, register
from fabricgen.render.tree.manifest import Manifest

NO_INVENTORY = register(
    "FG-TRC-003",
    "The tree's inventory was not found",
    why="The causes of a line are found by rendering it again from the intent.",
    fix="Name the inventory with --inventory.",
    source="README.md",
)
TREE_IS_OLD = register(
    "FG-TRC-004",
    "The intent has changed since the tree was rendered",
    severity=Severity.WARNING,
    why="The line is explained from the intent as it is now, which may no longer say what was rendered.",
    fix="Render again.",
    source="README.md",
)


def find_inventory(
    root: Path, manifest: Manifest, inventory: Path | None, base: Path, bag: Bag, catalogs: Sequence[Path] = ()
) -> Compiled | None:
    """Compile the inventory a tree comes from: the named one, else the one near by with the same intent."""
    header = manifest.header
    overlays = header.get("overlays")
    names = [str(name) for name in overlays] if isinstance(overlays, list) else []
    if inventory is not None:
        compiled = _compile(inventory, names, catalogs, bag)
        if compiled is not None and not bag.has_errors and digest_intent(compiled.document) != header.get("intent"):
            bag.add(TREE_IS_OLD, f"{inventory} has changed since {root} was rendered", hint="render again")
        return compiled
    for folder in _nearby_inventories(root, base):
        read = read_inventory(folder, names, Bag())
        if read is not None and digest_intent(read) == header.get("intent"):
            return _compile(folder, names, catalogs, bag)
    bag.add(
        NO_INVENTORY, f"no inventory near {root} or here has the intent of this tree", hint="name it: --inventory DIR"
    )
    return None


def _compile(inventory: Path, overlays: Sequence[str], catalogs: Sequence[Path], bag: Bag) -> Compiled | None:
    """Compile an inventory; what is merely worth a warning has been said when the tree was rendered."""
    found = Bag()
    compiled = compile_inventory(inventory, overlays, found, catalogs=catalogs)
    errors = [item for item in found if item.severity is Severity.ERROR and not item.waived]
    bag.extend(place_diagnostics([*errors, *list_waived(found)], compiled.document if compiled else None))
    return compiled


def _nearby_inventories(root: Path, base: Path) -> list[Path]:
    """Inventories in the working folder, beside the tree and above it, and in folders named inventories there."""
    bases = [base, *root.parents]
    folders = [folder for base in bases for folder in (base, *base.glob("*/"), *(base / "inventories").glob("*/"))]
    return [folder for folder in dict.fromkeys(folders) if os.path.isfile(folder / INTENT_FILE)]
