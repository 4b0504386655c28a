"""Reader of each file: from the paths of a device's files to the semantics its platform gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from operator import itemgetter
from pathlib import Path

from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.discover import KINDS, discover_platforms, find_roots
from fabricgen.platforms.manifest.load import load_manifest
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.platforms.platform import Platform
from fabricgen.platforms.reading.file_format import FileFormat, count_signs, list_signs
from fabricgen.platforms.reading.reader import ReadFault, Tree
from fabricgen.platforms.reading.redaction import Redaction
from fabricgen.platforms.reading.semantics import PLAIN, Semantics, load_semantics

_NONE = Platform()
_FOLDERS = {"switch": "switches", "host": "hosts", "nic": "hosts"}


class FileKind:
    """Reader of one file of a platform.

    Its semantics and its reader are loaded when they are first asked for: most files are equal and never read.

    Attributes:
        mode: Permission bits it should have.
        platform: Platform that writes it; one that can do nothing where none does.
    """

    __slots__ = ("_know", "_known", "_last", "_redaction", "is_json", "mode", "name", "path", "platform")

    def __init__(
        self, path: str, mode: int, know: Callable[[FileFormat], Semantics], platform: Platform = _NONE
    ) -> None:
        """Describe a file; ``know`` finds out about its semantics."""
        self.path = path
        self.name = path.rsplit("/", 1)[-1]
        self.mode = mode
        self.is_json = path.endswith(".json")
        self.platform = platform
        self._know = know
        self._known: Semantics | None = None
        self._last: tuple[str, Tree] | None = None
        self._redaction: Redaction | None = None

    @property
    def semantics(self) -> Semantics:
        """Return what a difference means."""
        if self._known is None:
            self._known = self._know(self.platform.format_of(self.path))
        return self._known

    @property
    def format(self) -> FileFormat:
        """Return how it is read and written."""
        return self.semantics.format

    @property
    def redaction(self) -> Redaction:
        """Return what of it may be shown."""
        if self._redaction is None:
            self._redaction = Redaction(self.semantics.root)
        return self._redaction

    def read(self, text: str) -> Tree:
        """The tree of a text, never changed: the same one if the last text is asked for again; raises ReadFault."""
        if self._last is None or self._last[0] != text:
            self._last = text, self.format.read(text)
        return self._last[1]

    def read_part(self, text: str) -> Tree:
        """The tree of some members of a JSON file; raises ReadFault."""
        return (self.format.read_part or self.format.read)(text)

    def hostname(self, tree: Tree) -> str:
        """The name the file gives its device; empty if it gives none."""
        return self.format.hostname(tree)

    def count_signs(self, text: str) -> int:
        """Return how many signs of this kind a text of unknown origin has; 0 if it is not of this kind."""
        signs = self.semantics.signs
        return count_signs(text, signs) if signs else len(self.unpack(text))

    def unpack(self, text: str) -> dict[str, str]:
        """Files by name in a text of this kind: itself, unless it holds several."""
        unpack = self.format.unpack
        return unpack(text) if unpack else {self.name: text} if self.semantics.signs else {}


class FileKinds:
    """Every kind of file of every platform that may be met."""

    def __init__(self, specs: Iterable[PlatformSpec], bag: Bag) -> None:
        """Describe every output; one whose semantics have a fault, which ``bag`` takes, is compared by its ending."""
        specs = list(specs)
        self._specs = [spec.name for spec in specs]
        self._platforms = [(_FOLDERS[spec.kind], _kinds_of(spec, bag)) for spec in specs]
        self._cache: dict[tuple[str, frozenset[str]], dict[str, FileKind]] = {}

    @property
    def names(self) -> frozenset[str]:
        """File names that a platform writes."""
        return frozenset(kind.name for _, kinds in self._platforms for kind in kinds.values())

    def of_device(self, folder: str, paths: Iterable[str]) -> Mapping[str, FileKind]:
        """The kinds of a device's files, by path; what no platform writes is read by its ending.

        ``folder`` is ``switches`` or ``hosts``; empty where that is not known.
        """
        key = (folder, frozenset(paths))
        known = self._cache.get(key)
        if known is None:
            known = self._cache[key] = self._choose(*key)
        return known

    def _choose(self, folder: str, paths: frozenset[str]) -> dict[str, FileKind]:
        """Return the platform of a path that several write: that of most of the device's other files."""
        fitting = [(kinds, len(paths & kinds.keys())) for where, kinds in self._platforms if folder in (where, "")]
        fitting.sort(key=lambda pair: (-pair[1], len(pair[0])))
        chosen = {}
        for path in paths:
            chosen[path] = next((kinds[path] for kinds, _ in fitting if path in kinds), None) or _plain(path)
        return chosen

    def place(self, names: Iterable[str]) -> tuple[str, Mapping[str, FileKind]]:
        """Return the switch platform that most of a device's files are of, and their kinds by path or bare name."""
        found: tuple[str, dict[str, FileKind]] = ("", {})
        for spec, (folder, kinds) in zip(self._specs, self._platforms, strict=True):
            by_name = {kind.name: kind for kind in kinds.values()} | dict(kinds)
            own = {name: by_name[name] for name in names if name in by_name}
            if folder == _FOLDERS["switch"] and len(own) > len(found[1]):
                found = spec, own
        return found

    def all(self) -> list[FileKind]:
        """Return every kind of every platform."""
        return [kind for _, kinds in self._platforms for kind in kinds.values()]

    def hostname_of(self, parts: Mapping[str, str]) -> str:
        """The device that the files of a text name; empty if none of them does."""
        for _, kinds in self._platforms:
            for path, kind in kinds.items():
                text = parts.get(path.rsplit("/", 1)[-1])
                if text is None or not kind.format.names:
                    continue
                try:
                    name = kind.hostname(kind.read(text))
                except ReadFault:
                    continue
                if name:
                    return name
        return ""


