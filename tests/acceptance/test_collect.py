"""``fabricgen collect`` against real SSH servers: emulated devices, of which some are hostile."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from fabricgen.api import compile_inventory
from fabricgen.collect.readings import read_record
from fabricgen.collect.target import CollectTarget
from fabricgen.collect.targets import DeviceAccess, list_targets
from fabricgen.diagnostics import Bag
from tests.acceptance.run import INVENTORIES, REPOSITORY, read_tree, render_here, run
from tests.command_line import Done
from tests.emulated_devices import Emulated, Fleet, Reply, emulate, serve_fleet

CONFIG = "sudo -n sonic-cfggen -d --print-data"
ROUTING = "sudo -n vtysh -c 'show running-config'"


class Fabric(NamedTuple):
    """An inventory, its rendered tree and its devices."""

    inventory: Path
    tree: Path
    targets: list[CollectTarget]

    def emulate(self, names: Sequence[str] | None = None) -> dict[str, Emulated]:
        return {t.name: emulate(t, self.tree) for t in self.targets if names is None or t.name in names}


@pytest.fixture(scope="module")
def quickstart(tmp_path_factory: pytest.TempPathFactory) -> Fabric:
    inventory, tree = INVENTORIES / "quickstart", tmp_path_factory.mktemp("quickstart") / "tree"
    assert render_here(inventory, tree) == []
    bag = Bag()
    compiled = compile_inventory(inventory, (), bag)
    return Fabric(inventory, tree, list_targets(compiled.plan, compiled.platforms, None, DeviceAccess(), bag))


def diagnose(text: str) -> list[str]:
    """Return the codes of the errors that a run printed."""
    return [line.partition("[")[2].partition("]")[0] for line in text.splitlines() if line.startswith("error[")]


@pytest.fixture
def one(quickstart: Fabric, tmp_path: Path) -> Callable[..., tuple[int, str, Path]]:
    """Collect one switch of the quickstart after something is wrong with it."""

    def collect(*words: str, spoil: Callable[[Emulated, Fleet], None] = lambda device, fleet: None):  # type: ignore[no-untyped-def]
        name = "leaf-u001-r0"
        device = quickstart.emulate([name])[name]
        with serve_fleet([device], tmp_path) as fleet:
            spoil(device, fleet)
            done = run("collect", quickstart.inventory, "-o", tmp_path / "out", *fleet.options, "--only", name, *words)
        return done.returncode, done.stderr, tmp_path / "out"

    return collect


def reply(command: str, answer: Reply) -> Callable[[Emulated, Fleet], None]:
    def spoil(device: Emulated, fleet: Fleet) -> None:
        device.replies[command] = answer

    return spoil


HALF = b'{"PORT": {"Ethernet0": {"al'


def test_older_answers_stay_until_the_device_answers_whole(one: Callable[..., tuple[int, str, Path]]) -> None:
    assert one()[0] == 0
    out = one(spoil=reply(CONFIG, Reply(HALF, None)))[2]
    before = read_tree(out)
    status, text, _ = one(spoil=reply(ROUTING, Reply(b"!\n", 1)))
    record = read_record(out, "switches", "leaf-u001-r0")
    assert status == 1
    assert f"the files of {record.collected} stay" in text
    assert read_tree(out) == before
    assert one(spoil=reply(ROUTING, Reply(b"!\nhostname other\nend\n")))[0] == 0
    assert b"other" in (out / "switches/leaf-u001-r0/etc/sonic/frr/frr.conf").read_bytes()


def test_the_folder_is_private(one: Callable[..., tuple[int, str, Path]]) -> None:
    status, _, out = one()
    assert status == 0
    assert out.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("option", ["--password", "--passphrase"])
def test_a_secret_on_the_command_line_is_not_repeated(option: str, quickstart: Fabric, tmp_path: Path) -> None:
    done = run("collect", quickstart.inventory, "-o", tmp_path / "out", option, "hunter2").exits(2)
    assert "env:NAME" in done.stderr
    assert "hunter2" not in done.stdout + done.stderr


def test_the_commands_are_listed_without_a_connection(quickstart: Fabric) -> None:
    done = run("collect", quickstart.inventory, "--list", "--only", "leaf-u001-r0", "--no-sudo", "--format", "json")
    rows = json.loads(done.stdout)
    assert rows[0]["command"] == "sonic-cfggen -d --print-data"
    assert {row["device"] for row in rows} == {"leaf-u001-r0"}


SECRETS = ("s3cr3t-community", "passkey-7", "hunter2pw", "enable-zzz", "aB3kX9mQ2z")


def plant_secrets(device: Emulated, fleet: Fleet) -> None:
    config = json.loads(device.replies[CONFIG].data)
    config["SNMP_COMMUNITY"] = {SECRETS[0]: {"TYPE": "RO"}}
    config["TACPLUS"] = {"global": {"passkey": SECRETS[1]}}
    device.replies[CONFIG] = Reply(json.dumps(config, indent=4).encode())
    lines = [f"enable password {SECRETS[3]}", f"something new {SECRETS[4]}"]
    text = device.replies[ROUTING].data.decode()
    at = text.index(" neighbor ")
    peer = text[at:].split()[1]
    text = f"{text[:at]} neighbor {peer} password {SECRETS[2]}\n{text[at:]}"
    device.replies[ROUTING] = Reply("\n".join([*lines, text]).encode())


def test_no_secret_is_left_where_redacted(one: Callable[..., tuple[int, str, Path]], quickstart: Fabric) -> None:
    status, text, out = one(spoil=plant_secrets)
    assert status == 0, text
    plain = b"".join(read_tree(out).values()).decode()
    assert all(secret in plain for secret in SECRETS)
    status, text, out = one("--redact", spoil=plant_secrets)
    assert status == 0, text
    tree = read_tree(out)
    assert not [(path, secret) for path, data in tree.items() for secret in SECRETS if secret in data.decode()]
    assert read_record(out, "switches", "leaf-u001-r0").redacted  # type: ignore[union-attr]
    run("diff", quickstart.inventory, out, "--only", "leaf-u001-r0", "--format", "json").exits(0, 3)


def test_without_the_extra_everything_else_works(quickstart: Fabric, tmp_path: Path) -> None:
    start = "import sys; sys.modules['asyncssh'] = None; from fabricgen.cli import main; sys.exit(main())"

    def call(*words: str | Path) -> Done:
        command = [sys.executable, "-c", start, *map(str, words)]
        return Done.of(subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False))

    explained = call("explain", "FG-COL-001")
    assert (explained.returncode, "pip install 'fabricgen[collect]'" in explained.stdout) == (0, True), explained.stderr
    call("collect", quickstart.inventory, "--list").exits(0)
    done = call("collect", quickstart.inventory, "-o", tmp_path / "out")
    assert (done.returncode, diagnose(done.stderr)) == (1, ["FG-COL-001"]), done.stderr
    assert not (tmp_path / "out").exists()
