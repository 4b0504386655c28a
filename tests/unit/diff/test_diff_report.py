"""Reports of a comparison: for people, pull requests and programs, and the exit code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from diff_site import CONFIG_DB, FRR, LEAF, QUICKSTART, SPINE, Site, edit_json, lower_mtu, switch_file

from fabricgen.diagnostics import Diagnostic
from fabricgen.diff.report import to_diagnostics
from tests.acceptance.run import STANDING, run

EDITS = {
    "FG-DIF-101": lower_mtu,
    "FG-DIF-103": lambda data: data["PORT"]["Ethernet0"].update(fec="none"),
    "FG-DIF-104": lambda data: data["BUFFER_POOL"]["egress_lossless_pool"].update(size="1"),
    "FG-DIF-107": lambda data: data["MGMT_PORT"]["eth0"].update(admin_status="down"),
    "FG-DIF-105": lambda data: data["DEVICE_METADATA"]["localhost"].update(hwsku="Other"),
}


@pytest.mark.parametrize("code", EDITS)
def test_a_difference_has_the_code_of_its_disruption(site: Site, code: str) -> None:
    deployed = site.edited(EDITS[code])
    assert [found.code for found in diagnostics(site, deployed)] == [code]


def test_sessions_that_reset_and_devices_that_come_have_codes(site: Site) -> None:
    deployed = site.copy()
    file = switch_file(deployed, path=FRR)
    file.write_text(file.read_text().replace("10.0.0.4 remote-as 4200000000", "10.0.0.4 remote-as 65001"))
    more = deployed / "switches" / "leaf-u077-r0" / CONFIG_DB
    more.parent.mkdir(parents=True)
    more.write_bytes(switch_file(deployed).read_bytes())
    done = run("diff", str(site.out), str(deployed), "--format", "json").exits(3)
    data = json.loads(done.stdout)
    assert [group["disruption"] for group in data["groups"]] == ["session reset"]
    assert data["devices"]["removed"] == ["leaf-u077-r0"]
    codes = {result["ruleId"] for result in sarif(site, deployed)}
    assert codes - STANDING == {"FG-DIF-102", "FG-DIF-106", "FG-DIF-024"}
    assert {found.code for found in diagnostics(site, deployed)} == {"FG-DIF-102", "FG-DIF-106"}


def diagnostics(site: Site, deployed: Path) -> list[Diagnostic]:
    return to_diagnostics(site.diff(site.out, deployed)[0])


def sarif(site: Site, deployed: Path) -> list[dict[str, str]]:
    done = run("diff", str(site.out), str(deployed), "--format", "sarif")
    return json.loads(done.stdout)["runs"][0]["results"]


def test_exit_codes(site: Site) -> None:
    deployed = site.copy()
    clean = run("diff", str(QUICKSTART), str(deployed))
    assert (clean.returncode, clean.stdout) == (0, "no difference on 14 devices\n")
    edit_json(switch_file(deployed), EDITS["FG-DIF-101"])
    run("diff", str(QUICKSTART), str(deployed)).exits(3)
    switch_file(deployed, SPINE).write_text("{")
    broken = run("diff", str(QUICKSTART), str(deployed)).exits(1)
    assert "FG-DIF-021" in broken.stderr
    assert "port MTU" in broken.stdout
    assert "1 device could not be compared" in broken.stdout


def test_a_difference_names_the_line_of_the_intent_that_decides_it(site: Site) -> None:
    deployed = site.edited(lambda data: data["PORT"]["Ethernet0"].update(speed="100000"))
    done = run("diff", str(QUICKSTART), str(deployed))
    lines = (QUICKSTART / "fabric.yaml").read_text().splitlines()
    number = next(index for index, line in enumerate(lines, 1) if "host-leaf: {speed" in line)
    assert "port speed different: 100,000 → 400,000 Mb/s on 1 port of 1 leaf" in done.stdout
    assert f"decided by links.host-leaf.speed  inventories/quickstart/fabric.yaml:{number}:" in done.stdout


def test_extra_rows_say_that_nothing_in_the_intent_wants_them(site: Site) -> None:
    deployed = site.edited(lambda data: data.update(NTP_SERVER={"192.0.2.1": {}}))
    done = run("diff", str(QUICKSTART), str(deployed))
    assert "NTP server unexpected" in done.stdout
    assert "no key of the intent: only the deployed side has it" in done.stdout


@pytest.mark.parametrize("form", ["text", "markdown", "sarif"])
def test_what_cuts_sessions_at_one_end_alone_asks_for_both_ends_in_one_wave(site: Site, form: str) -> None:
    deployed = site.copy()
    for name in (LEAF, SPINE):
        file = switch_file(deployed, name, path=FRR)
        file.write_text(re.sub(r" neighbor \w+ ttl-security .*\n", "", file.read_text()))
    done = run("diff", str(site.out), str(deployed), "--format", form).exits(3)
    assert "both ends of each session in one wave" in done.stdout
    data = json.loads(run("diff", str(site.out), str(deployed), "--format", "json").stdout)
    assert {(g["title"], g["disruption"], g["both_ends"]) for g in data["groups"]} == {("GTSM", "session reset", True)}
