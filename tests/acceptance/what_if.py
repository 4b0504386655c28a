"""The same line of a rendered file under another intent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

from fabricgen.api.explain import explain_file, find_device
from fabricgen.compiler.compile import Compiled, compile_document
from fabricgen.diagnostics import Bag, IntentPath
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.render.engine import Device, Renderer, tree_folder
from fabricgen.render.marked_templates import MarkedEnvironment, Recorder, split_pieces
from fabricgen.source import Document
from tests.acceptance.alternatives import other_values

_ENOUGH = 80
"""Legal changes of one key that are tried at most."""


class Written(NamedTuple):
    """Template line that wrote a line, and its number of occurrences so far."""

    template: str
    line: int
    time: int


Lines = dict[Written, str]
"""Lines by what wrote them, without the commas that the engine puts between parts and templates between items."""


def number_lines(lines: Iterable[tuple[str, int, str]]) -> list[tuple[Written, str]]:
    """Tell the lines that one line of a template wrote apart."""
    times: Counter[tuple[str, int]] = Counter()
    found = []
    for template, line, text in lines:
        found.append((Written(template, line, times[template, line]), text.rstrip(",\n")))
        times[template, line] += 1
    return found


class World:
    """One fabric, and the lines of its files by what wrote them."""

    def __init__(self, compiled: Compiled) -> None:
        """Hold a fabric that compiled without errors."""
        self.compiled = compiled
        self._renderer = Renderer(compiled.platforms, Bag())
        self._parts: dict[tuple[str, str], Lines] = {}

    def lines(self, path: str, template: str) -> Lines:
        """Return what one template wrote of a file; nothing if the fabric has no such file."""
        key = (path, template)
        if key not in self._parts:
            kind, name, _ = path.split("/", 2)
            device = find_device(self.compiled.plan, kind, name)
            if device is None:
                self._parts[key] = {}
            elif Path(template).is_relative_to(self.compiled.folder.resolve()):
                self._parts[key] = dict(number_lines(self._snippets(path, template)))
            else:
                self._parts[key] = dict(number_lines(self._places(device, path, template)))
        return self._parts[key]

    def _snippets(self, path: str, snippet: str) -> Iterator[tuple[str, int, str]]:
        origins = (explanation.origin for explanation in explain_file(self.compiled, path, Bag()))
        yield from ((it.template, it.template_line, it.text) for it in origins if it.template == snippet)

    def _places(self, device: Device, path: str, template: str) -> Iterator[tuple[str, int, str]]:
        environment = _environment()
        for spec in self._renderer.specs_of(device):
            outputs = [output for output in spec.outputs if tree_folder(device) + output.path == path]
            parts = [part for output in outputs for part in output.parts]
            # A template that is no part itself is included by one.
            for part in [part for part in parts if template.endswith(f"/{part.template}")] or parts:
                name = part.template
                view = spec.platform.view()
                cls = view.class_view(device.cls) if view else device.cls
                seen = {"device": view.device_view(device, cls) if view else device} if part.scope == "device" else {}
                for line in split_pieces(environment.render_marked(name, {**seen, "cls": cls}, Recorder())):
                    origin = next((piece for piece in line if piece.text.strip()), line[0]).origin
                    if origin.file == template or template.endswith(f"/{origin.file}"):
                        yield origin.file, origin.line, "".join(piece.text for piece in line)


@cache
def _environment() -> MarkedEnvironment:
    return MarkedEnvironment([template_root()])


@dataclass
class Trials:
    """Legal changes of the keys of one inventory; each is compiled once, when a line first needs it."""

    home: Compiled
    _worlds: dict[int, tuple[Document, World | None]] = field(default_factory=dict)
    _pairs: dict[IntentPath, list[tuple[World, World]]] = field(default_factory=dict)
    _sources: dict[IntentPath, Iterator[tuple[World, World]]] = field(default_factory=dict)

    def pairs(self, path: IntentPath) -> Iterator[tuple[World, World]]:
        """Worlds that differ in one key only."""
        known = self._pairs.setdefault(path, [])
        yield from known
        source = self._sources.setdefault(path, self._compile(path))
        while len(known) < _ENOUGH:
            pair = next(source, None)
            if pair is None:
                return
            known.append(pair)
            yield pair

    def _compile(self, path: IntentPath) -> Iterator[tuple[World, World]]:
        for change in other_values(self.home, path):
            before = self._world(change.before)
            after = self._world(change.after) if before else None
            if before is not None and after is not None:
                yield before, after

    def _world(self, document: Document) -> World | None:
        """The fabric of a document; None if it has errors. The document is kept, so that its id stays its own."""
        if id(document) not in self._worlds:
            bag = Bag()
            compiled = compile_document(document, self.home.folder, bag)
            sound = not bag.has_errors and compiled.plan is not None
            self._worlds[id(document)] = (document, World(compiled) if sound else None)
        return self._worlds[id(document)][1]
