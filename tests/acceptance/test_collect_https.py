"""``fabricgen collect`` against real HTTPS servers: switches with eAPI and NVUE."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from fabricgen.collect.readings import read_record
from fabricgen.collect.target import CollectTarget, spell_command
from fabricgen.collect.targets import DeviceAccess, list_targets
from fabricgen.compiler.compile import Compiled
from fabricgen.diagnostics import Bag
from tests.acceptance.run import INVENTORIES, read_tree, render_here, run
from tests.emulated.https_fleet import VARIABLE, emulate_api, serve_api
from tests.emulated.https_switch import LOGIN, Answer
from tests.emulated_devices import Reply, emulate, serve_fleet
from tests.unit.lab.fabrics import compiled
from tests.unit.state.answers import NVUE, WRITERS
from tests.unit.state.collected import all_benches

QUICKSTART = INVENTORIES / "quickstart"
SECRET = {VARIABLE: LOGIN[1]}


def targets_of(made: Compiled, way: str) -> list[CollectTarget]:
    return list_targets(made.plan, made.platforms, None, DeviceAccess(ways={way: 0}), Bag())


def only(names: Sequence[str]) -> list[str]:
    return [word for name in names for word in ("--only", name)]


@pytest.mark.nightly
def test_switches_by_nvue_and_hosts_by_ssh_in_one_run(tmp_path: Path) -> None:
    tree, out = tmp_path / "tree", tmp_path / "out"
    assert render_here(QUICKSTART, tree, overlays=["nvue"]) == []
    made = compiled("quickstart", "nvue")
    targets, benches = targets_of(made, "nvue"), all_benches(made.plan)
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
    for target, host in zip([target for target in targets if target.via == "ssh"], hosts, strict=True):
        for reading in target.readings:
            if write := WRITERS["ubuntu"].get(reading.state):
                host.replies[spell_command(reading, sudo=True)] = Reply(write(benches[target.name]).encode())
    assert (len(switches), len(hosts)) == (6, 8)
    with serve_api(switches, tmp_path) as fleet, serve_fleet(hosts, tmp_path) as others:
        words = (*others.options, *fleet.options)
        done = run("collect", QUICKSTART, "-o", out, "--overlay", "nvue", "--redact", *words, env=SECRET)
    done.exits(0)
    compared = run("diff", QUICKSTART, out, "--overlay", "nvue")
    assert (compared.returncode, compared.stdout.strip()) == (0, "no difference on 14 devices"), compared.stderr
    words = [f"--check={name}" for name in ("sessions", "prefixes", "cables", "software", "contract")]
    checked = run("check", QUICKSTART, out, "--overlay", "nvue", *words, "--format", "json").exits(3)
    devices = json.loads(checked.stdout)["devices"]
    found = [(each["device"], row["check"]) for each in devices for row in each["checks"] if row["findings"]]
    assert found == [("spine-01", "cables")]


def test_states_by_eapi_are_judged_as_those_by_ssh(tmp_path: Path) -> None:
    tree, out = tmp_path / "tree", tmp_path / "out"
    assert render_here(QUICKSTART, tree, overlays=["eos"]) == []
    made = compiled("quickstart", "eos")
    targets = [target for target in targets_of(made, "eapi") if target.via == "eapi"]
    benches = all_benches(made.plan)
    switches = {target.name: emulate_api(target, tree) for target in targets}
    for target in targets:
        for reading in target.readings:
            if write := WRITERS["eos"].get(reading.state):
                switches[target.name].answers[reading.command] = Answer(write(benches[target.name]).encode())
    with serve_api(list(switches.values()), tmp_path) as fleet:
        words = ("--overlay", "eos", *fleet.options, *only(list(switches)))
        done = run("collect", QUICKSTART, "-o", out, *words, env=SECRET)
    done.exits(0)
    chosen = ("--overlay", "eos", "--only", "leaf*", "--only", "spine*")
    run("check", QUICKSTART, out, *chosen).exits(0)
    assert run("diff", QUICKSTART, out, *chosen).exits(0).stdout == "no difference on 6 devices\n"
    assert LOGIN[1].encode() not in b"".join(read_tree(out).values())
    record = read_record(out, "switches", targets[0].name)
    assert (record.via, len(record.answers)) == ("eapi", len(targets[0].readings))


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
    assert found in run("collect", QUICKSTART, "--list", *words).exits(status).stderr


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
