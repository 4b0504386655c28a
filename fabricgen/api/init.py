"""New inventories from the ones that ship with fabricgen."""

from __future__ import annotations

import json
from difflib import get_close_matches
from pathlib import Path

from fabricgen.api.compile import INTENT_FILE
from fabricgen.diagnostics import Bag, register
from fabricgen.files import Refused, read_file

UNKNOWN_BLUEPRINT = register(
    "FG-SRC-041",
    "Unknown blueprint",
    why="There is nothing to start from.",
    fix="Name an inventory that ships with fabricgen.",
    source="README.md",
)
FOLDER_IN_USE = register(
    "FG-SRC-042",
    "The folder is in use",
    why="Files that are already there would be mixed with, or lost to, the new inventory.",
    fix="Name a folder that does not exist, or is empty.",
    source="README.md",
)
CANNOT_CREATE = register(
    "FG-SRC-043",
    "The folder cannot be created",
    why="The inventory would be nowhere.",
    fix="Name a folder you may write to.",
    source="README.md",
)

_SHIPPED_MAX_BYTES = 8 << 20
SCHEMA_FILE, WORKLOAD_SCHEMA_FILE = "intent.schema.json", "workload.schema.json"
_MODELINES = {
    f"$schema={up}../{name}": f"$schema={up}{name}" for up, name in (("", SCHEMA_FILE), ("../", WORKLOAD_SCHEMA_FILE))
}
"""How files of the shipped inventories name their schema, and how those of a new one do."""


def inventory_root() -> Path:
    """Where the shipped inventories lie: in the wheel, or beside the package in a checkout."""
    package = Path(__file__).resolve().parent.parent
    shipped = package / "_inventories"
    return shipped if shipped.is_dir() else package.parent / "inventories"


def list_blueprints() -> list[str]:
    """Names of the shipped inventories."""
    return sorted(path.parent.name for path in inventory_root().glob(f"*/{INTENT_FILE}"))


def create_inventory(folder: Path, blueprint: str, bag: Bag) -> list[Path]:
    """Copy a blueprint into a new folder, with the schema beside it for editors.

    Args:
        folder: Must not exist, or be empty.
        blueprint: Name of a shipped inventory.
        bag: Takes why nothing was created.

    Returns:
        The files that were written; empty if there is a diagnostic.
    """
    known = list_blueprints()
    if blueprint not in known:
        near = get_close_matches(blueprint, known, n=1)
        bag.add(
            UNKNOWN_BLUEPRINT,
            f"there is no blueprint {blueprint!r}; there are {', '.join(known)}",
            hint=f"did you mean {near[0]!r}?" if near else "",
        )
        return []
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            bag.add(FOLDER_IN_USE, f"{folder} exists and is not an empty folder", hint="name a new folder")
            return []
        return _copy(inventory_root() / blueprint, folder)
    except OSError as error:
        bag.add(CANNOT_CREATE, f"{folder}: {error.strerror or error}", hint="name a folder you may write to")
        return []


def _copy(source: Path, folder: Path) -> list[Path]:
    from fabricgen.intent.schema import intent_schema
    from fabricgen.intent.workload import workload_schema

    written = []
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(source.rglob("*")):
        if path.is_file():
            target = folder / path.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            data = read_file(path, _SHIPPED_MAX_BYTES)
            if isinstance(data, Refused):
                raise OSError(f"{path} {data.reason}")
            text = data.decode("utf-8")
            for shipped, new in _MODELINES.items():
                text = text.replace(shipped, new)
            target.write_text(text, encoding="utf-8")
            written.append(target)
    for name, schema in ((SCHEMA_FILE, intent_schema()), (WORKLOAD_SCHEMA_FILE, workload_schema())):
        (folder / name).write_text(json.dumps(schema, indent=2, sort_keys=True) + "\n", encoding="utf-8")
        written.append(folder / name)
    return written
