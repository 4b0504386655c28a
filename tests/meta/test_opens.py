"""Files that somebody else wrote are opened in one room; whatever else opens one is listed here, with the reason."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.meta.declarations import REPOSITORY

PACKAGE = REPOSITORY / "fabricgen"
METHODS = frozenset({"open", "fdopen", "popen", "read_text", "read_bytes", "open_text", "open_binary"})
"""Opening by a method or a function of a module, whoever's it is."""
_LOADERS = {"FileSystemLoader", "PackageLoader", "ModuleLoader"}
NAMES = frozenset({"open", "copyfile", "copytree", "copy2", "mmap"} | _LOADERS)
SHIPPED = "a file of this package, found through importlib.resources"
KERNEL = "a file of the kernel below /proc, /sys or /run/netns"
ALLOWED = {
    "files/regular.py": "the door itself",
    "render/tree/filesystem.py": "the writer's own door: no link followed, never waiting, regular by fstat",
    "render/tree/durability.py": "through the writer's door, to flush",
    "render/tree/lock.py": "through the writer's door",
    "render/tree/new_folder.py": "through the writer's door, to lock what it builds",
    "collect/revision.py": "creates files of its own folder",
    "collect/gather.py": "opens the envelope of an answer, no file",
    "collect/store.py": "creates files of its own folder, which no other user may enter",
    "cli/gate.py": "/dev/null", "lab/lifecycle/kernel.py": f"{KERNEL}; the log it writes",
    "lab/verify/reach.py": KERNEL,
    "lab/lifecycle/state.py": f"the lock that it creates; {KERNEL}", "platforms/sonic/schema.py": SHIPPED,
    "platforms/families/vtysh/commands.py": SHIPPED, "platforms/fboss/reader.py": SHIPPED,
}  # fmt: skip


def opens(source: str) -> Iterator[int]:
    """Lines of a module that may open a file."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in NAMES:
                yield node.lineno
            case ast.Attribute(attr=name) if name in METHODS | NAMES:
                yield node.lineno
            case ast.ImportFrom(names=names) if any(alias.name in NAMES | METHODS for alias in names):
                yield node.lineno
            case ast.Call(func=ast.Attribute(value=ast.Name(id="json"), attr="load")):
                yield node.lineno


@cache
def opening_modules() -> dict[str, list[int]]:
    """Every module that may open a file, by its path."""
    files = {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    return {name: lines for name, text in files.items() if (lines := sorted(opens(text)))}


def test_no_module_opens_a_file_by_itself() -> None:
    strange = {name: lines for name, lines in opening_modules().items() if name not in ALLOWED}
    assert strange == {}, "use fabricgen.files, or say here why not"


def test_every_exception_is_needed() -> None:
    assert set(ALLOWED) - opening_modules().keys() == set()


def test_the_test_sees_every_way_to_open(tmp_path: Path) -> None:
    seen = "open(p)", "p.open()", "os.open(p, 0)", "p.read_text()", "io.open(p)", "json.load(f)", "FileSystemLoader(p)"
    others = "from os import open", "read = p.read_bytes", "shutil.copyfile(a, b)", "jinja2.PackageLoader(a)"
    for text in (*seen, *others):
        assert list(opens(text)) == [1], text
    assert list(opens("json.loads(t); read_file(p, 9)")) == []
