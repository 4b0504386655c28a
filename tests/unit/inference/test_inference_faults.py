"""Contradictions of files, and fabrics that imports do not take over: each a code at its line, and the rest goes on."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from fabricgen.diagnostics import Bag, Diagnostic
from fabricgen.inference.shape import ImportOptions
from tests.acceptance.run import INVENTORIES
from tests.acceptance.test_import import files_of, import_files, write_files

CONFIG, ROUTING = "etc/sonic/config_db.json", "etc/sonic/frr/frr.conf"


@pytest.fixture
def files() -> dict[str, bytes]:
    return files_of(INVENTORIES / "quickstart")


def codes(bag: Bag) -> set[str]:
    return {item.code for item in bag}


def only(bag: Bag, code: str) -> Diagnostic:
    found = [item for item in bag if item.code == code]
    assert len(found) == 1, [item.message for item in bag]
    return found[0]


def at(files: dict[str, bytes], item: Diagnostic) -> str:
    """The line at which a diagnostic is."""
    assert item.place is not None
    path = item.place.file.partition("/deployed/")[2]
    return files[path].decode().split("\n")[item.place.line - 1]


def replaced(files: dict[str, bytes], path: str, old: str, new: str) -> None:
    assert old.encode() in files[path], old
    files[path] = files[path].replace(old.encode(), new.encode())


def run(files: dict[str, bytes], folder: Path) -> tuple[str, Bag]:
    _, bag = import_files(write_files(files, folder / "deployed"), folder / "found")
    intent = folder / "found/fabric.yaml"
    return intent.read_text() if intent.exists() else "", bag


def test_one_address_at_two_ports(files: dict[str, bytes], tmp_path: Path) -> None:
    address = next(key for key in json.loads(files[f"leaf-u001-r0/{CONFIG}"])["INTERFACE"] if "|10." in key)
    other = next(key for key in json.loads(files[f"leaf-u002-r0/{CONFIG}"])["INTERFACE"] if "|10." in key)
    replaced(files, f"leaf-u002-r0/{CONFIG}", other.partition("|")[2], address.partition("|")[2])
    intent, bag = run(files, tmp_path)
    item = only(bag, "FG-IMP-043")
    assert address.partition("|")[2].partition("/")[0] in item.message
    assert item.related
    assert other.partition("|")[0] in at(files, item)
    assert "FG-IMP-053" in codes(bag)
    assert intent


def test_a_session_expects_another_as_number(files: dict[str, bytes], tmp_path: Path) -> None:
    replaced(files, f"spine-01/{ROUTING}", "router bgp 4200000000", "router bgp 4200000777")
    intent, bag = run(files, tmp_path)
    item = only(bag, "FG-IMP-044")
    assert "32 sessions with spine-01 expect AS 4200000000, but it is in AS 4200000777" in item.message
    assert "neighbor" in at(files, item)
    assert "base" not in intent


def test_a_truncated_file_costs_its_switch_alone(files: dict[str, bytes], tmp_path: Path) -> None:
    files[f"leaf-u002-r4/{CONFIG}"] = files[f"leaf-u002-r4/{CONFIG}"][:30000]
    intent, bag = run(files, tmp_path)
    assert only(bag, "FG-DIF-021").device == "leaf-u002-r4"
    assert "leaf-u002-r4" in only(bag, "FG-IMP-051").message
    assert "units: 2" in intent


def test_switches_of_two_fabrics(files: dict[str, bytes], tmp_path: Path) -> None:
    others = files_of(INVENTORIES / "two-halls")
    stranger = {
        path.replace("leaf-u001-r0", "stranger"): data for path, data in others.items() if "leaf-u001-r0/" in path
    }
    replaced(stranger, f"stranger/{CONFIG}", "leaf-u001-r0", "stranger")
    replaced(stranger, f"stranger/{ROUTING}", "leaf-u001-r0", "stranger")
    for number in range(256):
        for path in stranger:
            stranger[path] = stranger[path].replace(f"10.0.{number}.".encode(), f"10.9.{number}.".encode())
            stranger[path] = stranger[path].replace(f"172.16.{number}.".encode(), f"172.30.{number}.".encode())
    intent, bag = run(files | stranger, tmp_path)
    assert only(bag, "FG-IMP-046").device == "stranger"
    assert "units: 2" in intent


def test_names_that_differ_in_case(files: dict[str, bytes], tmp_path: Path) -> None:
    files |= {f"old/{path.partition('/')[2]}": files[path] for path in list(files) if path.startswith("leaf-u001-r0/")}
    replaced(files, f"old/{CONFIG}", "leaf-u001-r0", "Leaf-U001-r0")
    _, bag = run(files, tmp_path)
    assert only(bag, "FG-IMP-042").message == "old names itself Leaf-U001-r0, as leaf-u001-r0 does"


def test_a_platform_that_is_not_read(tmp_path: Path) -> None:
    _, bag = run(files_of(INVENTORIES / "quickstart", "fboss"), tmp_path)
    assert {item.message.partition(": ")[2] for item in bag} == {"imports do not read files of fboss"}
    assert codes(bag) == {"FG-IMP-041"}


def test_no_leaf(files: dict[str, bytes], tmp_path: Path) -> None:
    lone = {path: data for path, data in files.items() if path.startswith("spine-01")}
    tables = json.loads(lone[f"spine-01/{CONFIG}"])
    del tables["INTERFACE"], tables["DEVICE_NEIGHBOR"]
    lone[f"spine-01/{CONFIG}"] = json.dumps(tables).encode()
    _, bag = run(lone, tmp_path)
    assert codes(bag) == {"FG-IMP-045"}


def test_a_kind_of_fabric_that_is_not_taken_over(tmp_path: Path) -> None:
    _, bag = run(files_of(INVENTORIES / "irregular"), tmp_path)
    assert "pairs of leafs" in only(bag, "FG-IMP-047").message


def test_a_board_that_no_catalog_knows(files: dict[str, bytes], tmp_path: Path) -> None:
    for path in [path for path in files if path.endswith(CONFIG)]:
        replaced(files, path, "x86_64-dell_z9864f-r0", "x86_64-other-r0")
    _, bag = run(files, tmp_path)
    assert "x86_64-other-r0" in at(files, only(bag, "FG-IMP-048"))


def test_a_switch_unlike_its_tier(files: dict[str, bytes], tmp_path: Path) -> None:
    replaced(files, f"leaf-u001-r0/{CONFIG}", "version_202605_01", "version_202511_01")
    intent, _ = run(files, tmp_path)
    assert '- {device: leaf-u001-r0, set: {release: "202511"}, reason: imported}' in intent


def test_a_switch_cabled_elsewhere_has_no_place(files: dict[str, bytes], tmp_path: Path) -> None:
    tables = json.loads(files[f"leaf-u002-r4/{CONFIG}"])
    links = [key for key in tables["INTERFACE"] if "|10." in key]
    ports, addresses = zip(*(key.split("|") for key in links), strict=True)
    moved = dict(
        zip(
            links,
            (f"{port}|{address}" for port, address in zip(ports, addresses[1:] + addresses[:1], strict=True)),
            strict=True,
        )
    )
    tables["INTERFACE"] = {moved.get(key, key): row for key, row in tables["INTERFACE"].items()}
    files[f"leaf-u002-r4/{CONFIG}"] = json.dumps(tables).encode()
    _, bag = run(files, tmp_path)
    assert only(bag, "FG-IMP-052").device == "leaf-u002-r4"
    assert "leaf-u002-r4" in only(bag, "FG-IMP-051").message


def test_a_secret_in_clear_stays_on_its_device(files: dict[str, bytes], tmp_path: Path) -> None:
    for path in [path for path in files if path.endswith(CONFIG)]:
        replaced(files, path, "@fabricgen-secret:env:TACACS_KEY@", "hunter22")
    intent, bag = run(files, tmp_path)
    assert "TACPLUS" in at(files, only(bag, "FG-IMP-054"))
    assert '{secret: "env:TACACS_KEY"}' in intent
    assert not [item for item in bag if "hunter22" in item.message]


def test_what_differs_is_an_exception_or_a_line(files: dict[str, bytes], tmp_path: Path) -> None:
    tables = json.loads(files[f"leaf-u001-r0/{CONFIG}"])
    tables["PORT"]["Ethernet0"]["fec"] = "fc"
    tables["VLAN"] = {"Vlan10": {"vlanid": "10"}}
    files[f"leaf-u001-r0/{CONFIG}"] = json.dumps(tables, indent=1).encode()
    replaced(files, f"spine-01/{CONFIG}", '"timezone": "UTC"', '"timezone": "Europe/Berlin"')
    intent, bag = run(files, tmp_path)
    assert '"fec": "fc"' in at(files, only(bag, "FG-IMP-053"))
    assert "VLAN" in only(bag, "FG-IMP-056").message
    assert "- {device: spine-01, set: {operations.timezone: Europe/Berlin}, reason: imported}" in intent


def test_a_host_without_ports_in_use_is_absent(files: dict[str, bytes], tmp_path: Path) -> None:
    for rail, leaf in ((0, "leaf-u002-r0"), (4, "leaf-u002-r4")):
        tables = json.loads(files[f"{leaf}/{CONFIG}"])
        ports = [name for name, row in tables["PORT"].items() if row["description"].startswith("gpu-u002-h04:")]
        assert len(ports) == 4, rail
        for name in ports:
            tables["PORT"][name] |= {"admin_status": "down", "description": ""}
            for table in ("INTERFACE", "DEVICE_NEIGHBOR"):
                tables[table] = {key: row for key, row in tables[table].items() if key.partition("|")[0] != name}
        files[f"{leaf}/{CONFIG}"] = json.dumps(tables, indent=1).encode()
    intent, _ = run(files, tmp_path)
    assert "- {host: gpu-u002-h04, state: absent, reason: imported}" in intent


def test_a_file_of_another_form_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    path = "etc/nvue.d/startup.yaml"
    files = files_of(INVENTORIES / "quickstart", "nvue")
    files[f"leaf-u001-r0/{path}"] = files[f"leaf-u001-r0/{path}"].replace(b"'26': {switch-priority: 3}", b"'26': 3")
    found, bag = import_files(
        write_files(files, tmp_path / "in"), tmp_path / "out", ImportOptions(switch="nvidia_sn5600")
    )
    assert "form that cumulus_nvue" in only(bag, "FG-DIF-021").message
    assert found is not None
    assert found.switches == 5


def test_links_at_other_ports_than_those_of_the_model_are_named(tmp_path: Path) -> None:
    files = files_of(INVENTORIES / "quickstart", "frr")
    moved = {
        path: re.sub(rb"swp(5[7-9]|6[0-4])", lambda at: b"swp%d" % (int(at[1]) - 20), files[path]) for path in files
    }
    asked = ImportOptions(switch="dell_z9864f", rails_per_leaf=4)
    found, bag = import_files(write_files(moved, tmp_path / "in"), tmp_path / "out", asked)
    assert found is None
    assert "links at the ports" in only(bag, "FG-IMP-047").message
