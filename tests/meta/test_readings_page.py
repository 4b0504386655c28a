"""The table of what check reads from each platform is what its readers read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.manifest.load import load_all
from fabricgen.platforms.manifest.readings import STATES

PAGE = Path(__file__).parents[2] / "docs" / "check.md"
COLUMNS = {
    "SONiC": ("sonic",), "Arista EOS": ("eos",), "Cumulus Linux": ("cumulus_nvue",), "Linux with FRR": ("frr",),
    "FBOSS": ("fboss",), "GPU hosts": ("ubuntu", "mlx5"),
}  # fmt: skip
ROWS = {
    "sessions, prefixes, BFD, next hops": ("sessions",), "cables, ports, errors": ("lldp", "ports", "errors"),
    "RDMA devices": ("rdma",), "fec": ("fec",), "optics": ("optics",), "drops": ("queues",), "pfc": ("pfc",),
    "watchdog": ("watchdog",), "ecn": ("ecn",), "contract": ("contract",), "files": ("sysctl", "netplan", "units"),
    "saved": ("saved",), "software": ("system",),
}  # fmt: skip
"""State readings that a row is of; the FEC mode is in more than one."""
SPECS = {
    name: spec for kind in ("switch", "host", "nic") for name, spec in load_all(kind, Bag(), [template_root()]).items()
}


def cells() -> dict[tuple[str, str], str]:
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    start = next(at for at, line in enumerate(lines) if line.startswith("| | SONiC |"))
    heads = [cell.strip() for cell in lines[start].strip("|").split("|")][1:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start + 1 :]]
    return {(row[0], head): cell for row in rows for head, cell in zip(heads, row[1:], strict=False)}


def readings(column: str) -> set[str]:
    """States that are collected of a platform, and have a reader; what is saved is read by that of its output."""
    specs = [SPECS[name] for name in COLUMNS[column]]
    saved = {"saved" for spec in specs for each in spec.collect if each.saves}
    return saved | {
        each.state for spec in specs for each in spec.collect if each.state in spec.platform.state_readers()
    }


def test_the_table_has_every_platform_of_switches() -> None:
    assert {head for _, head in cells()} == COLUMNS.keys()
    assert {name for names in COLUMNS.values() for name in names} == SPECS.keys()


@pytest.mark.parametrize("column", COLUMNS)
def test_a_dash_is_what_no_reader_reads(column: str) -> None:
    found, table = readings(column), cells()
    for row, states in ROWS.items():
        cell = table[row, column]
        assert (cell != "–") == (found >= set(states)), (row, cell)


def test_every_reader_has_a_command_and_a_word() -> None:
    for spec in SPECS.values():
        readers = spec.platform.state_readers()
        assert readers.keys() <= STATES.keys(), spec.name
        assert readers.keys() <= {each.state for each in spec.collect}, spec.name


def test_the_page_of_collect_names_every_state() -> None:
    words = re.findall(r"`([a-z_0-9]+)`", (PAGE.parent / "collect.md").read_text().partition("State readings are")[2])
    assert set(words) >= STATES.keys()
