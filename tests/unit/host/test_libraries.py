"""Library of each server of a fabric, from the intent to the files of its hosts."""

from __future__ import annotations

from pathlib import Path

import pytest
from host_fixture import NCCL, RCCL, compiled, error_codes, render_hosts

MIXED = """
hosts:
  gpu: {server: dgx_h100_8, nic: connectx7_400g, per_unit: 2}
  instinct: {server: mi300x_8, nic: connectx7_400g, per_unit: 2}
"""


def libraries(tmp_path: Path, text: str) -> tuple[dict[str, set[str]], list[str]]:
    """Names of the library files of each group's hosts, and the codes of errors."""
    made, bag = compiled(tmp_path, text)
    if (found := error_codes(bag)) or made.plan is None:
        return {}, found
    return {made.plan.hosts[each.group].name: files.keys() & {NCCL, RCCL} for each, files in render_hosts(made)}, []


def test_each_server_runs_the_library_of_its_vendor(tmp_path: Path) -> None:
    files, errors = libraries(tmp_path, MIXED)
    assert errors == []
    assert files == {"gpu": {NCCL}, "instinct": {RCCL}}


@pytest.mark.parametrize("library", ["nccl", "vccl", "rccl"])
def test_no_library_runs_on_both_vendors(library: str, tmp_path: Path) -> None:
    _, errors = libraries(tmp_path, f"{MIXED}collectives: {{library: {library}}}\n")
    assert set(errors) == {"FG-HST-005"}


def test_bootstrap_takes_the_interface_that_the_asset_list_has(tmp_path: Path) -> None:
    """Every rank reads the file of its own host; hosts without an entry go by exclusion."""
    (tmp_path / "assets.csv").write_text("hostname,management_interface\ngpu-u001-h01,eno1\ngpu-u002-h02,ens3\n")
    made, bag = compiled(tmp_path, f"assets: assets.csv\n{MIXED}")
    lines = [line for _, files in render_hosts(made) for line in files.get(NCCL, "").splitlines() if "SOCKET" in line]
    excluding = "NCCL_SOCKET_IFNAME=^rail,docker,lo,virbr"
    assert error_codes(bag) == []
    assert lines == ["NCCL_SOCKET_IFNAME==eno1", excluding, excluding, "NCCL_SOCKET_IFNAME==ens3"]
