"""Digests of everything that is deployed: the content of ``deployed.json``, which ``rollout verify`` compares."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from fabricgen.diff.device import DeviceDiff
from fabricgen.diff.file_diff import FileDiff
from fabricgen.diff.kinds import FileKind, FileKinds
from fabricgen.diff.sides import File, SideDevice, Unreadable
from fabricgen.platforms.patching.steps import Situation
from fabricgen.rollout.bundle import Digest, PlannedFile
from fabricgen.rollout.digests import Meanings, digest_bytes, list_kept, list_left_out, read_tree

Digests = dict[str, Digest]


class Deployed:
    """Digests of the files of both sides, by device: of the deployed one each, of the intended one in all."""

    def __init__(self, kinds: FileKinds, *, is_rendered: bool = False) -> None:
        """Start with no device.

        Args:
            kinds: How files are read.
            is_rendered: The deployed side is a tree that fabricgen rendered. Its hosts have the files as they are
                there, drained or not: a drain only moves their jobs away. A switch may show the same in a layout of
                its own, so that equal bytes do not know it again.
        """
        self._kinds = kinds
        self._is_rendered = is_rendered
        self._meanings = Meanings()
        self._alike: dict[tuple[FileKind, str], Digest] = {}
        self._devices: dict[str, Digests] = {}
        self._intended: list[str] = []

    def add(self, intended: SideDevice, found: dict[str, File], diff: DeviceDiff) -> None:
        """Add a device; ``found`` are its deployed files by the paths of the intended ones."""
        read = {file.path: file.situation for file in diff.files if file.situation is not None}
        kinds = self._kinds.of_device(intended.kind, intended.files)
        digests: Digests = {}
        for path, file in sorted(intended.files.items()):
            wanted = file.load()
            wanted_digest = "" if isinstance(wanted, Unreadable) else digest_bytes(wanted)
            have = wanted if path in diff.same else found[path].load() if path in found else None
            if have is not None and not isinstance(have, Unreadable):
                is_same = have == wanted
                known = is_same and self._is_rendered and intended.kind != "switches"
                sha256 = wanted_digest if is_same else digest_bytes(have)
                digests[path] = Digest(sha256) if known else self._digest(sha256, wanted, kinds[path], read.get(path))
        self._devices[f"{intended.kind}/{intended.name}"] = digests

    def intend(self, intended: SideDevice) -> None:
        """Add the files of a device on the intended side."""
        for path, file in sorted(intended.files.items()):
            data = file.load()
            if not isinstance(data, Unreadable):
                self._intended.append(f"{digest_bytes(data)}  {intended.kind}/{intended.name}/{path}")

    def _digest(self, sha256: str, wanted: bytes | Unreadable, kind: FileKind, situation: Situation | None) -> Digest:
        """Return the digest of a deployed file; one that does not differ means what is wanted."""
        if situation is not None:
            kept = list_kept(situation.after, kind.semantics)
            return Digest(sha256, self._meanings.digest(situation.before, kind.semantics, kept=kept), kept)
        if isinstance(wanted, Unreadable):
            return Digest(sha256)
        key = kind, digest_bytes(wanted)
        if key not in self._alike:
            self._alike[key] = self._digest_wanted(wanted, kind)
        return self._alike[key]._replace(sha256=sha256)

    def _digest_wanted(self, wanted: bytes, kind: FileKind) -> Digest:
        """Return the digest of an intended file, which devices of a class share; its bytes are those of another."""
        tree = read_tree(wanted, kind)
        if tree is None:
            return Digest("")
        kept = list_kept(tree, kind.semantics)
        return Digest("", self._meanings.digest(tree, kind.semantics, kept=kept), kept)

    def plan_files(self, device: DeviceDiff, earlier: Mapping[str, Digest | None]) -> tuple[PlannedFile, ...]:
        """Return the files of a device, as one step changes it, that differ: before and after.

        ``earlier`` has digests of the files that earlier steps leave, by path.
        """
        known = {**self._devices[f"{device.kind}/{device.name}"], **earlier}
        changed = (file for file in device.files if file.situation and file.situation.changes)
        return tuple(self._plan_file(file, known.get(file.path)) for file in changed)

    def _plan_file(self, file: FileDiff, before: Digest | None) -> PlannedFile:
        situation = file.situation
        if situation is None or not situation.after_text:
            return PlannedFile(file.path, before, None)
        secrets = list_left_out(situation.after)
        kept = list_kept(situation.after, situation.semantics)
        meaning = self._meanings.digest(situation.outcome, situation.semantics, kept=kept, secrets=secrets)
        return PlannedFile(file.path, before, Digest(digest_bytes(file.intended), meaning, kept), secrets)

    def digest(self) -> str:
        """Return the digest over all deployed files."""
        lines = [
            f"{digest.sha256}  {name}/{path}\n"
            for name, files in sorted(self._devices.items())
            for path, digest in sorted(files.items())
        ]
        return digest_bytes("".join(lines).encode())

    def digest_intended(self) -> str:
        """Return the digest over the intended files of the same devices."""
        return hashlib.sha256("".join(f"{line}\n" for line in sorted(self._intended)).encode()).hexdigest()

    def to_data(self) -> dict[str, Any]:
        """Return every digest, by device and path."""
        return digests_to_data(self._devices)


def digests_to_data(devices: Mapping[str, Mapping[str, Digest]]) -> dict[str, Any]:
    """Return digests as ``deployed.json`` has them."""
    return {
        name: {
            path: [*digest[:2], *digest.kept] if digest.meaning else [digest.sha256]
            for path, digest in sorted(files.items())
        }
        for name, files in sorted(devices.items())
    }
