"""Library of each server of a fabric, from the intent to the files of its hosts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from host_fixture import NCCL, RCCL

from fabricgen.compiler.compile import compile_document
from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Bag
from fabricgen.render.engine import Renderer
from fabricgen.source import load_document

QUICKSTART = Path(__file__).parents[3] / "inventories" / "quickstart"
MIXED = """
hosts:
  gpu: {server: dgx_h100_8, nic: connectx7_400g, per_unit: 2}
  instinct: {server: mi300x_8, nic: connectx7_400g, per_unit: 2}
"""


def compiled(tmp_path: Path, text: str) -> tuple[dict[str, set[str]], list[str]]:
    """Names of the library files of each group's hosts, and the codes of errors."""
    fabric = tmp_path / "fabric.yaml"
    fabric.write_text(re.sub(r"(?m)^(hosts|expect):.*\n", "", (QUICKSTART / "fabric.yaml").read_text()) + text)
    bag = Bag()
    document = load_document(fabric, bag)
    assert document is not None
    made = compile_document(document, tmp_path, bag)
    errors = sorted(d.code for d in bag if d.severity.value == "error")
    if made.plan is None or made.platforms is None:
        return {}, errors
    lowering, renderer = Lowering(made.plan), Renderer(made.platforms, bag)
    files: dict[str, set[str]] = {}
    for host in made.plan.all_hosts():
        rendered = {
            file.path.partition("/")[2].partition("/")[2] for file in renderer.render_host(lowering.lower_host(host))
        }
        files.setdefault(made.plan.hosts[host.group].name, rendered & {NCCL, RCCL})
    return files, errors


def test_each_server_runs_the_library_of_its_vendor(tmp_path: Path) -> None:
    files, errors = compiled(tmp_path, MIXED)
    assert errors == []
    assert files == {"gpu": {NCCL}, "instinct": {RCCL}}


@pytest.mark.parametrize("library", ["nccl", "vccl", "rccl"])
def test_no_library_runs_on_both_vendors(library: str, tmp_path: Path) -> None:
    _, errors = compiled(tmp_path, f"{MIXED}collectives: {{library: {library}}}\n")
    assert set(errors) == {"FG-HST-005"}
