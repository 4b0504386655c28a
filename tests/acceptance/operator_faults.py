"""A small fabric on several platforms with one fault planted: what is changed in it, and where it has to be told."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from fabricgen.api import place_diagnostics
from fabricgen.diagnostics import Diagnostic, Severity
from tests.acceptance.run import diagnose

REPOSITORY = Path(__file__).resolve().parents[2]
SWITCHES = REPOSITORY / "fabricgen/catalog/data/switches"
MODELS = {
    "sonic": "dell_z9864f",
    "frr": "dell_z9864f",
    "eos": "arista_7060x6_64pe",
    "cumulus_nvue": "nvidia_sn5600",
    "fboss": "meta_minipack3",
}
BASE = (Path(__file__).parent / "faults_base.yaml").read_text(encoding="utf-8")
"""``MODEL`` and ``PLATFORM`` stand for a pair of ``MODELS``."""
STORE = (
    ("hosts:\n", "hosts:\n  store: {server: dgx_h100_8, nic: connectx7_400g, per_unit: 1}\n"),
    ("links:\n", "links:\n  store-leaf: {speed: 400G, mtu: 9100, cable: {media: dac, length_m: 2}}\n"),
)
"""A second group of hosts with links of its own."""
LOSSY = (("mode: dcqcn", "mode: ecn_only\n  reason: a lossy fabric"), ("lossless: true, ", ""))
"""No class is under PFC."""


@dataclass(frozen=True)
class Fault:
    """A fault of one shape.

    ``code``: the code that tells it, with its severity; empty where it is not judged. ``at``: a part of the line it is
    told at; ``also_at`` are parts of the lines that it names beside that. ``rows``: a headroom row of every model, and
    what takes its place.
    """

    code: str
    severity: str
    at: str
    also_at: tuple[str, ...]
    hint: str
    edits: tuple[tuple[str, str], ...] = ()
    added: str = ""
    assets: str = ""
    rows: tuple[tuple[str, str], ...] = ()


def errors_of(folder: Path, *overlays: str) -> list[Diagnostic]:
    compiled, bag = diagnose(folder, *overlays)
    placed = place_diagnostics(bag, compiled.document, compiled.read_as)
    return [item for item in placed if item.severity is Severity.ERROR]


def judge(fault: Fault, platform: str, folder: Path, base: str = BASE) -> None:
    """Plant a fault, and find it at its line, with its severity, the other lines and the hint."""
    text, found = plant(fault, platform, folder, base)
    where = lines_with(fault.assets or text, fault.at)
    told = [d for d in found if d.code == fault.code and d.place and d.place.line in where]
    assert told, [(d.code, d.place, d.message) for d in found]
    assert not fault.severity or {d.severity.value for d in told} == {fault.severity}
    named = {related.place.line for d in told for related in d.related if related.place}
    assert all(lines_with(text, part) & named for part in fault.also_at), named
    assert all(d.hint and fault.hint in d.hint for d in told), [d.hint for d in told]


def plant(fault: Fault, platform: str, folder: Path, base: str = BASE) -> tuple[str, list[Diagnostic]]:
    """Write a fabric with the fault for a platform; the text that ``at`` is a part of, and what is told."""
    text = base
    for old, new in fault.edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    text += fault.added
    model = _own_model(fault, platform, folder) if fault.rows else MODELS[platform]
    text = text.replace("MODEL", model).replace("PLATFORM", platform)
    if fault.assets:
        text += "assets: assets.csv\n"
        (folder / "assets.csv").write_text(fault.assets, encoding="utf-8")
    if platform == "fboss":
        text = text.replace("platform: fboss", "platform: fboss, board_data: board.yaml")
        board = (REPOSITORY / "inventories/quickstart/boards/sample_minipack3.yaml").read_text(encoding="utf-8")
        (folder / "board.yaml").write_text(board, encoding="utf-8")
    (folder / "fabric.yaml").write_text(text, encoding="utf-8")
    compiled, bag = diagnose(folder)
    return text, place_diagnostics(bag, compiled.document, compiled.read_as)


def _own_model(fault: Fault, platform: str, folder: Path) -> str:
    """Write the platform's model with other headroom rows beside the inventory; return its name."""
    name = f"own_{MODELS[platform]}"
    text = (SWITCHES / f"{MODELS[platform]}.yaml").read_text(encoding="utf-8")
    text = text.replace(f"\nid: {MODELS[platform]}\n", f"\nid: {name}\n")
    for old, new in fault.rows:
        text, count = re.subn(old, new, text, flags=re.MULTILINE)
        assert count, old
    (folder / "catalog/switches").mkdir(parents=True)
    (folder / f"catalog/switches/{name}.yaml").write_text(text, encoding="utf-8")
    return name


def lines_with(text: str, part: str) -> set[int]:
    """Numbers of the lines with that part; there is at least one."""
    found = {number for number, line in enumerate(text.split("\n"), 1) if part in line}
    assert found, part
    return found
