"""``fabricgen collect`` against real HTTPS servers: switches with eAPI and NVUE, of which some are hostile."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from fabricgen.api import compile_inventory
from fabricgen.collect.readings import read_record
from fabricgen.collect.target import CollectTarget
from fabricgen.collect.targets import DeviceAccess, list_targets
from fabricgen.compiler.compile import Compiled
from fabricgen.diagnostics import Bag
from tests.acceptance.run import INVENTORIES, read_tree, render_here, run
from tests.emulated.https_fleet import VARIABLE, emulate_api, serve_api
from tests.emulated.https_switch import LOGIN, Answer
from tests.emulated_devices import emulate, serve_fleet
from tests.unit.state.answers import NVUE, WRITERS
from tests.unit.state.collected import all_benches

CONFIG = "show running-config"
MIB = 1024 * 1024
QUICKSTART = INVENTORIES / "quickstart"
SECRET = {VARIABLE: LOGIN[1]}


def compiled_with(inventory: Path, *overlays: str) -> Compiled:
    found = compile_inventory(inventory, overlays, Bag())
    assert found is not None
    return found


def targets_of(compiled: Compiled, way: str) -> list[CollectTarget]:
    assert compiled.plan is not None
    assert compiled.platforms is not None
    return list_targets(compiled.plan, compiled.platforms, None, DeviceAccess(ways={way: 0}), Bag())


def diagnose(text: str) -> list[str]:
    """Return the codes of the errors that a run printed."""
    return [line.partition("[")[2].partition("]")[0] for line in text.splitlines() if line.startswith("error[")]


def only(names: Sequence[str]) -> list[str]:
    return [word for name in names for word in ("--only", name)]


@pytest.mark.nightly
def test_61_of_64_switches_are_collected_and_three_hostile_ones_are_named(tmp_path: Path) -> None:
    inventory, tree, out = INVENTORIES / "hpn7-pod", tmp_path / "tree", tmp_path / "collected"
    targets = [target for target in targets_of(compiled_with(inventory), "eapi") if target.via == "eapi"][-64:]
    names = [target.name for target in targets]
    run("render", inventory, "-o", tree, *only(names)).exits(0)
    switches = {target.name: emulate_api(target, tree) for target in targets}
    hang, changed, flood = names[:3]
    switches[hang].answers[CONFIG] = Answer(b"{", hangs=True)
    switches[changed].pinned = "ab" * 32
    switches[flood].answers[CONFIG] = Answer(b"{", flood_bytes=100 * MIB)
    with serve_api(list(switches.values()), tmp_path) as fleet:
        words = ("--via", "eapi", *fleet.options, *only(names), "--timeout", "180", "--format", "json")
        done = run("collect", inventory, "-o", out, *words, env=SECRET)
    done.exits(1)
    assert sorted(diagnose(done.stderr)) == ["FG-COL-012", "FG-COL-014", "FG-COL-023"], done.stderr
    assert "61 of 64 devices collected" in done.stderr
    rows = {row["device"]: row for row in json.loads(done.stdout)}
    assert {name for name, row in rows.items() if row["result"] != "collected"} == {hang, changed, flood}
    assert {row["via"] for row in rows.values()} == {"eapi"}
    assert LOGIN[1] not in done.stdout + done.stderr
    assert LOGIN[1].encode() not in b"".join(read_tree(out).values())
    good = [name for name in names if name not in (hang, changed, flood)]
    compared = run("diff", inventory, out, *only(good))
    assert (compared.returncode, compared.stdout.strip()) == (0, "no difference on 61 devices"), compared.stderr


@pytest.mark.nightly
def test_switches_by_nvue_and_hosts_by_ssh_in_one_run(tmp_path: Path) -> None:
    tree, out = tmp_path / "tree", tmp_path / "out"
    assert render_here(QUICKSTART, tree, overlays=["nvue"]) == []
    compiled = compiled_with(QUICKSTART, "nvue")
    assert compiled.plan is not None
    targets, benches = targets_of(compiled, "nvue"), all_benches(compiled.plan)
    port = next(iter(benches["spine-01"].neighbors))
    benches["spine-01"].neighbors[port] = ("leaf-99", port)
    switches = []
    for target in targets:
        if target.via == "nvue":
            switch = emulate_api(target, tree)
            read = {each.command: NVUE[each.state] for each in target.readings if each.state in NVUE}
            assert len(read) == len(NVUE)
            switch.answers |= {command: Answer(write(benches[target.name]).encode()) for command, write in read.items()}
            switches.append(switch)
    hosts = [emulate(target, tree) for target in targets if target.via == "ssh"]
    assert (len(switches), len(hosts)) == (6, 8)
    with serve_api(switches, tmp_path) as fleet, serve_fleet(hosts, tmp_path) as others:
        words = (*others.options, *fleet.options)
        done = run("collect", QUICKSTART, "-o", out, "--overlay", "nvue", "--redact", *words, env=SECRET)
    done.exits(0)
    compared = run("diff", QUICKSTART, out, "--overlay", "nvue")
    assert (compared.returncode, compared.stdout.strip()) == (0, "no difference on 14 devices"), compared.stderr
    words = [f"--check={name}" for name in ("sessions", "prefixes", "cables", "software")]
    switches_alone = ("--only", "leaf*", "--only", "spine*", "--format", "json")
    checked = run("check", QUICKSTART, out, "--overlay", "nvue", *words, *switches_alone).exits(3)
    devices = json.loads(checked.stdout)["devices"]
    found = [(each["device"], row["check"]) for each in devices for row in each["checks"] if row["findings"]]
    assert found == [("spine-01", "cables")]


def test_states_by_eapi_are_judged_as_those_by_ssh(tmp_path: Path) -> None:
    tree, out = tmp_path / "tree", tmp_path / "out"
    assert render_here(QUICKSTART, tree, overlays=["eos"]) == []
    compiled = compiled_with(QUICKSTART, "eos")
    assert compiled.plan is not None
    targets = [target for target in targets_of(compiled, "eapi") if target.via == "eapi"]
    benches = all_benches(compiled.plan)
    switches = {target.name: emulate_api(target, tree) for target in targets}
    for target in targets:
        for reading in target.readings:
            if write := WRITERS["eos"].get(reading.state):
                switches[target.name].answers[reading.command] = Answer(write(benches[target.name]).encode())
    with serve_api(list(switches.values()), tmp_path) as fleet:
        words = ("--overlay", "eos", *fleet.options, *only(list(switches)))
        done = run("collect", QUICKSTART, "-o", out, *words, env=SECRET)
    done.exits(0)
    run("check", QUICKSTART, out, "--overlay", "eos", "--only", "leaf*", "--only", "spine*").exits(0)
    record = read_record(out, "switches", targets[0].name)
    assert record is not None
    assert (record.via, len(record.answers)) == ("eapi", len(targets[0].readings))


SECRETS = ("s3cr3t-community", "enable-zzz", "aB3kX9mQ2z")


def test_no_secret_is_left_where_redaction_is_asked_for(tmp_path: Path) -> None:
    tree, out = tmp_path / "tree", tmp_path / "out"
    assert render_here(QUICKSTART, tree, overlays=["eos"]) == []
    target = targets_of(compiled_with(QUICKSTART, "eos"), "eapi")[0]
    switch = emulate_api(target, tree)
    lines = [f"snmp-server community {SECRETS[0]} ro", f"enable password 7 {SECRETS[1]}", f"something new {SECRETS[2]}"]
    switch.answers[CONFIG] = Answer("\n".join([*lines, switch.answers[CONFIG].body.decode()]).encode())
    with serve_api([switch], tmp_path) as fleet:
        words = ("--overlay", "eos", *fleet.options, "--only", target.name, "--redact")
        done = run("collect", QUICKSTART, "-o", out, *words, env=SECRET)
    done.exits(0)
    assert not [secret for secret in SECRETS if secret.encode() in b"".join(read_tree(out).values())]


@pytest.mark.parametrize(
    ("words", "status", "found"),
    [
        (["--via", "gnmi"], 2, "does not give frr.conf"),
        (["--via", "telnet"], 2, "is none of ssh, eapi, nvue"),
        (["--via", "eapi:0"], 2, "is none of ssh, eapi, nvue"),
        (["--via", "eapi"], 1, "FG-COL-008"),
        (["--address", "leaf-u001-r0=nvue://10.0.0.1"], 1, "FG-COL-008"),
        (["--address", "leaf-u001-r0=gopher://10.0.0.1"], 1, "FG-COL-005"),
    ],
)
def test_ways_that_there_are_not_are_refused(words: list[str], status: int, found: str) -> None:
    done = run("collect", QUICKSTART, "--list", *words).exits(status)
    assert found in done.stderr


def test_requests_are_listed_without_a_connection() -> None:
    words = ("--overlay", "nvue", "--list", "--via", "nvue:8888", "--format", "json")
    rows = json.loads(run("collect", QUICKSTART, *words).stdout)
    switch = [row for row in rows if row["device"] == "leaf-u001-r0"]
    assert [row["command"].partition("?include=")[0] for row in switch] == [
        "GET /nvue_v1/?rev=applied&filled=false", "GET /nvue_v1/?rev=startup&filled=false",
        "GET /nvue_v1/vrf/default/router/bgp/neighbor", *["GET /nvue_v1/interface"] * 3, "GET /nvue_v1/system",
    ]  # fmt: skip
    assert {row["via"] for row in rows} == {"nvue", "ssh"}
    assert switch[0]["address"].endswith(":8888")
