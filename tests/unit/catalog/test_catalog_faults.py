"""Faults of a user's own catalog file: all at once, each at its line, never a traceback."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from user_catalog import ECN, NAMED_AT, NIC, SERVER, SWITCH, load, write

from fabricgen.catalog.forms import parse_numbers, parse_row
from fabricgen.catalog.ports import parse_mode
from fabricgen.catalog.records import ModePort
from fabricgen.diagnostics import Severity
from tests.acceptance.run import copy_inventory, diagnose

ASIC = "# An ASIC.\nid: mychip\nvendor: me\nsource: made up for a test\nbuffer_bytes: 1000\n"


def of_nvlink(text: str) -> tuple[str, str]:
    """A text of the server, and the same with another value of NVLink."""
    return "gpus: 2", f"gpus: 2\nnvlink: nvlink4\nnvlink_{text}  # !"


SWITCH_FAULTS = [
    ("id: tiny", "id: other  # !", "FG-CAT-008", "id is other, the file is named tiny"),
    ("source: made up for a test", "soruce: made up  # !", "FG-INT-001", "unknown key 'soruce'"),
    ("source: made up for a test", "source: ''  # !", "FG-INT-003", "source: '' is not a text"),
    ("asic: tomahawk5", "asic: tomahawk9  # !", "FG-CAT-001", "no usable ASIC tomahawk9"),
    ("platforms: [sonic]", "platforms: 7  # !", "FG-INT-003", "platforms: 7 is not a list of names"),
    ("platforms: [sonic]", "platforms: [sonic]\nconfidence: maybe  # !", "FG-INT-003", "confidence is 'maybe'"),
    ("default_sku: Tiny-O4", "default_sku: Tiny-P4", "FG-CAT-009", "default_sku Tiny-P4 is not one of the file's skus"),
    ("lanes: 8", "lanes: eight  # !", "FG-INT-003", "cages.lanes is the text 'eight'; it must be a whole number"),
    ("lanes: 8", "lanes: 65  # !", "FG-INT-003", "cages.lanes is 65; at most 64 is allowed"),
    ("lanes: 8", "lanes: true  # !", "FG-INT-003", "cages.lanes is true"),
    ("index: 1-4", "index: 4-1  # !", "FG-INT-003", "'4-1' is not a list of front-panel numbers such as 1-32,65"),
    ("first_lane: 1 9 17 25", "first_lane: 1 9 17  # !", "FG-CAT-006", "first_lane has 3 numbers for 4 cages"),
    ("first_lane: 1 9 17 25", "first_lane: 1 9 17 24  # !", "FG-CAT-006", "lane 24 belongs to cages 3 and 4"),
    ("first_lane: 1 9 17 25", "first_lane: 1 9 x 25  # !", "FG-INT-003", "whole numbers separated by blanks"),
    ("step: 8", "step: 4", "FG-CAT-006", "port number 4 belongs to cages 1 and 2"),
    ("step: 8", "step: -8", "FG-CAT-006", "base goes below 0"),
    ("native_gbps: 800", "native_gbps: 0  # !", "FG-INT-003", "native_gbps is 0"),
    ("native_gbps: 800", "service: 'no'  # !\n    native_gbps: 800", "FG-INT-003", "it must be true or false"),
    ("native_gbps: 800", "names: a b  # !\n    native_gbps: 800", "FG-INT-003", "names has 2 names for 4 cages"),
    ("1x800G: etp{i}", "1x800: etp{i}  # !", "FG-CAT-007", "is not of the form NxSPEEDG"),
    ("1x800G: etp{i}", "3x200G: a b c  # !", "FG-CAT-007", "3 ports cannot share 8 lanes evenly"),
    ("1x800G: etp{i}", "1x800G(16): etp{i}  # !", "FG-CAT-007", "it needs 16 lanes, the cage has 8"),
    ("1x800G: etp{i}", "1x800G: a b  # !", "FG-CAT-007", "mode 1x800G has 1 ports and 2 aliases"),
    ("modes: {2x400G: 1-4}", "modes: {2x400G: 1-5}", "FG-CAT-009", "there is no cage 5"),
    ("modes: {2x400G: 1-4}", "modes: {2x400G: 1-x}", "FG-INT-003", "is not a list of front-panel numbers"),
    ("modes: {2x400G: 1-4}", "modes: {4x200G: 1-4}", "FG-CAT-007", "cage 1 cannot run 4x200G"),
    ("modes: {2x400G: 1-4}", "modes: {2x400G: 1-4, 1x800G: 2-3}", "FG-CAT-007", "cage 2 has the modes"),
    ("fec: {400G: rs}", "fec: {400: rs}", "FG-SRC-017", ""),
    ("fec: {400G: rs}", "fec: {400GE: rs}", "FG-INT-003", "fec.400GE: '400GE' is not a speed such as 400G"),
    ("fec: {400G: rs}", "boards: [nowhere]  # !", "FG-CAT-009", "board nowhere is not one of the file's boards"),
    ("fec: {400G: rs}", "own_modes: {8x100G: a b c d e f g h}", "FG-CAT-009", "no cage of the profile runs 8x100G"),
    ("fec: {400G: rs}", "like: Later  # !", "FG-CAT-009", "like names no port profile that stands above"),
    ("skus: {Tiny-O4: t0}", "skus: {Tiny-O5: t0}  # !", "FG-CAT-009", "Tiny-O5 is not one of the file's skus"),
    ("skus: {Tiny-O4: t0}", "skus: {Tiny-O4: t0 t0}", "FG-CAT-006", "Tiny-O4 has two buffer sets for t0"),
    ("kind: ingress", "kind: sideways", "FG-INT-003", "kind is 'sideways'; allowed are ingress, egress"),
    ("mode: dynamic", "mode: both", "FG-INT-003", "mode is 'both'; allowed are static, dynamic"),
    ("size_bytes: 1000000", "size: 1000000", "FG-INT-001", "unknown key 'size'"),
    ("dynamic_th: 3", "dynamic_th: 3, static_th_bytes: 9", "FG-INT-003", "needs either dynamic_th or static_th_bytes"),
    (", dynamic_th: 3", "", "FG-INT-003", "needs either dynamic_th or static_th_bytes"),
    ("pool: ingress_lossless_pool", "pool: other_pool", "FG-CAT-009", "pool other_pool is not one of"),
    ("skus: [Tiny-O4]", "skus: [Tiny-O4, Tiny-O4]  # !", "FG-CAT-006", "Tiny-O4 has two headroom tables"),
    ("skus: [Tiny-O4]", "skus: [Tiny-P4]  # !", "FG-CAT-009", "Tiny-P4 is not one of the file's skus"),
    ("columns: speed_gbps", "columns: speed_mbps", "FG-INT-003", "they must be speed_gbps row_m"),
    ("- 400 40 1000 0 6000 0", "- 400 40 1000 0 6000  # !", "FG-INT-003", "is not 6 whole numbers"),
    ("- 400 40 1000 0 6000 0", "- 400 5 1000 0 6000 0  # !", "FG-CAT-006", "two rows for 400G at 5 m"),
    ("800G: sonic_default", "800G: sonic_defaults", "FG-CAT-001", "no usable ECN profile sonic_defaults"),
    ("800G: sonic_default", "800G: sonic_th5_400g", "FG-CAT-009", "ECN profile sonic_th5_400g is for 400G"),
    ("ecn_profiles:", "port_profiles: [x PROFILE]  # !\necn_profiles:", "FG-INT-003", "of the form 'number NAME'"),
    ("ecn_profiles:", "buffer: []  # !\necn_profiles:", "FG-INT-001", "unknown key 'buffer'"),
]

FILES = {
    "switch": ("switches", "tiny", SWITCH),
    "nic": ("nics", "mynic", NIC),
    "server": ("servers", "myserver", SERVER),
    "ecn": ("ecn", "mymarks", ECN),
}
"""By kind of record: its folder, a name, and a good file."""
OTHER_FAULTS = [
    ("nic", "ports: 1", "ports: 0  # !", "FG-INT-003", "ports is 0"),
    ("nic", "400G: 4", "400G: four", "FG-INT-003", "lanes.400G: 'four' is not whole numbers"),
    ("nic", "0x1021", "1021", "FG-INT-003", "is not a PCI id such as '0x15b3'"),
    ("nic", "family: mlx5", "famly: connectx7  # !", "FG-INT-001", "unknown key 'famly'"),
    ("nic", "ports: 1", "ports: 1\nout_of_order: 1  # !", "FG-INT-003", "true or false"),
    ("server", "gpus: 2", "gpus: two  # !", "FG-INT-003", "gpus is the text 'two'; it must be a whole number"),
    ("server", "0000:43:00.0", "43:00.0", "FG-INT-003", "'0000:18:00.0'"),
    ("server", "0000:43:00.0", "0000:1b:00.0", "FG-INT-003", "given to two devices"),
    ("server", "numa: 1", "numa: 2", "FG-INT-003", "rails.numa 2 must be below numa_nodes 2"),
    ("server", "vendor: nvidia", "vendor: acme", "FG-INT-003", "gpu_vendor is 'acme'; allowed are amd, nvidia"),
    ("server", "numa: 1", "node: 1", "FG-INT-001", "unknown key 'node'"),
    ("server", "gpus: 2", "gpus: 2\nnvlink: nvlink99  # !", "FG-CAT-001", "no usable NVLink nvlink99"),
    ("server", *of_nvlink("gbytes_s: 950"), "FG-INT-003", "up to 18 links of 50 GB/s"),
    ("server", *of_nvlink("gbytes_s: 420"), "FG-INT-003", "nvlink_gbytes_s is 420"),
    ("server", *of_nvlink("levels: [{gpus: 3}]"), "FG-INT-003", "must join more GPUs level by level"),
    ("ecn", "1000", "2000", "FG-INT-003", "kmin_bytes 2000 must be below kmax_bytes 2000"),
    ("ecn", "pmax_pct: 5", "pmax_pct: 101  # !", "FG-INT-003", "pmax_pct is 101; at most 100 is allowed"),
]


@pytest.mark.parametrize(
    ("kind", "old", "new", "code", "message"), [*(("switch", *fault) for fault in SWITCH_FAULTS), *OTHER_FAULTS]
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
