"""Rendered config_db.json as a switch runs it, above the image's init_cfg.json and migrated, is no difference.

The printer is the release's own ``db_migrator.py``, as ``db_migrate.py`` of the folder FABRICGEN_JUDGES calls it. Its
sources are found in the folder that FABRICGEN_SONIC_SOURCES names, one folder a release: ``scripts`` and
``utilities_common`` of sonic-net/sonic-utilities, ``files/build_templates`` of sonic-net/sonic-buildimage. A switch
whose image is newer than the intent is migrated by the newer one. The first and the last switch of each tier are
judged; one inventory, pair of releases and overlay by lot, all of them with FABRICGEN_JUDGE_ALL set.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
import yaml

from fabricgen.diagnostics import Bag
from fabricgen.diff.device import DeviceComparer
from fabricgen.diff.kinds import FileKinds, load_kinds
from fabricgen.diff.sides import File, SideDevice
from tests.judges.test_inventory_releases import INVENTORIES, REFUSED, compiled, rendered, sides
from tests.judges.test_sonic_releases import FILE
from tests.reference_files import find_reference
from tests.sampling import EVERYTHING, FRESH

RELEASES = ("202405", "202411", "202505", "202511", "202605")
VARIABLE = "FABRICGEN_SONIC_SOURCES"
ASICS = {"mlnx": "mellanox", "nvidia": "mellanox", "8101": "cisco-8000", "cisco": "cisco-8000"}
"""Words in the name of a board by the maker whose image it runs; all others run Broadcom's."""


@cache
def find_migration() -> tuple[Path, Path]:
    """Return the program and the folder of the sources; a test without them is skipped."""
    program, sources = find_reference("db_migrate.py"), Path(os.environ.get(VARIABLE, ""))
    if not os.environ.get(VARIABLE) or not all((sources / each / "scripts").is_dir() for each in RELEASES):
        pytest.skip(f"{VARIABLE} names no folder with the sources of {', '.join(RELEASES)}")
    return program, sources


def migrate(text: str, release: str, folder: Path) -> str:
    """Return a file as a switch of a release runs it; no row but the version of the schema may be lost or changed."""
    program, sources = find_migration()
    given, result = folder / "given.json", folder / "running.json"
    given.write_text(text, encoding="utf-8")
    board = json.loads(text)["DEVICE_METADATA"]["localhost"]["platform"]
    asic = next((asic for word, asic in ASICS.items() if word in board), "broadcom")
    tree = sources / release
    command: list[str | Path] = [sys.executable, program, tree, tree, asic, given, "--out", result]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert "error" not in report, report
    assert [row for row in report["changed"] if not str(row).startswith("VERSIONS|")] == [], report
    running = result.read_text(encoding="utf-8")
    assert json.loads(running) != json.loads(text), "the image has defaults of its own"
    return running


def differences(kinds: FileKinds, hostname: str, intended: str, running: str) -> list[str]:
    """Return what differs on one switch, and what is said about it."""
    bag = Bag()
    pair = [SideDevice(hostname, "switches", {FILE: File(text.encode, FILE)}, []) for text in (intended, running)]
    found = DeviceComparer(kinds, frozenset({hostname}), bag, whole=True).compare(*pair)
    return [" > ".join(change.steps) for _, change in found.changes] + [each.message for each in bag]


@pytest.fixture(scope="module")
def kinds() -> FileKinds:
    return load_kinds(None, Bag())


@pytest.mark.nightly
@pytest.mark.sampled(1, of="name,overlay")
@pytest.mark.parametrize(("name", "overlay"), sides(), ids=lambda word: word or "plain")
def test_a_switch_as_it_runs_is_no_difference(name: str, overlay: str, kinds: FileKinds, tmp_path: Path) -> None:
    find_migration()
    overlays = [INVENTORIES / name / "overlays" / f"{overlay}.yaml"] if overlay else []
    plain, _ = compiled(name, *overlays)
    tiers = [tier.name for tier in plain.plan.tiers if tier.platform == "sonic"]
    pairs = [(own, image) for own in RELEASES for image in RELEASES if own <= image]
    if not EVERYTHING:
        pairs = [random.Random(f"{FRESH}{name}{overlay}").choice(pairs)]
    files = 0
    for own in dict.fromkeys(own for own, _ in pairs) if tiers else ():
        there = tmp_path / f"{own}.yaml"
        there.write_text(yaml.safe_dump({"tiers": {tier: {"release": own} for tier in tiers}}))
        made, errors = compiled(name, *overlays, there)
        assert not errors or errors & REFUSED, errors
        for switch, intended in () if errors else rendered(made):
            hostname = switch.hostname
            # A switch that an exception puts at another release has no pair of its own here.
            for image in (image for each, image in pairs if each == own == switch.cls.release.name):
                files += 1
                running = migrate(intended, image, tmp_path)
                assert differences(kinds, hostname, intended, running) == [], (hostname, own, image)
    print(f"{files} files")  # noqa: T201 - figures
