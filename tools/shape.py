"""Print the shape of the code beside its bounds, and fail where one is passed: ``python -m tools.shape``.

Needs radon and pylint, which ``make check`` installs.
Docstrings, types and layers are held by ruff, mypy and import-linter.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from statistics import quantiles
from typing import NamedTuple

from grimp import build_graph

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("fabricgen", "tools", "templates")
BUDGETS = {
    "analysis": 5_340,
    "api": 4_010,
    "catalog": 1_750,
    "checks": 7_340,
    "cli": 4_540,
    "collect": 2_210,
    "compiler": 1_280,
    "device": 1_650,
    "diagnostics": 1_420,
    "diff": 3_020,
    "export": 180,
    "files": 315,
    "inference": 1_470,
    "intent": 2_530,
    "lab": 5_705,
    "physics": 1_640,
    "plan": 8_280,
    "platforms": 14_660,
    "render": 4_625,
    "rollout": 3_945,
    "sizing": 1_210,
    "snippets": 540,
    "source": 1_820,
    "state": 2_130,
    "tables": 2_860,
    "validation": 770,
}
"""Lines of each room of fabricgen. A feature names in its commit what it removes, or a commit of its own raises the
budget of its room with the reason."""
TESTS_MAX = 67_400
"""Lines of all tests."""
WORDS_MAX = {"docs/**/*.md": 89_000, "CHANGELOG.md": 3_200}
"""Words of the pages that a pattern finds."""
Function = ast.FunctionDef | ast.AsyncFunctionDef
SIMILAR = (
    *("--disable=all", "--enable=duplicate-code", "--min-similarity-lines=6", "--output-format=json"),
    *("--ignore-imports=y", "--ignore-signatures=y", "--ignore-docstrings=y", "--ignore-comments=y"),
)
BY_OTHER_MEANS = re.compile(
    "__.*__|visit_.*|get_source|validate_host_public_key|format_help|format_commands|collect_usage_pieces|Patcher|Reader|import_|write_(github|json|junit|sarif)"
)
"""Definitions that Python, a library or a name that is put together calls, and interfaces of modules."""


class Figure(NamedTuple):
    """One measure: what it may be at most, and the places that make it what it is, worst first."""

    name: str
    value: float
    bound: float
    places: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The figure as a row of the table, with its places where it passes its bound."""
        row = f"{self.name:50} {self.value:7g} {'<=' if self.value <= self.bound else '> '} {self.bound:g}"
        return row if self.value <= self.bound else "\n  ".join([row, *self.places[:20]])


def _own_figures() -> Iterator[Figure]:
    """Figures of files, functions, imports and definitions."""
    texts = {path: path.read_text(encoding="utf-8") for path in _python_files()}
    trees = {path: ast.parse(text) for path, text in texts.items()}
    yield from _sizes("file", {_at(path): _lines(text) for path, text in texts.items()}, {100: 400})
    others = [*(ROOT / "templates").rglob("*.j2"), *(ROOT / "tests").rglob("*.py")]
    yield from _sizes("template or test", {_at(path): _lines(path.read_text("utf-8")) for path in others}, {100: 400})
    yield from _budgets(texts)
    functions = ((path, node) for path, tree in trees.items() for node in ast.walk(tree) if isinstance(node, Function))
    lengths = {_at(path, node): (node.end_lineno or 0) - node.lineno + 1 for path, node in functions}
    yield from _sizes("function", lengths, {95: 25, 100: 50})
    yield _listed("import cycles", _cycles())
    yield _listed("definitions that no part of the product uses", _unused(trees))


def main() -> int:
    """Print the table and every place beyond a bound."""
    figures = [*_own_figures(), _branches(), _listed("duplicates of 6 lines (pylint)", _duplicates())]
    print(*figures, sep="\n")
    return 1 if any(figure.value > figure.bound for figure in figures) else 0


def _python_files() -> Iterator[Path]:
    """Modules and scripts of the product."""
    for folder in PRODUCT:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix == ".py" or (not path.suffix and path.is_file() and b"python" in path.read_bytes()[:40]):
                yield path


def _at(path: Path, node: ast.stmt | None = None) -> str:
    return f"{path.relative_to(ROOT)}" + (f":{node.lineno} {getattr(node, 'name', '')}" if node else "")


