"""A platform of three template lines that can do nothing, installed beside a copy of the conformance fabric."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fabricgen.api import Compiled, place_diagnostics
from fabricgen.compiler.compile import compile_document
from fabricgen.diagnostics import Bag, Diagnostic
from fabricgen.platforms.manifest.capabilities import fields_of
from fabricgen.platforms.manifest.load import written_value
from fabricgen.source import Document, load_document
from tests.meta.leafs import render_all

CONFORMANCE = Path(__file__).parents[1] / "fabrics" / "conformance"
NAME = "three_lines"
FOREIGN = {"switch": "sonic", "host": "ubuntu", "nic": "mlx5"}
"""Kind of platform to the one whose place in the conformance fabric the three lines take."""
_MANIFEST = """\
platform: {name}
kind: {kind}
target: "1"
capabilities:
{capabilities}{more}outputs:
  - path: etc/three
    format: text
    mode: "0644"
    parts:
      - {{template: three.j2, scope: class}}
"""
_LINES = "one\ntwo\nthree\n"
_INFO = "Metadata-Version: 2.1\nName: three\nVersion: 1\n"
_ENTRY = "[fabricgen.platforms]\n{name} = {name}\n"
_ANNOUNCES = "from pathlib import Path\n\nTEMPLATES = Path(__file__).parent\n"

Key = tuple[str, str, str]


@dataclass(frozen=True)
class Result:
    """Result of the conformance fabric on the platform."""

    diagnostics: tuple[Diagnostic, ...]
    compiled: Compiled

    def keys(self) -> set[Key]:
        """Code, place and message of every diagnostic."""
        return {(d.code, str(d.place), d.message) for d in self.diagnostics}

    def files(self, cache: Path) -> dict[str, bytes]:
        """Every file, whatever the platform was refused for."""
        return render_all(self.compiled, Bag(), cache)


class ThreeLines:
    """The platform's package, and a copy of the conformance fabric that names it."""

    def __init__(self, folder: Path, kind: str) -> None:
        """Write both; the caller puts ``packages`` on the path."""
        self.kind, self.packages, self.fabric = kind, folder / "packages", folder / "fabric"
        package = f"{NAME}_{kind}"
        info, templates = self.packages / f"{package}-1.dist-info", self.packages / package / kind / NAME
        info.mkdir(parents=True)
        templates.mkdir(parents=True)
        (info / "METADATA").write_text(_INFO)
        (info / "entry_points.txt").write_text(_ENTRY.format(name=package))
        (self.packages / package / "__init__.py").write_text(_ANNOUNCES)
        (templates / "three.j2").write_text(_LINES)
        self.manifest = templates / "platform.yaml"
        self.answer({})
        shutil.copytree(CONFORMANCE, self.fabric)
        self._choose()

    def answer(self, answers: Mapping[str, Any], *, more: str = "") -> None:
        """Write the manifest: nothing, but for some capabilities and what else it has."""
        given = {name: answers.get(name, field.nothing) for name, field in fields_of(self.kind).items()}
        rows = [f"  {name}: {written_value(field, given[name])}\n" for name, field in fields_of(self.kind).items()]
        manifest = _MANIFEST.format(name=NAME, kind=self.kind, capabilities="".join(rows), more=more)
        self.manifest.write_text(manifest, encoding="utf-8")

    def read(self, *overlays: str) -> Document:
        """Read the fabric with overlays of its folder."""
        bag = Bag()
        files = [self.fabric / name for name in overlays]
        document = load_document(self.fabric / "fabric.yaml", bag, overlays=files)
        assert not bag.has_errors, list(bag)
        return document

    def compile(self, document: Document) -> Result:
        """Compile a document of the fabric's folder."""
        bag = Bag()
        compiled = compile_document(document, self.fabric, bag)
        return Result(tuple(place_diagnostics(bag, document)), compiled)

    def _choose(self) -> None:
        """Take the place of the platform that the fabric names."""
        old = FOREIGN[self.kind]
        words = {"switch": f"platform: {old}", "host": f"os: {old}", "nic": f"family: {old}"}[self.kind]
        for path in self.fabric.rglob("*.yaml"):
            text = path.read_text(encoding="utf-8")
            text = text.replace(words, words.replace(old, NAME))
            path.write_text(text, encoding="utf-8")
        if self.kind == "switch":
            self._own_switch()
        if self.kind == "nic":
            self._own_card()

    def _own_switch(self) -> None:
        """The switch of the fabric, as one that the platform runs on and whose maker has settings for copper."""
        switch = self.fabric / "catalog/switches/small_switch.yaml"
        text, listed = switch.read_text(encoding="utf-8"), "platforms:\n  - sonic\n"
        assert listed in text
        own = f'copper_calibrated_m: {{100G: "3"}}\nplatforms:\n  - {NAME}\n  - sonic\n'
        switch.write_text(text.replace(listed, own), encoding="utf-8")

    def _own_card(self) -> None:
        """A card of the family in the place of the shipped one."""
        cards = Path(__file__).parents[2] / "fabricgen/catalog/data/nics"
        text = (cards / "connectx7_400g.yaml").read_text(encoding="utf-8").replace("family: mlx5", f"family: {NAME}")
        text += "out_of_order: true\n"
        (self.fabric / "catalog/nics/connectx7_400g.yaml").write_text(text, encoding="utf-8")
