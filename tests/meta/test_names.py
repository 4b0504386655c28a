"""Names of the package: no two classes of one name, and no word of the dialect in an identifier or a file's name."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
DIALECT = frozenset(
    re.findall(
        r"\w+",
        "deaf mute told stand stands standing behind beside besides laid hanging climb climbs climbed precedent "
        "precedents withheld say says said saying unsaid hear hears heard unheard wish wishes stranger strangers "
        "spoken nobody whoever wants",
    )
)
"""Words that name nothing a network engineer knows; docs/style.md has those of texts."""
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def modules(*folders: str) -> Iterator[tuple[Path, str]]:
    """Yield path and text of every module."""
    for folder in folders:
        for path in sorted((REPOSITORY / folder).rglob("*.py")):
            yield path.relative_to(REPOSITORY), path.read_text(encoding="utf-8")


def _identifiers(path: Path, text: str) -> set[str]:
    """Return every name in a module, and those of its folders and file."""
    names = {*path.with_suffix("").parts}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME:
            names.add(token.string)
    return names


def test_class_names_are_unique() -> None:
    places = defaultdict(list)
    for path, text in modules("fabricgen"):
        for node in ast.walk(ast.parse(text)) if "class " in text else ():
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path}:{node.lineno}")
    assert len(places) > 500
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_identifiers_are_words_of_the_field() -> None:
    found = defaultdict(set)
    for path, text in modules("fabricgen", "tools"):
        for name in _identifiers(path, text):
            if not DIALECT.isdisjoint(part.lower() for part in PART.findall(name)):
                found[name].add(str(path))
    assert found == {}
