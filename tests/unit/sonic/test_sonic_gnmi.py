"""gNMI in config_db.json: only where it is asked for, with the certificates and the clients that are named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import sonic_fabric as fabric
from sonic_render import config_db, render

from fabricgen.device.model import Release, Switch
from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import load_kinds
from fabricgen.diff.values import show_value
from fabricgen.platforms.sonic.emulation import control_plane_rules
from tests.unit.judged import findings

RELEASES = ("202405", "202411", "202505", "202511", "202605")
SCHEMAS = {"202405": "version_202405_02", "202411": "version_202411_02", "202505": "version_202505_01"}
SCHEMAS |= {"202511": "version_202511_01", "202605": "version_202605_01"}


def leaf(*, gnmi: bool, release: str = "202605") -> Switch:
    """The leaf, with or without gNMI."""
    services = fabric.leaf(fabric.SERVICES).cls.services
    services = services if gnmi else replace(services, gnmi=None)
    return fabric.leaf(fabric.SERVICES, services=services, release=Release(release, schema=SCHEMAS[release]))


def test_nothing_listens_where_nobody_asks() -> None:
    """The container starts by default, and without rows in GNMI it serves every address without TLS."""
    data = config_db(leaf(gnmi=False))
    assert data["FEATURE"]["gnmi"] == {"state": "disabled"}
    assert not {"GNMI", "GNMI_CLIENT_CERT"} & data.keys()


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("gnmi", [False, True])
def test_every_release_takes_both(gnmi: bool, release: str, tmp_path: Path) -> None:
    found = findings(render(leaf(gnmi=gnmi, release=release)), tmp_path, "config_db")
    assert [line for line in found if "gnmi" in line.lower() or "FEATURE" in line] == []


def test_the_daemon_opens_the_port_to_management_and_to_nobody_else() -> None:
    rules = [rule for rule in control_plane_rules(config_db(leaf(gnmi=True))) if "8080" in str(rule)]
    assert rules
    assert not [rule for rule in control_plane_rules(config_db(leaf(gnmi=False))) if "8080" in str(rule)]
    assert "DROP" in str(rules[-1])


def test_paths_of_certificates_are_no_secrets() -> None:
    """A patch that turns gNMI off has to be able to turn it on again, key and all."""
    path = "etc/sonic/config_db.json"
    kind = load_kinds(None, Bag()).of_device("switches", [path])[path]
    before = config_db(leaf(gnmi=True))
    assert kind.redaction.walk(before, (), lambda word, _: word.upper())["GNMI"] == before["GNMI"]
    steps = ("GNMI", "certs", "server_key")
    assert show_value("/etc/sonic/telemetry/switch.key", steps, kind.redaction) == "/etc/sonic/telemetry/switch.key"
