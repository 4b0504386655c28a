"""Cases: what a file of this folder says, and where its marks expect diagnostics.

A case file is named after a code and has a ``pass`` and a ``fail`` key, each one variant or a list of them. A variant
is text, an overlay over ``base.yaml``, or a mapping of

    overlay    the same
    document   an intent file of its own in place of the base; ``ending`` is that of its name
    encoding   of overlay and document, if not UTF-8
    files      further files of the inventory by path; ``packages/@/NAME/...`` is a package that announces platforms
    links      symbolic links by path
    ask        names of further overlays to apply
    at         ``file:line``, ``file:text of the line``, or empty for no place: where no mark can stand
    also       codes that may be reported beside the marked ones
    each       words; the variant stands for one variant per word, which takes the place of ``@EACH@``
    needs      path patterns and the values the fault depends on, which no other document of a pair may contradict

Every text may be ``{like: kit, replace: {old: new}}``: a text of the folder ``kits`` with changed lines. The sign @
in a path and ``@NAME@`` in a text stand for the variant's own name. A line ending in ``# E: FG-XXX-NNN`` is marked:
that code is expected there. Marks are taken out before anything is written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent
BASE = FOLDER / "base.yaml"
KITS = FOLDER / "kits"
MAIN = "fabric.yaml"
_MARK = re.compile(r"[ \t]*# E: (FG-[A-Z]{3}-\d{3})[ \t]*$")


@dataclass(frozen=True)
class Mark:
    """A diagnostic that is expected on a line; ``file`` is relative to the inventory, line 0 means nowhere."""

    code: str
    file: str
    line: int


@dataclass(frozen=True, eq=False)
class Variant:
    """One document of a case; ``main`` is the intent file, the base unless the variant brings its own."""

    code: str
    name: str
    files: dict[str, bytes]
    links: dict[str, str]
    overlays: tuple[str, ...]
    main: str
    marks: frozenset[Mark]
    also: frozenset[str]
    needs: dict[str, Any]

    @property
    def packages(self) -> str | None:
        """Folder of the packages that are installed for this variant, or None."""
        folder = f"packages/{self.name}"
        return folder if any(path.startswith(f"{folder}/") for path in self.files) else None

    @property
    def places(self) -> set[tuple[str, int]]:
        return {(mark.file, mark.line) for mark in self.marks if mark.code == self.code}


@dataclass(frozen=True, eq=False)
class Case:
    """The documents of one code."""

    code: str
    passing: tuple[Variant, ...]
    failing: tuple[Variant, ...]


@cache
def load_cases() -> tuple[Case, ...]:
    return tuple(_load_case(path) for path in sorted(FOLDER.glob("FG-*.yaml")))


def _load_case(path: Path) -> Case:
    said = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    if set(said) != {"pass", "fail"}:
        raise ValueError(f"{path.name} must have pass and fail, and nothing else")
    return Case(path.stem, *(_load_variants(path.stem, kind, said[kind]) for kind in ("pass", "fail")))


def _load_variants(code: str, kind: str, said: Any) -> tuple[Variant, ...]:
    stem = f"{code.lower().replace('-', '_')}_{kind}"
    items = [each for item in (said if isinstance(said, list) else [said]) for each in _expanded(item)]
    return tuple(_Reader(code, f"{stem}{number}").read(item) for number, item in enumerate(items))


def _expanded(said: Any) -> list[Any]:
    """The variants that one with ``each`` stands for."""
    if not isinstance(said, dict) or "each" not in said:
        return [said]
    rest = {key: value for key, value in said.items() if key != "each"}
    return [_named(rest, word) for word in said["each"]]


def _named(said: Any, word: str) -> Any:
    if isinstance(said, dict):
        return {_named(key, word): _named(value, word) for key, value in said.items()}
    if isinstance(said, list):
        return [_named(item, word) for item in said]
    return said.replace("@EACH@", word) if isinstance(said, str) else said


@dataclass
class _Reader:
    """Reads one variant."""

    code: str
    name: str
    files: dict[str, bytes] = field(default_factory=dict)
    marks: set[Mark] = field(default_factory=set)

    def read(self, said: Any) -> Variant:
        said = {"overlay": said} if isinstance(said, str) or "like" in said else dict(said)
        encoding = said.pop("encoding", "utf-8")
        main, overlays = MAIN, []
        if "overlay" in said:
            overlays.append(self.name)
            self._add(f"overlays/{self.name}.yaml", said.pop("overlay"), encoding)
        if "document" in said:
            main = self.name + said.pop("ending", ".yaml")
            self._add(main, said.pop("document"), encoding)
        for path, content in said.pop("files", {}).items():
            self._add(path.replace("@", self.name), content)
        links = {path.replace("@", self.name): to.replace("@", self.name) for path, to in said.pop("links", {}).items()}
        overlays += said.pop("ask", [])
        if "at" in said:
            self.marks.add(self._placed(said.pop("at").replace("@", self.name)))
        also, needs = frozenset(said.pop("also", ())), said.pop("needs", {})
        if said:
            raise ValueError(f"{self.name}: unknown keys {sorted(said)}")
        return Variant(
            self.code, self.name, self.files, links, tuple(overlays), main, frozenset(self.marks), also, needs
        )

    def _add(self, path: str, said: Any, encoding: str = "utf-8") -> None:
        """Note a file: text, a text of a kit with changes, or a number of bytes."""
        if isinstance(said, int):
            self.files[path] = b"#" * said
            return
        text = said if isinstance(said, str) else _changed(said["like"], said.get("replace", {}))
        lines = text.replace("@NAME@", self.name).split("\n")
        for number, line in enumerate(lines, 1):
            found = _MARK.search(line)
            if found:
                self.marks.add(Mark(found[1], path, number))
                lines[number - 1] = line[: found.start()]
        self.files[path] = "\n".join(lines).encode(encoding)

    def _placed(self, at: str) -> Mark:
        file, _, where = at.partition(":")
        if where and not where.isdigit():
            text = self.files[file] if file in self.files else BASE.read_bytes()
            lines = [number for number, line in enumerate(text.decode().split("\n"), 1) if where in line]
            if len(lines) != 1:
                raise ValueError(f"{self.name}: {where!r} stands on lines {lines} of {file}")
            return Mark(self.code, file, lines[0])
        return Mark(self.code, file, int(where or 0))


def _changed(kit: str, changes: dict[str, str]) -> str:
    """The text of a kit with every change made; each old text must stand in it exactly once."""
    text = BASE.read_text("utf-8") if kit == "base" else (KITS / f"{kit}.yaml").read_text("utf-8")
    for old, new in changes.items():
        if text.count(old) != 1:
            raise ValueError(f"{old!r} stands {text.count(old)} times in the kit {kit}")
        text = text.replace(old, new)
    return text
