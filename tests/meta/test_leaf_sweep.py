"""Nothing is silent: every leaf of the language changes what is rendered, or is named by a diagnostic.

Each leaf that the conformance fabric writes is given other legal values: then a file of a switch or host differs, or
the plan of a rollout, or a diagnostic points at the leaf's line. Each leaf that no platform renders is refused where
``unrendered.yaml`` writes it. There is no list of exceptions. The same for every overlay of the fabric, each of which
brings it to another platform; there a leaf is also told by a warning that it is not rendered, and one that the platform
refuses is told by that.
``make test`` draws lots which leaf is changed where.
A leaf that makes another shape of fabric stands in an overlay of its own, without the exceptions and expectations that
name devices of the usual shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabricgen.api import Compiled, place_diagnostics
from fabricgen.compiler.compile import compile_document
from fabricgen.diagnostics import Bag, Diagnostic, IntentPath, Severity, format_path
from fabricgen.platforms.manifest.discover import discover_platforms, template_root
from fabricgen.source import Document, load_document
from tests.meta import leafs

FOLDER = Path(__file__).parents[1] / "fabrics" / "conformance"
FABRIC, UNRENDERED, RAW = FOLDER / "fabric.yaml", FOLDER / "unrendered.yaml", FOLDER / "raw.yaml"
PLATFORMS = ("", *sorted(path.stem for path in (FOLDER / "overlays").glob("*.yaml")))
"""The overlays of the fabric, and the fabric without any."""
MEANT = ("FG-PLT-060", "FG-PLT-061", "FG-PLT-153", "FG-EXC-085", "FG-HST-052", "FG-RTE-028", "FG-TOP-067")
"""Warnings about what a platform lacks, known faults, a cable that an exception moves, a NIC with two ports in one
slot, packets that come back to a leaf over which hosts bond, and a subnet whose lost host ports nothing heals."""
SHAPES = sorted((FOLDER / "shapes").glob("*.yaml"))
_SHAPE = ("FG-SRC", "FG-INT")
Key = tuple[str, str, str]
Line = tuple[str, int]


def _line(document: Document, path: IntentPath) -> Line:
    """Return the line where a leaf is written, or would be."""
    place = document.place(path)
    return place.file, place.line


def _refuses(diagnostic: Diagnostic) -> bool:
    return diagnostic.severity is Severity.ERROR and diagnostic.waived is None


@dataclass(frozen=True)
class Outcome:
    """Outcome of one document."""

    diagnostics: Mapping[Key, Diagnostic]
    compiled: Compiled
    cache: Path

    @cached_property
    def files(self) -> dict[str, bytes]:
        """Every file; none if there are errors."""
        if any(map(_refuses, self.diagnostics.values())):
            return {}
        found = leafs.render_all(self.compiled, bag := Bag(), self.cache)
        assert not bag.has_errors, [d.message for d in bag]
        return found

    def named_at(self, lines: set[Line], *, unless: Outcome) -> list[Diagnostic]:
        """Diagnostics that the other outcome does not have and that point at a line, if only as related."""
        new = [d for key, d in self.diagnostics.items() if key not in unless.diagnostics]
        return [d for d in new if leafs.points_at(d, lines)]


def _is_beneath(diagnostics: Iterable[Diagnostic], path: IntentPath) -> bool:
    """Return whether the service that a leaf belongs to is left to the system beneath the platform."""
    return any(d.code == "FG-PLT-901" and d.path and path[: len(d.path)] == d.path for d in diagnostics)


class Sweep:
    """The conformance fabric, and what becomes of it when a leaf changes."""

    def __init__(self, cache: Path, platform: str, *shapes: Path) -> None:
        """Compile the fabric on a platform without what it refuses, and with everything that does not render."""
        self._cache, self.platform = cache, platform
        self._overlays = [FOLDER / "overlays" / f"{platform}.yaml" if platform else RAW, *shapes]
        self.document = self._without_refused(leafs.unjudged(self._read()) if shapes else self._read())
        self.full = self._read(UNRENDERED)
        self.refused = self.compile(self.full)
        self._bases: dict[bool, tuple[Document, Outcome]] = {}

    def _without_refused(self, document: Document) -> Document:
        """The document without the keys that are errors on the platform."""
        while errors := [d for d in self.compile(document).diagnostics.values() if _refuses(d)]:
            absent = {d.message for d in errors if not document.has(d.path)}
            assert not absent, f"{self.platform} cannot render the conformance fabric: {'; '.join(sorted(absent))}"
            for path in sorted({d.path for d in errors}):
                # A refused section is gone with the keys in it that are refused as well.
                document = document.without(path) if document.has(path) else document
        return document

    def compile(self, document: Document) -> Outcome:
        """Compile a document of the fabric's folder."""
        bag = Bag()
        compiled = compile_document(document, FOLDER, bag)
        placed = place_diagnostics(bag, document)
        # A waiver is part of what is told, and what is waived refuses nothing.
        told = {(d.code, str(d.place), f"{d.message} {d.waived or ''}"): d for d in placed}
        return Outcome(told, compiled, self._cache)

    def base(self, *, judged: bool = True) -> tuple[Document, Outcome]:
        """The fabric as it is; if not ``judged``, without what holds it against expectations or names its devices."""
        if judged not in self._bases:
            document = self.document if judged else leafs.unjudged(self.document)
            self._bases[judged] = (document, self.compile(document))
        return self._bases[judged]

    def has_effect(self, path: IntentPath) -> bool:
        """Return whether some other legal value of each part of the leaf is noticed; True if no other is legal."""
        document, base = self.base(judged=path[0] in ("expect", "exceptions"))
        groups = leafs.parts(path, leafs.value_at(document.data, path))
        return all(self._is_noticed(path, values, document, base) for values in groups)

    def _is_noticed(self, path: IntentPath, values: list[Any], document: Document, base: Outcome) -> bool:
        tried = 0
        for value in values:
            changed = leafs.with_value(document, path, value)
            outcome = self.compile(changed)
            told = outcome.named_at({_line(document, path), _line(changed, path)}, unless=base)
            if any(_refuses(d) and d.code.startswith(_SHAPE) for d in told):
                continue
            tried += 1
            if told or (outcome.files and outcome.files != base.files):
                return True
        return tried == 0 or self.is_left_out(path)

    def is_left_out(self, path: IntentPath) -> bool:
        """Return whether a warning says of exactly this leaf that it is not rendered.

        Or a remark of its whole service.
        """
        base = self.base()[1].diagnostics.values()
        warned = any(d.path == path and d.severity is Severity.WARNING and d.code.split("-")[2] >= "900" for d in base)
        return warned or _is_beneath(base, path)

    def is_refused(self, path: IntentPath) -> bool:
        """Return whether an error or a warning names the leaf, or an error a mapping that holds it."""
        told = [p for d in self.refused.diagnostics.values() for p in (d.place, *(r.place for r in d.related)) if p]
        lines = {(place.file, place.line) for place in told}
        errors = [d for d in self.refused.diagnostics.values() if d.severity is Severity.ERROR and d.path]
        refused = any(path[: len(d.path)] == d.path for d in errors)
        return refused or _line(self.full, path) in lines or _is_beneath(self.refused.diagnostics.values(), path)

    def _read(self, *overlays: Path) -> Document:
        bag = Bag()
        document = load_document(FABRIC, bag, overlays=[*self._overlays, *overlays])
        assert not bag.has_errors
        return document


