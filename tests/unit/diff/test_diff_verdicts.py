"""The result of each device, in the words of drift or of a change, and in every format."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from diff_site import CONFIG_DB, LEAF, QUICKSTART, SPINE, Site, edit_json, lower_mtu, switch_file

from fabricgen.api.diff import DiffOptions, diff
from fabricgen.diagnostics import Bag
from fabricgen.diff import markdown
from fabricgen.diff.junit import write_junit
from fabricgen.diff.report import conclusion, fold_missing, to_data, to_diagnostics, write_text
from fabricgen.diff.summary import DiffSummary
from tests.acceptance.run import STANDING, copy_inventory

MISSING, EQUAL, UNREAD = "leaf-u002-r4", "leaf-u002-r0", "spine-02"


def compare(intended: Path | str, deployed: Path | str, base: Path, **options: Any) -> tuple[DiffSummary, Bag]:
    bag = Bag()
    summary = diff(str(intended), str(deployed), DiffOptions(base, causes=False, **options), bag)
    assert summary is not None, [found.message for found in bag]
    return summary, bag


@pytest.fixture
def drifted(site: Site) -> Path:
    """Collected switches: one differs, one is unreadable, one is missing; no host was collected."""
    deployed = site.copy()
    shutil.rmtree(deployed / "hosts")

    def spoil(data: dict[str, Any]) -> None:
        data["PORT"]["Ethernet0"]["mtu"] = "9000"
        data["NTP_SERVER"] = {"192.0.2.9": {}}
        data["BANNER_MESSAGE"] = {"global": {"login": "x" * 200}}

    edit_json(switch_file(deployed), spoil)
    switch_file(deployed, UNREAD).write_text("{")
    shutil.rmtree(deployed / "switches" / MISSING)
    return deployed


def cases(text: str) -> dict[str, ElementTree.Element]:
    return {case.attrib["name"]: case for case in ElementTree.fromstring(text).iter("testcase")}


def test_junit_has_one_case_per_device(site: Site, drifted: Path) -> None:
    summary, bag = compare(site.out, drifted, site.folder)
    text = write_junit(summary, list(bag))
    found = cases(text)
    assert len(found) == 14, "one per device, whatever its number of differences"
    outcome = {name: next((child.tag for child in case), "passed") for name, case in found.items()}
    assert [outcome[name] for name in (LEAF, UNREAD, MISSING, EQUAL)] == ["failure", "error", "skipped", "passed"]
    assert {word for name, word in outcome.items() if name.startswith("gpu")} == {"skipped"}
    suite = ElementTree.fromstring(text)
    assert [suite.get(key) for key in ("tests", "failures", "errors", "skipped")] == ["14", "1", "1", "9"]
    failure = found[LEAF][0]
    assert failure.get("message", "").endswith("differences, at worst: hitless")
    assert "port MTU different: 9,000 → 9,100 bytes" in (failure.text or "")


def test_a_diagnostic_names_its_device_in_a_field(site: Site, drifted: Path) -> None:
    _, bag = compare(site.out, drifted, site.folder)
    assert {(found.code, found.device) for found in bag} == {("FG-DIF-020", MISSING), ("FG-DIF-021", UNREAD)}


def test_devices_that_were_not_collected_are_one_line_for_people(site: Site) -> None:
    deployed = site.copy()
    names = sorted(folder.name for folder in (deployed / "switches").iterdir())[1:]
    for name in names:
        shutil.rmtree(deployed / "switches" / name)
    _, bag = compare(site.out, deployed, site.folder)
    assert [found.device for found in bag] == names
    (line,) = fold_missing([*bag])
    assert line.message.endswith(f"has no configuration of {len(names)} devices: {', '.join(names)}")
    assert fold_missing([*bag][:1]) == [*bag][:1]


def test_a_kind_that_was_not_collected_is_one_line_and_no_error(site: Site) -> None:
    deployed = site.copy()
    shutil.rmtree(deployed / "hosts")
    summary, bag = compare(site.out, deployed, site.folder)
    assert not list(bag)
    assert write_text(summary) == "not collected: all 8 hosts\nno difference on 6 devices\n"
    assert to_data(summary, [], details=False, unmanaged=False)["kinds_not_collected"] == {"hosts": 8}


def test_words_of_drift(site: Site, drifted: Path) -> None:
    summary, _ = compare(site.out, drifted, site.folder)
    text = write_text(summary)
    assert text.startswith(f"hitless: {LEAF}\n")
    mtu = "port MTU different: 9,000 → 9,100 bytes on 1 port of 1 leaf"
    assert all(f"  {words}" in text for words in (mtu, "NTP server missing", "NTP server unexpected on"))
    words = "7 differences on 1 of 4 devices, at worst: hitless; 2 devices could not be compared"
    assert conclusion(summary).startswith(words)


def test_words_of_a_change_and_the_devices_of_each_wave(site: Site, tmp_path: Path) -> None:
    changes = {"length_m: 30": "length_m: 60", "192.168.0.10]": "192.168.0.20]", "count: 2, max": "count: 3, max"}
    newer = copy_inventory("quickstart", tmp_path / "newer", changes | {"gpus: 64": "gpus: 96"})
    summary, _ = compare(newer, site.out, tmp_path)
    comment = markdown.write_markdown(summary, [], details=True)
    assert "added: 6 devices: `leaf-u003-r0`, `leaf-u003-r4`, `gpu-u003-h01 … gpu-u003-h04`" in comment
    for words in ("NTP server added", "NTP server removed", " changed: `"):
        assert words in comment
    assert not any(word in comment for word in ("missing", "unexpected", " different: ", "difference"))
    (drained,) = [line for line in comment.splitlines() if line.startswith("| drain: traffic")]
    assert all(f"`{name}`" in drained for name in (LEAF, SPINE, EQUAL)), "in the wave of their greatest disruption"
    assert not [line for line in comment.splitlines() if line.startswith("| hitless: ") and LEAF in line]
    backwards, _ = compare(site.out, newer, tmp_path)
    assert "removed: 6 devices: leaf-u003-r0," in write_text(backwards)


def test_json_holds_whole_values_and_the_names_of_devices(site: Site, drifted: Path) -> None:
    summary, bag = compare(site.out, drifted, site.folder)
    data = to_data(summary, list(bag), details=True, unmanaged=False)
    groups = {(group["title"], group["word"]): group for group in data["groups"]}
    assert "x" * 100 in json.dumps(data["groups"])
    missing = groups["NTP server", "missing"]
    assert missing["after"] == {"association_type": "server", "iburst": "on", "version": "4"}
    assert (missing["before"], missing["names"]) == (None, [LEAF])
    assert data["waves"] == [{"disruption": "hitless", "devices": [LEAF]}]
    long = "1," * 80
    edit_json(switch_file(drifted), lambda data: data["PORT"]["Ethernet0"].update(lanes=long))
    summary, _ = compare(site.out, drifted, site.folder)
    assert any(group["before"] == long for group in to_data(summary, [], details=False, unmanaged=False)["groups"])
    assert long not in write_text(summary), "a line for people is short"


def test_details_in_every_format(site: Site) -> None:
    deployed = site.edited(lower_mtu, LEAF, SPINE)
    brief, full = (compare(site.out, deployed, site.folder, details=details)[0] for details in (False, True))
    place = "PORT > Ethernet0 > mtu"
    for write in (
        lambda summary, details: write_text(summary, details=details),
        lambda summary, details: markdown.write_markdown(summary, [], details=details).partition("<details>")[
            details * 2
        ],
        lambda summary, details: json.dumps([found.message for found in to_diagnostics(summary, details=details)]),
    ):
        assert (write(brief, False).count(place), write(full, True).count(place)) == (1, 2)
    assert "PORT &gt; Ethernet0 &gt; mtu" in write_junit(full, [], details=True)
    data = to_data(full, [], details=True, unmanaged=False)
    assert [item["device"] for item in data["groups"][0]["details"]] == [LEAF, SPINE]


def test_tiers_choose_devices(site: Site, drifted: Path) -> None:
    for tiers, names in ((("spine",), {SPINE, UNREAD}), (("sp*", "gpu"), {SPINE, UNREAD, "gpu-u001-h01"})):
        summary, _ = compare(QUICKSTART, drifted, site.folder, tiers=tiers)
        assert names <= {verdict.name for verdict in summary.verdicts}
        assert not any(verdict.name.startswith("leaf") for verdict in summary.verdicts)
    for intended, tiers, code in ((QUICKSTART, ("laef",), "FG-OUT-021"), (drifted, ("leaf",), "FG-DIF-028")):
        bag = Bag()
        assert diff(str(intended), str(drifted), DiffOptions(site.folder, causes=False, tiers=tiers), bag) is None
        assert {found.code for found in bag} - STANDING == {code}


def test_an_inventory_that_the_base_does_not_have_is_added(tmp_path: Path) -> None:
    copy_inventory("quickstart", tmp_path / "inventory")
    names = ["-c", "user.name=x", "-c", "user.email=x@x"]
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run(["git", "-C", str(tmp_path), *names, *words], check=True)
    summary, bag = compare("inventory", "HEAD:inventory", tmp_path)
    assert [found.code for found in bag if found.code not in STANDING] == ["FG-DIF-004"]
    assert not bag.has_errors
    assert conclusion(summary) == "0 changes on 0 of 14 devices, 14 devices added"
    assert "HEAD has no inventory: every device is added" in markdown.write_markdown(summary, list(bag))
    for side, other in (("HEAD:nowhere", "inventory"), ("inventory", "NONE:inventory")):
        bag = Bag()
        assert diff(side, other, DiffOptions(tmp_path, causes=False), bag) is None
        assert {found.code for found in bag} - STANDING == {"FG-DIF-002"}


def test_a_comment_too_long_is_cut_at_a_line(site: Site, drifted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary, bag = compare(site.out, drifted, site.folder, details=True)
    whole = markdown.write_markdown(summary, list(bag), details=True)
    monkeypatch.setattr(markdown, "SIZE_MAX", len(whole) // 2)
    short = markdown.write_markdown(summary, list(bag), details=True)
    assert len(short) < len(whole) * 0.6 + 100
    assert "lines do not fit into a comment; `fabricgen diff` prints them" in short.splitlines()[-1]
    assert short.count("<details>") == short.count("</details>")
    assert CONFIG_DB in short
