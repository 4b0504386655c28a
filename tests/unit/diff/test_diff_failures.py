"""A failure inside fabricgen while one file is handled: it is told for that file, and every neighbour is there."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from diff_site import CONFIG_DB, HOST, LEAF, QUICKSTART, SPINE, Site, edit_json, switch_file
from typer.testing import CliRunner

import fabricgen.diff.summary as summary_module
from fabricgen.api import diff as diff_module
from fabricgen.api.diff import DiffOptions, diff
from fabricgen.cli.app import app
from fabricgen.diagnostics import Bag, Diagnostic
from fabricgen.diff.device import DeviceComparer
from fabricgen.diff.summary import DiffSummary
from fabricgen.platforms.reading.file_format import FileFormat
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


def _compare(site: Site, deployed: Path, **options: Any) -> tuple[DiffSummary, list[Diagnostic]]:
    bag = Bag()
    summary = diff(str(site.out), str(deployed), DiffOptions(site.folder, causes=False, **options), bag)
    assert summary is not None
    failed = [found for found in bag if found.code == FAILED]
    assert all(SECRET not in f"{found}" for found in bag)
    return summary, failed


def _different(summary: DiffSummary) -> set[str]:
    return {instance.device for group in summary.groups() for instance in group.details}


def test_a_reader_that_fails_costs_its_own_file(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    deployed = _odd(site.copy())
    extra = deployed / "switches" / LEAF / "etc/sonic/frr/frr.conf"
    extra.write_text(extra.read_text().replace("maximum-paths ", "maximum-paths 1", 1))
    _break(monkeypatch, FileFormat, "hostname", lambda _self, tree: "MARK" in tree)
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


@pytest.mark.parametrize("name", ["_group", "count"])
@pytest.mark.parametrize("details", [False, True])
def test_a_summary_that_fails_costs_its_own_device(
    name: str, details: bool, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shared part stays, and nothing of the device is left in counts and groups."""
    deployed = _odd(site.copy())
    known, _ = _compare(site, deployed, details=details, only=(NEIGHBOUR,))
    meant: Callable[..., bool] = (
        (lambda _self, device, _file, change, _redaction: device.name == LEAF and "hwsku" in change.steps)
        if name == "_group"
        else (lambda changes: not broken.append(1) and len(broken) == 1)
    )
    broken: list[int] = []
    _break(monkeypatch, DiffSummary if name == "_group" else summary_module, name, meant)
    summary, failed = _compare(site, deployed, details=details, patches=site.folder / "patches", only=("leaf-u001-*",))
    assert [found.message.partition(": fabricgen")[0] for found in failed] == [f"{LEAF}: no summary"]
    assert [group.headline() for group in summary.groups()] == [group.headline() for group in known.groups()]
    assert summary.totals.changes == known.totals.changes
    assert (summary.totals.failed, summary.totals.different, summary.worst()) == (1, 1, known.worst())
    assert {instance.device for group in summary.groups() for instance in (group.first, *group.details)} == {NEIGHBOUR}
    assert {path.name for path in (site.folder / "patches").iterdir()} == {LEAF, NEIGHBOUR}, "both get their patch"


@pytest.mark.parametrize("error", [KeyError(SECRET), OSError(28, "No space left on device")])
def test_a_patch_that_cannot_be_written_costs_its_own_device(
    error: Exception, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.write_text

    def write(path: Path, text: str, **options: Any) -> int:
        if LEAF in path.parts and path.name == "steps":
            raise error
        return real(path, text, **options)

    monkeypatch.setattr(Path, "write_text", write)
    deployed, bag, patches = _odd(site.copy()), Bag(), site.folder / "patches"
    summary = diff(str(site.out), str(deployed), DiffOptions(site.folder, causes=False, patches=patches), bag)
    assert summary is not None
    assert {path.name for path in patches.iterdir()} == {NEIGHBOUR}, "nothing that is half a patch stays"
    code, told = (FAILED, "no patch") if isinstance(error, KeyError) else ("FG-SRC-043", "cannot be written")
    assert [(found.code, found.message.split(":")[0], told in found.message) for found in bag] == [(code, LEAF, True)]
    assert SECRET not in str([*bag])


@pytest.mark.parametrize("name", ["_causes", "find_compiled"])
def test_causes_that_fail_cost_only_themselves(name: str, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    deployed = _odd(site.copy())
    edit_json(switch_file(deployed, SPINE), lambda data: data["PORT"]["Ethernet0"].update(mtu="9000"))
    _break(monkeypatch, diff_module, name, lambda first, *_: name != "_causes" or first.first.device == SPINE)
    bag = Bag()
    summary = diff(str(QUICKSTART), str(deployed), DiffOptions(site.folder), bag)
    assert summary is not None
    failed = [found for found in bag if found.code == FAILED]
    assert [": no causes: fabricgen failed with KeyError" in found.message for found in failed] == [True]
    causes = {group.first.device: bool(group.causes) for group in summary.groups()}
    assert causes == {SPINE: False, LEAF: name == "_causes"}


def test_the_exit_code_is_that_of_an_internal_error(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    _odd(site.copy())
    _break(monkeypatch, FileFormat, "hostname", lambda _self, tree: "MARK" in tree)
    monkeypatch.chdir(site.folder)
    done = CliRunner().invoke(app, ["diff", "out", "deployed", "--format", "json", "--details"])
    assert done.exit_code == 70
    told = json.loads(done.stdout)
    assert NEIGHBOUR in json.dumps(told)
    assert FAILED in json.dumps(told)
    assert SECRET not in done.output
    assert HOST not in done.output
