"""The next reboot's configuration against the running one: one finding, its settings counted and its secrets hidden."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.diff.saved import Saved
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.manifest.load import load_all
from fabricgen.platforms.reading.reader import ReadFault
from tests.acceptance.run import INVENTORIES
from tests.command_line import run_here
from tests.unit.lab.fabrics import plan_of
from tests.unit.state.bench import healthy
from tests.unit.state.collected import OUTPUTS, platforms_of, write_collection

SAVED = Saved(load_all("switch", Bag(), [template_root()]), Bag())
SECRET = "Qx7hT3mBs9"
LEAF = "leaf-u001-r0"
NVUE = "- set:\n    system:\n      aaa:\n        user:\n          cumulus: {{hashed-password: '{}'}}\n"
EDITS = {
    ("sonic", "etc/sonic/config_db.json"): [
        ("9100", "9216", "sets otherwise 1 setting: PORT > Ethernet0 > mtu 9216 → 9100"),
        ('"9100"', '"9100", "admin_status": "up"', "takes away 1 setting: PORT > Ethernet0 > admin_status up"),
    ],
    ("sonic", "etc/sonic/frr/frr.conf"): [
        ("exit", " timers bgp 1 3\nexit", "takes away 1 setting: router bgp > timers bgp")
    ],
    ("frr", "etc/frr/frr.conf"): [
        (" neighbor 192.0.2.1 remote-as 65002\n", "", "brings 2 settings: router bgp > address-family ipv4"),
        ("router", "interface swp1\n description by hand\nexit\nrouter", "takes away 1 setting: interface swp1"),
        ("exit", " no bgp fast-external-failover\nexit", "takes away 1 setting: router bgp > bgp fast-external-fai"),
        ("exit", f" neighbor 192.0.2.1 password {SECRET}\nexit", "takes away 1 setting: router bgp > neighbor 192.0.2"),
        ("frr version 8.5", "frr version 8.5.4", ""),
    ],
    ("eos", "mnt/flash/startup-config"): [
        ("   mtu 9214\n", "   mtu 9214\n   shutdown\n", "takes away 1 setting: interface Ethernet1/1 > shutdown"),
        ("alias wr write\n", "", "brings 1 setting: alias wr"),
        ("alias", f"enable password {SECRET}\nalias", "takes away 1 setting: enable password (not shown)"),
        ("interface", "spanning-tree mode mstp\nno aaa root\ninterface", ""),
    ],
    ("cumulus_nvue", "etc/nvue.d/startup.yaml"): [
        ("leaf", "spine", "sets otherwise 1 setting: system > hostname spine → leaf"),
        ("- set:", "- header: {version: Cumulus Linux 5.14.0}\n- set:", ""),
    ],
}
"""Changes on a running switch that were not saved, and the words about the next reboot."""


@pytest.mark.parametrize(
    ("platform", "path", "old", "new", "words"), [(*key, *edit) for key, edits in EDITS.items() for edit in edits]
)
def test_what_was_not_saved_is_named(platform: str, path: str, old: str, new: str, words: str) -> None:
    saved = OUTPUTS[platform][path]
    assert old in saved
    found = SAVED.compare(platform, path, saved.replace(old, new, 1).encode(), saved.encode())
    assert found.at == path
    assert found.value.startswith(words) if words else found.value == "changes nothing"
    assert SECRET not in found.value


def test_a_masked_password_says_nothing_of_the_saved_one() -> None:
    path = "etc/nvue.d/startup.yaml"
    runs, saved = NVUE.format("*").encode(), NVUE.format(f"$6${SECRET}").encode()
    assert SAVED.compare("cumulus_nvue", path, runs, saved).value == "changes nothing"
    other = SAVED.compare("cumulus_nvue", path, NVUE.format("$6$other").encode(), saved).value
    assert other.startswith("sets otherwise 1 setting: system > aaa > user > cumulus > hashed-password")
    assert SECRET not in other


def test_many_settings_are_counted_and_the_first_are_named() -> None:
    path, lines = "etc/frr/frr.conf", "".join(f"ip route 192.0.2.{number}/32 blackhole\n" for number in range(9))
    runs = OUTPUTS["frr"][path].replace("end\n", f"{lines}end\n").encode()
    found = SAVED.compare("frr", path, runs, OUTPUTS["frr"][path].encode()).value
    assert found.startswith("takes away 9 settings: ")
    assert found.endswith("; and 6 more")
    assert SAVED.compare("frr", path, runs, None).value == f"loads nothing: there is no {path}"


@pytest.mark.parametrize("text", [b"\xff", b'{"PORT": ', b"[]"])
def test_what_cannot_be_read_is_no_pass(text: bytes) -> None:
    path = "etc/sonic/config_db.json"
    with pytest.raises(ReadFault):
        SAVED.compare("sonic", path, OUTPUTS["sonic"][path].encode(), text)


def test_check_has_one_line_for_a_switch_and_none_for_the_others(tmp_path: Path) -> None:
    plan = plan_of("quickstart")
    names = (LEAF, "leaf-u001-r4", "spine-01", "spine-02")
    benches = {name: deepcopy(healthy(plan, name)) for name in names}
    benches[LEAF].saved = {"etc/sonic/config_db.json": '{"PORT": {"Ethernet0": {"mtu": "1500"}}}'}
    benches["leaf-u001-r4"].saved = {**benches[LEAF].saved, "etc/sonic/frr/frr.conf": None}
    benches["spine-01"].saved = {"etc/sonic/frr/frr.conf": None}
    benches["spine-02"].saved = {"etc/sonic/frr/frr.conf": "\0"}
    root = write_collection(tmp_path / "now", benches, platforms_of(plan))
    only = (word for name in names for word in ("--only", name))
    done = run_here("check", INVENTORIES / "quickstart", root, "--check", "saved", *only, "--format", "json").exits(1)
    found = {
        device["device"]: (made["outcome"], [finding["actual"] for finding in made["findings"]])
        for device in json.loads(done.stdout)["devices"]
        for made in device["checks"]
        if made["outcome"] != "as expected"
    }
    absent = "etc/sonic/frr/frr.conf: loads nothing: there is no etc/sonic/frr/frr.conf"
    changed = "next reboot sets otherwise 1 setting: PORT > Ethernet0 > mtu 9100 → 1500"
    both = f"{changed.replace('sets', 'etc/sonic/config_db.json: sets')}; {absent}"
    assert found == {
        LEAF: ("differs", [f"the {changed}"]),
        "leaf-u001-r4": ("differs", [f"the {both}"]),
        "spine-01": ("differs", ["the next reboot loads nothing: there is no etc/sonic/frr/frr.conf"]),
        "spine-02": ("unreadable", []),
    }
    assert "FG-STA-012" in done.stderr
