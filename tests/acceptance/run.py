"""Running the command line as a user does, and looking at trees."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from fabricgen.api import Compiled, compile_inventory
from fabricgen.api.render import RenderOptions, render_inventory
from fabricgen.diagnostics import Bag, Diagnostic, Severity
from fabricgen.plan.model.fabric import FabricPlan
from tests.command_line import REPOSITORY, run, succeed

__all__ = [
    "INVENTORIES", "REPOSITORY", "STANDING", "compile_clean", "config_of", "copy_inventory", "diagnose", "plan_of",
    "read_tree", "render", "render_here", "run", "succeed",
]  # fmt: skip
INVENTORIES = REPOSITORY / "inventories"
STANDING = frozenset({"FG-PLT-153", "FG-RTE-930", "FG-WVR-003"})
"""Warnings about software and ASIC of the quickstart fabric, and of waivers of them that a change leaves idle."""


def render(inventory: Path, out: Path, *words: str, env: Mapping[str, str] | None = None) -> None:
    succeed("render", inventory, "-o", out, *words, env=env)


def render_here(source: Path, out: Path, *, renumber: bool = False, overlays: Sequence[str] = ()) -> list[Diagnostic]:
    """Render in this process, which costs a fifth of a new one; the errors, none if the tree was written."""
    bag = Bag()
    compiled = compile_inventory(source, tuple(overlays), bag)
    result = render_inventory(compiled, out, RenderOptions(renumber=renumber), bag)
    assert (result is None) == bag.has_errors
    return [found for found in bag if found.severity is Severity.ERROR]


def copy_inventory(name: str, folder: Path, changes: Mapping[str, str] | None = None) -> Path:
    """A copy of a shipped inventory with texts of its intent replaced; each must be there."""
    shutil.copytree(INVENTORIES / name, folder)
    intent = folder / "fabric.yaml"
    text = intent.read_text()
    for old, new in (changes or {}).items():
        assert old in text, old
        text = text.replace(old, new)
    intent.write_text(text)
    return folder


def diagnose(folder: Path, *overlays: str) -> tuple[Compiled, Bag]:
    """An inventory compiled, and all that is reported of it."""
    bag = Bag()
    return compile_inventory(folder, overlays, bag), bag


def compile_clean(folder: Path, *overlays: str) -> Compiled:
    """An inventory compiled without an error."""
    made, bag = diagnose(folder, *overlays)
    assert not bag.has_errors, [found.message for found in bag]
    return made


def plan_of(folder: Path, *overlays: str) -> FabricPlan:
    """The plan of an inventory, whatever is wrong with it."""
    return diagnose(folder, *overlays)[0].plan


def read_tree(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def config_of(tree: Mapping[str, bytes]) -> dict[str, bytes]:
    """The device files of a tree, without the manifest."""
    return {path: data for path, data in tree.items() if not path.startswith("manifest/")}
