"""The manifest of an output tree: a header, and one sorted line per file in shards."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from fabricgen.diagnostics import Bag
from fabricgen.render.render_codes import MANIFEST_DAMAGED, MANIFEST_IGNORED
from fabricgen.render.tree.filesystem import Filesystem, digest_bytes, read_file
from fabricgen.render.tree.stager import HEADER_PATH, FileRecord, refuse_path, shard_path

FORMAT = 1
WRITER_KEY = "tree"
Keep = Callable[[str], bool]
"""Predicate: an owned file that was not put stays as it is, by its path; for ``render --only``."""

_LINE = re.compile(r"([0-9a-f]{64}) ([0-9]{1,15}) ([0-7]{3}) ([^\n]+)")


class ManifestEntry(NamedTuple):
    """One file that fabricgen owns, with the shard that lists it, SHA-256 in hex, bytes and permission bits."""

    shard: str
    digest: str
    size: int
    mode: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """Manifest of a tree, empty without one: the header, owned files by path, digests of its own files."""

    header: Mapping[str, object] = field(default_factory=dict)
    entries: Mapping[str, ManifestEntry] = field(default_factory=dict)
    own: Mapping[str, str] = field(default_factory=dict)

    def owned(self) -> dict[str, str]:
        """Digest of every path that this manifest owns, its own files included."""
        return {path: entry.digest for path, entry in self.entries.items()} | dict(self.own)

    def listed_with(self, records: Mapping[str, FileRecord], keep: Keep | None) -> dict[str, ManifestEntry]:
        """Entries of the next manifest: what was put, and what is kept though it was not."""
        kept = {path: entry for path, entry in self.entries.items() if keep is not None and keep(path)}
        put = {path: ManifestEntry(it.shard, it.digest, it.size, it.mode) for path, it in records.items()}
        return kept | put


class _DamageError(Exception):
    """Some part of a manifest cannot be trusted; the text says which and why."""


def encode_manifest(header: Mapping[str, object], entries: Mapping[str, ManifestEntry]) -> dict[str, bytes]:
    """Write a manifest as the bytes of its files by path; equal input gives equal bytes.

    Raises:
        ValueError: The header uses the writer's own key, or a shard's name was never checked: a programming error.
    """
    if WRITER_KEY in header:
        raise ValueError(f"the header key {WRITER_KEY!r} belongs to the writer")
    lines: dict[str, list[str]] = {}
    for path in sorted(entries):
        entry = entries[path]
        lines.setdefault(entry.shard, []).append(f"{entry.digest} {entry.size} {entry.mode:03o} {path}\n")
    files: dict[str, bytes] = {}
    shards: dict[str, str] = {}
    for shard in sorted(lines):
        place = shard_path(shard)
        if place is None:
            raise ValueError(f"{shard!r} is not a shard name")
        files[place] = "".join(lines[shard]).encode()
        shards[shard] = digest_bytes(files[place])
    files[HEADER_PATH] = _encode_header(header, shards)
    return files


def read_manifest(fs: Filesystem, root: str, bag: Bag, *, force: bool) -> Manifest | None:
    """Read and verify the manifest of a tree, empty if the tree has none.

    Damaged parts are left out with a warning each where that is forced; otherwise they are errors, and there is None.
    """
    damage: list[str] = []
    manifest = _read_parts(fs, root, damage)
    code = MANIFEST_IGNORED if force else MANIFEST_DAMAGED
    for text in damage:
        bag.add(code, f"{root}/{text}")
    return None if damage and not force else manifest


def _read_parts(fs: Filesystem, root: str, damage: list[str]) -> Manifest:
    try:
        raw = read_file(fs, f"{root}/{HEADER_PATH}")
    except FileNotFoundError:
        return Manifest()
    try:
        header, shards = _decode_header(raw)
    except _DamageError as error:
        damage.append(f"{HEADER_PATH}: {error}")
        return Manifest()
    own = {HEADER_PATH: digest_bytes(raw)}
    entries: dict[str, ManifestEntry] = {}
    for shard, digest in shards.items():
        path = shard_path(shard)
        if path is None:
            damage.append(f"{HEADER_PATH}: {shard!r} is not a shard name")
            continue
        own[path] = digest
        try:
            found = _decode_shard(shard, _read_shard(fs, f"{root}/{path}"), digest)
            if doubled := found.keys() & entries.keys():
                raise _DamageError(f"another shard lists {min(doubled)!r} too")
            entries.update(found)
        except _DamageError as error:
            damage.append(f"{path}: {error}")
    return Manifest(header, entries, own)


def _read_shard(fs: Filesystem, path: str) -> bytes:
    try:
        return read_file(fs, path)
    except FileNotFoundError:
        raise _DamageError("the header lists this shard, but it is absent") from None


def _encode_header(header: Mapping[str, object], shards: Mapping[str, str]) -> bytes:
    """Canonical JSON of the caller's mapping and the writer's own part, sealed by a digest of the rest."""
    own: dict[str, object] = {"digest": "sha256", "format": FORMAT, "shards": dict(shards)}
    # Through JSON once, so that keys which are numbers sort as the text they become.
    document = {**json.loads(json.dumps(header, allow_nan=False)), WRITER_KEY: own}
    own["seal"] = digest_bytes(_canonical(document))
    return _canonical(document)


def _canonical(document: Mapping[str, object]) -> bytes:
    return (json.dumps(document, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _decode_header(raw: bytes) -> tuple[dict[str, object], dict[str, str]]:
    """Split a header into the caller's mapping and the shards; raises _DamageError."""
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError):
        raise _DamageError("it is not JSON") from None
    own = document.pop(WRITER_KEY, None) if isinstance(document, dict) else None
    if not isinstance(own, dict) or not isinstance(own.get("shards"), dict):
        raise _DamageError("it does not list the shards of a manifest")
    if own.get("format") != FORMAT:
        raise _DamageError(f"its format is {own.get('format')!r}; this version reads format {FORMAT}")
    shards = {str(shard): str(digest) for shard, digest in own["shards"].items()}
    try:
        intact = _encode_header(document, shards) == raw
    except ValueError:
        intact = False
    if not intact:
        raise _DamageError("its content does not match its seal: it was edited or merged")
    return document, shards


def _decode_shard(shard: str, raw: bytes, digest: str) -> dict[str, ManifestEntry]:
    """Read the lines of a shard; its paths are checked as if a stranger wrote them; raises _DamageError."""
    if digest_bytes(raw) != digest:
        raise _DamageError("its content does not match the header: it was edited or merged")
    try:
        lines = raw.decode().split("\n")
    except UnicodeDecodeError:
        raise _DamageError("it is not UTF-8") from None
    entries: dict[str, ManifestEntry] = {}
    if lines.pop():
        raise _DamageError("its last line has no end")
    for number, line in enumerate(lines, 1):
        match = _LINE.fullmatch(line)
        if match is None or refuse_path(match[4]) is not None or match[4] in entries:
            raise _DamageError(f"line {number} is not a line of a manifest")
        entries[match[4]] = ManifestEntry(shard, match[1], int(match[2]), int(match[3], 8))
    return entries
