"""A topology of containerlab: every device, cable and configuration; judged by the published schema where that is."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from fabricgen.api import compile_inventory
from fabricgen.diagnostics import Bag
from fabricgen.lab.containerlab import Export, export_containerlab, write_export
from fabricgen.platforms.spec import PlatformSpec
from tests.acceptance.run import INVENTORIES

SCHEMA = "clab.schema.json"
"""File of schemas/ in srl-labs/containerlab; looked for in FABRICGEN_JUDGES."""


def export(*overlays: str, without_images: bool = False) -> Export:
    """The quickstart fabric as a topology."""
    made = compile_inventory(INVENTORIES / "quickstart", overlays, Bag())
    assert made is not None
    assert made.plan is not None
    specs: Mapping[str, PlatformSpec] = made.platforms or {}
    if without_images:
        specs = {name: spec._replace(container={}) for name, spec in specs.items()}
    bag = Bag()
    found = export_containerlab(made.plan, specs, bag)
    assert found is not None, list(bag)
    return found


def topology(found: Export) -> dict[str, Any]:
    data = yaml.safe_load(found.files["quickstart.clab.yml"])
    assert isinstance(data, dict)
    return data


CASES = pytest.mark.parametrize(
    "found", [export(), export("eos"), export("mixed"), export(without_images=True)], ids=["own", "eos", "mixed", "frr"]
)


@CASES
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


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    bag = Bag()
    assert not write_export(export(), tmp_path, bag)
    assert [found.code for found in bag] == ["FG-LAB-042"]
    assert write_export(export(), tmp_path / "new", bag)
    assert (tmp_path / "new" / "quickstart.clab.yml").is_file()
