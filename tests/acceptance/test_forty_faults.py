"""Forty faults in one fabric of 1,024 GPUs: all are caught on their own lines in one run."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import yaml

from fabricgen.diagnostics import Diagnostic
from tests.acceptance.operator_faults import errors_of

FABRIC = Path(__file__).parent / "forty"
SHIPPED = Path(__file__).resolve().parents[2] / "fabricgen/catalog/data/switches/arista_7060x6_64pe.yaml"
OWN = "catalog/switches/hall_spine.yaml"


@dataclass(frozen=True)
class Fault:
    """A line that is changed, and the code that must stand on it; ``file`` is where, ``at`` names another line."""

    code: str
    old: str
    new: str
    file: str = "fabric.yaml"
    at: str = ""


FAULTS = tuple(
    Fault(**row) for row in yaml.safe_load(FABRIC.with_name("forty_faults.yaml").read_text(encoding="utf-8"))
)


def write(folder: Path, faults: tuple[Fault, ...]) -> dict[str, str]:
    """A copy of the fabric with faults; text by file."""
    shutil.copytree(FABRIC, folder, dirs_exist_ok=True)
    (folder / OWN).parent.mkdir(parents=True)
    (folder / OWN).write_text(SHIPPED.read_text("utf-8").replace("id: arista_7060x6_64pe", "id: hall_spine"), "utf-8")
    texts = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = str(path.relative_to(folder))
        text = path.read_text("utf-8")
        for fault in faults:
            if fault.file == name:
                assert text.count(fault.old) == 1, fault
                text = text.replace(fault.old, fault.new)
        path.write_text(text, "utf-8")
        texts[name] = text
    return texts


def line_of(fault: Fault, texts: dict[str, str]) -> tuple[str, int]:
    """File and number of the only line the fault stands on."""
    part = fault.at or fault.new
    found = [number for number, line in enumerate(texts[fault.file].split("\n"), 1) if part in line]
    assert len(found) == 1, (part, found)
    return fault.file, found[0]


def is_caught(fault: Fault, folder: Path, texts: dict[str, str], found: list[Diagnostic]) -> bool:
    file, line = line_of(fault, texts)
    places = {(item.place.file, item.place.line) for item in found if item.code == fault.code and item.place}
    return (str(folder / file), line) in places


def test_the_fabric_has_no_fault(tmp_path: Path) -> None:
    write(tmp_path, ())
    assert errors_of(tmp_path, "hall") == []


def test_forty_faults_are_caught_on_their_lines_in_one_run(tmp_path: Path) -> None:
    assert len(FAULTS) == len({(fault.code, fault.file, fault.new) for fault in FAULTS}) == 40
    texts = write(tmp_path, FAULTS)
    found = errors_of(tmp_path, "hall")
    assert [fault for fault in FAULTS if not is_caught(fault, tmp_path, texts, found)] == []
    planted = {(str(tmp_path / file), line) for file, line in (line_of(fault, texts) for fault in FAULTS)}
    strayed = [item for item in found if not item.place or (item.place.file, item.place.line) not in planted]
    assert strayed == [], "follow-ups of the faults on other lines"
