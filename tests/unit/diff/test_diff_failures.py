"""A failure inside fabricgen while one file is handled: it is told for that file, and every neighbour is there."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from diff_site import CONFIG_DB, HOST, LEAF, SPINE, Site, edit_json, switch_file
from typer.testing import CliRunner

from fabricgen.api.diff import DiffOptions, diff
from fabricgen.cli.app import app
from fabricgen.diagnostics import Bag, Diagnostic
from fabricgen.diff.device import DeviceComparer
from fabricgen.diff.summary import Summary
from fabricgen.platforms.sonic import patch, reader

FAILED = "FG-DIF-077"
SECRET = "wx7-secret-of-the-device"
NEIGHBOUR = "leaf-u001-r4"


def _break(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, meant: Callable[..., bool]) -> None:
    """Let a function of a platform fail on what is meant, with a message that quotes the device."""
    real = getattr(module, name)

    def broken(*arguments: Any) -> Any:
        if meant(*arguments):
            raise KeyError(SECRET)
        return real(*arguments)

    monkeypatch.setattr(module, name, broken)


def _odd(side: Path) -> Path:
    """A collected side on which two leafs differ; the file of the first carries a mark."""
    for name in (LEAF, NEIGHBOUR):
        edit_json(switch_file(side, name), lambda data: data["DEVICE_METADATA"]["localhost"].update(hwsku="odd"))
    edit_json(switch_file(side, LEAF), lambda data: data.update(MARK={"x": {"y": SECRET}}))
    return side


def _compare(site: Site, deployed: Path, **options: Any) -> tuple[Summary, list[Diagnostic]]:
    bag = Bag()
    summary = diff(str(site.out), str(deployed), DiffOptions(site.folder, causes=False, **options), bag)
    assert summary is not None
    failed = [found for found in bag if found.code == FAILED]
    assert all(SECRET not in f"{found}" for found in bag)
    return summary, failed


def _different(summary: Summary) -> set[str]:
    return {instance.device for group in summary.groups() for instance in group.details}


def test_a_reader_that_fails_costs_its_own_file(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    deployed = _odd(site.copy())
    extra = deployed / "switches" / LEAF / "etc/sonic/frr/frr.conf"
    extra.write_text(extra.read_text().replace("maximum-paths ", "maximum-paths 1", 1))
    _break(monkeypatch, reader, "hostname", lambda tree: "MARK" in tree)
    summary, failed = _compare(site, deployed, details=True)
    assert [found.place and found.place.file for found in failed] == [str(switch_file(deployed))]
    assert failed[0].message.startswith(f"{LEAF}: fabricgen failed with KeyError at ")
    paths = {(found.device, found.path) for group in summary.groups() for found in group.details}
    assert (NEIGHBOUR, CONFIG_DB) in paths
    assert (LEAF, CONFIG_DB) not in paths
    assert (LEAF, "etc/sonic/frr/frr.conf") in paths, "the device's other files are compared"
    assert summary.totals.failed == 1


def test_a_device_that_fails_as_a_whole(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    deployed = _odd(site.copy())
    _break(monkeypatch, DeviceComparer, "_match", lambda _self, device, *_: device.name == LEAF)
    summary, failed = _compare(site, deployed, details=True)
    assert [found.message.split(":")[0] for found in failed] == [LEAF]
    assert NEIGHBOUR in _different(summary)


def test_flat_files_and_foreign_devices(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    deployed = site.folder / "flat"
    deployed.mkdir()
    for name in (LEAF, NEIGHBOUR, SPINE):
        edit_json(switch_file(site.copy(name), name), lambda data: data["FLEX_COUNTER_TABLE"].clear())
        shutil.copy(switch_file(site.folder / name, name), deployed / f"{name}.json")
    edit_json(deployed / f"{LEAF}.json", lambda data: data.update(MARK={"x": {"y": SECRET}}))
    shutil.copy(deployed / f"{LEAF}.json", deployed / "nobody.json")
    _break(monkeypatch, reader, "unpack", lambda text: SECRET in text)
    summary, failed = _compare(site, deployed, details=True)
    assert [found.message.split(":")[0] for found in failed] == [LEAF, "nobody"]
    assert {NEIGHBOUR, SPINE} <= _different(summary)
    _, failed = _compare(site, deployed / f"{LEAF}.json")
    assert len(failed) == 1, "a file that stands for the whole side"


@pytest.mark.parametrize("name", ["plan_patch", "find_refused"])
def test_a_patch_that_fails_costs_its_own_device(name: str, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    deployed, patches = _odd(site.copy()), site.folder / "patches"
    _break(monkeypatch, patch, name, lambda situation, *_: SECRET in situation.before_text)
    summary, failed = _compare(site, deployed, details=True, patches=patches)
    assert [found.message.split(": no patch: ")[0] for found in failed] == [LEAF]
    assert {path.name for path in patches.iterdir()} == {NEIGHBOUR}
    assert {LEAF, NEIGHBOUR} <= _different(summary)


def test_the_exit_code_is_that_of_an_internal_error(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    _odd(site.copy())
    _break(monkeypatch, reader, "hostname", lambda tree: "MARK" in tree)
    monkeypatch.chdir(site.folder)
    done = CliRunner().invoke(app, ["diff", "out", "deployed", "--format", "json", "--details"])
    assert done.exit_code == 70
    told = json.loads(done.stdout)
    assert NEIGHBOUR in json.dumps(told)
    assert FAILED in json.dumps(told)
    assert SECRET not in done.output
    assert HOST not in done.output
