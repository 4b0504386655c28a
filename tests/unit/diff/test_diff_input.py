"""Input that is no configuration: told for its device, everything else compared."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from diff_site import FRR, HOST, LEAF, QUICKSTART, SPINE, Site, edit_json, lower_mtu, switch_file

from fabricgen.diff.report import conclusion
from fabricgen.diff.summary import DiffSummary
from tests.acceptance.run import copy_inventory, render_here


def repeat_key(file: Path) -> None:
    file.write_text(file.read_text().replace('"Ethernet0": {', '"Ethernet0": {"mtu": "1"},\n"Ethernet0": {', 1))


def cut_routing(file: Path) -> None:
    routing = file.parent / "frr/frr.conf"
    text = routing.read_text()
    routing.write_text(text[: text.index("address-family") + 60])


def fill_with_junk(file: Path) -> None:
    with file.open("wb") as stream:
        stream.truncate(100 * 1024 * 1024)


def put_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


BROKEN: dict[str, tuple[str, Callable[[Path], None]]] = {
    "a pipe": ("FG-DIF-014", put_pipe),
    "truncated": ("FG-DIF-021", lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])),
    "doubled key": ("FG-DIF-021", repeat_key),
    "binary": ("FG-DIF-021", lambda file: file.write_bytes(b"\x7fELF\0\0\1")),
    "not UTF-8": ("FG-DIF-021", lambda file: file.write_bytes(b'{"PORT": {"a": {"b": "\xff"}}}')),
    "mixed line ends": ("FG-DIF-021", lambda file: file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n", 20))),
    "100 MB of junk": ("FG-DIF-021", fill_with_junk),
    "another platform's": ("FG-DIF-021", lambda file: file.write_text('{"interfaces": []}')),
    "a table that is none": ("FG-DIF-021", lambda file: file.write_text('{"PORT": 1}')),
    "truncated routing": ("FG-DIF-021", cut_routing),
    "nothing": ("FG-DIF-021", lambda file: file.write_bytes(b"")),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_told_and_the_rest_compared(site: Site, name: str) -> None:
    code, spoil = BROKEN[name]
    deployed = site.edited(lower_mtu, SPINE)
    spoil(switch_file(deployed))
    summary = site.compare(site.out, deployed, code)
    assert_only_mtu(summary)
    assert summary.totals.failed == 1
    assert summary.totals.compared == 13


def assert_only_mtu(summary: DiffSummary) -> None:
    (group,) = summary.groups()
    assert (group.title, group.first.device, group.before, group.after) == ("port MTU", SPINE, "9000", "9100")


def test_line_ends_of_one_kind_are_no_difference(site: Site) -> None:
    deployed = site.copy()
    for path in (switch_file(deployed), switch_file(deployed, path=FRR)):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    summary = site.compare(site.out, deployed)
    assert summary.totals.is_clean(unmanaged=True)


def test_another_devices_file_is_told(site: Site) -> None:
    deployed = site.edited(lower_mtu, SPINE)
    shutil.copy(switch_file(site.out, SPINE), switch_file(deployed))
    assert_only_mtu(site.compare(site.out, deployed, "FG-DIF-022"))


def test_a_device_missing_from_a_collection_is_an_error(site: Site) -> None:
    deployed = site.copy()
    shutil.rmtree(deployed / "switches" / LEAF)
    summary = site.compare(site.out, deployed, "FG-DIF-020")
    assert (summary.totals.failed, summary.totals.compared) == (1, 13)


def test_a_device_that_is_not_in_the_fabric_is_told(site: Site) -> None:
    deployed = site.copy()
    shutil.copytree(deployed / "switches" / LEAF, deployed / "switches" / "leaf-u099-r0")
    summary = site.compare(site.out, deployed, "FG-DIF-024")
    assert summary.totals.removed == ["leaf-u099-r0"]


def test_devices_of_two_trees_of_ours_are_differences(site: Site) -> None:
    changes = {"units: {count: 2": "units: {count: 3", "gpus: 64": "gpus: 96"}
    grown = site.folder / "grown"
    assert render_here(copy_inventory("quickstart", site.folder / "more", changes), grown) == []
    summary = site.compare(grown, site.out)
    assert summary.totals.added == [f"gpu-u003-h0{number}" for number in range(1, 5)] + ["leaf-u003-r0", "leaf-u003-r4"]
    summary = site.compare(site.out, grown)
    assert len(summary.totals.removed) == 6


def test_foreign_content_in_a_flat_file_is_told(site: Site) -> None:
    flat = site.folder / "flat"
    flat.mkdir()
    for path in (site.out / "switches").iterdir():
        shutil.copy(path / "etc/sonic/config_db.json", flat / path.name)
    (flat / LEAF).write_text("! Cisco IOS\ninterface Gi0/1\n")
    assert site.diff(site.out, flat, only=("*-*[0-9]",))[1] >= {"FG-DIF-023"}


def test_sides_that_do_not_exist(site: Site) -> None:
    empty = site.folder / "empty"
    empty.mkdir()
    assert site.diff("nowhere", site.out) == (None, {"FG-DIF-001"})
    assert site.diff(site.out, empty) == (None, {"FG-DIF-001"})
    assert site.diff("no-such-revision:out", site.out) == (None, {"FG-DIF-002"})
    assert site.diff(site.out, site.copy(), only=("nothing*",))[1] == {"FG-DIF-026"}


def test_a_file_that_cannot_be_read_is_told(site: Site) -> None:
    deployed = site.copy()
    file = switch_file(deployed)
    file.unlink()
    file.mkdir()
    (file / "x").write_text("")
    file.parent.joinpath("config_db.json.bak").write_text("")
    link = switch_file(deployed, SPINE)
    link.unlink()
    link.symlink_to("/nonexistent/elsewhere")
    assert "FG-DIF-021" in site.diff(site.out, deployed)[1]


def test_a_single_file_without_name_wants_one(site: Site) -> None:
    file = site.folder / "dump.json"
    shutil.copy(switch_file(site.out), file)
    edit_json(file, lambda data: data["DEVICE_METADATA"]["localhost"].pop("hostname"))
    assert site.diff(site.out, file)[1] == {"FG-DIF-025"}
    summary = site.compare(site.out, file, only=(LEAF,))
    assert [group.title for group in summary.groups()] == ["host name"]


def test_the_folder_of_patches_must_be_empty(site: Site) -> None:
    assert site.diff(site.out, site.copy(), patches=site.out) == (None, {"FG-SRC-042"})


def test_an_inventory_with_errors_is_told(site: Site) -> None:
    broken = site.folder / "broken"
    broken.mkdir()
    (broken / "fabric.yaml").write_text((QUICKSTART / "fabric.yaml").read_text().replace("400G", "401G"))
    summary, codes = site.diff(broken, site.out)
    assert summary is None
    assert codes
    assert not any(code.startswith("FG-DIF") for code in codes)


def test_host_files_are_compared_too(site: Site) -> None:
    deployed = site.copy()
    file = deployed / "hosts" / HOST / "etc/sysctl.d/90-fabricgen.conf"
    file.write_text("\n".join(reversed(file.read_text().splitlines())).replace("arp_ignore = 1", "arp_ignore=0", 1))
    summary = site.compare(site.out, deployed)
    (group,) = summary.groups()
    assert (group.title, group.before, group.after, group.disruption) == ("kernel parameter", "0", "1", "hitless")


def test_a_pattern_that_no_device_has_is_told_of_two_trees_too(site: Site) -> None:
    summary = site.compare(site.out, site.out, "FG-DIF-026", only=("zzz*",))
    assert conclusion(summary) == "nothing was compared"


def test_the_manifest_of_a_tree_without_devices_is_no_device(site: Site, tmp_path: Path) -> None:
    (tmp_path / "left" / "manifest").mkdir(parents=True)
    shutil.copy(site.out / "manifest" / "header.json", tmp_path / "left" / "manifest")
    summary = site.compare(site.out, tmp_path / "left")
    assert len(summary.totals.added) == 14
    assert summary.totals.removed == []


def test_a_field_that_the_release_does_not_know_stops_the_patch(site: Site) -> None:
    """The updater would refuse any patch, so none is written; every other device gets its own."""
    deployed = site.edited(lower_mtu, LEAF, SPINE)
    edit_json(switch_file(deployed), lambda data: data.update(TELEMETRY={"gnmi": {"port": "50051", "vrf": "mgmt"}}))
    _, codes = site.diff(site.out, deployed, patches=site.folder / "patches")
    assert codes == {"FG-DIF-075"}
    assert [folder.name for folder in (site.folder / "patches").iterdir()] == [SPINE]
    steps = (site.folder / "patches" / SPINE / "apply/steps").read_text().splitlines()
    assert re.fullmatch(r"# 1 file, about [\d.]+ CPU s of one core of a server; a switch takes longer", steps[1])
    at = steps.index("config apply-patch 2-patch.json")
    assert re.fullmatch(r"# hitless, about [\d.]+ s", steps[at - 1])
    assert steps[-1] == "config save -y"


def test_several_patterns_choose_the_devices_of_each(site: Site) -> None:
    deployed = site.edited(lower_mtu, LEAF, SPINE)
    summary = site.compare(site.out, deployed, only=(LEAF, f"{SPINE[:-1]}?"))
    assert (summary.totals.compared, summary.totals.different) == (3, 2)
    summary = site.compare(site.out, deployed, "FG-DIF-026", only=(LEAF, "zzz*"))
    assert summary.totals.compared == 1
