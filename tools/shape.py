"""Print the shape of the code beside its bounds, and fail where one is passed: ``python -m tools.shape``.

Needs radon, pylint and grimp, which ``make check`` installs apart from the packages of the tests.
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
from statistics import median, quantiles
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("fabricgen", "tools", "templates")
Function = ast.FunctionDef | ast.AsyncFunctionDef
SIMILAR = (
    *("--disable=all", "--enable=duplicate-code", "--min-similarity-lines=6", "--output-format=json"),
    *("--ignore-imports=y", "--ignore-signatures=y", "--ignore-docstrings=y", "--ignore-comments=y"),
)


BY_OTHER_MEANS = re.compile("__.*__|visit_.*|get_source|Patcher|Reader|write_(github|json|junit|sarif)")
"""What Python, a library or a name that is put together calls, and interfaces of modules."""


class Figure(NamedTuple):
    """One measure: what it may be at most, and the places that make it what it is, worst first."""

    name: str
    value: float
    bound: float
    places: tuple[str, ...] = ()


def main() -> int:
    """Print the table and every place beyond a bound."""
    files = {path: path.read_text(encoding="utf-8") for path in _python_files()}
    trees = {path: ast.parse(text) for path, text in files.items()}
    figures = [
        *_measure_files(files),
        *_measure_functions(trees),
        _most("branches of a function (radon)", _branches(files), 15),
        _listed("import cycles", _cycles(), 0),
        _listed("definitions that no part of the product uses", _unused(trees), 6),
        _listed("modules, classes, public functions without docstring", _undocumented(trees), 0),
        _listed("public functions without types", _untyped(trees), 0),
        _listed("duplicates of 6 lines (pylint)", _duplicates(), 0),
    ]
    for figure in figures:
        print(f"{figure.name:56} {figure.value:7g} {'<=' if figure.value <= figure.bound else '> '} {figure.bound:g}")
    broken = [figure for figure in figures if figure.value > figure.bound]
    for figure in broken:
        print(f"\n{figure.name}:", *figure.places[:20], sep="\n  ")
    return 1 if broken else 0


def _python_files() -> Iterator[Path]:
    """Modules and scripts of the product."""
    for folder in PRODUCT:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix == ".py" or (not path.suffix and path.is_file() and b"python" in path.read_bytes()[:40]):
                yield path


def _at(path: Path, node: ast.AST | None = None) -> str:
    where = f":{node.lineno} {getattr(node, 'name', '')}" if isinstance(node, ast.stmt) else ""
    return f"{path.relative_to(ROOT)}{where}"


def _most(name: str, sizes: dict[str, int], bound: int) -> Figure:
    """The largest of some sizes."""
    worst = sorted(sizes, key=lambda place: -sizes[place])
    return Figure(name, sizes[worst[0]], bound, tuple(f"{place}: {sizes[place]}" for place in worst))


def _listed(name: str, places: Iterator[str], bound: int) -> Figure:
    found = tuple(places)
    return Figure(name, len(found), bound, found)


def _measure_files(files: dict[Path, str]) -> Iterator[Figure]:
    sizes = {_at(path): len(text.splitlines()) for path, text in files.items()}
    longest = _most("lines of a file, the longest", sizes, 350)
    yield Figure("lines of a file, median", median(sizes.values()), 105, longest.places)
    yield Figure("lines of a file, 90th percentile", quantiles(sizes.values(), n=10)[-1], 250, longest.places)
    yield longest
    others = [*(ROOT / "templates").rglob("*.j2"), *(ROOT / "tests").rglob("*.py")]
    yield _most("lines of a template or test, the longest", {_at(path): _count_lines(path) for path in others}, 500)


def _count_lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def _functions(trees: dict[Path, ast.Module]) -> Iterator[tuple[Path, Function]]:
    for path, tree in trees.items():
        yield from ((path, node) for node in ast.walk(tree) if isinstance(node, Function))


def _measure_functions(trees: dict[Path, ast.Module]) -> Iterator[Figure]:
    sizes = {_at(path, node): (node.end_lineno or 0) - node.lineno + 1 for path, node in _functions(trees)}
    longest = _most("lines of a function, the longest", sizes, 50)
    yield Figure("lines of a function, 95th percentile", quantiles(sizes.values(), n=20)[-1], 25, longest.places)
    yield longest


def _branches(files: dict[Path, str]) -> dict[str, int]:
    from radon.complexity import cc_visit

    blocks = ((path, block) for path, text in files.items() for block in cc_visit(text))
    return {
        f"{_at(path)}:{block.lineno} {block.name}": block.complexity for path, block in blocks if block.letter != "C"
    }


def _cycles() -> Iterator[str]:
    """One cycle of imports, those for types included, if there is any."""
    from grimp import build_graph

    graph = build_graph("fabricgen", cache_dir=None)
    try:
        TopologicalSorter({name: graph.find_modules_directly_imported_by(name) for name in graph.modules}).prepare()
    except CycleError as error:
        yield " imports ".join(error.args[1])


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


def _public(trees: dict[Path, ast.Module]) -> Iterator[tuple[Path, ast.Module | ast.ClassDef | Function]]:
    """Modules of the package, their classes, and what these and they offer as functions."""
    for path, tree in trees.items():
        if path.is_relative_to(ROOT / "fabricgen"):
            yield path, tree
            holders = [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]
            yield from ((path, node) for node in holders[1:])
            functions = (node for holder in holders for node in holder.body if isinstance(node, Function))
            yield from ((path, node) for node in functions if not node.name.startswith("_"))


def _undocumented(trees: dict[Path, ast.Module]) -> Iterator[str]:
    return (_at(path, node) for path, node in _public(trees) if not ast.get_docstring(node))


def _untyped(trees: dict[Path, ast.Module]) -> Iterator[str]:
    for path, node in _public(trees):
        if isinstance(node, Function):
            named = node.args
            given = [*named.posonlyargs, *named.args, *named.kwonlyargs, *filter(None, (named.vararg, named.kwarg))]
            if not node.returns or any(not it.annotation for it in given if it.arg.strip("_") not in ("self", "cls")):
                yield _at(path, node)


def _duplicates() -> Iterator[str]:
    command = [sys.executable, "-m", "pylint", *SIMILAR, "fabricgen", "tools"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return (found["message"] for found in json.loads(done.stdout))


if __name__ == "__main__":
    sys.exit(main())
