"""The shipped records: complete, sourced, and consistent with arithmetic that others published."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from shipped_records import everything

import fabricgen.catalog as room
from fabricgen.catalog import known_models
from fabricgen.catalog.library import KINDS
from fabricgen.catalog.loader import load_named
from fabricgen.catalog.reading import catalog_schema
from fabricgen.catalog.records import Asic, SwitchModel
from fabricgen.diagnostics import Bag, Severity
from fabricgen.diagnostics.secrets import find_secrets
from fabricgen.platforms.manifest.discover import discover_platforms, template_root
from fabricgen.source import load_data

DATA = Path(room.__file__).parent / "data"
PLATFORMS = set(discover_platforms("switch", (template_root(),), Bag()))


def switch(name: str) -> SwitchModel:
    return everything()[0].switches[name]


def asic(name: str) -> Asic:
    found = load_named("asics", [name], bag := Bag())[name]
    assert list(bag) == []
    return found


def test_every_shipped_record_loads() -> None:
    catalog, bag = everything()
    assert [d for d in bag if d.severity is Severity.ERROR] == []
    assert sorted(catalog.switches) == known_models("switches")
    assert sorted(catalog.nics) == known_models("nics")
    assert sorted(catalog.servers) == known_models("servers")
    assert sorted(catalog.ecn_profiles) == known_models("ecn")
    assert len(catalog.switches) >= 20
    assert {server.id for server in catalog.servers.values() if server.gpus not in (0, len(server.rails))} == set()


@pytest.mark.parametrize("path", sorted(DATA.glob("*/*.yaml")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_file_says_what_it_is_and_where_it_comes_from(path: Path) -> None:
    document = load_data(path, bag := Bag())
    assert list(bag) == []
    assert document.data["id"] == path.stem
    assert str(document.data["source"]).strip()
    assert path.read_text().startswith("# "), "a file begins with what the hardware is"


@pytest.mark.parametrize("name", known_models("switches"))
def test_every_switch_can_be_planned_with(name: str) -> None:
    model = switch(name)
    fabric = [cage for cage in model.cages if not cage.service]
    modes = [mode for cage in fabric for mode in cage.modes] + [mode for sku in model.skus for mode in sku.own_modes]
    assert set(model.platforms) <= PLATFORMS
    assert all(mode.ports for mode in modes)
    for cage in fabric:
        fastest = max((port.speed_gbps for mode in cage.modes for port in mode.ports), default=cage.native_gbps)
        assert fastest == cage.native_gbps
    speeds = {port.speed_gbps for mode in modes for port in mode.ports} or {cage.native_gbps for cage in fabric}
    assert {speed for speed in speeds if speed >= 100} == {profile.speed_gbps for profile in model.ecn_profiles}


@pytest.mark.parametrize("name", known_models("switches"))
def test_a_port_table_names_its_default_profile(name: str) -> None:
    model = switch(name)
    skus = {sku.name for sku in model.skus}
    assert {board.default_sku for board in model.boards} <= skus
    assert bool(model.boards) == bool(skus)
    assert ("sonic" in model.platforms) == bool(model.boards and model.buffers), "without pools no fabric renders"


def test_no_name_of_a_profile_or_port_looks_like_a_secret() -> None:
    """Otherwise the file of a reload would have references in their places."""
    profiles = [sku for model in everything()[0].switches.values() for sku in model.skus]
    modes = [mode for model in everything()[0].switches.values() for cage in model.cages for mode in cage.modes]
    modes += [mode for sku in profiles for mode in sku.own_modes]
    names = {alias.replace("{i}", "29") for mode in modes for alias in mode.aliases} | {sku.name for sku in profiles}
    assert "fourhundredGigE1/29" in names
    assert sorted(name for name in names if find_secrets(f'"alias": "{name}",')) == []


def test_the_h100_map_is_that_of_the_user_guide() -> None:
    """Bus numbers in decimal as the guide's default names have them: ibp24s0 … ibp220s0, GPU 0 to 7."""
    server = everything()[0].servers["dgx_h100_8"]
    assert [int(slot.nic_bdf[5:7], 16) for slot in server.rails] == [24, 64, 79, 94, 154, 192, 206, 220]
    assert [slot.gpu_bdf[5:7] for slot in server.rails] == ["1b", "43", "52", "61", "9d", "c3", "d1", "df"]
    assert [slot.numa for slot in server.rails] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert len({slot.switch_bdf for slot in server.rails}) == 8
    assert server.provenance.unconfirmed == ()


