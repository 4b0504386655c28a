"""A rendered tree on disk → neutral facts of every device, through whichever readers know its files."""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from . import readers
from .facts import Device, Fabric

FOLDERS = {"switches": "switch", "hosts": "host"}


@dataclass(slots=True)
class Files:
    """The files of one device by their path on the device, and which of them a reader has looked at."""

    root: Path
    paths: frozenset[str]
    runs_scripts: bool = True
    read: set[str] = field(default_factory=set)

    def text(self, path: str) -> str | None:
        """Text of a file, or None where the device has none of that path."""
        if path not in self.paths:
            return None
        self.read.add(path)
        return (self.root / path).read_text(encoding="utf-8")

    def under(self, folder: str, suffix: str = "") -> list[tuple[str, str]]:
        """Path and text of every file below a folder."""
        found = sorted(p for p in self.paths if p.startswith(folder) and p.endswith(suffix))
        return [(path, self.text(path) or "") for path in found]


@dataclass(frozen=True, slots=True)
class Reader:
    """A platform's reader: which kind of device it reads, and the function that fills the device's facts.

    The function returns False, having looked at nothing, where the files are not its platform's. A later stage
    sees what an earlier one found: an operating system first, then what hangs on its interfaces.
    """

    kind: str
    read: Callable[[Files, Device], bool]
    stage: int = 0


@lru_cache(maxsize=1)
def known_readers() -> tuple[Reader, ...]:
    """Every reader: each module of the package ``readers`` has one, called ``READER``."""
    names = sorted(module.name for module in pkgutil.iter_modules(readers.__path__))
    found = [importlib.import_module(f"{readers.__name__}.{name}").READER for name in names]
    return tuple(sorted(found, key=lambda reader: reader.stage))


def read_device(root: Path, kind: str, *, runs_scripts: bool = True) -> Device:
    """Facts of one device from its folder, whose name is its host name."""
    device = Device(root.name, kind)
    below = ((os.path.relpath(folder, root), names) for folder, _, names in os.walk(root))
    paths = frozenset(os.path.normpath(f"{folder}/{name}") for folder, names in below for name in names)
    files = Files(root, paths, runs_scripts)
    matching = [_try(reader, files, device) for reader in known_readers() if reader.kind == kind]
    if not any(matching):
        device.say("has no file that any reader knows")
    for path in sorted(paths - files.read):
        device.say(f"{path}: no reader knows this file, so nothing proves it right")
    return device


def _try(reader: Reader, files: Files, device: Device) -> bool:
    """Let a reader read; text that it cannot make sense of is a finding like any other."""
    try:
        return reader.read(files, device)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        device.say(f"cannot be read: {type(error).__name__}: {error}")
        return True


def read_tree(out: Path, *, runs_scripts: bool = True) -> Fabric:
    """Facts of every device of a rendered tree; running the hosts' scripts takes longer than all the rest."""
    fabric = Fabric()
    for folder, kind in FOLDERS.items():
        for root in sorted(path for path in (out / folder).glob("*") if path.is_dir()):
            device = read_device(root, kind, runs_scripts=runs_scripts)
            if device.name in fabric.devices:
                fabric.problems.append(f"{device.name}: is both a switch and a host")
            fabric.devices[device.name] = device
    if not fabric.devices:
        fabric.problems.append(f"{out}: no device in this tree")
    return fabric
