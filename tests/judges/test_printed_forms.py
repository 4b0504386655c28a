"""Rendered files in the form in which their systems print them are no difference."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests.acceptance import frr_roots
from tests.command_line import REPOSITORY, run, succeed
from tests.unit.diff import frr_daemons

from .printers.eos import print_file as print_eos
from .printers.nvue import print_file as print_nvue
from .test_inventories import INVENTORIES

STARTUP_CONFIG = "mnt/flash/startup-config"
STARTUP = "etc/nvue.d/startup.yaml"
CUMULUS = (
    ("quickstart", ("nvue",)), ("quickstart", ("nvue", "dual", "unnumbered")), ("quickstart", ("nvue", "host-bgp")),
    ("dual-tor", ("routed-nvue",)), ("dgx-basepod-h100", ()), ("spectrumx-superpod", ("sample",)),
)  # fmt: skip

ARISTA = (
    ("quickstart", ("eos",)), ("quickstart", ("eos", "dual")), ("quickstart", ("eos", "host-bgp")),
    ("quickstart", ("eos", "dual", "unnumbered")), ("dual-tor", ()), ("dual-tor", ("dual",)), ("rail-1k", ("eos",)),
)  # fmt: skip


def differences(name: str, overlays: tuple[str, ...], path: str, form: Callable[[str], str], folder: Path) -> str:
    """Return what ``diff`` prints of a rendered inventory whose files of one path are in another form."""
    words = [word for overlay in overlays for word in ("--overlay", overlay)]
    succeed("render", f"inventories/{name}", *words, "-o", str(folder / "out"), cwd=REPOSITORY)
    count = 0
    for file in sorted((folder / "out/switches").glob(f"*/{path}")):
        target = folder / "printed" / file.relative_to(folder / "out")
        target.parent.mkdir(parents=True)
        target.write_text(form(file.read_text(encoding="utf-8")), encoding="utf-8")
        assert target.read_bytes() != file.read_bytes()
        count += 1
    assert count
    found = run("diff", str(folder / "out"), str(folder / "printed"))
    return found.stdout + found.stderr if found.returncode else ""


@pytest.mark.sampled(1, of="name")
@pytest.mark.parametrize(("name", "overlays"), CUMULUS)
def test_nvue_with_folded_keys(name: str, overlays: tuple[str, ...], tmp_path: Path) -> None:
    assert differences(name, overlays, STARTUP, print_nvue, tmp_path) == ""


@pytest.mark.sampled(1, of="name,overlays")
@pytest.mark.parametrize(("name", "overlays"), ARISTA)
def test_eos_with_its_defaults(name: str, overlays: tuple[str, ...], tmp_path: Path) -> None:
    assert differences(name, overlays, STARTUP_CONFIG, print_eos, tmp_path) == ""


def distinct(files: Iterable[Path]) -> list[Path]:
    """Return one file of those that differ in figures alone."""
    figures = re.compile(r"[0-9a-f]*\d[0-9a-f.:/]*")
    return list({figures.sub("0", file.read_text(encoding="utf-8")): file for file in files}.values())


@pytest.mark.nightly
@pytest.mark.parametrize("root", frr_roots.ALL)
@pytest.mark.parametrize(("name", "overlays"), INVENTORIES)
def test_frr_as_its_daemons_print_it(name: str, overlays: tuple[str, ...], root: str, tmp_path: Path) -> None:
    """Addresses and AS numbers apart, every frr.conf of an inventory has run."""
    frr_daemons.require()
    words = [word for overlay in overlays for word in ("--overlay", overlay)]
    succeed("render", f"inventories/{name}", *words, "-o", str(tmp_path / "out"), cwd=REPOSITORY)
    files = distinct(sorted((tmp_path / "out").glob("*/*/**/frr.conf")))
    for file in files:
        router = frr_daemons.Router(file.relative_to(tmp_path / "out").parts[1], root)
        try:
            router.start(file.read_text(encoding="utf-8"))
            running = router.running()
        finally:
            router.stop()
        assert "Current configuration" in running
        target = tmp_path / "printed" / file.relative_to(tmp_path / "out")
        device = Path(*target.relative_to(tmp_path).parts[1:3])
        shutil.copytree(tmp_path / "out" / device, tmp_path / "printed" / device)
        target.write_text(running, encoding="utf-8")
    only = [word for file in files for word in ("--only", file.relative_to(tmp_path / "out").parts[1])]
    if files:
        found = run("diff", str(tmp_path / "out"), str(tmp_path / "printed"), *only)
        assert found.returncode == 0, found.stdout + found.stderr
