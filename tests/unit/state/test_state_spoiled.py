"""``check`` on the collection of a switch and a host, of which each file is spoiled in turn: never as planned."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fabricgen.api import compile_inventory
from fabricgen.api.check import CheckOptions, check_collection
from fabricgen.collect.readings import RECORD, Answer, read_record, state_folder, write_record
from fabricgen.diagnostics import Bag
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.platforms.manifest.readings import SAVED
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.state.report import is_clean
from tests.acceptance.run import INVENTORIES, render_here
from tests.unit.state.collected import all_benches, platforms_of, write_collection

QUICKSTART = INVENTORIES / "quickstart"
KINDS = {"leaf-u001-r0": "switches", "leaf-u001-r4": "switches", "gpu-u001-h01": "hosts"}
LEAF, OTHER, _ = KINDS
OVERLAYS = {"sonic": (), "eos": ("eos",), "cumulus_nvue": ("nvue",), "frr": ("frr",), "fboss": ("fboss",)}


class Collection:
    """A collection of healthy devices with their files, and the plan that it is judged by."""

    def __init__(self, root: Path, tree: Path, overlays: tuple[str, ...]) -> None:
        made = compile_inventory(QUICKSTART, overlays, Bag())
        assert made is not None
        assert made.plan is not None
        assert made.platforms is not None
        self.root = root
        self.plan: FabricPlan = made.plan
        self.specs: dict[str, PlatformSpec] = dict(made.platforms)
        assert render_here(QUICKSTART, tree, overlays=overlays) == []
        benches = all_benches(self.plan)
        write_collection(root, {name: benches[name] for name in KINDS}, platforms_of(self.plan))
        for name, kind in KINDS.items():
            self._add_outputs(name, kind, tree / kind / name)

    def _add_outputs(self, name: str, kind: str, rendered: Path) -> None:
        """Add the configuration of a device to its record, and the digest of every answer."""
        record = read_record(self.root, kind, name)
        assert record is not None
        answers = dict(record.answers)
        for file in sorted(each for each in rendered.rglob("*") if each.is_file()):
            path = file.relative_to(rendered)
            place = self.root / kind / name / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.read_bytes())
            if saved := answers.get(f"{SAVED}{path}"):
                (self.root / saved.file).write_bytes(file.read_bytes())
            answers[str(path)] = Answer(str(path), f"cat /{path}", 0, f"{kind}/{name}/{path}")
        kept = {key: each.keep(Path(each.file), (self.root / each.file).read_bytes()) for key, each in answers.items()}
        (state_folder(self.root, kind, name) / RECORD).write_bytes(write_record(record._replace(answers=kept)))

    def is_as_planned(self) -> bool:
        """Return whether ``check`` ends with 0."""
        bag = Bag()
        options = CheckOptions(frozenset(KINDS) - {OTHER})
        reports = check_collection(self.plan, self.specs, self.root, options, bag)
        return reports is not None and not bag.has_errors and is_clean(reports)

    def list_files(self) -> list[Path]:
        """Return every file that has to do with the devices that are judged."""
        return sorted(file for file in self.root.rglob("*") if file.is_file() and OTHER not in file.parts)

    def spoil(self, file: Path) -> Iterator[tuple[str, bytes]]:
        """Yield a file in every wrong form, with what is wrong."""
        whole = file.read_bytes()
        other = Path(str(file).replace(LEAF, OTHER))
        forms = {
            "empty": b"",
            "half": whole[: len(whole) // 2],
            "an object": b"{}",
            "garbage": bytes(range(32, 127)) * 40,
            "another device's": other.read_bytes() if other.exists() else b"",
            "another file": (self.root / "state/switches" / LEAF / "lldp.json").read_bytes(),
        }
        yield from ((how, data) for how, data in forms.items() if data != whole)


@pytest.mark.nightly
@pytest.mark.parametrize("platform", OVERLAYS)
def test_no_spoiled_file_of_a_collection_is_as_planned(platform: str, tmp_path: Path) -> None:
    site = Collection(tmp_path / "now", tmp_path / "tree", OVERLAYS[platform])
    assert site.is_as_planned()
    files = site.list_files()
    assert {"collection.json", RECORD, "lldp.json"} <= {file.name for file in files}
    for file in files:
        whole = file.read_bytes()
        for how, data in site.spoil(file):
            file.write_bytes(data)
            assert not site.is_as_planned(), (file.relative_to(site.root), how)
        file.write_bytes(whole)
    assert site.is_as_planned()
