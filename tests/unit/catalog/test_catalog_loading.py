"""Finding records by name: only what is named is read, the user's own first, and no name leaves the folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from user_catalog import NAMED_AT, NIC, SERVER, SWITCH, load, write

import fabricgen.catalog as room
import fabricgen.source
from fabricgen.catalog import OwnFolder, known_models, load_catalog
from fabricgen.diagnostics import Bag, Severity


def test_a_name_gives_the_record_of_that_name() -> None:
    catalog, said = load(None, switch="dell_z9864f", nic="connectx7_400g", server="dgx_h100_8")
    assert said == []
    assert catalog.switches["dell_z9864f"].id == "dell_z9864f"
    assert catalog.nics["connectx7_400g"].lanes_by_gbps[400] == (4,)
    assert catalog.servers["dgx_h100_8"].gpus == 8
    assert set(catalog.ecn_profiles) == {"sonic_default"}


def test_only_the_files_of_the_named_models_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    real = fabricgen.source.load_data

    def spy(path: Path, bag: Bag, *, inside: Path | None = None) -> object:
        opened.append(f"{path.parent.name}/{path.stem}")
        return real(path, bag, inside=inside)

    monkeypatch.setattr(fabricgen.source, "load_data", spy)
    load_catalog(
        switches={"dell_z9864f": NAMED_AT, "meta_minipack3": NAMED_AT},
        nics={"thor2_400g": NAMED_AT},
        servers={},
        bag=Bag(),
    )
    shared = ["asics/tomahawk5", "ecn/sonic_default", "nics/thor2_400g"]
    assert sorted(opened) == [*shared, "switches/dell_z9864f", "switches/meta_minipack3"]


@pytest.mark.parametrize(
    ("kind", "noun", "name", "meant", "folder"),
    [
        ("switch", "switch", "dell_z9864", "dell_z9864f", "switches"),
        ("nic", "NIC", "conectx7_400g", "connectx7_400g", "nics"),
        ("server", "server", "hgx_h100", "hgx_h100_8", "servers"),
        ("ecn", "ECN profile", "sonic_defaults", "sonic_default", "ecn"),
    ],
)
def test_a_misspelt_name_is_reported_and_read_as_its_neighbour(
    kind: str, noun: str, name: str, meant: str, folder: str
) -> None:
    catalog, said = load(None, **{kind: name})
    assert [(d.code, d.severity, d.path) for d in said] == [("FG-CAT-001", Severity.ERROR, NAMED_AT)]
    assert said[0].message == f"the catalog has no {noun} {name}"
    assert meant in said[0].hint
    assert f"catalog/{folder}/{name}.yaml" in said[0].hint
    found = {"switch": catalog.switches, "nic": catalog.nics, "server": catalog.servers, "ecn": catalog.ecn_profiles}[
        kind
    ]
    record = found[name]
    assert (record.name if kind == "ecn" else record.id) == meant


def test_a_stand_in_does_not_warn_about_a_record_nobody_asked_for() -> None:
    _, said = load(None, server="hgx_b200")
    assert [d.code for d in said] == ["FG-CAT-001"]


def test_faults_of_a_stand_in_do_not_hide_the_misspelt_name(tmp_path: Path) -> None:
    write(tmp_path, "switches", "tiny", SWITCH.replace("lanes: 8", "lanes: eight"))
    catalog, said = load(tmp_path, switch="tinyy")
    assert [d.code for d in said] == ["FG-CAT-001"]
    assert catalog.switches["tinyy"].id == "tiny"


def test_a_name_like_no_other_has_no_record() -> None:
    catalog, said = load(None, switch="zzz")
    assert catalog.switches == {}
    assert [d.code for d in said] == ["FG-CAT-001"]
    assert "catalog/switches/zzz.yaml" in said[0].hint


NO_NAMES = (
    "../asics/tomahawk5", "/etc/passwd", "..", ".", "", "a/b", "a\\b", "dell_z9864f.yaml", "a\nb", "a\0b", "a b", "-a",
    "ä",
)  # fmt: skip


@pytest.mark.parametrize("name", NO_NAMES)
def test_a_name_with_path_characters_is_refused_and_not_opened(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        pytest.fail("a file was opened")

    monkeypatch.setattr(fabricgen.source, "load_data", never)
    monkeypatch.setattr(Path, "is_file", never)
    catalog, said = load(Path("/nowhere"), switch=name)
    assert [(d.code, d.path) for d in said] == [("FG-CAT-002", NAMED_AT)]
    assert catalog.switches == {}


def test_a_reference_with_path_characters_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path, "switches", "tiny", SWITCH.replace("tomahawk5", "../asics/tomahawk5"))
    catalog, said = load(tmp_path, switch="tiny")
    assert [d.code for d in said] == ["FG-CAT-001"]
    assert catalog.switches == {}


def test_records_of_the_users_own_folder(tmp_path: Path) -> None:
    write(tmp_path, "switches", "tiny", SWITCH)
    write(tmp_path, "nics", "mynic", NIC)
    write(tmp_path, "servers", "myserver", SERVER)
    catalog, said = load(tmp_path, switch="tiny", nic="mynic", server="myserver")
    assert said == []
    model = catalog.switches["tiny"]
    assert [cage.lanes for cage in model.cages] == [tuple(range(k, k + 8)) for k in (1, 9, 17, 25)]
    assert model.cages[2].modes[1].aliases == ("etp3a", "etp3b")
    assert model.asic.id == "tomahawk5"
    assert {(p.speed_gbps, p.name) for p in model.ecn_profiles} == {(400, "sonic_th5_400g"), (800, "sonic_default")}
    assert catalog.nics["mynic"].pci_vendor == "0x15b3"
    assert [slot.numa for slot in catalog.servers["myserver"].rails] == [0, 1]


def test_the_users_own_file_takes_precedence(tmp_path: Path) -> None:
    write(tmp_path, "nics", "connectx7_400g", NIC.replace("mynic", "connectx7_400g"))
    write(tmp_path, "asics", "tomahawk5", "id: tomahawk5\nvendor: broadcom\nsource: mine\nbuffer_bytes: 42\n")
    write(
        tmp_path, "ecn", "sonic_default", "id: sonic_default\nsource: mine\nkmin_bytes: 1\nkmax_bytes: 2\npmax_pct: 3\n"
    )
    catalog, said = load(tmp_path, switch="dell_z9864f", nic="connectx7_400g")
    assert said == []
    assert catalog.nics["connectx7_400g"].mtu_max_bytes == 9000
    model = catalog.switches["dell_z9864f"]
    assert (model.asic.provenance.source, model.asic.buffer_bytes) == ("mine", 42)
    assert next(p for p in model.ecn_profiles if p.speed_gbps == 800).kmax_bytes == 2


def test_the_users_own_names_are_known_too(tmp_path: Path) -> None:
    write(tmp_path, "switches", "tiny", SWITCH)
    assert set(known_models("switches", [OwnFolder(tmp_path, tmp_path)])) == {"tiny", *known_models("switches")}
    _, said = load(tmp_path, switch="tinny")
    assert "tiny" in said[0].hint


def test_an_absent_folder_of_ones_own_is_no_fault(tmp_path: Path) -> None:
    catalog, said = load(tmp_path / "catalog", switch="dell_z9664f")
    assert said == []
    assert catalog.switches["dell_z9664f"].asic.id == "tomahawk4"


def test_values_without_a_source_are_one_diagnostic_per_model() -> None:
    _, said = load(None, switch="nvidia_sn5600", server="hgx_b200_8")
    assert [(d.code, d.severity, d.path) for d in said] == [
        ("FG-CAT-020", Severity.INFO, NAMED_AT),
        ("FG-CAT-010", Severity.WARNING, NAMED_AT),
    ]
    assert "asic.ecmp_width_max" in said[0].message
    assert "rails.nic, rails.gpu, rails.switch" in said[1].message
    assert "lspci -tvD" in said[1].hint
    assert "catalog/servers/hgx_b200_8.yaml" in said[1].hint


def test_no_shipped_switch_asks_for_what_only_its_maker_knows() -> None:
    for name in known_models("switches"):
        _, said = load(None, switch=name)
        assert "FG-CAT-010" not in {d.code for d in said}, name


def test_a_record_nobody_vouches_for_warns_about_every_field(tmp_path: Path) -> None:
    write(tmp_path, "nics", "mynic", NIC.replace("ports: 1", "confidence: unconfirmed\nports: 1"))
    _, said = load(tmp_path, nic="mynic")
    assert [d.code for d in said] == ["FG-CAT-010"]
    assert "every field" in said[0].message


def test_the_room_imports_neither_yaml_nor_models() -> None:
    """Worker processes hold records: what they import must stay small."""
    program = """
        import sys
        import fabricgen.catalog, fabricgen.catalog.records, fabricgen.catalog.ports
        assert not {"ruamel", "ruamel.yaml", "pydantic", "netaddr", "fabricgen.source"} & set(sys.modules)
    """
    root = Path(room.__file__).parents[2]
    subprocess.run([sys.executable, "-c", dedent(program)], check=True, cwd=root)
