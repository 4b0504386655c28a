"""Discovery: fabricgen's own templates, those of other packages, and names nobody ships."""

from __future__ import annotations

import pickle
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from fabricgen.diagnostics import Bag, Severity
from fabricgen.platforms.manifest import discover
from fabricgen.platforms.manifest.discover import ENTRY_POINT_GROUP, discover_platforms, find_roots, template_root
from fabricgen.platforms.manifest.load import load_platforms
from fabricgen.platforms.platform import Platform


def make_folder(root: Path, kind: str, name: str) -> None:
    (root / kind / name).mkdir(parents=True)
    (root / kind / name / "platform.yaml").write_text(f"platform: {name}\n")


def announce(name: str, module: str) -> EntryPoint:
    return EntryPoint(name, module, ENTRY_POINT_GROUP)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "acme_fabric").mkdir()
    init = "from pathlib import Path\nTEMPLATES = Path(__file__).parent / 'templates'\n"
    (tmp_path / "acme_fabric/__init__.py").write_text(init)
    make_folder(tmp_path / "acme_fabric/templates", "switch", "acme")
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path / "acme_fabric"


def test_the_checkouts_templates_are_found() -> None:
    root = template_root()
    assert root.is_dir()
    assert root == find_roots(Bag(), [])[0]


def test_an_installed_package_carries_its_templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discover, "__file__", str(tmp_path / "site/fabricgen/platforms/manifest/discover.py"))
    find_root = template_root.__wrapped__
    assert find_root() == tmp_path / "site/templates"
    (tmp_path / "site/fabricgen/_templates").mkdir(parents=True)
    assert find_root() == tmp_path / "site/fabricgen/_templates"


def test_a_third_partys_folder_is_found_through_its_entry_point(package: Path) -> None:
    bag = Bag()
    found = discover_platforms("switch", find_roots(bag, [announce("acme", "acme_fabric")]), bag)
    assert found["acme"].manifest == package / "templates/switch/acme/platform.yaml"
    assert not list(bag)


def test_a_third_partys_class_comes_from_its_entry_point(package: Path) -> None:
    own = "from fabricgen.platforms.platform import Platform\n\n\nclass Acme(Platform):\n    pass\n\n\n"
    own += f"TEMPLATES = {str(package / 'templates')!r}\nPLATFORMS = {{'acme': Acme()}}\n"
    (package.parent / "acme_classes.py").write_text(own)
    point, folder = announce("acme", "acme_classes"), discover.TemplateFolder("acme", "switch", package / "templates")
    found = discover.find_class(folder, [point])
    assert type(found).__qualname__ == "Acme"
    assert pickle.loads(pickle.dumps(found)) == found
    assert discover.find_class(folder, []) == Platform()


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("no_such_module", "ModuleNotFoundError"),
        ("acme_fabric:missing", "AttributeError"),
        ("json", "TEMPLATES"),
        ("acme_broken", "ZeroDivisionError"),
        ("acme_nowhere", "not a folder"),
    ],
)
def test_a_broken_entry_point_is_a_warning(package: Path, module: str, words: str) -> None:
    (package.parent / "acme_broken.py").write_text("1 / 0\n")
    (package.parent / "acme_nowhere.py").write_text("TEMPLATES = '/no/such/folder'\n")
    bag = Bag()
    assert find_roots(bag, [announce("acme", module)]) == (template_root(),)
    (found,) = bag
    assert (found.code, found.severity) == ("FG-PLT-002", Severity.WARNING)
    assert words in found.message


def test_python_in_a_template_folder_is_never_run(tmp_path: Path) -> None:
    make_folder(tmp_path, "switch", "toy")
    for name in ("__init__.py", "view.py", "platform.py"):
        (tmp_path / "switch/toy" / name).write_text("raise SystemExit('template folder was imported')\n")
    bag = Bag()
    assert set(discover_platforms("switch", [tmp_path], bag)) == {"toy"}
    load_platforms({"toy": ()}, "switch", bag, [tmp_path])
    assert {diagnostic.code for diagnostic in bag} == {"FG-INT-002"}


def test_of_two_folders_of_one_name_the_first_counts_and_both_are_named(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    make_folder(first, "switch", "toy")
    make_folder(second, "switch", "toy")
    make_folder(second, "nic", "toy")
    bag = Bag()
    assert discover_platforms("switch", [first, second], bag)["toy"].root == first
    (found,) = bag
    assert found.code == "FG-PLT-003"
    assert str(first) in found.message
    assert str(second) in found.message


def test_a_folder_without_manifest_is_no_platform(tmp_path: Path) -> None:
    (tmp_path / "switch/draft").mkdir(parents=True)
    assert discover_platforms("switch", [tmp_path], Bag()) == {}


def test_an_unknown_name_is_told_with_the_nearest_and_all_legal_ones(tmp_path: Path) -> None:
    for name in ("sonic", "eos", "cumulus_nvue"):
        make_folder(tmp_path, "switch", name)
    make_folder(tmp_path, "host", "sonics")
    bag = Bag()
    assert load_platforms({"sonik": ("tiers", "leaf", "platform")}, "switch", bag, [tmp_path]) == {}
    (found,) = bag
    assert found.code == "FG-PLT-001"
    assert found.path == ("tiers", "leaf", "platform")
    assert "'sonik'" in found.message
    assert "cumulus_nvue, eos, sonic" in found.message
    assert found.hint == "use sonic"
    load_platforms({"NVUE": ()}, "switch", near := Bag(), [tmp_path])
    assert [item.hint for item in near] == ["use cumulus_nvue"]


def test_an_unknown_name_without_any_platform_is_told(tmp_path: Path) -> None:
    bag = Bag()
    load_platforms({"eos": ("tiers", "leaf", "platform")}, "switch", bag, [tmp_path])
    (found,) = bag
    assert "none is installed" in found.message
    assert found.hint


def test_an_unknown_kind_is_a_programming_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="router"):
        discover_platforms("router", [tmp_path], Bag())


def test_specs_come_without_any_yaml_library() -> None:
    code = (
        "import fabricgen.platforms, fabricgen.platforms.manifest.spec, sys\n"
        "import fabricgen.platforms.manifest.discover\n"
        "heavy = {'ruamel', 'pydantic', 'netaddr', 'fabricgen.source', 'importlib.metadata'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-S", "-c", code], check=True, cwd=Path(__file__).parents[3])