def recognise(text: str, kinds: Iterable[FileKind]) -> dict[str, str]:
    """Return the files by name in a text of unknown origin, by the kind of which it has the most signs.

    ``kinds`` are those of its device where that is known.
    """
    counts = {kind.name: (kind.count_signs(text), kind) for kind in kinds}
    number, kind = max(counts.values(), key=itemgetter(0), default=(0, None))
    return kind.unpack(text) if kind is not None and number else {}


def describe(text: str, kinds: Iterable[FileKind]) -> str:
    """Return why a text is none of some kinds: it has no sign of any."""
    signs = {kind.name: list_signs(kind.semantics.signs) for kind in kinds if kind.semantics.signs}
    sought = "; ".join(f"{name} ({listed})" for name, listed in sorted(signs.items()))
    return f"its content is not recognized: it has no sign of {sought or 'a file of the device'}"


def load_kinds(specs: Iterable[PlatformSpec] | None, bag: Bag) -> FileKinds:
    """The kinds of files of some platforms, or of all that are installed."""
    if specs is None:
        roots = find_roots(bag)
        folders = [folder for kind in KINDS for folder in discover_platforms(kind, roots, bag).values()]
        specs = [spec for folder in folders if (spec := load_manifest(folder, bag)) is not None]
    return FileKinds(specs, bag)


def _kinds_of(spec: PlatformSpec, bag: Bag) -> dict[str, FileKind]:
    find = partial(_find_out, Path(spec.root))
    return {
        output.path: FileKind(output.path, output.mode, partial(find, output.semantics, bag), spec.platform)
        for output in spec.outputs
    }


def _find_out(root: Path, name: str, bag: Bag, file_format: FileFormat) -> Semantics:
    return load_semantics(root, name, bag, file_format) or PLAIN._replace(format=file_format)


def _plain(path: str) -> FileKind:
    return FileKind(path, 0o644, lambda file_format: PLAIN._replace(format=file_format))
