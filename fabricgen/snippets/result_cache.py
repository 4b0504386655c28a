"""Verdicts on snippets that switches share: one that was judged before holds where the files differ in nothing of it.

Switches of a class have the same files but for what identifies each: names, addresses, AS numbers. A snippet meets that
if it names a word that only one of two switches has, if it lies over a setting in which they differ, or if a fact that
it changes rests on one. A switch of which none is true gets the verdict of the other; any other one is judged itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from fabricgen.device.model import SwitchClass
from fabricgen.plan.model.exceptions import RawSnippet
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.platforms.reading.reader import ReadFault
from fabricgen.snippets.load import find_reader
from fabricgen.snippets.overlaid import Overlaid, overlaid_commands, overlaid_json
from fabricgen.snippets.verdict import SwitchResult, build_verdict

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
