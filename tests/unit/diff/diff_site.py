"""A rendered quickstart, copies of it that went astray, and the comparison of any two sides."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fabricgen.api.diff import DiffOptions, diff
from fabricgen.diagnostics import Bag
from fabricgen.diff.summary import DiffSummary
from tests.acceptance.run import INVENTORIES, STANDING, render_here

LEAF, SPINE, HOST = "leaf-u001-r0", "spine-01", "gpu-u001-h01"
CONFIG_DB = "etc/sonic/config_db.json"
FRR = "etc/sonic/frr/frr.conf"
QUICKSTART = INVENTORIES / "quickstart"


@dataclass
class Site:
    """A folder with a rendered tree ``out``; other sides are made beside it."""

    folder: Path

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def copy(self, name: str = "deployed") -> Path:
        """A copy of the tree without its manifest, as a collector would have it."""
        target = self.folder / name
        shutil.copytree(self.out, target)
        shutil.rmtree(target / "manifest")
        return target

    def edited(self, change: Callable[[dict[str, Any]], object], *names: str) -> Path:
        """A collection in which config_db.json of some switches is changed, of the first leaf unless they are named."""
        deployed = self.copy()
        for name in names or (LEAF,):
            edit_json(switch_file(deployed, name), change)
        return deployed

    def commit(self) -> None:
        """Make the folder a git repository with everything that is in it."""
        git = ["git", "-C", str(self.folder), "-c", "user.name=x", "-c", "user.email=x@example.net"]
        for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
            subprocess.run([*git, *words], check=True, capture_output=True)

    def diff(self, intended: Path | str, deployed: Path | str, **options: Any) -> tuple[DiffSummary | None, set[str]]:
        """Compare, and the codes of what could not be."""
        bag = Bag()
        summary = diff(str(intended), str(deployed), DiffOptions(self.folder, causes=False, **options), bag)
        return summary, {found.code for found in bag} - STANDING

    def compare(self, intended: Path | str, deployed: Path | str, *codes: str, **options: Any) -> DiffSummary:
        """Compare what can be; these codes and no others are reported."""
        summary, found = self.diff(intended, deployed, **options)
        assert found == {*codes}
        return summary


def switch_file(side: Path, name: str = LEAF, path: str = CONFIG_DB) -> Path:
    return side / "switches" / name / path


def edit_json(file: Path, change: Callable[[dict[str, Any]], object]) -> None:
    data = json.loads(file.read_text())
    change(data)
    file.write_text(json.dumps(data, indent=4, sort_keys=True))


def lower_mtu(data: dict[str, Any]) -> None:
    data["PORT"]["Ethernet0"]["mtu"] = "9000"


def render_site(folder: Path) -> Site:
    site = Site(folder)
    assert render_here(QUICKSTART, site.out) == []
    return site
