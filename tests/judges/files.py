"""Every file of every device of a rendered tree, and what tells files and devices of one kind from others."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from tests.sampling import EVERYTHING

LARGE = 100
"""Devices above which a tree is shown to outside judges in part."""


@dataclass(frozen=True, slots=True)
class File:
    """A rendered file; ``shape`` is the digest of all of it but the digits."""

    device: Path
    on_device: str
    digest: bytes
    shape: bytes
    first_line: str

    @property
    def path(self) -> Path:
        return self.device / self.on_device


def read_files(out: Path) -> list[File]:
    found = []
    for root in sorted(path for kind in ("switches", "hosts") for path in (out / kind).glob("*")):
        for path in sorted(p for p in root.rglob("*") if p.is_file()):
            data = path.read_bytes()
            first = data[:200].split(b"\n", 1)[0].decode("utf-8", "replace")
            shape = sha256(data.translate(None, b"0123456789")).digest()
            found.append(File(root, str(path.relative_to(root)), sha256(data).digest(), shape, first))
    return found


def judge_named_files(findings: Callable[[str], list[str]]) -> int:
    """Print findings about the texts of the files that the command line names; 1 if there are any."""
    found = [f"{name}: {line}\n" for name in sys.argv[1:] for line in findings(Path(name).read_text(encoding="utf-8"))]
    sys.stdout.writelines(found)
    return int(bool(found))


def files_to_show(out: Path) -> list[File]:
    """The files of a tree that outside judges see: all, or of a large one those of each shape."""
    files = read_files(out)
    is_large = len({file.device for file in files}) > LARGE
    return of_each_shape(files) if is_large and not EVERYTHING else files


def of_each_shape(files: list[File]) -> list[File]:
    """The files of the first and of the last device of each shape: its paths, and their text but for the digits."""
    by_device: dict[Path, list[tuple[str, bytes]]] = {}
    for file in files:
        by_device.setdefault(file.device, []).append((file.on_device, file.shape))
    by_shape: dict[tuple[tuple[str, bytes], ...], list[Path]] = {}
    for device, shapes in by_device.items():
        by_shape.setdefault(tuple(shapes), []).append(device)
    chosen = {device for devices in by_shape.values() for device in (devices[0], devices[-1])}
    return [file for file in files if file.device in chosen]
