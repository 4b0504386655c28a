"""Files with what snippets set in them, held against the same files of other switches."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from fabricgen.platforms.reading.reader import Read, ReadFault, Tree, is_tree, read_json
from fabricgen.platforms.reading.redaction import Steps

_SECTION = re.compile(r"\n(?=[^\s!#])")
"""Between the sections of a command-line text: lines that are not indented, each with what stands below it."""
_INDENTED = "!\n !\n"
"""Comments before a snippet that is read by itself: a text is read as one with indented sections, as its file is."""


class Overlaid(Protocol):
    """A file of a switch with the snippets that are laid over it.

    Attributes:
        text: All that the snippets have.
    """

    text: str

    def is_alike(self, other: str) -> bool:
        """Return whether the file of another switch has the same wherever the verdict on the snippets rests on it."""


def overlaid_json(text: str, snippets: Sequence[str], read: Read, facts: Sequence[Steps]) -> Overlaid:
    """Return a JSON file with what is merged into it.

    Args:
        text: The file.
        snippets: The snippets.
        read: What reads the file.
        facts: Paths of the tree of which the snippets change facts.
    """
    return _Json(text, [read_json(snippet) for snippet in snippets], read, facts)


def overlaid_commands(text: str, snippets: Sequence[str], read: Read, facts: Sequence[Steps]) -> Overlaid:
    """Return a command-line file with what is appended to it; see ``overlaid_json``.

    Raises:
        ReadFault: A snippet cannot be read by itself.
    """
    if any(_begins_inside(snippet) for snippet in snippets):
        raise ReadFault("the snippet goes on in the last section of the file")
    return _Commands(text, "\n".join(snippets), [read(_INDENTED + snippet) for snippet in snippets], read, facts)


class _Json:
    def __init__(self, text: str, patches: Sequence[Tree], read: Read, facts: Sequence[Steps]) -> None:
        self.text = json.dumps(patches, ensure_ascii=False)
        self._patches, self._read, self._facts = patches, read, facts
        self._data = read_json(text)
        self._tree = read(text) if facts else {}

    def is_alike(self, other: str) -> bool:
        try:
            data = json.loads(other)
            tree = self._read(other) if self._facts else {}
        except (ReadFault, ValueError):
            return False
        return _sets_alike(self._patches, self._data, data) and _has_alike(self._facts, self._tree, tree)


class _Commands:
    def __init__(self, text: str, snippets: str, patches: Sequence[Tree], read: Read, facts: Sequence[Steps]) -> None:
        self.text = snippets
        self._patches, self._read, self._facts = patches, read, facts
        self._sections = _SECTION.split(text)
        self._keys = {key for patch in patches for key in patch} | {steps[0] for steps in facts}
        self._meets: dict[str, bool] = {}

    def is_alike(self, other: str) -> bool:
        sections = _SECTION.split(other)
        if len(sections) != len(self._sections):
            return False
        pairs = [pair for pair in zip(self._sections, sections, strict=True) if pair[0] != pair[1]]
        met = [pair for pair in pairs if any(map(self._is_met, pair))]
        try:
            mine, its = (self._read("\n".join(side)) for side in zip(*met, strict=True)) if met else ({}, {})
        except ReadFault:
            return False
        return _sets_alike(self._patches, mine, its) and _has_alike(self._facts, mine, its)

    def _is_met(self, section: str) -> bool:
        """Return whether snippets set something in a section, or change facts that rest on it."""
        head = section.partition("\n")[0]
        if head not in self._meets:
            self._meets[head] = not self._keys.isdisjoint(self._read(head))
        return self._meets[head]


def _begins_inside(snippet: str) -> bool:
    """Return whether the first command of a snippet is indented, so that it belongs to the section before it."""
    commands = (line for line in snippet.split("\n") if line.strip() and line.lstrip()[0] not in "!#")
    return next(commands, "")[:1].isspace()


def _sets_alike(patches: Iterable[Tree], mine: Tree, its: Tree) -> bool:
    return all(_is_alike(patch, mine, its) for patch in patches)


def _is_alike(patch: Tree, mine: Tree, its: Tree) -> bool:
    """Return whether two trees have the same wherever a patch sets a value, and the same keys beside it."""
    for key, value in patch.items():
        old, new = mine.get(key), its.get(key)
        if is_tree(value) and isinstance(old, dict) and isinstance(new, dict):
            if not _is_alike(value, old, new):
                return False
        elif old != new or (not is_tree(value) and mine.keys() != its.keys()):
            return False
    return True


def _has_alike(paths: Iterable[Steps], mine: Tree, its: Tree) -> bool:
    return all(_at(mine, steps) == _at(its, steps) for steps in paths)


def _at(tree: Tree, steps: Steps) -> Any:
    """Return what stands at a path; None if nothing does."""
    found: Any = tree
    for step in steps:
        found = found.get(step) if is_tree(found) else None
    return found
