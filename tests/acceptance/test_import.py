"""A rendered fabric is found again: from its switch files alone, without manifest and comments, to the same files."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from ruamel.yaml import YAML

from fabricgen.api.diff import DiffOptions
from fabricgen.api.import_fabric import Imported, import_fabric
from fabricgen.api.sides import render_devices
from fabricgen.diagnostics import Bag
from fabricgen.inference.shape import ImportOptions
from tests.acceptance.run import INVENTORIES, diagnose

OVERLAYS = ("", "copper", "dual", "host-bgp", "ipv6", "spectrum", "unnumbered")
SHIPPED = [
    *(("quickstart", overlay) for overlay in OVERLAYS),
    *((name, "") for name in ("rail-1k", "rail-only", "two-halls", "dual-plane", "mi300x-1k")),
]
OWN = YAML(typ="safe", pure=True).load((Path(__file__).parent / "imported_fabrics.yaml").read_text())
WORDS = ("ant", "bee", "cow", "dog", "eel", "fox", "gnu")
LINES_FACTOR = 1.5
"""Lines of an intent that is found, over those of the original."""


def files_of(folder: Path, *overlays: str) -> dict[str, bytes]:
    """Every switch file of an inventory, without comments of whole lines."""
    compiled = diagnose(folder, *overlays)[0]
    devices = [device for device in render_devices(compiled, (), Bag()) if device.kind == "switches"]
    return {f"{device.name}/{path}": plain(file.load()) for device in devices for path, file in device.files.items()}


def plain(data: bytes) -> bytes:
    lines = data.split(b"\n")
    return b"\n".join(line for line in lines if line.strip()[:1] not in (b"!", b"#") or line.startswith(b"#!"))


def write_files(files: dict[str, bytes], folder: Path) -> Path:
    for path, data in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return folder


def import_files(folder: Path, out: Path, asked: ImportOptions = ImportOptions()) -> tuple[Imported | None, Bag]:  # noqa: B008
    bag = Bag()
    return import_fabric(str(folder), out, asked, DiffOptions(out.parent), bag), bag


def lines_of(intent: Path) -> int:
    return sum(1 for line in intent.read_text().splitlines() if line.strip() and line[0] != "#")


def judge(wanted: dict[str, bytes], folder: Path, asked: ImportOptions = ImportOptions()) -> Path:  # noqa: B008
    found, bag = import_files(write_files(wanted, folder / "deployed"), folder / "found", asked)
    assert found is not None, [item.message for item in bag]
    assert (found.changes, found.is_partial) == (0, False), [item.message for item in bag]
    assert {item.code for item in bag} <= {"FG-IMP-055"}
    got = files_of(folder / "found")
    assert got.keys() == wanted.keys()
    assert [path for path in wanted if got[path] != wanted[path]] == []
    return folder / "found/fabric.yaml"


@pytest.mark.parametrize(("name", "overlay"), SHIPPED)
def test_a_shipped_fabric_is_found_again(name: str, overlay: str, tmp_path: Path) -> None:
    overlays = [overlay] if overlay else []
    intent = judge(files_of(INVENTORIES / name, *overlays), tmp_path)
    own = lines_of(INVENTORIES / name / "fabric.yaml")
    own += lines_of(INVENTORIES / name / f"overlays/{overlay}.yaml") if overlay else 0
    assert lines_of(intent) <= LINES_FACTOR * own


def test_switches_of_two_makers_in_a_tier_are_found_again(tmp_path: Path) -> None:
    """Files of EOS name no board; each switch unlike its tier is an exception."""
    intent = judge(files_of(INVENTORIES / "second-source"), tmp_path, ImportOptions(switch="arista_7060x6_64pe"))
    assert '  - {device: spine-04, set: {release: "202511"}, reason: imported}' in intent.read_text()


@pytest.mark.parametrize(("name", "overlay"), [("quickstart", ""), ("quickstart", "eos"), ("rail-only", "")])
def test_names_of_no_pattern_are_kept(name: str, overlay: str, tmp_path: Path) -> None:
    """Names are drawn anew: places follow from cables, and each name is a row of the asset list."""
    files = files_of(INVENTORIES / name, *filter(None, [overlay]))
    names = sorted({path.partition("/")[0] for path in files}, key=len, reverse=True)
    drawn = Random(1).sample(range(100, 1000), len(names))
    own = {old: f"{WORDS[number % len(WORDS)]}{number}" for old, number in zip(names, drawn, strict=True)}
    known = re.compile("|".join(map(re.escape, names)))
    renamed = {
        known.sub(lambda old: own[old[0]], path): known.sub(lambda old: own[old[0]], data.decode()).encode()
        for path, data in files.items()
    }
    judge(renamed, tmp_path, ImportOptions(switch="arista_7060x6_64pe"))
    rows = (tmp_path / "found/assets.csv").read_text().splitlines()
    assert rows[0] == "hostname,planned_name"
    assert {row.partition(",")[0] for row in rows[1:]} == set(own.values())


@pytest.mark.parametrize("name", OWN)
def test_an_intent_of_every_kind_is_found_again(name: str, tmp_path: Path) -> None:
    (tmp_path / "original").mkdir()
    with (tmp_path / "original/fabric.yaml").open("w") as file:
        YAML(typ="safe", pure=True).dump({"fabric": "original", **OWN[name]}, file)
    judge(files_of(tmp_path / "original"), tmp_path)
