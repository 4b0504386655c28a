"""Documents of two codes that fit into one, decided by the paths they write and never by a list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path
from typing import Any

from fabricgen.checks.model import RULES
from fabricgen.checks.run import load_rules
from fabricgen.diagnostics import Bag, lookup
from fabricgen.source import load_document, natural_key
from tests.cases.case import MAIN, Case, Variant

_STAGES = {"SRC": 0, "INT": 1}
_LATER = 2


class Combiner:
    """Knows what every overlay of an inventory writes."""

    def __init__(self, folder: Path) -> None:
        """Take the folder the overlays are written to."""
        self._folder = folder
        self._written: dict[str, dict[str, Any]] = {}

    def choose(self, one: Case, other: Case) -> tuple[Variant, Variant] | None:
        """The first failing documents of two cases that do not contradict each other, or None."""
        pairs = product(one.failing, other.failing)
        return next((pair for pair in pairs if not self._contradict(*pair)), None)

    def _contradict(self, one: Variant, other: Variant) -> bool:
        if MAIN not in (one.main, other.main):
            return True
        written, rewritten = self._writes(one), self._writes(other)
        return (
            any(_clash(path, value, rewritten) for path, value in written.items())
            or _denied(one.needs, rewritten)
            or _denied(other.needs, written)
        )

    def _writes(self, variant: Variant) -> dict[str, Any]:
        """Value by path of everything an overlay says; nothing for one that cannot be read."""
        if variant.name not in self._written:
            path = self._folder / "overlays" / f"{variant.name}.yaml"
            document = load_document(path, Bag()) if variant.name in variant.overlays else None
            self._written[variant.name] = dict(_leafs("", document.data)) if document else {}
        return self._written[variant.name]


def can_meet(one: Variant, other: Variant) -> bool:
    """Return whether neither fault keeps the stage of the other from running, as one fatal to the intent does."""
    return not any(_ends(a) and _stage(b) > _stage(a) for a, b in ((one, other), (other, one)))


def _ends(variant: Variant) -> bool:
    code = lookup(variant.code)
    in_main = any(file == variant.main for file, _ in variant.places)
    return code is not None and code.fatal and (in_main or _stage(variant) == _STAGES["INT"])


def _stage(variant: Variant) -> int:
    """Return the stage at which a fault is found; rules run, and files that the intent names are read, after it."""
    load_rules()
    ruled = any(rule.id == variant.code for rule in RULES)
    stage = _LATER if ruled else _STAGES.get(variant.code.split("-")[1], _LATER)
    named = any(file and file != variant.main and not file.startswith("overlays/") for file, _ in variant.places)
    return _LATER if stage == 0 and named else stage


def _leafs(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _leafs(f"{path}.{key}" if path else key, item)
    elif isinstance(value, list) and value:
        for item in value:
            yield from _leafs(f"{path}.[{natural_key(item)}]", item)
    else:
        yield path, value


def _clash(path: str, value: Any, others: Mapping[str, Any]) -> bool:
    """Return whether the others give the path another value, or say something above or below it."""
    if path in others:
        return bool(others[path] != value)
    return any(other.startswith(f"{path}.") or path.startswith(f"{other}.") for other in others)


def _denied(needs: Mapping[str, Any], written: Mapping[str, Any]) -> bool:
    return any(
        fnmatchcase(path, pattern.replace("[", "[[]")) and value != wanted
        for pattern, wanted in needs.items()
        for path, value in written.items()
    )
