"""Folders of configurations, in the layouts people have, to devices with files.

* our own: ``switches/<name>/…`` and ``hosts/<name>/…``, with or without manifest
* a folder per device: ``<name>/config_db.json``, or ``<name>/etc/…`` and ``<name>/mnt/…`` with the paths of the device
* flat: ``<name>``, ``<name>.json``, ``<name>.cfg`` …, at any depth, as Oxidized (``<group>/<name>``) and RANCID
  (``<group>/configs/<name>``) keep them; what is in such a file its content tells
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from fabricgen.collect.collect_codes import NOT_REGULAR
from fabricgen.diagnostics.file_codes import NOT_READ, Unreadable
from fabricgen.files import Refused, Why, read_file

SIZE_MAX_BYTES = 16 * 1024 * 1024
"""Most that is read of one file; the largest configurations have 2 MiB."""

_CODES = {Why.NOT_REGULAR: NOT_REGULAR, Why.FOLDER: NOT_REGULAR}


def read_content(source: str | bytes, inside: str | None = None) -> bytes | Unreadable:
    """The bytes of a file, as long as it can be a configuration; with ``inside``, of one that lies in that folder."""
    if isinstance(source, bytes):
        limit = f"at most {SIZE_MAX_BYTES // 1024 // 1024} MiB are read of a device's file"
        fault = Unreadable(NOT_READ, f"it has {len(source):,} bytes; {limit}")
        return source if len(source) <= SIZE_MAX_BYTES else fault
    found = read_file(source, SIZE_MAX_BYTES, inside=inside)
    if isinstance(found, Refused):
        if found.why is Why.MISSING and os.path.islink(source):
            return Unreadable(NOT_READ, "it cannot be read: it is a link that leads to no file")
        return Unreadable(_CODES.get(found.why, NOT_READ), f"it {found.reason}")
    return found


KINDS = ("switches", "hosts")
MANIFEST = "manifest"
_SKIPPED = frozenset({".git", ".svn", "CVS", "lost+found", "router.db", "README", "README.md"})
_ENDINGS = (".json", ".yaml", ".yml", ".cfg", ".conf", ".config", ".txt", ".running", ".run", ".log", ".text", ".sh")
_ROOTS = ("etc", "usr", "opt", "mnt")
_DEPTH_MAX = 64


class Collected(NamedTuple):
    """One device of a folder.

    Attributes:
        kind: ``switches`` or ``hosts``; empty where the layout does not say.
        files: Files by path on the device, or by file name alone where the layout does not know more.
        flat: Files whose content alone tells what they are.
    """

    name: str
    kind: str
    files: dict[str, str]
    flat: list[str]


def collect_folder(root: Path, names: Collection[str]) -> dict[tuple[str, str], Collected]:
    """Return the devices of a folder by kind and name; files of some names, as ``config_db.json``, are one's each."""
    devices: dict[tuple[str, str], Collected] = {}
    for kind, name, path, file in _list(root, frozenset(names)):
        device = devices.get((kind, name))
        if device is not None and path in device.files:
            # Another device of that name, as in the folder of another fabric.
            name = os.path.relpath(file, root).removesuffix(path).rstrip("/")
            device = devices.get((kind, name))
        if device is None:
            device = devices[kind, name] = Collected(name, kind, {}, [])
        if path:
            device.files[path] = file
        else:
            device.flat.append(file)
    return devices


def _list(root: Path, names: frozenset[str]) -> Iterator[tuple[str, str, str, str]]:
    """(kind, device, path on it or nothing, file) of every file."""
    shards = _read_manifest(root)
    if shards is not None:
        yield from _list_manifest(shards, str(root))
    elif any((root / kind).is_dir() for kind in KINDS):
        for kind in KINDS:
            for path in walk_folder(root / kind):
                parts = path.relative_to(root / kind).parts
                if len(parts) > 1:
                    yield kind, parts[0], "/".join(parts[1:]), str(path)
    else:
        for path in walk_folder(root):
            yield _place(path.relative_to(root).parts, str(path), names)


def _read_manifest(root: Path) -> list[str] | None:
    """The parts of a rendered tree's list of files; None if one of them cannot be read: the tree is walked then."""
    if not (root / MANIFEST / "header.json").is_file():
        return None
    found = [read_file(shard, SIZE_MAX_BYTES, inside=root) for shard in sorted((root / MANIFEST).glob("*.txt"))]
    shards = [data.decode(errors="replace") for data in found if not isinstance(data, Refused)]
    return shards if len(shards) == len(found) else None


def _list_manifest(shards: Iterable[str], base: str) -> Iterator[tuple[str, str, str, str]]:
    """The files that a rendered tree lists; reading its list is cheaper than walking through it."""
    for shard in shards:
        for line in shard.splitlines():
            path = line.split(" ", 3)[-1]
            kind, _, rest = path.partition("/")
            name, _, inner = rest.partition("/")
            if kind in KINDS and inner and ".." not in inner:
                yield kind, name, inner, f"{base}/{path}"


def walk_folder(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder, in order; hidden ones, and those that belong to a tool, are left out."""
    for where, folders, files in os.walk(folder):
        is_deep = where.count(os.sep, len(str(folder))) >= _DEPTH_MAX
        folders[:] = sorted(name for name in folders if not (is_deep or name in _SKIPPED or name.startswith(".")))
        for name in sorted(files):
            if name not in _SKIPPED and not name.startswith("."):
                yield Path(where, name)


def _place(parts: tuple[str, ...], path: str, names: frozenset[str]) -> tuple[str, str, str, str]:
    """Tell from a path without kinds whose file it is."""
    for depth in range(1, len(parts) - 1):
        if parts[depth] in _ROOTS:
            return "", parts[depth - 1], "/".join(parts[depth:]), path
    if len(parts) > 1 and parts[-1] in names:
        return "", parts[-2], parts[-1], path
    return "", device_name(parts[-1], names), "", path


def device_name(file: str, names: Collection[str] = ()) -> str:
    """The device a flat file is named after: without its ending, and without the name of what is in it."""
    for name in names:
        for sign in "_-.":
            if file.endswith(sign + name):
                return file[: -len(name) - 1]
    for ending in _ENDINGS:
        if file.lower().endswith(ending):
            return file[: -len(ending)]
    return file
