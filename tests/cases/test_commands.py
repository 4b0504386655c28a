"""Codes that a command causes and no inventory: what is quiet, and what is told."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from fabricgen.api import compile_inventory
from fabricgen.api.explain import explain_code_text, explain_line
from fabricgen.api.init import create_inventory
from fabricgen.api.render import RenderOptions, compare_inventory, render_inventory
from fabricgen.diagnostics import Bag
from fabricgen.render.tree.access import open_tree
from fabricgen.render.tree.filesystem import Filesystem, digest_bytes
from fabricgen.render.tree.journal import DELETE, JOURNAL_PATH, REPLACE, JournalStep, encode_journal
from tests.acceptance.run import INVENTORIES, STANDING

SHIPPED = INVENTORIES / "quickstart" / "fabric.yaml"
LINE = "out/switches/spine-01/etc/sonic/frr/frr.conf:1"


def codes_of(bag: Bag) -> set[str]:
    return {diagnostic.code for diagnostic in bag if not diagnostic.code.startswith(("FG-PLT", "FG-BUF"))} - STANDING


@dataclass
class Site:
    """An inventory and a tree that was rendered from it, of its spines only."""

    folder: Path

    @property
    def inventory(self) -> Path:
        return self.folder / "inventory"

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def render(self, *, renumber: bool = False, only: tuple[str, ...] = ("spine-*",)) -> set[str]:
        bag = Bag()
        compiled = compile_inventory(self.inventory, (), bag)
        assert compiled is not None
        options = RenderOptions(only=only, renumber=renumber)
        assert (render_inventory(compiled, self.out, options, bag) is None) == bag.has_errors
        return codes_of(bag)

    def compare(self, only: tuple[str, ...]) -> set[str]:
        bag = Bag()
        compiled = compile_inventory(self.inventory, (), bag)
        assert compiled is not None
        compare_inventory(compiled, self.out, RenderOptions(only=only), bag)
        return codes_of(bag)

    def change(self, old: str, new: str) -> None:
        file = self.inventory / "fabric.yaml"
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1
        file.write_text(text.replace(old, new), encoding="utf-8")

    def explain(self, target: str, inventory: Path | None = None) -> set[str]:
        bag = Bag()
        explain_line(target, inventory, self.folder, bag)
        return codes_of(bag)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    site = Site(tmp_path)
    site.inventory.mkdir()
    (site.inventory / "fabric.yaml").write_bytes(SHIPPED.read_bytes())
    assert site.render() == set()
    return site


def test_a_changed_maximum_is_told_as_moving_identities(site: Site) -> None:
    site.change("count: 2}\nlinks", "count: {count: 2, max: 3}}\nlinks")
    assert site.render() == {"FG-OUT-020"}
    assert site.render(renumber=True, only=("spine-01",)) == {"FG-OUT-020"}, "not in a part of a tree"
    assert site.render(renumber=True, only=("spine-*",)) == set()
    assert site.render(renumber=True) == set()


def test_the_tree_of_another_fabric_stays_whatever_is_asked(site: Site) -> None:
    before = sorted((path, path.read_bytes()) for path in site.out.rglob("*") if path.is_file())
    site.change("fabric: quickstart", "fabric: another")
    assert site.render() == {"FG-OUT-030"}
    assert site.render(renumber=True) == {"FG-OUT-030"}
    assert sorted((path, path.read_bytes()) for path in site.out.rglob("*") if path.is_file()) == before


def test_a_name_of_no_device_is_told(site: Site) -> None:
    assert site.render(only=("spine-03",)) == {"FG-OUT-021"}
    assert site.compare(only=("Spine*",)) == {"FG-OUT-021"}
    assert site.render(only=("spine-0[12]",)) == set()
    assert site.render(only=("spine-0[12]", "leaf-u009-*")) == {"FG-OUT-021"}


def test_several_globs_choose_the_devices_of_each(site: Site) -> None:
    def rendered() -> list[str]:
        return sorted(folder.name for folder in (site.out / "switches").iterdir())

    assert rendered() == ["spine-01", "spine-02"]
    site.change("units: {count: 2, max: 8}", "units: {count: 3, max: 8}")
    site.change("gpus: 64", "gpus: 96")
    assert site.render(only=("leaf-u003-r0", "leaf-u001-*")) == set()
    assert rendered() == ["leaf-u001-r0", "leaf-u001-r4", "leaf-u003-r0", "spine-01", "spine-02"]


@pytest.mark.parametrize(
    ("folder", "blueprint", "codes"),
    [
        ("new", "quickstart", set()),
        ("new", "quikstart", {"FG-SRC-041"}),
        ("", "quickstart", {"FG-SRC-042"}),
        ("file/new", "quickstart", {"FG-SRC-043"}),
    ],
    ids=["made", "unknown blueprint", "folder in use", "no folder"],
)
def test_an_inventory_is_made_of_a_blueprint(folder: str, blueprint: str, codes: set[str], tmp_path: Path) -> None:
    bag = Bag()
    (tmp_path / "file").touch()
    assert bool(create_inventory(tmp_path / folder, blueprint, bag)) == (not codes)
    assert codes_of(bag) == codes


def test_an_unknown_code_is_told() -> None:
    bag = Bag()
    assert explain_code_text("FG-TRC-999", bag) == ""
    assert codes_of(bag) == {"FG-TRC-001"}


def test_what_is_no_line_is_told(site: Site) -> None:
    assert site.explain("no/such/file:1") == {"FG-TRC-002"}


def test_a_tree_without_its_inventory_is_told(site: Site) -> None:
    # The same intent as in the folder of another test would be found.
    site.change("fabric: quickstart", "fabric: of-this-test-alone")
    shutil.rmtree(site.out)
    assert site.render() == set()
    site.inventory.rename(site.folder / "inventory.away")
    (site.folder / "inventory.away" / "fabric.yaml").rename(site.folder / "other.yaml")
    assert site.explain(LINE) == {"FG-TRC-003"}


def test_an_intent_that_changed_since_is_told(site: Site) -> None:
    site.change("length_m: 30", "length_m: 29")
    assert site.explain(LINE, site.inventory) == {"FG-TRC-004"}


def _open(out: Path, *, force: bool = False, filesystem: Filesystem | None = None) -> set[str]:
    bag = Bag()
    transaction = open_tree(out, bag, force=force, filesystem=filesystem)
    if transaction is not None:
        with transaction:
            transaction.put("switches", "switches/x/file", b"text\n")
    return codes_of(bag)


def test_a_commit_dropped_by_force_is_told(site: Site) -> None:
    (site.out / JOURNAL_PATH).write_bytes(b"damaged\n")
    assert _open(site.out) == {"FG-OUT-015"}
    assert _open(site.out, force=True) == {"FG-OUT-016"}


def test_a_commit_undone_is_told(site: Site) -> None:
    path = site.out / "notes"
    path.write_bytes(b"old\n")
    step = JournalStep(REPLACE, "notes", digest_bytes(b"old\n"), "0" * 64, 0o644, 0o644)
    (site.out / JOURNAL_PATH).write_bytes(encode_journal(".staging.1", [step]))
    assert _open(site.out) == {"FG-OUT-023"}
    assert path.read_bytes() == b"old\n"
    assert _open(site.out) == set()


def test_a_commit_that_cannot_be_undone_is_told(site: Site) -> None:
    """Nothing of it is done, but the disk does not remove the journal."""
    path = site.out / "notes"
    path.write_bytes(b"old\n")
    step = JournalStep(DELETE, "notes", digest_bytes(b"old\n"), "absent", 0, 0o644)
    (site.out / JOURNAL_PATH).write_bytes(encode_journal(".staging.1", [step]))
    assert "FG-OUT-022" in _open(site.out, filesystem=_Sticky())
    assert path.read_bytes() == b"old\n"
    assert _open(site.out) == {"FG-OUT-023"}


class _Sticky(Filesystem):
    """A disk that removes nothing."""

    def remove(self, path: str) -> None:
        raise OSError(30, os.strerror(30), path)


def test_leftovers_are_told(site: Site) -> None:
    assert _open(site.out, filesystem=_Sticky()) == {"FG-OUT-019"}
