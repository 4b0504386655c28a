"""The files of switches as snippets leave them: who answers for an override, and whether neighbours still agree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from fabricgen.api.snippets.load import find_semantics, parse_text
from fabricgen.api.snippets.neighbours import BOTH_ENDS, Change, Neighbours
from fabricgen.device.model import Switch
from fabricgen.diagnostics import Bag, Diagnostic, IntentPath, Related, Waiver, register
from fabricgen.plan.model.exceptions import RawSnippet
from fabricgen.platforms.commands.snippets import Laid
from fabricgen.platforms.manifest.spec import Output, PlatformSpec
from fabricgen.platforms.reading.link_facts import Fact, ListFacts
from fabricgen.platforms.reading.reader import Read, ReadFault, load_module, optional
from fabricgen.platforms.reading.semantics import Meaning, Semantics
from fabricgen.render.raw_snippets import changed_paths

_STEP = " > "
_DOCS = "docs/intent.md, exceptions"

CHANGES_MANAGED = register(
    "FG-EXC-021",
    "Snippet that changes a managed value",
    why="What the checks have proved of the intent would not hold on the device, without any trace.",
    fix="Configure it in the intent, remove it from the snippet, or list it under overrides.",
    source=_DOCS,
)
NOBODY_ANSWERS = register(
    "FG-EXC-060",
    "Override without owner and expiry",
    why="It changes what the lossless contract, addressing or routing promises of the device: no check of the intent "
    "holds there any longer, and an override without an end is forgotten.",
    fix="Add owner and expires beside overrides, or configure it in the intent.",
    source=_DOCS,
)


class Step(NamedTuple):
    """One snippet laid over one file of a switch, with what reads the file."""

    output: Output
    snippet: RawSnippet
    laid: Laid
    read: Read


class Results:
    """The files of all switches as their snippets leave them."""

    def __init__(self) -> None:
        """Start without any."""
        self._found = Bag()
        self._neighbours = Neighbours()

    def add(self, switch: Switch, spec: PlatformSpec, steps: Sequence[Step], reason: str) -> None:
        """Take a switch.

        Args:
            switch: The switch.
            spec: Its platform.
            steps: Its snippets in their order.
            reason: Why it is an exception.
        """
        files: dict[str, list[Step]] = {}
        for step in steps:
            files.setdefault(step.output.path, []).append(step)
        changes: list[Change] = []
        for own in files.values():
            semantics = find_semantics(spec, own[0].output)
            if semantics is None:
                continue
            for step in own:
                _check_overrides(switch, step, semantics, reason, self._found)
            changes += _list_changes(own, semantics)
        self._neighbours.add(switch, changes)

    def report(self, bag: Bag) -> None:
        """Report overrides without an owner, those that stand, and files that contradict the other ends of links."""
        bag.extend(list(self._found))
        self._neighbours.report(bag)


def _check_overrides(switch: Switch, step: Step, semantics: Semantics, reason: str, bag: Bag) -> None:
    """Report every override that the snippet makes without an owner; list the others as waived."""
    snippet = step.snippet
    if not snippet.overrides:
        return
    before, after = parse_text(step.read, step.laid.before), parse_text(step.read, step.laid.after)
    if isinstance(before, ReadFault) or isinstance(after, ReadFault):
        return
    changes = list(changed_paths(before, after))
    for words in snippet.overrides:
        steps = tuple(words.split(_STEP))
        made = [change for change in changes if change[: len(steps)] == steps]
        what = f"{words} in {snippet.output} of {switch.hostname}"
        path: IntentPath = (*snippet.told_at, "overrides", f"[{words}]")
        if made and snippet.owner:
            code, text = CHANGES_MANAGED, f"{snippet.file} overrides {what}"
            related = tuple(
                Related(words, (*snippet.told_at, key))
                for words, key in (("the owner", "owner"), ("the last day", "expires"))
            )
            waiver = Waiver(snippet.owner, snippet.expires, reason)
            hint = f"it may stand until {snippet.expires}"
            bag.extend([Diagnostic(code.id, code.severity, text, path, hint=hint, related=related, waived=waiver)])
        elif not all(_meaning(semantics, change).is_local for change in made):
            bag.add(
                NOBODY_ANSWERS,
                f"{snippet.file} overrides {what}, on which other devices rely, and has no owner",
                path,
                hint="add owner: <name> and expires: <YYYY-MM-DD> beside overrides",
            )


def _meaning(semantics: Semantics, steps: tuple[str, ...]) -> Meaning:
    meaning = semantics.root
    for step in steps:
        meaning = meaning.child(step)
    return meaning


def _list_changes(steps: Sequence[Step], semantics: Semantics) -> Iterator[Change]:
    """Yield what a file says otherwise.

    Of that on which other devices rely, with the place of the snippet that does so.
    """
    module = load_module(semantics.reader) if semantics.reader else None
    list_facts: ListFacts | None = optional(module, "list_facts")
    before = parse_text(steps[0].read, steps[0].laid.before)
    after = parse_text(steps[-1].read, steps[-1].laid.after)
    if list_facts is None or isinstance(before, ReadFault) or isinstance(after, ReadFault):
        return
    mine = [step.snippet for step in steps]
    yield from _list_facts(list_facts(before), list_facts(after), mine)
    for path in changed_paths(before, after):
        meaning = _meaning(semantics, path)
        if meaning.takes_both_ends:
            yield Change(meaning.get("title"), _STEP.join(path), BOTH_ENDS, "", _place(mine, (path,)))


def _list_facts(before: Iterable[Fact], after: Iterable[Fact], mine: list[RawSnippet]) -> Iterator[Change]:
    old = {(fact.matter, fact.thing): fact for fact in before}
    new = {(fact.matter, fact.thing): fact for fact in after}
    for key, then in old.items():
        now = new.get(key)
        value, paths = (now.value, (*then.paths, *now.paths)) if now else ("none", then.paths)
        if value != then.value:
            yield Change(*key, then.value, value, _place(mine, paths))


def _place(snippets: list[RawSnippet], paths: tuple[tuple[str, ...], ...]) -> IntentPath:
    """The override that decides one of the paths; else the last snippet of the file."""
    for snippet in reversed(snippets):
        for words in snippet.overrides:
            steps = tuple(words.split(_STEP))
            if any(path[: len(steps)] == steps or steps[: len(path)] == path for path in paths):
                return (*snippet.told_at, "overrides", f"[{words}]")
    return snippets[-1].told_at
