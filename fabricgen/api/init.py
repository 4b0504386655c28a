"""New inventories: from the ones that ship with fabricgen, or from a sized fabric."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from fabricgen.compiler.compile import INTENT_FILE
from fabricgen.diagnostics import Bag, register
from fabricgen.diagnostics.file_codes import CANNOT_WRITE, NOT_EMPTY
from fabricgen.files import Refused, read_file

if TYPE_CHECKING:
    from fabricgen.sizing.fabric import FabricSize

UNKNOWN_BLUEPRINT = register(
    "FG-SRC-041",
    "Unknown blueprint",
    why="There is nothing to start from.",
    fix="Name an inventory that ships with fabricgen.",
    source="README.md",
)

_SHIPPED_MAX_BYTES = 8 << 20
SCHEMA_FILE = "intent.schema.json"
_PLACES = {"intent": "", "waivers": "", "overlay": "../", "workload": "../", "placement": "../"}
"""Kinds of files, and how each leads to the folder of its inventory."""
_MODELINES = {f"$schema={up}../{kind}.schema": f"$schema={up}{kind}.schema" for kind, up in _PLACES.items()}
"""Names of the schema in files of the shipped inventories, and in those of a new one."""
_ABOUT = {"README.md", "published.yaml"}
"""Files about the published fabric; they say nothing of a new one."""
_NAME_MAX = 63
_FABRIC_LINE = re.compile(r"^fabric: .*$", re.MULTILINE)


def inventory_root() -> Path:
    """Return the folder of the shipped inventories: in the wheel, or beside the package in a checkout."""
    package = Path(__file__).resolve().parent.parent
    shipped = package / "_inventories"
    return shipped if shipped.is_dir() else package.parent / "inventories"


def list_blueprints() -> list[str]:
    """Names of the shipped inventories."""
    return sorted(path.parent.name for path in inventory_root().glob(f"*/{INTENT_FILE}"))


def describe_blueprints() -> list[dict[str, str]]:
    """Return every shipped inventory with what its first comment says it is."""
    return [{"blueprint": name, "description": _description(name)} for name in list_blueprints()]


def create_inventory(folder: Path, blueprint: str, bag: Bag) -> list[Path]:
    """Copy a blueprint, named after its folder, into one that is new or empty; no files if there is a diagnostic."""
    known = list_blueprints()
    if blueprint not in known:
        near = get_close_matches(blueprint, known, n=1)
        message = f"there is no blueprint {blueprint!r}; there are {', '.join(known)}"
        bag.add(UNKNOWN_BLUEPRINT, message, hint=f"did you mean {near[0]!r}?" if near else "")
        return []
    try:
        files = _read_blueprint(inventory_root() / blueprint)
    except OSError as error:
        bag.add(CANNOT_WRITE, f"{blueprint}: {error.strerror or error}")
        return []
    files[INTENT_FILE] = _FABRIC_LINE.sub(f"fabric: {fabric_name(folder)}", files[INTENT_FILE], count=1)
    return write_inventory(folder, files, bag)


def write_sized(folder: Path, size: FabricSize, bag: Bag) -> list[Path]:
    """Write the inventory of a sized fabric; see ``create_inventory``."""
    from fabricgen.sizing.intent_text import write_intent

    return write_inventory(folder, {INTENT_FILE: write_intent(size, fabric_name(folder), schema=SCHEMA_FILE)}, bag)


def fabric_name(folder: Path) -> str:
    """Return the name of a folder as the name of a fabric: lower case, with hyphens for all else."""
    name = re.sub(r"[^a-z0-9]+", "-", folder.absolute().name.lower())
    return name.strip("-")[:_NAME_MAX].strip("-") or "fabric"


def check_folder(folder: Path, bag: Bag) -> bool:
    """Return whether a new inventory can have a folder; ``bag`` takes why not."""
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            bag.add(NOT_EMPTY, f"{folder} exists and is not an empty folder", hint="name a new folder")
            return False
    except OSError as error:
        bag.add(CANNOT_WRITE, f"{folder}: {error.strerror or error}", hint="name a folder you may write to")
        return False
    return True


def write_inventory(folder: Path, files: Mapping[str, str], bag: Bag) -> list[Path]:
    """Write the files of an inventory and the schemas to a folder that is new or empty: all of them, or none."""
    from fabricgen.api.schemas import write_schema

    if not check_folder(folder, bag):
        return []
    schemas = {f"{kind}.schema.json": write_schema(kind) for kind in _PLACES}
    texts = {name: json.dumps(schema, indent=2, sort_keys=True) + "\n" for name, schema in schemas.items()}
    try:
        return _write_whole(folder, {**files, **texts})
    except OSError as error:
        bag.add(CANNOT_WRITE, f"{folder}: {error.strerror or error}", hint="name a folder you may write to")
        return []


def _write_whole(folder: Path, files: Mapping[str, str]) -> list[Path]:
    """Write beside the folder and rename, so that an interruption leaves nothing behind.

    A folder that exists stays the one that a shell may be in: the files move into it, the intent last.
    """
    exists = folder.exists()
    home = folder if exists else folder.parent
    home.mkdir(parents=True, exist_ok=True)
    stage = Path(tempfile.mkdtemp(prefix=".fabricgen-", dir=home))
    try:
        for name, text in files.items():
            target = stage / "new" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        if exists:
            for part in sorted((stage / "new").iterdir(), key=lambda path: path.name == INTENT_FILE):
                part.replace(folder / part.name)
        else:
            (stage / "new").replace(folder)
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    return [folder / name for name in files]


def _description(name: str) -> str:
    """The comment at the head of a blueprint, without the line for editors."""
    words = []
    for line in _read_shipped(inventory_root() / name / INTENT_FILE).splitlines():
        if not line.startswith("#"):
            break
        if not line.startswith("# yaml-language-server"):
            words.append(line.removeprefix("#").strip())
    return " ".join(words)


def _read_blueprint(source: Path) -> dict[str, str]:
    """Texts of a shipped inventory by path, naming their schema where a new inventory has it."""
    found = {}
    for path in sorted(source.rglob("*")):
        if path.is_file() and path.name not in _ABOUT:
            text = _read_shipped(path)
            for shipped, new in _MODELINES.items():
                text = text.replace(shipped, new)
            found[str(path.relative_to(source))] = text
    return found


def _read_shipped(path: Path) -> str:
    data = read_file(path, _SHIPPED_MAX_BYTES)
    if isinstance(data, Refused):
        raise OSError(f"{path} {data.reason}")
    return data.decode("utf-8")
