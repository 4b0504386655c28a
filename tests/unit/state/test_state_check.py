"""``fabricgen check`` over collections of a whole fabric: clean, spoiled, damaged, and two of them."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from xml.etree import ElementTree

import pytest

from fabricgen.cli.check import CheckName
from fabricgen.collect.readings import COLLECTION, RECORD, state_folder
from fabricgen.platforms.manifest.readings import ABSENT
from fabricgen.platforms.ubuntu import Ubuntu
from fabricgen.state.findings import CHECKS, StateFinding, judged
from fabricgen.state.report import DeviceReport, list_groups, to_diagnostics
from tests.acceptance.run import INVENTORIES
from tests.command_line import Done, run_here
from tests.unit.lab.fabrics import plan_of
from tests.unit.state.bench import Bench
from tests.unit.state.collected import all_benches, platforms_of, write_collection

INVENTORY = INVENTORIES / "quickstart"
LEAF = "leaf-u001-r0"


class Site:
    """A fabric whose devices a test spoils before they are collected."""

    def __init__(self, folder: Path) -> None:
        plan = plan_of("quickstart")
        self.folder, self.platforms = folder, platforms_of(plan)
        self.benches: dict[str, Bench] = deepcopy(all_benches(plan))

    def collect(self, name: str, when: str = "2026-01-02T00:00:00Z") -> Path:
        return write_collection(self.folder / name, self.benches, self.platforms, when)

    def answer(self, root: Path, device: str, state: str) -> Path:
        (file,) = state_folder(root, "switches", device).glob(f"{state}.*")
        return file


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def check(*words: str | Path) -> Done:
    return run_here("check", INVENTORY, *words)


def data_of(done: Done) -> list[dict[str, object]]:
    """Findings of every device, from JSON."""
    devices = json.loads(done.stdout)["devices"]
    return [
        {"device": device["device"], "check": made["check"], **finding}
        for device in devices
        for made in device["checks"]
        for finding in made["findings"]
    ]


def test_healthy_fabric_is_clean(site: Site) -> None:
    root = site.collect("now")
    done = check(root, "--format", "json").exits(0)
    assert data_of(done) == []
    made = json.loads(done.stdout)
    assert made["clean"]
    assert len(made["devices"]) == 14
    checks = {row["check"]: row for row in made["checks"]}
    assert checks["sessions"]["examined"] == 2 * 64
    assert checks["cables"]["examined"] == 2 * (64 + 64)
    assert checks["next hops"]["devices"] == 6


def test_swapped_cables_are_told_in_one_sentence_at_each_of_their_ports(site: Site) -> None:
    leaf, host = site.benches[LEAF].neighbors, site.benches["gpu-u001-h01"].neighbors
    leaf["Ethernet0"], leaf["Ethernet4"] = leaf["Ethernet4"], leaf["Ethernet0"]
    host["rail0"], host["rail1"] = host["rail1"], host["rail0"]
    found = data_of(check(site.collect("now"), "--format", "json").exits(3))
    assert len(found) == 4
    assert {each["about"] for each in found} == {f"swap the cables at {LEAF} ports 1/1 and 1/2"}


def test_same_mistake_on_many_ports_is_one_line(site: Site) -> None:
    for bench in site.benches.values():
        for port in bench.watchdogs.values():
            port[0] = "N/A"
    root = site.collect("now")
    table = check(root).stdout
    assert table.count("watchdog off") == 1
    assert "192" in next(line for line in table.splitlines() if "watchdog off" in line)
    assert "192 findings on 6 of 14 devices" in table
    github = check(root, "--format", "github")
    assert github.stdout.count("::warning") == 1
    assert "FG-STA-110" in github.stdout


def test_counters_are_compared_with_an_earlier_collection(site: Site) -> None:
    before = site.collect("before", "2026-01-01T00:00:00Z")
    site.benches[LEAF].errors["Ethernet8"] += 7
    site.benches["spine-02"].errors["Ethernet16"] = 0
    now = site.collect("now")
    check(now).exits(0)
    done = check(now, "--since", before, "--format", "json").exits(3)
    found = {(each["device"], each["at"]): each for each in data_of(done)}
    assert found.keys() == {(LEAF, "Ethernet8"), ("spine-02", "Ethernet16")}
    assert found[LEAF, "Ethernet8"]["about"] == "7 more"
    assert "restarted" in str(found["spine-02", "Ethernet16"]["actual"])


def test_earlier_collection_that_did_not_ask_for_something_is_no_error(site: Site) -> None:
    before = site.collect("before", "2026-01-01T00:00:00Z")
    for record in before.glob("state/*/*/record.json"):
        data = json.loads(record.read_text())
        data["answers"] = [answer for answer in data["answers"] if answer["name"] not in ("fec", "optics")]
        record.write_text(json.dumps(data))
    done = check(site.collect("now"), "--since", before, "--format", "json").exits(0)
    because = {row["check"]: row["because"] for row in json.loads(done.stdout)["checks"]}
    assert because["fec"] == "needs a second collection (14)"
    assert (because["errors"], because["optics"]) == ("", "")


def test_collections_in_the_wrong_order_are_an_error(site: Site) -> None:
    before, now = site.collect("before", "2026-01-01T00:00:00Z"), site.collect("now")
    done = check(before, "--since", now, "--only", LEAF).exits(1)
    assert "FG-STA-002" in done.stderr


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-20])


def flood(file: Path) -> None:
    with file.open("wb") as stream:
        stream.truncate(17 * 1024 * 1024)


def escape(file: Path) -> None:
    file.write_bytes(b"\x1b]0;owned\x07" + file.read_bytes())


def lead_away(file: Path) -> None:
    file.unlink()
    file.symlink_to("/etc/hostname")


def block(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


@pytest.mark.parametrize("damage", [cut, flood, escape, lead_away, block])
def test_damaged_answer_costs_its_checks_and_nothing_else(site: Site, damage: Callable[[Path], None]) -> None:
    site.benches["spine-01"].watchdogs["Ethernet0"][0] = "N/A"
    root = site.collect("now")
    damage(site.answer(root, LEAF, "sessions"))
    done = check(root, "--format", "json").exits(1)
    assert done.stderr.count("FG-STA-012") == 1
    assert "\x1b]" not in done.stderr
    assert [(each["device"], each["check"]) for each in data_of(done)] == [("spine-01", "watchdog")]
    (leaf,) = (device for device in json.loads(done.stdout)["devices"] if device["device"] == LEAF)
    outcomes = {each["check"]: each["outcome"] for each in leaf["checks"]}
    assert outcomes.pop("sessions") == outcomes.pop("prefixes") == "unreadable"
    assert outcomes["cables"] == "as expected"


def test_device_without_answers_is_an_error_by_tier(site: Site) -> None:
    root = site.collect("now")
    for name in ("leaf-u001-r0", "leaf-u001-r4"):
        (state_folder(root, "switches", name) / RECORD).unlink()
    site.answer(root, "spine-01", "lldp").unlink()
    done = check(root).exits(1)
    assert "leaf-u001-r0 and 1 more of tier or host group leaf" in done.stderr
    assert done.stderr.count("FG-DIF-020") == 1


def test_command_that_failed_is_told_with_its_status(site: Site) -> None:
    root = site.collect("now")
    amend(root, LEAF, "lldp", status=127, file="")
    done = check(root, "--only", LEAF).exits(1)
    assert "FG-STA-011" in done.stderr
    assert "show lldp ended with status 127" in done.stderr


def test_no_collection_and_strangers(site: Site, tmp_path: Path) -> None:
    assert "FG-STA-001" in check(tmp_path / "nowhere").stderr
    site.benches["toaster"] = site.benches.pop("spine-01")
    site.platforms["toaster"] = "sonic"
    done = check(site.collect("now"))
    assert "not in the plan: toaster" in done.stderr
    assert "FG-DIF-024" in done.stderr
    (tmp_path / "now" / COLLECTION).unlink()
    check(tmp_path / "now").exits(1)


def test_what_no_reader_covers_is_said_once(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    readers = {name: read for name, read in Ubuntu().state_readers().items() if name != "optics"}
    monkeypatch.setattr(Ubuntu, "state_readers", lambda _: readers)
    done = check(site.collect("now"), "--only", "gpu-*").exits(0)
    assert done.stderr.count("FG-STA-020") == 1
    assert "optics" in done.stderr


DUMP = json.dumps({"PORT": {"Ethernet0": {"mtu": "9216"}}, "DEVICE_METADATA": {"localhost": {"type": "LeafRouter"}}})


@pytest.mark.parametrize("content", ["{}", DUMP, "one port left out"])
def test_counters_that_are_not_there_are_no_pass_in_any_format(site: Site, content: str) -> None:
    """Counters that are not polled, an answer of another command, a port that has just come: the check is not clean."""
    before = site.collect("before", "2026-01-01T00:00:00Z")
    root = site.collect("now")
    file = site.answer(root, LEAF, "queues")
    if content == "one port left out":
        whole = json.loads(file.read_text())
        del whole[next(iter(whole))]
        content = json.dumps(whole)
    file.write_text(content)
    amend(root, LEAF, "queues", size_bytes=len(content))
    words = (root, "--since", before, "--only", LEAF, "--check", "drops")
    data = check(*words, "--format", "json")
    assert (data.returncode, json.loads(data.stdout)["clean"]) == (1, False)
    suite = ElementTree.fromstring(check(*words, "--format", "junit").stdout)[0]
    assert suite.get("failures") != "0"
    assert "drops" in check(*words, "--format", "csv").stdout
    code = "FG-STA-012" if content in ("{}", DUMP) else "FG-STA-014"
    assert code in json.loads(check(*words, "--format", "sarif").stdout)["runs"][0]["results"][0]["ruleId"]


def test_sessions_of_another_program_are_no_missing_sessions(site: Site) -> None:
    root = site.collect("now")
    site.answer(root, LEAF, "sessions").write_text(DUMP)
    amend(root, LEAF, "sessions", size_bytes=len(DUMP))
    done = check(root, "--only", LEAF)
    assert (done.returncode, done.stderr.count("FG-STA-012")) == (1, 1)
    assert "not configured" not in done.stdout


def test_file_that_is_not_the_collected_one_is_not_read(site: Site) -> None:
    """Cut, or swapped for that of another device: the record has size and digest of what was collected."""
    root = site.collect("now")
    file, other = (site.answer(root, name, "queues") for name in (LEAF, "leaf-u001-r4"))
    amend(root, LEAF, "queues", sha256=sha256(file.read_bytes()).hexdigest())
    check(root, "--only", LEAF).exits(0)
    file.write_bytes(other.read_bytes().replace(b'"droppacket": "1"', b'"droppacket": "7"'))
    done = check(root, "--only", LEAF)
    assert (done.returncode, "it is not the file that was collected" in done.stderr) == (1, True)
    cut(file)
    assert "collected were" in check(root, "--only", LEAF).stderr


@pytest.mark.parametrize("content", ["{}", "[" * 5000])
def test_spoiled_record_is_a_device_that_was_not_collected(site: Site, content: str) -> None:
    root = site.collect("now")
    (state_folder(root, "switches", LEAF) / RECORD).write_text(content)
    done = check(root)
    assert (done.returncode, done.stderr.count("FG-DIF-020")) == (1, 1)
    (root / COLLECTION).write_text(content)
    assert "FG-STA-001" in check(root).stderr


def test_record_of_another_device_is_none(site: Site) -> None:
    root = site.collect("now")
    places = [state_folder(root, "switches", name) / RECORD for name in (LEAF, "spine-01")]
    texts = [place.read_text() for place in places]
    for place, text in zip(places, reversed(texts), strict=True):
        place.write_text(text)
    check(root).exits(1)


def amend(root: Path, device: str, state: str, **changed: object) -> None:
    """Change what the record says of an answer."""
    record = state_folder(root, "switches", device) / RECORD
    data = json.loads(record.read_text())
    for answer in data["answers"]:
        if answer["name"] == state:
            answer.update(changed)
    record.write_text(json.dumps(data))


def lack(root: Path, device: str, state: str) -> None:
    """Let a device answer that it does not have what a command shows."""
    amend(root, device, state, status=ABSENT, file="")


def test_device_that_lacks_what_a_check_looks_at_is_said_and_passes_nothing(site: Site) -> None:
    for bench in site.benches.values():
        bench.marks = {port: ["N/A"] * 8 for port in bench.marks}
    root = site.collect("now")
    for leaf in ("leaf-u001-r0", "leaf-u001-r4", "leaf-u002-r0", "leaf-u002-r4"):
        lack(root, leaf, "optics")
    done = check(root, "--only", "leaf-*", "--format", "json").exits(0)
    assert done.stderr.count("FG-STA-021") == 1
    assert "optics on 4 devices, ecn on 4 devices" in done.stderr
    outcomes = {row["check"]: row for row in json.loads(done.stdout)["checks"]}
    assert outcomes["ecn"]["because"] == "the device has none (4)"
    assert (outcomes["optics"]["as expected"], outcomes["optics"]["not judged"]) == (0, 4)


def test_what_a_device_like_it_has_is_not_lacking(site: Site) -> None:
    """The same platform, release and board show it on three other leafs."""
    root = site.collect("now")
    lack(root, LEAF, "optics")
    done = check(root, "--only", "leaf-*", "--format", "json")
    done.exits(1)
    assert "FG-STA-021" not in done.stderr
    assert done.stderr.count("FG-STA-014") == 1
    assert "of the same platform, release and board has it" in done.stderr


def test_one_check_is_made_alone(site: Site) -> None:
    site.benches[LEAF].watchdogs["Ethernet0"][0] = "N/A"
    root = site.collect("now")
    cut(site.answer(root, LEAF, "sessions"))
    done = check(root, "--check", "cables", "--check", "next-hops", "--format", "json")
    done.exits(0)  # what other checks need is not looked at
    assert [row["check"] for row in json.loads(done.stdout)["checks"]] == ["next hops", "cables"]
    assert {each.value.replace("-", " ") for each in CheckName} == set(CHECKS)
    check(root, "--check", "spelling").exits(2)


def test_each_check_has_a_code_of_its_own() -> None:
    found = StateFinding("Ethernet0", "as planned", "something else", "to spine-01")
    results = tuple(judged(check, 1, [found]) for check in CHECKS)
    told = to_diagnostics(list_groups([DeviceReport(LEAF, "switches", "leaf", "sonic", results)]))
    assert sorted(each.code for each in told) == [f"FG-STA-{number}" for number in range(101, 118)]
    assert all(each.message.startswith(f"{LEAF} Ethernet0: expected") for each in told)


def test_formats_hold_the_same_findings(site: Site) -> None:
    site.benches[LEAF].ports["Ethernet0"][0] = False
    root = site.collect("now")
    rows = [row for row in csv.DictReader(io.StringIO(check(root, "--format", "csv").stdout)) if row["expected"]]
    assert [(r["device"], r["at"], r["expected"], r["actual"]) for r in rows] == [(LEAF, "Ethernet0", "up", "down")]
    suite = ElementTree.fromstring(check(root, "--format", "junit").stdout)[0]
    failed = [(case.get("classname"), case.get("name")) for case in suite if case.find("failure") is not None]
    assert failed == [(LEAF, "ports")]
    assert suite.get("failures") == "1"
    sarif = json.loads(check(root, "--format", "sarif").stdout)
    assert "FG-STA-106" in {result["ruleId"] for result in sarif["runs"][0]["results"]}


def test_what_was_not_judged_is_not_clean_in_any_format(site: Site) -> None:
    """A pipeline that reads the report alone does not take an error for a pass."""
    root = site.collect("now")
    for damage in (lambda: (state_folder(root, "switches", LEAF) / RECORD).unlink(), (root / "collection.json").unlink):
        damage()
        data = json.loads(check(root, "--format", "json").stdout)
        assert data["clean"] is False
        assert any(each["severity"] == "error" for each in data["diagnostics"])
        suite = ElementTree.fromstring(check(root, "--format", "junit").stdout)[0]
        assert suite.get("failures") != "0"
        assert suite.get("tests") == str(len(suite))
