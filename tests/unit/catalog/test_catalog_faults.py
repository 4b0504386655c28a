"""Faults of a user's own catalog file: all at once, each at its line, never a traceback."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from user_catalog import ECN, NAMED_AT, NIC, SERVER, SWITCH, load, write

from fabricgen.catalog.forms import parse_numbers, parse_row
from fabricgen.catalog.ports import parse_mode
from fabricgen.catalog.records import ModePort
from fabricgen.diagnostics import Severity
from tests.acceptance.run import copy_inventory, diagnose

ASIC = "# An ASIC.\nid: mychip\nvendor: me\nsource: made up for a test\nbuffer_bytes: 1000\n"


FILES = {
    "switch": ("switches", "tiny", SWITCH),
    "nic": ("nics", "mynic", NIC),
    "server": ("servers", "myserver", SERVER),
    "ecn": ("ecn", "mymarks", ECN),
}
"""By kind of record: its folder, a name, and a good file."""
FAULTS = yaml.safe_load((Path(__file__).parent / "faults.yaml").read_text())


@pytest.mark.parametrize(
    ("kind", "old", "new", "code", "message"), [(kind, *row) for kind, rows in FAULTS.items() for row in rows]
)
def test_a_fault_of_a_file_is_reported_where_it_is(
    kind: str, old: str, new: str, code: str, message: str, tmp_path: Path
) -> None:
    """Break a good file in one place; ``# !`` marks the line of the fault, without it the changed line is meant."""
    folder, name, text = FILES[kind]
    assert text.count(old) >= 1
    broken = text.replace(old, new, 1)
    path = write(tmp_path, folder, name, broken)
    _, said = load(tmp_path, **{kind: name})
    fault = next(d for d in said if d.code == code)
    assert message in fault.message
    lines = broken.splitlines()
    marked = [number for number, line in enumerate(lines, 1) if "# !" in line]
    changed = [number for number, line in enumerate(lines, 1) if line not in text.splitlines()]
    assert fault.place.file == str(path)
    assert fault.place.line == (marked or changed)[0]
    assert 1 <= fault.place.column <= len(lines[fault.place.line - 1])


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        ("switch", "source asic platforms"),
        ("nic", "source family vendor ports lanes mtu_max_bytes"),
        ("server", "gpus pcie_gen numa_nodes cpu_vendor"),
        ("ecn", "kmin_bytes kmax_bytes pmax_pct"),
    ],
)
def test_a_missing_key_is_named(kind: str, keys: str, tmp_path: Path) -> None:
    folder, name, text = FILES[kind]
    for key in keys.split():
        write(tmp_path, folder, name, re.sub(rf"(?m)^\s*{key}: .*\n", "", text))
        _, said = load(tmp_path, **{kind: name})
        assert ("FG-INT-002", f"{key} is missing") in [(d.code, d.message) for d in said]


@pytest.mark.parametrize(
    ("group", "message"),
    [
        ("{index: 4-5, base: {start: 100, step: 8}, native_gbps: 10}", "front-panel number 4 is given twice"),
        ("{index: 5, base: 31, native_gbps: 10}", "port number 31 belongs to cages 4 and 5"),
        ("{index: 5, base: 99, lanes: 1, first_lane: 32, native_gbps: 10}", "lane 32 belongs to cages 4 and 5"),
    ],
)
def test_cage_groups_may_not_overlap(group: str, message: str, tmp_path: Path) -> None:
    path = write(tmp_path, "switches", "tiny", SWITCH.replace("skus:\n", f"  - {group}\nskus:\n", 1))
    _, said = load(tmp_path, switch="tiny")
    assert [(d.code, d.message) for d in said] == [("FG-CAT-006", message)]
    assert path.read_text().splitlines()[said[0].place.line - 1] == f"  - {group}"


def test_a_switch_without_cages_and_a_server_without_rails_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "switches", "tiny", "id: tiny\nsource: s\nasic: tomahawk5\nplatforms: []\n")
    write(tmp_path, "servers", "myserver", SERVER.split("rails:")[0])
    _, said = load(tmp_path, switch="tiny", server="myserver")
    assert [(d.code, d.message) for d in said] == [
        ("FG-INT-002", "cages is missing"),
        ("FG-INT-002", "rails is missing"),
    ]


