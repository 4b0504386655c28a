"""Explaining a diagnostic code, or the causes of one line of a rendered file."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import fabricgen
from fabricgen.api.tree_inventory import find_inventory
from fabricgen.compiler.compile import Compiled
from fabricgen.compiler.positions import LineCause, list_causes, shorten, tell_cause
from fabricgen.device.lower import Lowering
from fabricgen.device.model import Host, Switch
from fabricgen.diagnostics import Bag, Code, IntentPath, all_codes, lookup, register
from fabricgen.diagnostics.registry import RETIRED, explain_code
from fabricgen.diagnostics.secrets import show_line_of_file
from fabricgen.plan.model.contract import EcnThresholds
from fabricgen.plan.model.fabric import FabricPlan, RawSnippet
from fabricgen.render.engine import RenderedFile, Renderer
from fabricgen.render.provenance import LineOrigin, trace_file
from fabricgen.render.tree.access import load_manifest
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
_SHORT_NUMBER = re.compile(r"(?<=-)\d{1,2}$")
HEADER = "manifest/header.json"
_LITERAL = "the template writes this text for every intent"
_FIXED = "decided by a standard or a published default, not by the intent"
_MARKING = ("kmin_bytes", "kmax_bytes", "pmax_pct")
_SILENT = ("fabricgen.cli", "fabricgen.__main__", "fabricgen.collect.ssh", "fabricgen.collect.https.")
"""Modules that declare no code; the last ones need a library that may not be installed."""


def load_codes() -> list[Code]:
    """Every code of fabricgen, by importing every room."""
    for module in walk_packages(fabricgen.__path__, "fabricgen."):
        if not module.name.startswith(_SILENT):
            import_module(module.name)
    return all_codes()


def explain_code_text(name: str, bag: Bag) -> str:
    """Return what a code means, why it matters, what to do and where that is written."""
    codes = load_codes()
    id_ = _SHORT_NUMBER.sub(lambda match: match[0].zfill(3), name.upper())
    code = lookup(RETIRED.get(id_, id_))
    if code is None:
        area = [known.id for known in codes if known.id.startswith(name.upper()[:6])]
        bag.add(UNKNOWN_CODE, f"there is no code {name!r}", hint=f"use one of {area[0]} to {area[-1]}" if area else "")
        return ""
    return explain_code(code) if code.id == id_ else f"{id_} is {code.id} now.\n\n{explain_code(code)}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """One line of a rendered file and what made it.

    Attributes:
        texts: Keys that decide what the line says, most decisive first; none for a line of constants.
        conditions: Keys that only decide that the line is there, the innermost condition first.
        rules: Arithmetic of the figures that the line shows.
    """

    file: str
    origin: LineOrigin
    texts: tuple[LineCause, ...]
    conditions: tuple[LineCause, ...]
    rules: tuple[str, ...] = ()

    def text(self, file: str, base: Path) -> str:
        """The explanation as the terminal shows it; paths of files below the base are shown relative to it."""
        origin = self.origin
        rows = [("template", f"{shorten(origin.template, base)}:{origin.template_line}")]
        rows += [("intent", tell_cause(cause, base)) for cause in self.texts]
        if not self.texts:
            rows.append(("constant", _FIXED if origin.direct else _LITERAL))
        rows += [("rule", rule) for rule in self.rules]
        rows += [("present because of", tell_cause(cause, base)) for cause in self.conditions]
        lines, shown = [f"{file}:{origin.number}: {origin.text.strip()}"], ""
        for word, text in rows:
            lines.append(f"  {'' if word == shown else word:18}  {text}")
            shown = word
        return "\n".join(lines)


def explain_line(target: str, inventory: Path | None, base: Path, bag: Bag, catalogs: Sequence[Path] = ()) -> str:
    """Explain ``FILE:LINE`` of a rendered tree; empty if there is a diagnostic.

    Without an inventory it is looked for near the tree and in ``base``, which paths are shown relative to.
    """
    file, _, line = target.rpartition(":")
    found = _find_tree(base / file) if file and line.isdigit() else None
    if found is None:
        message = f"{target!r} is neither a code nor FILE:LINE of a rendered tree"
        bag.add(NOT_A_LINE, message, hint="use for example out/switches/leaf-u001-r0/PATH:12")
        return ""
    root, path = found
    manifest = load_manifest(root, bag)
    if manifest is None:
        return ""
    compiled = find_inventory(root, manifest, inventory, base, bag, catalogs)
    if compiled is None or compiled.plan is None:
        return ""
    explanations = explain_file(compiled, path, bag)
    number = int(line)
    if not 1 <= number <= len(explanations):
        if not bag.has_errors:
            bag.add(NOT_A_LINE, f"{path} has {len(explanations)} lines, not {number}", hint="name one of its lines")
        return ""
    return explanations[number - 1].text(file, base)


def explain_file(compiled: Compiled, path: str, bag: Bag) -> list[Explanation]:
    """Explain every line of one file of a tree, ``switches/<name>/…`` or ``hosts/<name>/…``; none if there is none."""
    if compiled.plan is None or compiled.platforms is None:
        return []
    parts = path.split("/")
    device = find_device(compiled.plan, parts[0], parts[1]) if len(parts) > 2 else None
    if device is None:
        bag.add(NOT_A_LINE, f"the fabric has no device for {path}", hint="name a file below switches or hosts")
        return []
    renderer = Renderer(compiled.platforms, bag)
    own = _own_places(compiled, device)
    traced = trace_file(renderer, device, path)
    explanations = [_explain(compiled.document, path, origin, device, own) for origin in traced]
    if isinstance(device, Switch) and explanations:
        return explain_snippets(compiled, path, explanations, renderer.render_switch(device), device.raw)
    return explanations


def explain_snippets(
    compiled: Compiled,
    path: str,
    explanations: list[Explanation],
    files: Sequence[RenderedFile],
    raw: Sequence[RawSnippet],
) -> list[Explanation]:
    """The explanations of a file's templates, with those of the lines that snippets brought in between."""
    mine = [snippet for snippet in raw if path.endswith("/" + snippet.output)]
    data = next((file.data for file in files if file.path == path), b"")
    if not mine or not data:
        return explanations
    lines = data.decode().splitlines(keepends=True)
    old = [explanation.origin.text.strip().rstrip(",") for explanation in explanations]
    found: dict[int, Explanation] = {}
    blocks = SequenceMatcher(None, old, [line.strip().rstrip(",") for line in lines], autojunk=False)
    for block in blocks.get_matching_blocks():
        for at in range(block.size):
            same, number = explanations[block.a + at], block.b + at
            origin = replace(same.origin, number=number + 1, text=lines[number])
            found[number] = replace(same, origin=origin)
    return [found.get(at) or _explain_raw(compiled, path, at + 1, line, mine) for at, line in enumerate(lines)]


