"""A technician: the cables of one rack as CSV, as the switches of the rack are configured."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.acceptance.roles.session import WIDTHS, Session
from tests.acceptance.run import INVENTORIES
from tests.command_line import run_here

INVENTORY, HOSTS, RAILS, SPINES, PER_PAIR = INVENTORIES / "rail-1k", 32, 8, 16, 2
"""As its intent is written."""
UNIT = "u003"


@pytest.fixture(scope="module")
def configured(tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, str, str, str]]:
    """Cables of the rack that the configuration of its leafs names: the port below, and the one above."""
    tree = tmp_path_factory.mktemp("rack") / "tree"
    run_here("render", INVENTORY, "-o", tree, "--only", f"leaf-{UNIT}-*").exits(0)
    found = set()
    for path in (tree / "switches").iterdir():
        data = json.loads((path / "etc/sonic/config_db.json").read_text())
        for port, row in data["DEVICE_NEIGHBOR"].items():
            is_up = row["name"].startswith("spine-")
            near, far = (path.name, port), (row["name"], row["port"])
            found.add((*near, *far) if is_up else (*far, *near))
    return found


@pytest.mark.sampled(1, of="width")
@pytest.mark.parametrize("width", WIDTHS)
def test_the_cables_of_a_rack(configured: set[tuple[str, str, str, str]], width: int) -> None:
    session = Session(INVENTORY, width)
    devices = session.run_list(f"fabricgen show {INVENTORY} devices --unit 3")
    assert len(devices) == HOSTS + RAILS
    rows = session.run_list(f"fabricgen show {INVENTORY} cabling --unit 3")
    printed = session.run(f"fabricgen show {INVENTORY} cabling --unit 3 --format csv")
    cables = list(csv.DictReader(io.StringIO(printed)))
    assert cables == [{key: str(value) for key, value in row.items()} for row in rows]
    assert {tuple(row[key] for key in ("a", "a_port", "b", "b_port")) for row in cables} == configured
    assert len(cables) == len(configured) == HOSTS * RAILS + RAILS * SPINES * PER_PAIR
    assert all(f"-{UNIT}-" in row["a"] and row["b_cage"] for row in cables)
    assert {row["label"] for row in cables} == {"{}:{} -- {}:{}".format(*cable) for cable in configured}
    kinds = {(row["b"].partition("-")[0], row["speed_gbps"], row["media"], row["length_m"]) for row in cables}
    assert kinds == {("leaf", "400", "mmf", "30.0"), ("spine", "400", "smf", "50.0")}
