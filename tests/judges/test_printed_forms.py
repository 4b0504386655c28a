"""Rendered files in the form in which their systems print them are no difference."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command_line import REPOSITORY, run, succeed

from .printers.eos import print_file as print_eos
from .printers.nvue import print_file as print_nvue

STARTUP_CONFIG = "mnt/flash/startup-config"
STARTUP = "etc/nvue.d/startup.yaml"
CUMULUS = (
    ("quickstart", ("nvue",)),
    ("quickstart", ("nvue", "dual", "unnumbered")),
    ("quickstart", ("nvue", "host-bgp")),
    ("dual-tor", ("routed-nvue",)),
    ("dgx-basepod-h100", ()),
    ("spectrumx-superpod", ("sample",)),
)

ARISTA = (
    ("quickstart", ("eos",)),
    ("quickstart", ("eos", "dual")),
    ("quickstart", ("eos", "host-bgp")),
    ("quickstart", ("eos", "dual", "unnumbered")),
    ("dual-tor", ()),
    ("dual-tor", ("dual",)),
    ("rail-1k", ("eos",)),
)


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