def _explain_raw(compiled: Compiled, path: str, number: int, line: str, snippets: Sequence[RawSnippet]) -> Explanation:
    """A line of a snippet: the last one that has such a line, else the last one."""
    for snippet in reversed(snippets):
        texts, wanted = [text.strip().rstrip(",") for text in snippet.text.splitlines()], line.strip().rstrip(",")
        if wanted in texts:
            break
    else:
        snippet, texts = snippets[-1], []
    at = texts.index(wanted) + 1 if texts else 1
    line = show_line_of_file(line)
    origin = LineOrigin(number, line, str((compiled.folder / snippet.file).resolve()), at, (), ())
    return Explanation(path, origin, list_causes(compiled.document, (snippet.named_at,)), ())


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


def _own_places(compiled: Compiled, device: Switch | Host) -> dict[IntentPath, IntentPath]:
    """Places at which exceptions set a leaf for one switch, by where the intent has it for others."""
    intent = compiled.intent
    if intent is None or not isinstance(device, Switch):
        return {}
    boxes = ((("tiers", device.cls.tier, each.key), each) for each in intent.boxes)
    both = (*boxes, *((each.leaf, each) for each in intent.settings))
    return {leaf: each.path for leaf, each in both if each.item.device == device.hostname}


def _explain(
    document: Document, path: str, origin: LineOrigin, device: Switch | Host, own: Mapping[IntentPath, IntentPath]
) -> Explanation:
    texts = list_causes(document, (own.get(each, each) for each in origin.text_paths(device)))
    named = {cause.path for cause in texts}
    conditions = list_causes(document, (own.get(each, each) for each in origin.presence_paths(device)))
    others = tuple(cause for cause in conditions if cause.path not in named)
    return Explanation(path, origin, texts, others, _rules(origin))


def _rules(origin: LineOrigin) -> tuple[str, ...]:
    """Return the places that the marking thresholds on a line come from, each once."""
    holders = [read.holder for read in origin.direct if read.field in _MARKING]
    return tuple(dict.fromkeys(holder.source for holder in holders if isinstance(holder, EcnThresholds)))


def _find_tree(file: Path) -> tuple[Path, str] | None:
    """(root of the tree, path in it) of a rendered file."""
    if not os.path.isfile(file):
        return None
    resolved = file.resolve()
    root = next((parent for parent in resolved.parents if os.path.lexists(parent / HEADER)), None)
    return (root, resolved.relative_to(root).as_posix()) if root else None
