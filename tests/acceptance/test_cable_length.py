"""One cable length changes: exactly the headroom of that link group's ports changes, and nothing else anywhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.rendered_fabric import Rendered
from tests.command_line import REPOSITORY

INVENTORY = REPOSITORY / "inventories/rail-1k/fabric.yaml"
HEADROOM_TABLES = {"BUFFER_PROFILE", "BUFFER_PG", "CABLE_LENGTH"}
CABLE_IN_SCRIPT = re.compile(r"^(rail\d roce_r\d) \d+ (\d.*)$", re.MULTILINE)


# The rows of the 7060X6 differ in length only; those of the Z9864F differ in headroom too. The SN5600 is told lengths
# and computes the rest itself.
COMPUTING = "nvidia_sn5600"
MODELS = ("arista_7060x6_64pe", "dell_z9864f", COMPUTING)
pytestmark = pytest.mark.sampled(1, of="folder")


@pytest.fixture(scope="module", params=MODELS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the inventory on one model and with each of its cables changed, rendered."""
    folder = tmp_path_factory.mktemp(request.param)
    text = INVENTORY.read_text(encoding="utf-8").replace("arista_7060x6_64pe", request.param)
    for name, old, new in (
        ("before", "", ""),
        ("host-leaf", "media: mmf, length_m: 30}", "media: mmf, length_m: 4}"),
        ("leaf-spine", "media: smf, length_m: 50}", "media: smf, length_m: 35}"),
    ):
        assert text.count(old) == 1 or not old
        (folder / name).mkdir()
        (folder / name / "fabric.yaml").write_text(text.replace(old, new) if old else text, encoding="utf-8")
        Rendered.of(folder / name, folder / f"{name}.out")
    return folder


def computes(folder: Path) -> bool:
    """Return whether the model's headroom is the switch's own affair: it is told lengths and no profiles."""
    return folder.name.startswith(COMPUTING)


def tree(folder: Path, name: str) -> Rendered:
    return Rendered(str(folder / name), folder / f"{name}.out")


@pytest.mark.parametrize("link", ["host-leaf", "leaf-spine"])
def test_only_headroom_of_its_ports_is_rendered_otherwise(link: str, folder: Path) -> None:
    before, after = tree(folder, "before"), tree(folder, link)
    assert before.switches.keys() == after.switches.keys()
    touched = 0
    for name, old in before.switches.items():
        new = after.switches[name]
        assert {table for table in old if old[table] != new[table]} <= HEADROOM_TABLES
        ports = ports_of(old, link, name)
        for table in ("BUFFER_PG", "CABLE_LENGTH"):
            rows, others = (db[table]["AZURE"] if table == "CABLE_LENGTH" else db[table] for db in (old, new))
            assert rows.keys() == others.keys()
            groups = set() if computes(folder) else {f"{port}|3" for port in ports}
            wanted = groups if table == "BUFFER_PG" else ports
            assert {key for key in rows if rows[key] != others[key]} == wanted
        used = [{pg["profile"] for pg in db["BUFFER_PG"].values()} for db in (old, new)]
        for profile in old["BUFFER_PROFILE"].keys() | new["BUFFER_PROFILE"].keys():
            if profile in old["BUFFER_PROFILE"] and profile in new["BUFFER_PROFILE"]:
                assert old["BUFFER_PROFILE"][profile] == new["BUFFER_PROFILE"][profile]
            else:
                assert profile in used[0] ^ used[1]
        touched += len(ports)
    assert touched == {"host-leaf": 1024, "leaf-spine": 2048}[link]


def ports_of(db: dict[str, Any], link: str, name: str) -> set[str]:
    """Ports of a switch that carry links of a group, from what stands at their other end."""
    hosts = {port for port, row in db["DEVICE_NEIGHBOR"].items() if row["name"].startswith("gpu-")}
    used = {port for port, row in db["PORT"].items() if row["admin_status"] == "up"}
    if name.startswith("leaf-"):
        described = {port for port in used if db["PORT"][port]["description"].startswith("gpu-")} | hosts
        return described if link == "host-leaf" else used - described
    return used if link == "leaf-spine" else set()


@pytest.mark.parametrize("link", ["host-leaf", "leaf-spine"])
def test_no_other_file_is_rendered_otherwise(link: str, folder: Path) -> None:
    """A NIC is told the length of its own cable; that is its headroom, and the only line of a host that changes."""
    before, after = tree(folder, "before").files, tree(folder, link).files
    assert before.keys() == after.keys()
    changed = {path for path in before if before[path] != after[path] and not path.endswith("config_db.json")}
    if link == "leaf-spine":
        assert changed == set()
        return
    assert {path.split("/", 2)[2] for path in changed} == {"usr/local/sbin/fabricgen-roce"}
    assert len(changed) == 128
    for path in changed:
        assert CABLE_IN_SCRIPT.sub(r"\1 \2", before[path]) == CABLE_IN_SCRIPT.sub(r"\1 \2", after[path])


@pytest.mark.parametrize("folder", [COMPUTING], indirect=True)
def test_a_switch_that_computes_its_headroom_is_told_the_length_as_it_is(folder: Path) -> None:
    """Each metre of cable is flown through twice: at 400 Gb/s, 26 m less hold 13,131 bytes less."""
    cables, xoff = {}, {}
    for name in ("before", "host-leaf"):
        database = tree(folder, name).switches["leaf-u001-r0"]
        (port,) = sorted(ports_of(database, "host-leaf", "leaf-u001-r0"))[:1]
        cables[name] = database["CABLE_LENGTH"]["AZURE"][port]
        assert database["BUFFER_PG"][f"{port}|3"] == {"profile": "NULL"}
        assert database["DEVICE_METADATA"]["localhost"]["buffer_model"] == "dynamic"
        rows = tree(folder, name).shown("show", "buffers")["headroom"]
        xoff[name] = next(row["xoff_bytes"] for row in rows if row["link"] == "host-leaf")
    assert cables == {"before": "30m", "host-leaf": "4m"}
    # The image grows every byte by a share for small packets, and rounds up to whole KB.
    assert 13131 <= xoff["before"] - xoff["host-leaf"] <= 13131 * 1.2353 + 1024
