"""A failure inside fabricgen while one file is handled: it is told for that file, and every neighbour is there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from diff_site import HOST, LEAF, Site, edit_json, switch_file
from typer.testing import CliRunner

from fabricgen.api.diff import DiffOptions, diff
from fabricgen.cli.app import app
from fabricgen.diagnostics import Bag, Diagnostic
from fabricgen.diff.summary import DiffSummary
from fabricgen.platforms.reading.file_format import FileFormat
from fabricgen.platforms.sonic import patch

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
    failed = [found for found in bag if found.code == FAILED]
    assert all(SECRET not in f"{found}" for found in bag)
    return summary, failed


def _different(summary: DiffSummary) -> set[str]:
    return {instance.device for group in summary.groups() for instance in group.details}


def test_a_device_that_fails_costs_no_other(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    deployed = _odd(site.copy())
    _break(monkeypatch, FileFormat, "hostname", lambda _self, tree: "MARK" in tree)
    summary, failed = _compare(site, deployed, details=True)
    assert failed[0].message.startswith(f"{LEAF}: fabricgen failed with KeyError at ")
    assert (len(failed), summary.totals.failed, NEIGHBOUR in _different(summary)) == (1, 1, True)


@pytest.mark.parametrize("name", ["plan_patch", "find_refused"])
def test_a_patch_that_fails_costs_its_own_device(name: str, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    deployed, patches = _odd(site.copy()), site.folder / "patches"
    _break(monkeypatch, patch, name, lambda situation, *_: SECRET in situation.before_text)
    summary, failed = _compare(site, deployed, details=True, patches=patches)
    assert [found.message.split(": no patch: ")[0] for found in failed] == [LEAF]
    assert {path.name for path in patches.iterdir()} == {NEIGHBOUR}
    assert {LEAF, NEIGHBOUR} <= _different(summary)


def test_a_patch_that_cannot_be_written_costs_its_own_device(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.write_text

    def write(path: Path, text: str, **options: Any) -> int:
        if LEAF in path.parts and path.name == "steps":
            raise OSError(28, "No space left on device")
        return real(path, text, **options)

    monkeypatch.setattr(Path, "write_text", write)
    deployed, bag, patches = _odd(site.copy()), Bag(), site.folder / "patches"
    summary = diff(str(site.out), str(deployed), DiffOptions(site.folder, causes=False, patches=patches), bag)
    assert summary is not None
    assert {path.name for path in patches.iterdir()} == {NEIGHBOUR}, "nothing that is half a patch stays"
    assert [(found.code, found.message.split(":")[0]) for found in bag] == [("FG-SRC-043", LEAF)]


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