def _lines(text: str) -> int:
    return len(text.splitlines())


def _sizes(name: str, sizes: dict[str, int], bounds: dict[int, int]) -> Iterator[Figure]:
    """Percentiles of some sizes, each with its bound; 100 is the largest."""
    worst = tuple(f"{place}: {sizes[place]}" for place in sorted(sizes, key=lambda place: -sizes[place]))
    ordered = quantiles(sizes.values(), n=100)
    for percentile, bound in bounds.items():
        value = max(sizes.values()) if percentile == 100 else ordered[percentile - 1]
        yield Figure(f"lines of a {name}, percentile {percentile}", value, bound, worst)


def _budgets(texts: dict[Path, str]) -> Iterator[Figure]:
    """Lines of every room beside its budget and of all tests, and words of the pages."""
    rooms: Counter[str] = Counter()
    for path, text in texts.items():
        inside = path.relative_to(ROOT).parts
        if inside[0] == "fabricgen" and len(inside) > 2:
            rooms[inside[1]] += _lines(text)
    yield from (Figure(f"lines of the room {room}", rooms[room], BUDGETS.get(room, 0)) for room in sorted(rooms))
    tests = sum(_lines(path.read_text(encoding="utf-8")) for path in (ROOT / "tests").rglob("*.py"))
    yield Figure("lines of all tests", tests, TESTS_MAX)
    for pages, bound in WORDS_MAX.items():
        words = sum(len(page.read_text(encoding="utf-8").split()) for page in ROOT.glob(pages))
        yield Figure(f"words of {pages}", words, bound)


def _listed(name: str, places: Iterator[str]) -> Figure:
    found = tuple(places)
    return Figure(name, len(found), 0, found)


def _cycles() -> Iterator[str]:
    """One cycle of imports, those for types included, of all modules, and one of the parts of each package."""
    graph = build_graph("fabricgen", cache_dir=None)
    imports = [(name, other) for name in graph.modules for other in graph.find_modules_directly_imported_by(name)]
    for package in sorted({name.rpartition(".")[0] for name in graph.modules}):
        parts: dict[str, set[str]] = {}
        for name, other in imports:
            one, two = _part(package, name), _part(package, other)
            if one and two and one != two:
                parts.setdefault(one, set()).add(two)
        try:
            TopologicalSorter(parts).prepare()
        except CycleError as error:
            yield f"{package or 'modules'}: {' imports '.join(error.args[1])}"


def _part(package: str, name: str) -> str:
    """The part of a package that a module is in, empty outside of it; without a package the module itself."""
    outside, _, below = name.partition(f"{package}.") if package else ("", "", name)
    return "" if outside else below.partition(".")[0] if package else name


def _unused(trees: dict[Path, ast.Module]) -> Iterator[str]:
    """Definitions that are named nowhere else; decorators register functions, so those are left out."""
    used = Counter(word for tree in trees.values() for word in _words(tree))
    for path in (*(ROOT / "templates").rglob("*.*"), ROOT / "pyproject.toml", ROOT / "Makefile"):
        if path.suffix in (".j2", ".yaml", ".toml", ""):
            used.update(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, Function | ast.ClassDef) and not node.decorator_list and not used[node.name]:
                yield from () if BY_OTHER_MEANS.fullmatch(node.name) else (_at(path, node),)


def _words(tree: ast.Module) -> Iterator[str]:
    """Names that code uses; an import alone is no use."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"\w+", node.value) if len(node.value) < 80 else ()


def _branches() -> Figure:
    """The most branches of a function."""
    from radon.complexity import cc_visit

    found = [(block, path) for path in _python_files() for block in cc_visit(path.read_text(encoding="utf-8"))]
    found = sorted((it for it in found if it[0].letter != "C"), key=lambda it: -it[0].complexity)
    places = tuple(f"{_at(path)}:{block.lineno} {block.name}: {block.complexity}" for block, path in found)
    return Figure("branches of a function (radon)", found[0][0].complexity, 15, places)


def _duplicates() -> Iterator[str]:
    command = [sys.executable, "-m", "pylint", *SIMILAR, "fabricgen", "tools"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return (found["message"] for found in json.loads(done.stdout))


if __name__ == "__main__":
    sys.exit(main())
