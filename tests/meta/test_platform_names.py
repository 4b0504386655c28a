"""A platform is its template folder and at most one Python folder; nothing else knows its name."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.meta.declarations import PACKAGE, REPOSITORY, python_files

TEMPLATES = REPOSITORY / "templates"
PLATFORMS = sorted(path.parent.name for path in TEMPLATES.glob("*/*/platform.yaml"))
_TEMPLATE_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
_REPOSITORY = re.compile(r"\bfacebook/\w+")
"""A repository that is called like a platform is somebody else's name."""
_DAEMON = re.compile(r"\bfrr\.conf\b|\bfrr (?:defaults|version)\b|/frr/|\bfrr/frr\.conf|\bfrr_mgmt_framework_config\b")
"""FRRouting's own files and words: the daemon that several platforms route with, not the platform named after it."""
_YAML_COMMENT = re.compile(r"(?m)(?:^|(?<=\s))#.*$")


def _word(names: list[str]) -> re.Pattern[str]:
    """A name by itself or as part of an identifier; ``sonic-net/sonic-buildimage`` is somebody else's name."""
    return re.compile(rf"(?<![A-Za-z0-9-])(?:{'|'.join(map(re.escape, names))})(?![A-Za-z0-9-])")


def _docstring_lines(text: str) -> set[int]:
    found: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            found.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return found


def _code_tokens(file: Path) -> Iterator[tokenize.TokenInfo]:
    """Names and texts of a module, without comments and docstrings."""
    skipped = _docstring_lines(file.read_text(encoding="utf-8"))
    with file.open("rb") as stream:
        for token in tokenize.tokenize(stream.readline):
            if token.type in (tokenize.NAME, tokenize.STRING) and token.start[0] not in skipped:
                yield token


def _is_own(file: Path) -> bool:
    if file == PACKAGE / "lab/model/routing_suite.py":
        return True  # The routing suite whose name a platform may have.
    parts = file.relative_to(PACKAGE).parts
    return parts[0] == "platforms" and len(parts) > 2 and parts[1] in PLATFORMS


def test_no_other_module_names_a_platform() -> None:
    assert len(PLATFORMS) >= 3
    word = _word(PLATFORMS)
    others = [file for file in python_files() if not _is_own(file) and word.search(file.read_text(encoding="utf-8"))]
    assert others, "comments and docstrings may name them"
    assert [
        f"{file.relative_to(REPOSITORY)}:{t.start[0]}: {t.string}"
        for file in others
        for t in _code_tokens(file)
        if word.search(_DAEMON.sub("", _REPOSITORY.sub("", t.string)))
    ] == []


@pytest.mark.parametrize("name", PLATFORMS)
def test_no_platform_names_another(name: str) -> None:
    word = _word([other for other in PLATFORMS if other != name])
    found = []
    for file in sorted(TEMPLATES.glob(f"*/{name}/**/*")):
        if file.suffix in (".j2", ".yaml"):
            comment = _TEMPLATE_COMMENT if file.suffix == ".j2" else _YAML_COMMENT
            text = _DAEMON.sub("", comment.sub("", file.read_text(encoding="utf-8")))
            found += [f"{file.relative_to(TEMPLATES)}: {match[0]}" for match in word.finditer(text)]
    assert found == []
