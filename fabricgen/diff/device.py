"""One device on both sides: its files found, read and compared.

What keeps a file from being compared is a diagnostic with its place and ends there: the device's other files and every
other device are compared all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from fabricgen.diagnostics import Bag, Code, Place
from fabricgen.diagnostics.file_codes import NOT_READ
from fabricgen.diff.counting import Counting
from fabricgen.diff.diff_codes import FOREIGN, OTHER_DEVICE
from fabricgen.diff.file_diff import NEITHER, FileDiff, SecretFree
from fabricgen.diff.kinds import FileKind, FileKinds, describe, recognise
from fabricgen.diff.overrides import find_overridden, list_merged
from fabricgen.diff.shared_trees import SharedTrees
from fabricgen.diff.sides import File, SideDevice, Unreadable, decode
from fabricgen.diff.tree_changes import TreeComparison, compare_trees
from fabricgen.platforms.patching.steps import ABSENT, Change, Situation, share
from fabricgen.platforms.reading.reader import ReadFault, Tree


@dataclass(slots=True)
class DeviceDiff:
    """One device.

    Attributes:
        equal: Intended files that do not, or were not compared; only where files are read whole.
        same: Paths of intended files that the deployed side has byte for byte.
        absent: Intended files that the deployed side has no content for.
        foreign: Deployed files that fabricgen does not write.
        is_new: The deployed side, which fabricgen made, lacks the device.
        is_gone: Only the deployed side has it.
        failed: Something of it could not be compared.
    """

    name: str
    kind: str
    files: list[FileDiff] = field(default_factory=list)
    equal: list[tuple[FileKind, File]] = field(default_factory=list)
    same: set[str] = field(default_factory=set)
    absent: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    is_new: bool = False
    is_gone: bool = False
    is_missing: bool = False
    failed: bool = False

    @property
    def changes(self) -> Iterator[tuple[FileDiff, Change]]:
        """Every change with its file."""
        return ((file, change) for file in self.files for change in file.changes)


class DeviceComparer:
    """Compares devices; remembers what devices of a class share."""

    def __init__(
        self,
        kinds: FileKinds,
        names: frozenset[str],
        bag: Bag,
        *,
        whole: bool = False,
        secret_free: SecretFree = NEITHER,
        unmanaged: bool = False,
    ) -> None:
        """Prepare.

        Args:
            kinds: How files are read.
            names: Every device of the deployed side; a file that names another of them is in the wrong place.
            bag: Takes what keeps files from being compared.
            whole: Read files whole and keep them, for patches.
            secret_free: Sides that have references in place of secrets.
            unmanaged: What is not ours is a change: it is to go.
        """
        self._unmanaged = unmanaged
        self._secret_free = secret_free
        self._kinds = kinds
        self._names = names
        self._bag = bag
        self._whole = whole
        self._shared = SharedTrees()

    def compare(self, intended: SideDevice, deployed: SideDevice) -> DeviceDiff:
        """Compare one device that both sides have."""
        result = DeviceDiff(intended.name, intended.kind)
        intended = self.place(intended, result)
        kinds = self._kinds.of_device(intended.kind, intended.files)
        found = self._match(intended, deployed, result)
        for path, file in intended.files.items():
            other = found.pop(path, None)
            if other is None:
                self._add_absent(result, path, file, kinds[path], deployed)
            else:
                self._compare_pair_of_files(result, kinds[path], file, other)
        for path, file in intended.files.items():
            result.files += self._find_overridden(result, kinds[path], file, found)
        result.foreign = sorted(found.keys() - {file.path for file in result.files})
        differing = {each.path for each in result.files} if self._whole else {*intended.files}
        result.equal = [(kinds[path], file) for path, file in intended.files.items() if path not in differing]
        return result

    def place(self, device: SideDevice, result: DeviceDiff) -> SideDevice:
        """Return a device with its flat files at the paths that the platform gives them which is recognised in them.

        A file without a sign of any is reported, and ``result`` has failed.
        """
        if not device.flat:
            return device
        kinds = {kind.name: kind for kind in reversed(self._kinds.all())}
        parts = (self._unpack(file, kinds, result) for file in device.flat)
        placed = {kinds[name].path: file for found in parts for name, file in found.items()}
        return SideDevice(device.name, device.kind, placed | device.files)

    def _compare_pair_of_files(self, result: DeviceDiff, kind: FileKind, file: File, other: File) -> None:
        wanted, have = file.load(), other.load()
        if wanted == have:
            result.same.add(kind.path)
            return
        if isinstance(wanted, Unreadable) or isinstance(have, Unreadable):
            fault = have if isinstance(have, Unreadable) else wanted
            self._refuse(result, other if fault is have else file, fault)  # type: ignore[arg-type]
            return
        self._compare_file(result, kind, (file, other), wanted, have)

    def _find_overridden(
        self, result: DeviceDiff, kind: FileKind, file: File, found: Mapping[str, File]
    ) -> Iterator[FileDiff]:
        """Yield the files of others by which another value is in effect than one that ours sets."""
        merged = list_merged(kind, found)
        wanted = file.load() if merged else b""
        if not merged or isinstance(wanted, Unreadable):
            return
        ours = self._read(result, kind, file, wanted)
        for each in find_overridden(ours, kind, merged) if ours is not None else ():
            if isinstance(each.found, Unreadable):
                # The device is compared all the same; what this file overrides is not known.
                message, place = f"{result.name}: {each.found.message}", Place(each.file.shown, each.found.line, 1)
                self._bag.add(each.found.code, message, place=place, device=result.name)
            else:
                shown, parts = each.file.shown, (each.found,)
                yield FileDiff(each.path, shown, kind, parts, Counting({}), None, wanted, self._secret_free, kind.path)

    def match(self, intended: SideDevice, deployed: SideDevice) -> dict[str, File]:
        """Return the deployed files by the paths of the intended ones, what has another name included."""
        return self._match(intended, deployed, DeviceDiff(intended.name, intended.kind))

    def _match(self, intended: SideDevice, deployed: SideDevice, result: DeviceDiff) -> dict[str, File]:
        """The deployed files by the paths of the intended ones; what is left keeps the name it has."""
        kinds = self._kinds.of_device(intended.kind, intended.files)
        by_name = {kind.name: path for path, kind in kinds.items()}
        found: dict[str, File] = {}
        for path, file in deployed.files.items():
            known = path if "/" in path else by_name.get(path, path)
            found.setdefault(known, file)
        for path, name, content in self._displaced(kinds, found):
            del found[path]
            found[name] = content
        for file in deployed.flat:
            for name, content in self._unpack(file, kinds, result).items():
                if name in by_name:
                    found.setdefault(by_name[name], content)
        return found

    def _displaced(self, kinds: Mapping[str, FileKind], found: dict[str, File]) -> list[tuple[str, str, File]]:
        """Files beside the place of a missing one that are it by name or content, such as what a link leads to."""
        missing = [path for path in kinds if path not in found]
        moved: list[tuple[str, str, File]] = []
        for wanted in missing:
            folder, _, name = wanted.rpartition("/")
            siblings = [path for path in found if path.startswith(f"{folder}/") and path not in kinds]
            same = [path for path in siblings if path.endswith(f"/{name}")]
            alike = (
                same if len(same) == 1 else (path for path in siblings if self._holds(path, found[path], kinds[wanted]))
            )
            moved += [(path, wanted, found[path]) for path in islice(alike, 1)]
        return moved if len({path for path, _, _ in moved}) == len(moved) else []

    def _holds(self, path: str, file: File, kind: FileKind) -> bool:
        """Return whether a file that has no name of its own is of a kind by its content."""
        data = file.load() if path.rpartition("/")[2] not in self._kinds.names else b""
        text = data if isinstance(data, Unreadable) else decode(data)
        return not isinstance(text, Unreadable) and kind.count_signs(text) > 0

    def _unpack(self, file: File, kinds: Mapping[str, FileKind], result: DeviceDiff) -> dict[str, File]:
        """The files of a device in a text that does not say which it is: by its content, or else by the text's name."""
        data = file.load()
        text = data if isinstance(data, Unreadable) else decode(data)
        if isinstance(text, Unreadable):
            self._refuse(result, file, text)
            return {}
        parts = recognise(text, kinds.values())
        if not parts:
            name = file.shown.rpartition("/")[2]
            if any(kind.name == name for kind in kinds.values()):
                return {name: file}
            self._tell(result, FOREIGN, file, describe(text, kinds.values()))
        return {name: File(content.encode, file.shown) for name, content in parts.items()}

    def _add_absent(self, result: DeviceDiff, path: str, file: File, kind: FileKind, deployed: SideDevice) -> None:
        """A file without counterpart: a difference if the deployed side is a whole tree, else just not collected."""
        is_partial = deployed.is_partial or deployed.flat or not any("/" in known for known in deployed.files)
        if is_partial or result.failed:
            result.absent.append(path)
            return
        wanted = file.load()
        tree = {} if isinstance(wanted, Unreadable) else self._read(result, kind, file, wanted) or {}
        change = Change((), ABSENT, tree, kind.semantics.root)
        data = b"" if isinstance(wanted, Unreadable) else wanted
        situation = Situation(path, (change,), {}, tree, "", data.decode(errors="replace"), kind.semantics, kind.mode)
        result.files.append(
            FileDiff(
                path,
                "",
                kind,
                (TreeComparison([change], [], []),),
                Counting({}),
                situation,
                data,
                secret_free=self._secret_free,
            )
        )

    def _compare_file(
        self, result: DeviceDiff, kind: FileKind, files: tuple[File, File], wanted: bytes, have: bytes
    ) -> None:
        path, other = kind.path, files[1]
        after = self._read(result, kind, files[0], wanted)
        before = self._read(result, kind, other, have)
        if after is None or before is None or self._is_of_another(result, kind, other, before):
            return
        if self._whole and kind.semantics.as_text:
            before = share(before, after)
        comparison = compare_trees(before, after, kind.semantics, unmanaged=self._unmanaged)
        if comparison.is_empty:
            return
        situation = None
        if self._whole:
            texts = have.decode(errors="replace"), wanted.decode(errors="replace")
            changes, has_more = tuple(comparison.changes), comparison.keeps
            situation = Situation(path, changes, before, after, *texts, kind.semantics, kind.mode, has_more)
        result.files.append(
            FileDiff(path, other.shown, kind, (comparison,), Counting(after), situation, wanted, self._secret_free)
        )

    def _read(self, result: DeviceDiff, kind: FileKind, file: File, data: bytes) -> Tree | None:
        tree = self._shared.read(kind, data)
        if tree is not None:
            return tree
        text = decode(data)
        if isinstance(text, Unreadable):
            self._refuse(result, file, text)
            return None
        try:
            return kind.read(text)
        except ReadFault as fault:
            self._tell(result, NOT_READ, file, str(fault), fault.line)
            return None

    def _is_of_another(self, result: DeviceDiff, kind: FileKind, file: File, tree: Tree) -> bool:
        """Return whether a file names another device of the fabric."""
        name = kind.hostname(tree).split(".")[0]
        if name == result.name or name not in self._names:
            return False
        self._tell(result, OTHER_DEVICE, file, f"it is the configuration of {name}")
        return True

    def _refuse(self, result: DeviceDiff, file: File, fault: Unreadable) -> None:
        self._tell(result, fault.code, file, fault.message, fault.line)

    def _tell(self, result: DeviceDiff, code: Code, file: File, message: str, line: int = 1) -> None:
        result.failed = True
        self._bag.add(code, f"{result.name}: {message}", place=Place(file.shown, max(line, 1), 1), device=result.name)
