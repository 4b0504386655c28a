"""The files of switches as snippets leave them: who answers for an override, and whether neighbours still agree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from fabricgen.api.snippets.changed import CHANGES_MANAGED
from fabricgen.api.snippets.load import find_reader, find_semantics
from fabricgen.api.snippets.neighbours import BOTH_ENDS, Change, Neighbours
from fabricgen.device.lower import Lowering
from fabricgen.device.model import Switch
from fabricgen.diagnostics import Bag, Diagnostic, IntentPath, Related, Waiver, register
from fabricgen.plan.model.exceptions import RawSnippet
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.platforms.manifest.spec import Output, PlatformSpec
from fabricgen.platforms.reading.link_facts import Fact, ListFacts
from fabricgen.platforms.reading.reader import Read, ReadFault, Tree, load_module, optional
from fabricgen.platforms.reading.semantics import Meaning, Semantics
from fabricgen.render.engine import Renderer, tree_folder
from fabricgen.render.raw_snippets import changed_paths, lay_over

_STEP = " > "

NOBODY_ANSWERS = register(
    "FG-EXC-060",
    "Override without owner and expiry",
    why="It changes what the lossless contract, addressing or routing promises of the device: no check of the intent "
    "holds there any longer, and an override without an end is forgotten.",
    fix="Add owner and expires beside overrides, or configure it in the intent.",
    source="docs/intent.md, exceptions",
)


class _File(NamedTuple):
    """One file of a switch: how it is read, what it means, and its text as far as snippets are laid over it."""

    output: Output
    read: Read
    semantics: Semantics
    rendered: str
    text: str


def check_results(plan: FabricPlan, specs: Mapping[str, PlatformSpec], bag: Bag) -> None:
    """Report overrides without an owner, those that stand, and files that contradict the other ends of links.

    Args:
        plan: The plan, snippets included.
        specs: Platforms by name.
        bag: Takes what is found; what cannot be read at all is told by ``check_snippets``.
    """
    lowering, renderer = Lowering(plan), Renderer(specs, Bag())
    neighbours = Neighbours()
    for device, exception in sorted(plan.exceptions.switches.items()):
        switch = lowering.lower_switch(device) if exception.raw and exception.state != "absent" else None
        spec = specs.get(switch.cls.platform) if switch else None
        if switch is None or spec is None:
            continue
        files = _open_files(replace(switch, raw=()), spec, renderer)
        for snippet in exception.raw:
            file = files.get(snippet.output)
            if file is not None:
                text = lay_over(file.text, snippet)
                _check_overrides(switch, snippet, file, text, exception.reason, bag)
                files[snippet.output] = file._replace(text=text)
        neighbours.add(switch, [change for file in files.values() for change in _list_changes(file, exception.raw)])
    neighbours.report(bag)


def _open_files(switch: Switch, spec: PlatformSpec, renderer: Renderer) -> dict[str, _File]:
    """The files of a switch that a reader reads, by their path on the device."""
    texts = {file.path: file.data.decode() for file in renderer.render_switch(switch, excepted=True)}
    found = {}
    for output in spec.outputs:
        text, read = texts.get(tree_folder(switch) + output.path), find_reader(spec, output)
        semantics = find_semantics(spec, output)
        if text is not None and read is not None and semantics is not None:
            found[output.path] = _File(output, read, semantics, text, text)
    return found


def _check_overrides(switch: Switch, snippet: RawSnippet, file: _File, text: str, reason: str, bag: Bag) -> None:
    """Report every override that the snippet makes and nobody answers for; list the others as waived."""
    if not snippet.overrides:
        return
    trees = _read(file.read, file.text), _read(file.read, text)
    if trees[0] is None or trees[1] is None:
        return
    changes = list(changed_paths(trees[0], trees[1]))
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
        elif not all(_meaning(file.semantics, change).is_local for change in made):
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


def _read(read: Read, text: str) -> Tree | None:
    try:
        return read(text)
    except ReadFault:
        return None


def _list_changes(file: _File, snippets: tuple[RawSnippet, ...]) -> Iterator[Change]:
    """What a file says otherwise, of that on which other devices rely, with the place of the snippet that does so."""
    module = load_module(file.semantics.reader) if file.semantics.reader else None
    list_facts: ListFacts | None = optional(module, "list_facts")
    before, after = _read(file.read, file.rendered), _read(file.read, file.text)
    mine = [snippet for snippet in snippets if snippet.output == file.output.path]
    if list_facts is None or before is None or after is None or not mine:
        return
    yield from _list_facts(list_facts(before), list_facts(after), mine)
    for steps in changed_paths(before, after):
        meaning = _meaning(file.semantics, steps)
        if meaning.takes_both_ends:
            yield Change(meaning.get("title"), _STEP.join(steps), BOTH_ENDS, "", _place(mine, (steps,)))


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
