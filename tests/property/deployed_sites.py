"""Sites of each platform, deployed in every layout that a side may have, with one file of one device mutated."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from fabricgen.api.render import RenderOptions, render_inventory
from fabricgen.compiler.compile import Compiled
from tests.acceptance.run import INVENTORIES, diagnose
from tests.property.mutate_files import mutate_file

PLATFORMS = ("sonic", "frr", "eos", "nvue", "fboss", "hosts")
LAYOUTS = ("paths", "tree", "folders", "flat", "git")
_SWITCHES = ("[!g]*01*", "leaf-u001-r0", "spine-01")
_HOSTS = ("gpu-u001-h0[12]", "gpu-u001-h01", "gpu-u001-h02")
"""Devices of a site, that of them one of whose files is mutated, and that which always differs."""
_FLAT = {"config_db.json": ".json", "frr.conf": ".cfg", "startup-config": ".cfg", "startup.yaml": ".yaml"}
"""Files that tell by themselves what they are, with the ending a collector gives them."""
_MTU = re.compile(rb"\b9[012]\d\d\b")


class Deployed(NamedTuple):
    """A deployed side."""

    where: Path
    side: str
    name: str


@dataclass
class Site:
    """A rendered fabric of one platform."""

    platform: str
    folder: Path
    victim: str
    compiled: Compiled
    files: dict[str, bytes] = field(default_factory=dict)

    @property
    def out(self) -> Path:
        """The intended side: a rendered tree."""
        return self.folder / "out"

    def deploy(self, layout: str, changed: dict[str, bytes], name: str) -> Deployed:
        """Lay the deployed files out; those that changed with their new content."""
        target = self.folder / "deployed"
        shutil.rmtree(target, ignore_errors=True)
        placed = {_place(layout, path): data for path, data in {**self.files, **changed}.items()}
        for path, data in placed.items():
            if path:
                file = target / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)
        if layout == "tree":
            shutil.copytree(self.out / "manifest", target / "manifest")
        if layout == "git":
            return Deployed(target, commit_all(target), name)
        return Deployed(self.folder, "deployed", name)

    def mutate(self, layout: str, rng: random.Random) -> Deployed:
        paths = [path for path in self.files if path.split("/")[1] == self.victim and _place(layout, path)]
        path = rng.choices(paths, [1 + len(self.files[path]) // 1000 for path in paths])[0]
        name, data = mutate_file(self.files[path], rng)
        return self.deploy(layout, {path: data}, f"{path}: {name}")


def commit_all(folder: Path) -> str:
    """Commit a folder; the side that it is then."""
    names = ("-c", "user.name=x", "-c", "user.email=x@example.net", "-c", "gc.auto=0")
    for words in (("init", "-q"), ("add", "-A", "-f"), ("commit", "-q", "--allow-empty", "-m", "x")):
        subprocess.run(["git", "-C", str(folder), *names, *words], check=True, capture_output=True)
    return "HEAD:."


def make_site(platform: str, folder: Path) -> Site:
    overlays = () if platform in ("sonic", "hosts") else (platform,)
    compiled, bag = diagnose(INVENTORIES / "quickstart", *overlays)
    only, victim, neighbor = _HOSTS if platform == "hosts" else _SWITCHES
    site = Site(platform, folder, victim, compiled)
    assert render_inventory(compiled, site.out, RenderOptions(only=(only,)), bag) is not None
    for path in sorted(site.out.glob("*/*/**/*")):
        if path.is_file():
            site.files[path.relative_to(site.out).as_posix()] = path.read_bytes()
    main = max((path for path in site.files if neighbor in path), key=lambda path: len(_MTU.findall(site.files[path])))
    site.files[main] = _MTU.sub(b"1500", site.files[main], count=1)
    return site


def _place(layout: str, path: str) -> str:
    """Return the place of a device's file in a layout; empty if the layout has no place for it."""
    _, device, inner = path.split("/", 2)
    name = os.path.basename(inner)
    if layout == "folders":
        return f"{device}/{inner}"
    if layout == "flat":
        return f"group/{device}{_FLAT[name]}" if name in _FLAT else f"{device}/{name}"
    return path
