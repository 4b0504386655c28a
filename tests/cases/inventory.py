"""One inventory that holds the documents of all cases; a run applies those it is about as overlays."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from fabricgen.api import compile_inventory, place_diagnostics
from fabricgen.diagnostics import Bag, Diagnostic
from tests.cases.case import BASE, KITS, Case, Variant

BASE_MODEL = "case_switch"
_ENTRY_POINT = "[fabricgen.platforms]\n{name} = {name}\n"
_ANNOUNCES = "from pathlib import Path\n\nTEMPLATES = Path(__file__).parent\n"


@dataclass(frozen=True)
class Outcome:
    """Outcome of one run; files of places are relative to the inventory."""

    diagnostics: tuple[Diagnostic, ...]

    def at(self, code: str) -> set[tuple[str, int]]:
        """Every line at which a code is reported; line 0 for one that has no place."""
        return {(d.place.file, d.place.line) if d.place else ("", 0) for d in self.diagnostics if d.code == code}


class CaseInventory:
    """The inventory in a folder of its own."""

    def __init__(self, folder: Path, cases: Sequence[Case]) -> None:
        self.folder = folder
        (folder / "overlays").mkdir()
        (folder / "catalog" / "switches").mkdir(parents=True)
        (folder / "boards").mkdir()
        (folder / "boards" / "sample.yaml").write_bytes((KITS / "board.yaml").read_bytes())
        (folder / "fabric.yaml").write_bytes(BASE.read_bytes())
        model = (KITS / "switch.yaml").read_text(encoding="utf-8").replace("@NAME@", BASE_MODEL)
        (folder / "catalog" / "switches" / f"{BASE_MODEL}.yaml").write_text(model, encoding="utf-8")
        for case in cases:
            for variant in (*case.passing, *case.failing):
                self._write(variant)

    def compile(self, *variants: Variant) -> Outcome:
        """Compile the base with the changes of all variants; at most one brings its own document."""
        main = next((variant.main for variant in variants if variant.main != "fabric.yaml"), "fabric.yaml")
        overlays = [name for variant in variants for name in variant.overlays]
        bag = Bag()
        with installed([self.folder / variant.packages for variant in variants if variant.packages]):
            compiled = compile_inventory(self.folder / main, overlays, bag)
        placed = place_diagnostics(bag, compiled.document if compiled else None)
        return Outcome(tuple(map(self._relative, placed)))

    def _relative(self, diagnostic: Diagnostic) -> Diagnostic:
        place = diagnostic.place
        if place is None or not place.file.startswith(f"{self.folder}/"):
            return diagnostic
        return replace(diagnostic, place=replace(place, file=place.file.removeprefix(f"{self.folder}/")))

    def _write(self, variant: Variant) -> None:
        packages = {path.split("/")[2] for path in variant.files if path.startswith("packages/")}
        for name in packages:
            info = self.folder / "packages" / variant.name / f"{name}-1.dist-info"
            info.mkdir(parents=True)
            (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
            (info / "entry_points.txt").write_text(_ENTRY_POINT.format(name=name))
            (info.parent / name).mkdir(exist_ok=True)
            (info.parent / name / "__init__.py").write_text(_ANNOUNCES)
        for path, content in variant.files.items():
            file = self.folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        for path, target in variant.links.items():
            (self.folder / path).symlink_to(target)


@contextmanager
def installed(folders: Sequence[Path]) -> Iterator[None]:
    """Have the packages below some folders installed for a while."""
    before = set(sys.modules)
    sys.path[:0] = map(str, folders)
    try:
        yield
    finally:
        del sys.path[: len(folders)]
        for name in set(sys.modules) - before if folders else ():
            if any(str(getattr(sys.modules[name], "__file__", "")).startswith(f"{folder}/") for folder in folders):
                del sys.modules[name]
