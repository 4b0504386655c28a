"""A catalog that inventories share is named on the command line, by every verb, and only there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from fabricgen.api import compile_inventory
from fabricgen.cli.app import app
from fabricgen.diagnostics import Bag
from tests.acceptance.run import REPOSITORY, copy_inventory
from tests.property.hostile_runs import run

SHIPPED = REPOSITORY / "fabricgen/catalog/data/switches/dell_z9864f.yaml"
LINE = "out/switches/leaf-u001-r0/etc/sonic/config_db.json:3"
VERBS = (
    *("validate inv", "render inv -o out", "show inv devices", "analyze inv capacity", f"explain {LINE}"),
    *("diff inv inv", "diff out inv", "lab export containerlab inv -o topology", "rollout inv inv -o bundle"),
    "replace inv leaf-u001-r0 --serial A2",
)


def _write_model(folder: Path, name: str = "own_box", source: str = "somebody") -> Path:
    file = folder / "switches" / f"{name}.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    text = SHIPPED.read_text(encoding="utf-8").replace("dell_z9864f", name)
    file.write_text(f"# {source}\n{text}", encoding="utf-8")
    return file


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """An inventory whose leafs are of a model that only ``../shared`` has."""
    copy_inventory("quickstart", tmp_path / "inv", {"leaf: {model: dell_z9864f": "leaf: {model: own_box"})
    _write_model(tmp_path / "shared")
    return tmp_path


def _commands(command: Any, name: str = "") -> Iterator[tuple[str, set[str]]]:
    """(name, options) of every verb."""
    words = getattr(command, "commands", {})
    for word, each in words.items():
        yield from _commands(each, f"{name} {word}".strip())
    if not words:
        yield name, {option for parameter in command.params for option in parameter.opts}


def test_every_verb_that_compiles_an_inventory_has_the_option() -> None:
    options = dict(_commands(typer.main.get_command(app)))
    having = {name for name, known in options.items() if "--catalog" in known}
    compiling = {name for name, known in options.items() if "--overlay" in known} | {"explain"}
    assert having == compiling | {"catalog", "schema", "init", "size", "import"}
    judged = {name.split()[0] for name in compiling} - {"cables", "collect", "check", "export"}
    assert {words.split()[0] for words in VERBS} == judged, "but for verbs that need answers of devices, or EOS"


@pytest.mark.nightly
def test_every_verb_finds_the_shared_records(site: Path) -> None:
    for words in VERBS:
        ran = run([*words.split(), "--catalog", "shared"], site)
        assert ran.code == 0, f"{words}: {ran.err}"
    shutil.rmtree(site / "out/switches/spine-01")
    for words in VERBS:
        ran = run(words.split(), site)
        if words != "diff out inv":
            assert ran.code == 1, f"{words}: {ran.err}"
            assert "FG-CAT-001" in ran.err
            assert "--catalog" in ran.err


def test_the_first_folder_that_has_a_record_is_heeded(site: Path) -> None:
    """The inventory's own, then those of the command line in their order, then what ships with fabricgen."""

    def read_from() -> str:
        bag = Bag()
        compile_inventory(site / "inv", (), bag, catalogs=(site / "one", site / "shared"))
        return next(item.place.file for item in bag if item.place and item.place.file.endswith("own_box.yaml"))

    (site / "one/nics").mkdir(parents=True)
    assert read_from() == str(site / "shared/switches/own_box.yaml")
    _write_model(site / "one")
    assert read_from() == str(site / "one/switches/own_box.yaml")
    _write_model(site / "inv/catalog")
    assert read_from() == str(site / "inv/catalog/switches/own_box.yaml")


@pytest.mark.parametrize("link", ["catalog", "catalog/switches", "catalog/switches/own_box.yaml"])
def test_a_link_of_the_inventory_is_refused_and_the_option_named(link: str, site: Path) -> None:
    """It is refused also where no record is looked up by it."""
    path = site / "inv" / link
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(site / "shared" / Path(*Path(link).parts[1:]))
    ran = run(["validate", "inv"], site)
    assert ran.code == 1
    assert "FG-SRC-027" in ran.err
    assert "hint: name a folder that inventories share on the command line: --catalog DIR" in ran.err
    if not link.endswith(".yaml"):
        (site / "inv/fabric.yaml").write_text((site / "inv/fabric.yaml").read_text().replace("own_box", "dell_z9864f"))
        assert "FG-SRC-027" in run(["validate", "inv"], site).err
    path.unlink()
    path.symlink_to("nowhere")
    assert run(["validate", "inv"], site).code == 1


def test_no_link_leads_out_of_a_shared_folder(site: Path) -> None:
    (site / "secret").write_text("TOP-SECRET: 1\n")
    file = site / "shared/switches/own_box.yaml"
    file.unlink()
    file.symlink_to(site / "secret")
    ran = run(["validate", "inv", "--catalog", "shared"], site)
    assert ran.code == 1
    assert "FG-SRC-027" in ran.err
    assert "TOP-SECRET" not in ran.err


def test_what_is_no_catalog_is_told(site: Path) -> None:
    for number in range(1001):
        (site / f"full/asics/{number}.yaml").parent.mkdir(parents=True, exist_ok=True)
        (site / f"full/asics/{number}.yaml").touch()
    for name, code in (
        ("full", "FG-CAT-022"),
        ("nowhere", "FG-SRC-001"),
        ("inv", "FG-CAT-022"),
        ("inv/fabric.yaml", "FG-SRC-002"),
        ("/dev/zero", "FG-SRC-002"),
    ):
        ran = run(["validate", "inv", "--catalog", name, "--catalog", "shared"], site)
        assert ran.code == 1, name
        assert f"{code}] {name}" in ran.err, ran.err
        assert ran.err.count("error[") == 1, ran.err


def test_a_folder_that_may_not_be_searched_is_told(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its records would be passed over: looking one up fails as if there was none."""
    real = os.stat

    def refuse(path: Any, **options: Any) -> os.stat_result:
        if options.get("dir_fd"):
            raise PermissionError(13, "Permission denied", path)
        return real(path, **options)

    monkeypatch.setattr("fabricgen.files.regular.os.stat", refuse)
    ran = run(["validate", "inv", "--catalog", "shared"], site)
    assert "FG-SRC-002] shared:1:1: shared cannot be read: Permission denied" in ran.err