def test_all_faults_of_all_files_come_at_once(tmp_path: Path) -> None:
    broken = SWITCH.replace("asic: tomahawk5", "asic: mychip").replace("id: tiny", "id: tyni")
    broken = broken.replace("1x800G: etp{i}", "1x800G: a b").replace("- 400 40 1000 0 6000 0", "- 400 40")
    write(tmp_path, "switches", "tiny", broken + "extra: 1\n")
    write(tmp_path, "asics", "mychip", ASIC.replace("vendor: me", "vndor: me"))
    write(tmp_path, "nics", "mynic", NIC.replace("ports: 1", "ports: 99"))
    _, said = load(tmp_path, switch="tiny", nic="mynic", server="nonesuch")
    codes = ["FG-CAT-001", "FG-CAT-007", "FG-CAT-008", *["FG-INT-001"] * 2, *["FG-INT-003"] * 2]
    assert sorted(d.code for d in said) == codes
    faults = [d for d in said if d.code != "FG-CAT-001"]
    assert all(d.place is not None and d.path == () for d in faults)
    assert all([related.path for related in d.related] == [NAMED_AT] for d in faults)
    assert len({d.place for d in faults}) == len(faults)


@pytest.mark.parametrize(
    "text", ["", "[]\n", "- 1\n", "hello\n", "id: [\n", "id: tiny\n  x: 1\n", "\t", "a: &x [*x]\n"]
)
@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_is_no_record_gives_diagnostics(kind: str, text: str, tmp_path: Path) -> None:
    write(tmp_path, FILES[kind][0], "tiny", text)
    _, said = load(tmp_path, **{kind: "tiny"})
    assert said
    assert all(d.place is not None for d in said)


@pytest.mark.parametrize(
    "value", ["null", "''", "-1", "1.5", "true", "[]", "{}", "[[1]]", "{a: {b: 1}}", "99999999999999999"]
)
@pytest.mark.parametrize("kind", FILES)
def test_no_value_of_a_key_gives_a_traceback(kind: str, value: str, tmp_path: Path) -> None:
    folder, name, text = FILES[kind]
    for old in re.findall(r"(?m)^\s*(\w+: .+)$", text):
        key = old.split(":")[0]
        write(tmp_path, folder, name, text.replace(old, f"{key}: {value}"))
        load(tmp_path, **{kind: name})


@pytest.mark.parametrize(
    ("text", "lanes", "ports"),
    [
        ("1x800G", 8, [ModePort(800, 8)]),
        ("2x400G(8)", 8, [ModePort(400, 4)] * 2),
        ("1x100G(4)", 8, [ModePort(100, 4)]),
        ("1x800G[400G,200G]", 8, [ModePort(800, 8)]),
        ("2x200G(4)+4x100G(4)", 8, [ModePort(200, 2)] * 2 + [ModePort(100, 1)] * 4),
        ("1x400G", 0, [ModePort(400, 0)]),
    ],
)
def test_modes_are_read(text: str, lanes: int, ports: list[ModePort]) -> None:
    assert parse_mode(text, lanes) == tuple(ports)


@pytest.mark.parametrize(
    "text", ["", "800G", "1x800", "0x800G", "1x0G", "x800G", "1x800G[]", "1x800G(0)", "1x800G+", "1X800G"]
)
def test_what_is_no_mode_is_refused(text: str) -> None:
    assert isinstance(parse_mode(text, 8), str)


@given(
    st.lists(
        st.tuples(st.integers(1, 8), st.sampled_from([10, 100, 400, 800]), st.integers(1, 4)), min_size=1, max_size=4
    )
)
def test_ports_of_a_mode_take_exactly_its_lanes(parts: list[tuple[int, int, int]]) -> None:
    text = "+".join(f"{count}x{speed}G({count * width})" for count, speed, width in parts)
    ports = parse_mode(text, 128)
    assert [(port.speed_gbps, port.lanes) for port in ports if isinstance(port, ModePort)] == [
        (speed, width) for count, speed, width in parts for _ in range(count)
    ]


@given(st.text(max_size=20))
def test_no_text_breaks_the_number_readers(text: str) -> None:
    for value in (parse_numbers(text), parse_row(text)):
        assert value is None or all(type(number) is int for number in value)
    assert isinstance(parse_mode(text, 8), (str, tuple))


def test_a_nic_without_family_and_ports_is_told_as_such(tmp_path: Path) -> None:
    inventory = copy_inventory("quickstart", tmp_path / "own", {"connectx7_400g": "own_nic"})
    (inventory / "catalog" / "nics").mkdir(parents=True)
    (inventory / "catalog" / "nics" / "own_nic.yaml").write_text("ports: []\n")
    _, bag = diagnose(inventory)
    errors = {diagnostic.code: diagnostic.message for diagnostic in bag if diagnostic.severity is Severity.ERROR}
    assert {"FG-INT-002", "FG-INT-003"} <= set(errors)
    assert not {"FG-PLT-001", "FG-TOP-022"} & set(errors)
