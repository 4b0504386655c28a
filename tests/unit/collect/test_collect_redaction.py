"""Redaction of outputs: secrets go, however they are written; all else stays as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from fabricgen.api.collect import REDACTED, CollectionJudge, Redactor
from fabricgen.api.sides import render_devices
from fabricgen.collect.gather import CollectOutcome
from fabricgen.collect.report import report_outcomes
from fabricgen.collect.target import CollectTarget, Failure
from fabricgen.collect.targets import DeviceAccess, list_targets
from fabricgen.diagnostics import Bag
from tests.acceptance.run import diagnose

QUICKSTART = Path(__file__).parents[3] / "inventories" / "quickstart"
LEAF = "leaf-u001-r0"


class Leaf(NamedTuple):
    """A leaf, its rendered files and what redacts them."""

    target: CollectTarget
    files: dict[str, str]
    redactor: Redactor

    def redact(self, path: str, text: str) -> str:
        reading = next(reading for reading in self.target.readings if reading.path == path)
        return self.redactor.redact(self.target, reading, text)


def load_leaf(*overlays: str) -> Leaf:
    compiled, bag = diagnose(QUICKSTART, *overlays)
    listed = list_targets(compiled.plan, compiled.platforms, {LEAF}, DeviceAccess(), bag)
    targets = {target.name: target for target in listed}
    redactor = Redactor(compiled, CollectionJudge(compiled.platforms.values(), bag), targets, bag)
    device = next(iter(render_devices(compiled, (LEAF,), bag)))
    loaded = {path: file.load() for path, file in device.files.items()}
    files = {path: data.decode() for path, data in loaded.items() if isinstance(data, bytes) and data}
    return Leaf(targets[LEAF], files, redactor)


@pytest.mark.parametrize("overlays", [(), ("eos",), ("nvue",), ("frr",)])
def test_what_is_rendered_stays_to_the_byte(overlays: tuple[str, ...]) -> None:
    leaf = load_leaf(*overlays)
    assert leaf.files
    for path, text in leaf.files.items():
        assert leaf.redact(path, text) == text


def test_secrets_of_a_startup_config_go() -> None:
    leaf = load_leaf("eos")
    (path,) = leaf.files
    odd = "snmp-server community public1 ro\nenable password 7 zzz9\nodd line aB3kX9mQ2z\nodd line 12\n"
    done = leaf.redact(path, leaf.files[path] + odd)
    assert done.startswith(leaf.files[path])
    assert not any(secret in done for secret in ("public1", "zzz9", "aB3kX9mQ2z"))
    assert "odd line 12" in done
    assert "enable password" in done


def test_what_is_saved_is_redacted_as_what_runs() -> None:
    leaf, secret = load_leaf(), "Qx7hT3mBs9"
    database, routing = (reading for reading in leaf.target.readings if reading.saves)
    data = json.loads(leaf.files[database.saves]) | {"TACPLUS": {"global": {"passkey": secret}}}
    files = {database: json.dumps(data), routing: f"{leaf.files[routing.saves]}password {secret}\n"}
    for reading, text in files.items():
        assert leaf.redactor.redact(leaf.target, reading, leaf.files[reading.saves]) == leaf.files[reading.saves]
        done = leaf.redactor.redact(leaf.target, reading, text)
        assert (secret in text, secret in done, REDACTED in done) == (True, False, True)


def test_a_secret_that_is_a_public_word_elsewhere_goes_behind_a_word_that_tells_it() -> None:
    leaf = load_leaf()
    path = "etc/sonic/config_db.json"
    data = json.loads(leaf.files[path])
    data["TACPLUS"] = {"global": {"passkey": "Ethernet0"}}
    done = json.loads(leaf.redact(path, json.dumps(data, indent=4)))
    assert done["TACPLUS"]["global"]["passkey"] == REDACTED
    assert done["PORT"] == data["PORT"]


def test_a_secret_goes_however_the_file_writes_it() -> None:
    leaf = load_leaf()
    path = "etc/sonic/config_db.json"
    data = json.loads(leaf.files[path]) | {"SNMP_COMMUNITY": {"s3cr3t": {"TYPE": "RO"}}}
    done = json.loads(leaf.redact(path, json.dumps(data).replace("s3cr3t", "s3cr\\u0033t")))
    assert done["SNMP_COMMUNITY"] == {REDACTED: {"TYPE": "RO"}}


def test_what_cannot_be_read_without_its_secrets_refuses_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    leaf = load_leaf()
    monkeypatch.setattr("fabricgen.platforms.reading.redaction.Redaction.file", lambda *_: "{")
    with pytest.raises(Failure) as raised:
        leaf.redact("etc/sonic/config_db.json", "{}")
    bag = Bag()
    report_outcomes([CollectOutcome(leaf.target, failure=raised.value)], bag)
    assert [item.code for item in bag] == ["FG-COL-031"]
