"""First files of something new: sound enough to load, and marked wherever somebody has to write."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from fabricgen.device.model import Switch
from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.capabilities import fields_of
from fabricgen.platforms.manifest.discover import discover_platforms
from fabricgen.platforms.manifest.load import load_platforms
from fabricgen.platforms.platform import Platform
from fabricgen.source import load_data
from tests.meta.declarations import REPOSITORY
from tools.new import FILL_IN, main, new_check

RULES = "fabricgen/checks/rules"
SWITCH = "tests/fabrics/conformance/catalog/switches/small_switch.yaml"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository of two modules of rules and the switch of the conformance fabric."""
    (tmp_path / SWITCH).parent.mkdir(parents=True)
    (tmp_path / SWITCH).write_bytes((REPOSITORY / SWITCH).read_bytes())
    for name, codes in {"addressing": ("ADR-030", "ADR-031", "TOP-001"), "names": ("TOP-044", "TOP-901")}.items():
        file = tmp_path / RULES / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f'@rule("FG-{code}")\n' for code in codes))
    return tmp_path


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("mtu", "addressing", ""), "FG-ADR-033"),
        (("mtu", "names", ""), "FG-TOP-045"),
        (("mtu", "", "top"), "FG-TOP-045"),
    ],
    ids=["in a room", "never from 900", "in a room of its own"],
)
def test_a_check_takes_the_next_free_code(root: Path, words: tuple[str, str, str], code: str) -> None:
    files, tests = new_check(root, *words)
    module = f"{RULES}/{words[1] or 'mtu'}.py"
    assert list(files) == [module, f"tests/cases/{code}.yaml"]
    assert f'"{code}"' in files[module]
    assert "def check_mtu(" in files[module]
    assert f"# E: {code}" in files[f"tests/cases/{code}.yaml"]
    assert any(code in word for word in tests)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("MTU", "addressing", ""), "small letters"),
        (("../x", "addressing", ""), "small letters"),
        (("mtu", "new_room", ""), "area"),
        (("mtu", "new_room", "xyz"), "XYZ"),
    ],
    ids=["capitals", "a path", "no area", "unknown area"],
)
def test_what_is_no_name_or_area_is_refused(root: Path, words: tuple[str, str, str], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        new_check(root, *words)


def test_what_is_written_twice_is_refused_and_nothing_is_lost(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran: list[list[str]] = []
    assert main(["check", "mtu", "--room", "addressing"], root, ran.append) == 1
    assert any("FG-ADR-033" in word for word in ran[0])
    before = {file: file.read_bytes() for file in root.rglob("*") if file.is_file()}
    assert main(["check", "mtu", "--room", "addressing"], root, ran.append) == 2
    assert "check_mtu" in capsys.readouterr().err
    (root / "fabricgen/catalog/data/nics").mkdir(parents=True)
    (root / "fabricgen/catalog/data/nics/own.yaml").write_text("id: own\n")
    assert main(["nic", "own"], root, ran.append) == 2
    assert len(ran) == 1
    assert {file: file.read_bytes() for file in before} == before
    assert (root / "fabricgen/catalog/data/nics/own.yaml").read_text() == "id: own\n"


def test_a_platform_answers_every_capability(root: Path) -> None:
    assert main(["platform", "newos"], root, len) == 1
    bag, roots = Bag(), [root / "templates"]
    assert list(discover_platforms("switch", roots, bag)) == ["newos"]
    assert load_platforms({"newos": ()}, "switch", bag, roots)["newos"].outputs
    assert list(bag) == []
    table = (root / "templates/switch/newos/NOTES.md").read_text().partition("## Capabilities")[2]
    assert all(f"`{name}`" in table for name in fields_of("switch"))


def test_a_template_reads_what_the_model_of_a_device_has(root: Path) -> None:
    assert main(["platform", "newos"], root, len) == 1
    template = (root / "templates/switch/newos/newos.conf.j2").read_text()
    read = set(re.findall(r"device\.(\w+)", template))
    assert read
    assert read <= {field.name for field in fields(Switch)}


def test_a_platform_has_a_class_of_defaults(root: Path) -> None:
    assert main(["platform", "new_os"], root, len) == 1
    names: dict[str, object] = {}
    exec((root / "fabricgen/platforms/new_os/__init__.py").read_text(), names)
    assert isinstance(names["PLATFORM"], Platform)
    assert type(names["PLATFORM"]).__name__ == "NewOs"


def test_the_conformance_fabric_runs_a_new_platform(root: Path) -> None:
    assert main(["platform", "newos"], root, len) == 1
    before, after = (load_data(place / SWITCH, Bag()) for place in (REPOSITORY, root))
    assert before is not None
    assert after is not None
    assert after.data == {**before.data, "platforms": [*before.data["platforms"], "newos"]}


@pytest.mark.parametrize("words", [("nic", "own"), ("platform", "newos")], ids=lambda words: str(words[0]))
def test_every_file_says_what_is_to_be_filled_in(root: Path, words: tuple[str, str]) -> None:
    known = {file for file in root.rglob("*") if file.is_file()}
    assert main(list(words), root, len) == 1
    written = [
        file for file in root.rglob("*") if file.is_file() and file not in known and "overlays" not in file.parts
    ]
    assert written
    assert all(FILL_IN in file.read_text() for file in written)


def test_a_check_of_a_new_room_is_a_module_that_compiles(root: Path) -> None:
    files, _ = new_check(root, "mtu", "", "top")
    compile(files[f"{RULES}/mtu.py"], "mtu.py", "exec")


def test_the_areas_are_those_of_the_code() -> None:
    files, _ = new_check(REPOSITORY, "something_new", "", "adr")
    (case,) = [file for file in files if file.startswith("tests/cases")]
    assert not (REPOSITORY / case).exists()
