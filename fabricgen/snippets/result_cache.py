"""Verdicts on snippets that switches share: one that was judged before holds where the files differ in nothing of it.

Switches of a class have the same files but for what identifies each: names, addresses, AS numbers. A snippet meets that
if it names a word that only one of two switches has, if it lies over a setting in which they differ, or if a fact that
it changes rests on one. A switch of which none is true gets the verdict of the other; any other one is judged itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol

from fabricgen.device.model import SwitchClass
from fabricgen.plan.model.fabric import RawSnippet
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.platforms.reading.reader import Read, ReadFault, Tree, is_tree, read_json
from fabricgen.platforms.reading.redaction import Steps
from fabricgen.snippets.load import find_reader
from fabricgen.snippets.verdict import SwitchResult, build_verdict

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


_Key = tuple[str, tuple[tuple[str, str, str], ...]]
_KEPT = 4
"""Verdicts of one class and the same snippets with which a switch is compared: some have what all others have not."""
_WORD = re.compile(r"""[^\s"'|,{}\[\]()=]+""")


class ResultCache:
    """Verdicts of one run."""

    def __init__(self) -> None:
        """Start without any."""
        self._known: dict[_Key, list[_CachedResult]] = {}

    def judge(
        self, cls: SwitchClass, spec: PlatformSpec, texts: Mapping[str, str], snippets: Sequence[RawSnippet]
    ) -> SwitchResult:
        """Return the verdict on the snippets of a switch, its own or that of a switch before it.

        Args:
            cls: Its class.
            spec: Its platform.
            texts: Its rendered files by their path on the device.
            snippets: The snippets.
        """
        key = cls.key, tuple((snippet.file, snippet.output, snippet.text) for snippet in snippets)
        known = self._known.setdefault(key, [])
        for cached in known:
            if cached.holds_for(texts):
                return cached.verdict
        verdict = build_verdict(texts, snippets, spec)
        if len(known) < _KEPT:
            # A snippet that cannot be read by itself is judged on each switch.
            with suppress(ReadFault):
                known.append(_CachedResult(texts, snippets, spec, verdict))
        return verdict


class _CachedResult:
    """A verdict, and the files it was found by."""

    def __init__(
        self, texts: Mapping[str, str], snippets: Sequence[RawSnippet], spec: PlatformSpec, verdict: SwitchResult
    ) -> None:
        self.verdict = verdict
        self._lines = {path: text.split("\n") for path, text in texts.items()}
        self._overlaid = dict(_list_overlaid(texts, snippets, spec, verdict))
        self._words = {word for each in self._overlaid.values() for word in _WORD.findall(each.text)}

    def holds_for(self, texts: Mapping[str, str]) -> bool:
        """Return whether the files of another switch of the class lead to the same verdict."""
        if texts.keys() != self._lines.keys():
            return False
        own: list[tuple[str, str]] = []
        for path, text in texts.items():
            before, lines = self._lines[path], text.split("\n")
            if len(lines) != len(before):
                return False
            own += [pair for pair in zip(before, lines, strict=True) if pair[0] != pair[1]]
        met = [self._words.intersection(_WORD.findall("\n".join(lines))) for lines in zip(*own, strict=True)]
        return (not met or met[0] == met[1]) and all(
            overlaid.is_alike(texts[path]) for path, overlaid in self._overlaid.items()
        )


def _list_overlaid(
    texts: Mapping[str, str], snippets: Sequence[RawSnippet], spec: PlatformSpec, verdict: SwitchResult
) -> Iterator[tuple[str, Overlaid]]:
    """Yield every file that snippets are laid over, with its path.

    Raises:
        ReadFault: A file, or a snippet by itself, cannot be read.
    """
    for output in spec.outputs:
        own = [snippet for snippet in snippets if snippet.output == output.path]
        read = find_reader(spec, output)
        if own and read is not None and output.path in texts:
            facts = [steps for fact in verdict.facts if fact.output == output.path for steps in fact.paths]
            build = overlaid_json if own[0].is_json else overlaid_commands
            yield output.path, build(texts[output.path], [snippet.text for snippet in own], read, facts)
