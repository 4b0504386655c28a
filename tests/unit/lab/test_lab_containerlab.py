"""A topology of containerlab: every device, cable and configuration; judged by the published schema where that is."""

from __future__ import annotations

import json
import os
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from fabricgen.diagnostics import Bag
from fabricgen.lab.containerlab import Export, export_containerlab
from tests.unit.lab.fabrics import compiled

SCHEMA = "clab.schema.json"
"""File of schemas/ in srl-labs/containerlab; looked for in FABRICGEN_JUDGES."""


@cache
def export(*overlays: str, without_images: bool = False) -> Export:
    """The quickstart fabric as a topology."""
    made = compiled("quickstart", *overlays)
    specs = made.platforms
    if without_images:
        specs = {name: spec._replace(container={}) for name, spec in specs.items()}
    bag = Bag()
    found = export_containerlab(made.plan, specs, bag)
    assert found is not None, list(bag)
    return found


def topology(found: Export) -> dict[str, Any]:
    return yaml.safe_load(found.files["quickstart.clab.yml"])


FABRICS = {"own": (), "eos": ("eos",), "mixed": ("mixed",), "frr": ()}


@pytest.fixture(params=FABRICS)
def found(request: pytest.FixtureRequest) -> Export:
    """The topology of each fabric."""
    return export(*FABRICS[request.param], without_images=request.param == "frr")


def test_every_cable_has_two_ends_of_its_own_and_every_file_is_there(found: Export) -> None:
    data = topology(found)["topology"]
    assert len(data["nodes"]) == 14
    assert len(data["links"]) == 128
    ends = [end for link in data["links"] for end in link["endpoints"]]
    assert len(set(ends)) == 256
    assert {end.split(":")[0] for end in ends} == set(data["nodes"])
    for node in data["nodes"].values():
        sources = [bind.split(":")[0] for bind in node.get("binds", [])]
        for name in [*sources, *([node["startup-config"]] if "startup-config" in node else [])]:
            assert found.files[name]


def test_the_schema_of_containerlab_takes_it() -> None:
    folder = os.environ.get("FABRICGEN_JUDGES", "")
    file = next(iter(sorted(Path(folder).rglob(SCHEMA))), None) if folder else None
    if file is None:
        pytest.skip(f"{SCHEMA} is not in the folder that FABRICGEN_JUDGES names")
    schema = json.loads(file.read_text(encoding="utf-8"))
    for found in (export(), export("eos"), export("mixed"), export(without_images=True)):
        jsonschema.Draft7Validator(schema).validate(topology(found))


def test_ports_have_the_names_of_the_image() -> None:
    links = [link["endpoints"] for link in topology(export("mixed"))["topology"]["links"]]
    assert ["gpu-u001-h01:rail0", "leaf-u001-r0:eth1_1"] in links, "Ethernet1/1 of a container is eth1_1"
    assert any(end == "spine-01:eth1" for link in links for end in link), "the first port of the front panel is eth1"


def test_a_switch_without_an_image_is_linux_and_told() -> None:
    found = export(without_images=True)
    spine = topology(found)["topology"]["nodes"]["spine-01"]
    assert spine["kind"] == "linux"
    assert "ip address add 10.255.0.1/32 dev lo" in spine["exec"]
    assert b"bgpd=yes" in found.files["switches/spine-01/etc/frr/daemons"]
    assert "spine-01" in found.equivalent
    assert export().equivalent == []


def test_a_host_has_its_addresses_routes_and_rules() -> None:
    commands = topology(export())["topology"]["nodes"]["gpu-u001-h01"]["exec"]
    assert "ip address add 172.16.0.1/31 dev rail0" in commands
    assert "ip link set rail0 mtu 9100 up" in commands
    assert "ip rule add from 172.16.0.1/32 table 101 priority 101" in commands


START = """
set -e
cd "$1"; shift
[ -f lanemap.ini.orig ] || cp lanemap.ini lanemap.ini.orig
for p in "$@"; do grep "^$p:" lanemap.ini.orig; done > lanemap.ini
[ -f port_config.ini.orig ] || cp port_config.ini port_config.ini.orig
grep ^# port_config.ini.orig > port_config.ini
for lanes in $(cut -d: -f2 lanemap.ini); do grep -E "\\s$lanes\\s" port_config.ini.orig; done >> port_config.ini
mkdir -p etc/sonic
cp "$CONFIG" merged.json
mv merged.json etc/sonic/config_db.json
"""
"""Work of the image's start script on our files, in words of our own: it ends with the first command that fails."""


def test_the_start_script_of_the_sonic_image_takes_the_files(tmp_path: Path) -> None:
    """The files lie where binds put them, a bind cannot be moved upon, and every cable finds its port."""
    found = export()
    data = topology(found)["topology"]
    node = data["nodes"]["leaf-u001-r0"]
    targets = dict(reversed(bind.split(":", 1)) for bind in node["binds"])
    assert "/etc/sonic/config_db.json" not in targets, "mv onto a bind fails: Device or resource busy"
    (prepared,) = node["stages"]["create-links"]["exec"]
    command, source, target = prepared["command"].split()
    assert (command, target) == ("cp", "/etc/sonic/config_db.json")
    config = found.files[targets[source]]
    for path, name in targets.items():
        (tmp_path / Path(path).name).write_bytes(found.files[name])
    ends = [end.split(":") for link in data["links"] for end in link["endpoints"]]
    mine = [port for device, port in ends if device == "leaf-u001-r0"]
    environment = {"PATH": os.environ["PATH"], "CONFIG": str(tmp_path / "config_db.json")}
    command = ["bash", "-e", "-c", START, "start", str(tmp_path), *mine]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "etc/sonic/config_db.json").read_bytes() == config
    ports = json.loads(config)["PORT"]
    rows = [row.split() for row in (tmp_path / "port_config.ini").read_text().splitlines()]
    assert rows[0] == ["#", "name", "lanes", "alias", "index", "speed"]
    assert len(rows) == 1 + len(mine) == 33
    for name, *values in rows[1:]:
        assert values == [ports[name][column] for column in rows[0][2:]]
    lanes = dict(line.split(":") for line in (tmp_path / "lanemap.ini").read_text().splitlines())
    assert set(lanes) == set(mine)
    assert lanes["eth1"] == ports["Ethernet0"]["lanes"]
