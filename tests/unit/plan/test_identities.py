"""Names, numbers and addresses that devices have of their own: in the plan, in every file, and after growth."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml

from fabricgen.api import compile_inventory
from fabricgen.diagnostics import Bag, Severity
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import Coordinates, DeviceId
from tests.command_line import run, succeed

REPOSITORY = Path(__file__).resolve().parents[3]
QUICKSTART, BROWNFIELD = (REPOSITORY / "inventories" / name for name in ("quickstart", "brownfield"))
ROWS = """\
hostname,planned_name,asn,loopback,router_id,management_ip,management_gateway
DC1-LEAF1A,leaf-u001-r0,65101,192.0.2.11,,10.99.1.101/24,10.99.1.254
spine-02,,65100,,198.18.0.2,,
DGX01,gpu-u001-h01,,,,,
"""


def inventory(folder: Path, rows: str, *, source: Path = QUICKSTART, **changes: object) -> Path:
    """A copy of an inventory with an asset list of its own."""
    shutil.copytree(source, folder / "site")
    data = yaml.safe_load((source / "fabric.yaml").read_text(encoding="utf-8")) | {"assets": "assets.csv"} | changes
    (folder / "site/fabric.yaml").write_text(json.dumps(data), encoding="utf-8")
    (folder / "site/assets.csv").write_text(rows, encoding="utf-8")
    return folder / "site"


def found_in(site: Path, overlay: str = "") -> list[tuple[str, int, int, str]]:
    """Code, line and column of what is found in the asset list, and how serious it is."""
    bag = Bag()
    compile_inventory(site, [overlay] if overlay else [], bag)
    places = ((item, item.place) for item in bag if item.place and item.place.file.endswith(".csv"))
    return [(item.code, place.line, place.column, item.severity.value) for item, place in places]


def plan_of(site: Path) -> FabricPlan:
    """The plan of an inventory, with or without faults."""
    compiled = compile_inventory(site, [], Bag())
    assert compiled is not None
    assert compiled.plan is not None
    return compiled.plan


@pytest.mark.parametrize("overlay", ["", "eos", "nvue", "frr", "fboss"])
def test_every_platform_writes_what_a_device_has_of_its_own(overlay: str, tmp_path: Path) -> None:
    words = ("--overlay", overlay) if overlay else ()
    succeed("render", str(inventory(tmp_path, ROWS)), *words, "-o", str(tmp_path / "out"))
    files = {
        device.name: "".join(path.read_text(encoding="utf-8") for path in device.rglob("*") if path.is_file())
        for kind in ("switches", "hosts")
        for device in (tmp_path / "out" / kind).iterdir()
    }
    assert {"DC1-LEAF1A", "DGX01"} <= files.keys()
    assert not {"leaf-u001-r0", "gpu-u001-h01"} & files.keys()
    assert not [name for name, text in files.items() if "leaf-u001-r0" in text or "gpu-u001-h01" in text]
    own = ["65101", "192.0.2.11"] if overlay == "fboss" else ["65101", "192.0.2.11", "10.99.1.101", "10.99.1.254"]
    assert [value for value in own if value not in files["DC1-LEAF1A"]] == []
    assert "198.18.0.2" in files["spine-02"]
    # Its neighbours know it by name and number, and let its loopback in.
    assert all(text in files["spine-01"] for text in ("DC1-LEAF1A", "65101", "192.0.2.11/32"))
    assert "192.0.2.11/32" in files["leaf-u002-r4"]
    assert "DC1-LEAF1A" in files["DGX01"]


def test_a_row_that_equals_the_rule_changes_nothing(tmp_path: Path) -> None:
    rows = "hostname,asn,loopback,router_id,management_ip\nspine-01,4200000000,10.255.0.1,10.255.0.1,192.168.1.0/16\n"
    site = inventory(tmp_path, rows)
    assert plan_of(site)._replace(assets={}) == plan_of(QUICKSTART)
    assert found_in(site) == [("FG-ADR-056", 2, 10, Severity.INFO.value)]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("hostname,planned_name\nLEAF-U002-R0,leaf-u001-r0\n", ("FG-TOP-087", 2, 1, "error")),
        ("hostname,planned_name\na,leaf-u001-r0\nA,spine-01\n", ("FG-TOP-087", 3, 1, "error")),
        ("hostname,planned_name\na,leaf-u001-r0\nb,leaf-u001-r0\n", ("FG-HST-022", 3, 1, "error")),
        ("hostname,planned_name\na,leaf-u001-r1\n", ("FG-HST-021", 2, 3, "warning")),
        ("hostname,planned_name,serial\na,spine-01,\nspine-01,,S1\n", ("FG-HST-021", 3, 1, "warning")),
        ("hostname,asn\ngpu-u001-h01,65001\n", ("FG-HST-022", 2, 14, "error")),
        ("hostname,asn\nspine-01,4294967295\n", ("FG-INT-003", 2, 10, "error")),
        ("hostname,loopback\nspine-01,224.0.0.5\n", ("FG-INT-003", 2, 10, "error")),
        ("hostname,loopback\nspine-01,010.0.0.5\n", ("FG-INT-003", 2, 10, "error")),
        ("hostname,loopback6\nspine-01,fd00::5\n", ("FG-HST-022", 2, 10, "error")),
        ("hostname,loopback\nspine-01,172.16.0.0\n", ("FG-ADR-054", 2, 10, "error")),
        ("hostname,router_id\nspine-01,10.255.0.2\n", ("FG-ADR-053", 2, 10, "error")),
        ("hostname,management_ip\nspine-01,172.31.0.1\n", ("FG-ADR-054", 2, 10, "error")),
        ("hostname,management_ip\ngpu-u001-h01,10.99.0.1/24\n", ("FG-HST-022", 2, 14, "error")),
        ("hostname,management_ip\nspine-01,10.99.0.1\n", ("FG-ADR-057", 2, 10, "error")),
        ("hostname,management_ip\nspine-01,fd00::1/64\n", ("FG-HST-022", 2, 10, "error")),
        ("hostname,asn\nleaf-u001-r0,4200000000\n", ("FG-ADR-053", 2, 14, "error")),
    ],
)
def test_a_fault_is_at_its_cell(rows: str, expected: tuple[str, int, int, str], tmp_path: Path) -> None:
    assert found_in(inventory(tmp_path, rows)) == [expected]


def test_names_and_addresses_may_change_places(tmp_path: Path) -> None:
    rows = "hostname,planned_name,loopback\nspine-01,spine-02,10.255.0.1\nspine-02,spine-01,10.255.0.2\n"
    site = inventory(tmp_path, rows)
    assert found_in(site) == []
    plan = plan_of(site)
    found = [plan.identity(DeviceId(1, Coordinates(index=at))) for at in range(2)]
    assert [(each.name, each.loopback) for each in found] == [("spine-02", "10.255.0.2"), ("spine-01", "10.255.0.1")]


def test_growth_moves_nothing_and_meets_what_is_taken(tmp_path: Path) -> None:
    fabric = yaml.safe_load((BROWNFIELD / "fabric.yaml").read_text(encoding="utf-8"))
    out, rows = str(tmp_path / "out"), (BROWNFIELD / "assets.csv").read_text(encoding="utf-8")
    succeed("render", str(BROWNFIELD), "-o", out)
    site = inventory(tmp_path, rows, source=BROWNFIELD, units={"count": 3, "max": 8}, expect={"gpus": 96})
    before = {path: path.read_bytes() for path in (tmp_path / "out/hosts").rglob("*") if path.is_file()}
    succeed("render", str(site), "-o", out)
    assert all(path.read_bytes() == data for path, data in before.items())
    assert (tmp_path / "out/switches/leaf-u003-r0").is_dir()
    # A value that the new leaf has by the rules stays with the device that had it first.
    rule = "dc1-leaf1a,leaf-u001-r0,4200000005"
    (site / "assets.csv").write_text(rows.replace("dc1-leaf1a,leaf-u001-r0,65101", rule), encoding="utf-8")
    assert found_in(site) == [("FG-ADR-053", 4, 25, "error")]
    assert fabric["units"]["count"] == 2


def test_a_tree_remembers_what_its_devices_had(tmp_path: Path) -> None:
    site, out = inventory(tmp_path, ROWS), str(tmp_path / "out")
    succeed("render", str(site), "-o", out)
    (site / "assets.csv").write_text(ROWS.replace("65101", "65102"), encoding="utf-8")
    done = run("render", str(site), "-o", out).exits(1)
    assert "FG-OUT-020" in done.stderr
    assert "of their own" in done.stderr
    succeed("render", str(site), "-o", out, "--renumber")


def test_exceptions_set_the_same_and_agree_with_rows(tmp_path: Path) -> None:
    values = {"asn": 65017, "loopback": "192.0.2.17"}
    exceptions = [{"device": "spine-02", "set": values, "reason": "imported"}]
    site, bag = inventory(tmp_path, ROWS, exceptions=exceptions), Bag()
    compile_inventory(site, [], bag)
    assert [(item.code, item.path[-1]) for item in bag if item.severity is Severity.ERROR] == [("FG-HST-022", "asn")]
    identity = plan_of(site).identity(DeviceId(1, Coordinates(index=1)))
    assert (identity.asn, identity.loopback, identity.router_id) == (65100, "192.0.2.17", "198.18.0.2")


def test_a_line_leads_to_what_gives_the_device_its_own(tmp_path: Path) -> None:
    out = tmp_path / "out"
    succeed("render", str(inventory(tmp_path, ROWS)), "-o", str(out))
    lines = (out / "switches/spine-01/etc/sonic/frr/frr.conf").read_text(encoding="utf-8").splitlines()
    number = next(at for at, line in enumerate(lines, 1) if line.endswith("remote-as 65101"))
    shown = succeed("explain", f"{out}/switches/spine-01/etc/sonic/frr/frr.conf:{number}")
    assert " assets " in shown
    assert "routing.asn" not in shown
