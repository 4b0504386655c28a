"""Explaining a diagnostic code, or the causes of one line of a rendered file."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import fabricgen
from fabricgen.api.compile import INTENT_FILE, Compiled, compile_inventory
from fabricgen.api.place import written_path
from fabricgen.api.render import digest_intent
from fabricgen.device.lower import Lowering
from fabricgen.device.model import Host, Switch
from fabricgen.diagnostics import Bag, Code, IntentPath, Place, Severity, all_codes, format_path, lookup, register
from fabricgen.diagnostics.explain import explain_code
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.render.engine import Renderer
from fabricgen.render.manifest import Manifest
from fabricgen.render.trace import LineOrigin, trace_file
from fabricgen.render.tree import load_manifest
from fabricgen.source import Document

UNKNOWN_CODE = register(
    "FG-TRC-001",
    "Unknown code",
    why="There is nothing to explain.",
    fix="Use a code as a diagnostic prints it.",
    source="README.md",
)
NOT_A_LINE = register(
    "FG-TRC-002",
    "No such line of a rendered tree",
    why="Only lines that fabricgen rendered have causes in an intent.",
    fix="Name a file below switches or hosts of a rendered tree, and one of its lines.",
    source="README.md",
)
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
HEADER = "manifest/header.json"
_SILENT = ("fabricgen.cli", "fabricgen.__main__")


def load_codes() -> list[Code]:
    """Every code of fabricgen, by importing every room."""
    for module in walk_packages(fabricgen.__path__, "fabricgen."):
        if not module.name.startswith(_SILENT):
            import_module(module.name)
    return all_codes()


def explain_code_text(name: str, bag: Bag) -> str:
    """What a code means, why it matters, what to do and where that is written."""
    codes = load_codes()
    code = lookup(name.upper())
    if code is None:
        area = [known.id for known in codes if known.id.startswith(name.upper()[:6])]
        bag.add(UNKNOWN_CODE, f"there is no code {name!r}", hint=f"there are {', '.join(area)}" if area else "")
        return ""
    return explain_code(code)


@dataclass(frozen=True, slots=True)
class Cause:
    """An intent key that takes part in a line.

    Attributes:
        path: The key, as far as it is written in the document.
        place: Where it is written, or where it would be.
        is_default: The key itself is not written: its default, or what it follows from, decides.
    """

    path: IntentPath
    place: Place | None
    is_default: bool


@dataclass(frozen=True, slots=True)
class Explanation:
    """One line of a rendered file and what made it; ``causes`` are most decisive first, none for a constant."""

    file: str
    origin: LineOrigin
    causes: tuple[Cause, ...]

    def text(self) -> str:
        """The explanation as the terminal shows it."""
        rows = [
            f"{self.file}:{self.origin.number}: {self.origin.text.strip()}",
            f"  template  {self.origin.template}:{self.origin.template_line}",
        ]
        if not self.causes:
            rows.append("  constant  the template writes this line for every intent")
        for number, cause in enumerate(self.causes):
            word = "intent" if number == 0 else "also"
            note = " (default)" if cause.is_default else ""
            place = f"  {cause.place}" if cause.place else ""
            rows.append(f"  {word:8}  {format_path(cause.path)}{note}{place}")
        return "\n".join(rows)


def explain_line(target: str, inventory: Path | None, bag: Bag) -> str:
    """Explain ``FILE:LINE`` of a rendered tree.

    Args:
        target: Path of a rendered file and a line number.
        inventory: Inventory the tree comes from; looked for near the tree and the working folder if None.
        bag: Takes what is wrong.

    Returns:
        The explanation; empty if there is a diagnostic.
    """
    file, _, line = target.rpartition(":")
    found = _find_tree(Path(file)) if file and line.isdigit() else None
    if found is None:
        bag.add(
            NOT_A_LINE,
            f"{target!r} is neither a code nor FILE:LINE of a rendered tree",
            hint="for example out/switches/leaf-u001-r0/etc/sonic/frr/frr.conf:12",
        )
        return ""
    root, path = found
    manifest = load_manifest(root, bag)
    if manifest is None:
        return ""
    compiled = _find_inventory(root, manifest, inventory, bag)
    if compiled is None or compiled.plan is None:
        return ""
    explanations = explain_file(compiled, path, bag)
    number = int(line)
    if not 1 <= number <= len(explanations):
        if not bag.has_errors:
            bag.add(NOT_A_LINE, f"{path} has {len(explanations)} lines, not {number}", hint="name one of its lines")
        return ""
    return explanations[number - 1].text()


def explain_file(compiled: Compiled, path: str, bag: Bag) -> list[Explanation]:
    """Explain every line of one file of a tree.

    Args:
        compiled: A compiled inventory with a plan.
        path: Path in the tree, ``switches/<name>/…`` or ``hosts/<name>/…``.
        bag: Takes what is wrong.

    Returns:
        One explanation per line; none if there is no such file.
    """
    if compiled.plan is None or compiled.platforms is None:
        return []
    parts = path.split("/")
    device = find_device(compiled.plan, parts[0], parts[1]) if len(parts) > 2 else None
    if device is None:
        bag.add(NOT_A_LINE, f"the fabric has no device for {path}", hint="name a file below switches or hosts")
        return []
    origins = trace_file(Renderer(compiled.platforms, bag), device, path)
    return [
        Explanation(path, origin, tuple(_causes(compiled.document, origin.intent_paths(device)))) for origin in origins
    ]


def find_device(plan: FabricPlan, kind: str, name: str) -> Switch | Host | None:
    """The model of the switch or host of that name, or None."""
    lowering = Lowering(plan)
    if kind == "switches":
        for device in plan.switches():
            if plan.device_name(device) == name:
                return lowering.lower_switch(device)
    elif kind == "hosts":
        for host in plan.all_hosts():
            if plan.host_name(host) == name:
                return lowering.lower_host(host)
    return None


def _causes(document: Document, paths: tuple[IntentPath, ...]) -> list[Cause]:
    """Each intent path as far as it is written, once."""
    causes: dict[IntentPath, Cause] = {}
    for full in paths:
        path = written_path(document, full)
        if path and path[-1] == "count" and not document.has(path) and document.has(path[:-1]):
            path = path[:-1]
        causes.setdefault(path, Cause(path, document.place(path), not document.has(path)))
    return list(causes.values())


def _find_tree(file: Path) -> tuple[Path, str] | None:
    """(root of the tree, path in it) of a rendered file."""
    absolute = file.absolute()
    if not absolute.is_file():
        return None
    root = next((parent for parent in absolute.parents if (parent / HEADER).is_file()), None)
    return (root, absolute.relative_to(root).as_posix()) if root else None


def _find_inventory(root: Path, manifest: Manifest, inventory: Path | None, bag: Bag) -> Compiled | None:
    """Compile the inventory a tree comes from: the named one, else the one near by with the same intent."""
    header = manifest.header
    overlays = header.get("overlays")
    names = [str(name) for name in overlays] if isinstance(overlays, list) else []
    if inventory is not None:
        compiled = compile_inventory(inventory, names, bag)
        if compiled is not None and digest_intent(compiled.document) != header.get("intent"):
            bag.add(TREE_IS_OLD, f"{inventory} has changed since {root} was rendered", hint="render again")
        return compiled
    for folder in _nearby_inventories(root):
        attempt = Bag()
        compiled = compile_inventory(folder, names, attempt)
        if compiled is not None and digest_intent(compiled.document) == header.get("intent"):
            return compiled
    bag.add(
        NO_INVENTORY, f"no inventory near {root} or here has the intent of this tree", hint="name it: --inventory DIR"
    )
    return None


def _nearby_inventories(root: Path) -> list[Path]:
    """Inventories in the working folder, beside the tree and above it, and in folders named inventories there."""
    bases = [Path.cwd(), *root.parents]
    folders = [folder for base in bases for folder in (base, *base.glob("*/"), *(base / "inventories").glob("*/"))]
    return [folder for folder in dict.fromkeys(folders) if (folder / INTENT_FILE).is_file()]