@pytest.fixture(scope="module", params=PLATFORMS, ids=lambda name: name or "plain")
def sweep(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    return Sweep(tmp_path_factory.mktemp("templates"), request.param)


@pytest.fixture(scope="module")
def shapes(sweep: Sweep, tmp_path_factory: pytest.TempPathFactory) -> list[Sweep]:
    return [Sweep(tmp_path_factory.mktemp("templates"), sweep.platform, shape) for shape in SHAPES]


def test_every_switch_platform_is_swept() -> None:
    shipped = discover_platforms("switch", [template_root()], Bag())
    plain = {tier["platform"] for tier in yaml.safe_load(FABRIC.read_text(encoding="utf-8"))["tiers"].values()}
    assert plain | set(PLATFORMS[1:]) == set(shipped)


@pytest.mark.sampled(1, of="sweep")
def test_the_conformance_fabric_is_clean_and_renders(sweep: Sweep, shapes: list[Sweep]) -> None:
    for each in (sweep, *shapes):
        _, base = each.base()
        told = [d for d in base.diagnostics.values() if d.severity is not Severity.INFO]
        told = [d for d in told if d.code not in MEANT and d.waived is None]
        assert [d.message for d in told if d.severity is Severity.ERROR or d.code.split("-")[2] < "900"] == []
        assert base.files


@pytest.mark.sampled(8, of="leaf,sweep")
@pytest.mark.parametrize("leaf", leafs.schema_leafs(), ids=format_path)
def test_leaf_is_never_silent(leaf: leafs.Pattern, sweep: Sweep, shapes: list[Sweep]) -> None:
    rendered = [(each, path) for each in (sweep, *shapes) for path in leafs.instances(each.document.data, leaf)]
    if rendered:
        assert any(each.has_effect(path) for each, path in rendered), "changes nothing and is named by no diagnostic"
        return
    refused = [(each, path) for each in (sweep, *shapes) for path in leafs.instances(each.full.data, leaf)]
    assert refused, "stands neither in fabric.yaml nor in unrendered.yaml nor in a shape"
    assert all(each.is_refused(path) for each, path in refused), "is not rendered and not refused"