def test_the_quickstart_needs_no_warning() -> None:
    fields = [everything()[0].nics["connectx7_400g"], everything()[0].servers["dgx_h100_8"], switch("dell_z9864f")]
    assert all(record.provenance.unconfirmed == () for record in fields)
    assert switch("dell_z9864f").asic.provenance.unconfirmed == ()


def test_every_record_survives_pickling() -> None:
    catalog = everything()[0]
    assert pickle.loads(pickle.dumps(catalog)) == catalog


@pytest.mark.parametrize(
    ("name", "cells", "cell_bytes", "usable"),
    [
        ("tomahawk4", 2 * 234606, 254, 113620296),
        ("tomahawk5", 2 * 341080, 254, 162539680),
        ("tomahawk6", 625055, 420, 0),
    ],
)
def test_buffers_are_whole_cells_of_which_the_sdk_keeps_some(
    name: str, cells: int, cell_bytes: int, usable: int
) -> None:
    record = asic(name)
    assert (record.cell_bytes, record.buffer_bytes) == (cell_bytes, cells * cell_bytes)
    assert (record.itm or 0) * (record.cells_available or 0) * cell_bytes == usable


def test_pools_that_are_net_are_those_of_one_maker() -> None:
    net = {model.asic.vendor for model in everything()[0].switches.values() if model.asic.pools_exclude_reserved}
    gross = {model.asic.vendor for model in everything()[0].switches.values() if not model.asic.pools_exclude_reserved}
    assert net == {"nvidia"}
    assert "broadcom" in gross


def test_the_reservation_is_skipped_where_the_configuration_says_so() -> None:
    """SKIP_BUFFER_RESERVATION of sonic-buildimage 086b03bd, device/*/*/*/*.config.bcm and *.yml.

    The boards without port profiles: NetworkAITestUtils.cpp of facebook/fboss 14ec47ec, applyBackendAsicConfig.
    """
    skipping = {
        sku or model.id
        for model in everything()[0].switches.values()
        for entry in model.buffers
        if entry.skips_reservation
        for sku in entry.topologies_by_sku
    }
    stem = "Arista-7060X6-64PE"
    own = {f"{stem}-256x200G", f"{stem}-O128", f"{stem}-O128S2", f"{stem}-P32O64", f"{stem}-P64"}
    own |= {f"{stem}-B-O128", f"{stem}-B-P32O64", f"{stem}-B-P32V128", f"{stem}-B-P64"}
    assert skipping == own | {"meta_minipack2", "meta_minipack3"}


@pytest.mark.parametrize(
    ("name", "gbps"),
    [
        ("meta_wedge400", 12800),
        ("dell_z9664f", 25600),
        ("dell_z9864f", 51200),
        ("nokia_ixr7220_h6_128", 102400),
        ("nvidia_sn3700", 6400),
        ("nvidia_sn4700", 12800),
        ("nvidia_sn5600", 51200),
    ],
)
def test_native_ports_fill_the_asic(name: str, gbps: int) -> None:
    assert sum(cage.native_gbps for cage in switch(name).cages if not cage.service) == gbps
    assert switch(name).asic.bandwidth_gbps == gbps


@pytest.mark.parametrize("kind", KINDS)
def test_the_json_schema_takes_every_file_and_refuses_an_unknown_key(kind: str) -> None:
    validator = Draft202012Validator(catalog_schema(kind))
    for file in (DATA / kind).glob("*.yaml"):
        document = load_data(file, Bag())
        data = document.data
        assert [error.message for error in validator.iter_errors(data)] == [], file.name
        assert not validator.is_valid({**data, "unknown": 1}), file.name
