"""The files of switches as snippets leave them: who answers for an override, and whether neighbours still agree."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.device.model import Switch
from fabricgen.diagnostics import Bag, Diagnostic, IntentPath, Related, Waiver, register
from fabricgen.plan.model.exceptions import DeviceException, RawSnippet
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.platforms.reading.redaction import Steps
from fabricgen.platforms.reading.semantics import Semantics
from fabricgen.snippets.load import find_semantics
from fabricgen.snippets.neighbours import Deviation, Neighbours
from fabricgen.snippets.verdict import SnippetResult, SwitchResult, meaning_of

_STEP = " > "
_DOCS = "docs/intent.md, exceptions"

CHANGES_MANAGED = register(
    "FG-EXC-021",
    "Snippet that changes a managed value",
    why="What the checks have proved of the intent would not hold on the device, without any trace.",
    fix="Configure it in the intent, remove it from the snippet, or list it under overrides.",
    source=_DOCS,
)
NO_OWNER = register(
    "FG-EXC-060",
    "Override without owner and expiry",
    why="It changes what the lossless contract, addressing or routing promises of the device: no check of the intent "
    "holds there any longer, and an override without an end is forgotten.",
    fix="Add owner and expires beside overrides, or configure it in the intent.",
    source=_DOCS,
)


NOT_RENDERED = register(
    "FG-EXC-064",
    "Snippet over a file that cannot be rendered",
    why="The device would be configured without it, and of the snippet nothing was judged: neither what it adds and "
    "changes, nor what the other ends of links rely on.",
    fix="Correct what keeps the file from being rendered.",
    source=_DOCS,
)


class Results:
    """The files of all switches as their snippets leave them."""

    def __init__(self, faults: Bag) -> None:
        """Start without any.

        Args:
            faults: What keeps files from being rendered, as it is found.
        """
        self._found, self._faults = Bag(), faults
        self._neighbours = Neighbours()
        self._missing: dict[tuple[str, str], list[tuple[str, IntentPath]]] = {}

    @property
    def is_complete(self) -> bool:
        """Return whether every file that a snippet is for could be rendered."""
        return not self._missing

    def add(self, switch: Switch, spec: PlatformSpec, exception: DeviceException, verdict: SwitchResult) -> None:
        """Take a switch.

        Args:
            switch: The switch.
            spec: Its platform.
            exception: What is different about it, its snippets included.
            verdict: What the snippets make of its files.
        """
        for snippet, judged in zip(exception.raw, verdict.judged, strict=True):
            if judged is None:
                self.miss(switch.hostname, snippet)
                continue
            semantics = find_semantics(spec, judged.output)
            if semantics is not None and judged.fault is None:
                _check_overrides(switch.hostname, snippet, judged, semantics, exception.reason, self._found)
        changes = [
            Deviation(*fact[1:5], _place([each for each in exception.raw if each.output == fact.output], fact.paths))
            for fact in verdict.facts
        ]
        self._neighbours.add(switch, changes)

    def miss(self, hostname: str, snippet: RawSnippet) -> None:
        """Take a snippet over a file of a switch that cannot be rendered; no neighbour is compared with the switch."""
        self._missing.setdefault((snippet.file, snippet.output), []).append((hostname, snippet.named_at))
        self._neighbours.leave_out(hostname)

    def report(self, bag: Bag) -> None:
        """Report overrides without an owner, those that stand, and files that contradict the other ends of links.

        Snippets over files that cannot be rendered are reported as not judged, after the reason.
        """
        if self._missing:
            bag.extend(list(self._faults))
        for (file, output), devices in self._missing.items():
            name, path = devices[0]
            others = f" and {len(devices) - 1} more" if len(devices) > 1 else ""
            message = f"{file} is not judged: {output} of {name}{others} cannot be rendered"
            bag.add(NOT_RENDERED, message, path, count=len(devices))
        bag.extend(list(self._found))
        self._neighbours.report(bag)


def _check_overrides(
    hostname: str, snippet: RawSnippet, judged: SnippetResult, semantics: Semantics, reason: str, bag: Bag
) -> None:
    """Report every override that the snippet makes without an owner; list the others as waived."""
    for words in snippet.overrides:
        steps = tuple(words.split(_STEP))
        made = [change for change in judged.changes if change[: len(steps)] == steps]
        what = f"{words} in {snippet.output} of {hostname}"
        path: IntentPath = (*snippet.named_at, "overrides", f"[{words}]")
        if made and snippet.owner:
            code, text = CHANGES_MANAGED, f"{snippet.file} overrides {what}"
            related = tuple(
                Related(words, (*snippet.named_at, key))
                for words, key in (("the owner", "owner"), ("the last day", "expires"))
            )
            waiver = Waiver(snippet.owner, snippet.expires, reason)
            hint = f"remove it by {snippet.expires}"
            bag.extend([Diagnostic(code.id, code.severity, text, path, hint=hint, related=related, waived=waiver)])
        elif not all(meaning_of(semantics, change).is_local for change in made):
            bag.add(
                NO_OWNER,
                f"{snippet.file} overrides {what}, on which other devices rely, and has no owner",
                path,
                hint="add owner: <name> and expires: <YYYY-MM-DD> beside overrides",
            )


def _place(snippets: Sequence[RawSnippet], paths: Sequence[Steps]) -> IntentPath:
    """The override that decides one of the paths; else the last snippet of the file."""
    for snippet in reversed(snippets):
        for words in snippet.overrides:
            steps = tuple(words.split(_STEP))
            if any(path[: len(steps)] == steps or steps[: len(path)] == path for path in paths):
                return (*snippet.named_at, "overrides", f"[{words}]")
    return snippets[-1].named_at
