"""A string names a module of ours only where a folder's modules are discovered or one of them is loaded late."""

from __future__ import annotations

import re

from tests.meta.declarations import PACKAGE, REPOSITORY, python_files

PLACES = {
    "api/explain.py": "every module whose name ends in codes, and the rules: codes are registered when it is imported",
    "checks/run.py": "the rules: modules of checks/rules",
    "cli/verb.py": "verbs: modules of cli, each loaded when it is called",
    "diagnostics/writers/__init__.py": "writers: modules beside it, each loaded for its format",
    "platforms/manifest/discover.py": "platforms: the folder that has a platform's name",
}
_LOADS = re.compile(r"\bimport_module\(|\b__import__\(")
_DOTTED = re.compile(r"\bfabricgen(?:\.[a-z_]+)+")


def test_modules_are_imported_by_name_in_these_places_alone() -> None:
    found = [file for file in python_files() if _LOADS.search(file.read_text(encoding="utf-8"))]
    assert {file.relative_to(PACKAGE).as_posix() for file in found} == PLACES.keys()


def test_no_data_of_a_platform_names_a_module() -> None:
    files = sorted((REPOSITORY / "templates").rglob("*.yaml"))
    assert len(files) > 20
    texts = {file.name: _DOTTED.findall(file.read_text(encoding="utf-8")) for file in files}
    assert {name: found for name, found in texts.items() if set(found) - {"fabricgen.yaml", "fabricgen.cfg"}} == {}
