"""Verdicts on the snippets of a switch, without its name: switches may share one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from fabricgen.plan.model.fabric import RawSnippet
from fabricgen.platforms.manifest.spec import Output, PlatformSpec
from fabricgen.platforms.reading.reader import Read, ReadFault, Tree
from fabricgen.platforms.reading.redaction import Steps
from fabricgen.platforms.reading.semantics import Meaning, Semantics
from fabricgen.platforms.reading.traffic import Fact
from fabricgen.render.raw_snippets import apply_snippet, changed_paths
from fabricgen.snippets.load import find_reader, find_semantics

BOTH_ENDS = "both ends"
"""Value before a change of what only works if both ends have it; its thing is the path, and no value is shown."""


class SnippetResult(NamedTuple):
    """One snippet over one file.

    Attributes:
        fault: Why the file cannot be read with it; None if it can.
        changes: Paths of managed values that it changes.
        floods: Rules of the platform that the file breaks with it.
        refused: Its lines that the target's own parser refuses, from 1; None where no parser is at hand.
    """

    output: Output
    fault: ReadFault | None
    changes: tuple[Steps, ...]
    floods: tuple[str, ...]
    refused: tuple[int, ...] | None


class FactChange(NamedTuple):
    """A fact on which other devices rely, before and after all snippets of its file, and the paths that decide it."""

    output: str
    matter: str
    thing: str
    before: str
    after: str
    paths: tuple[Steps, ...]


class SwitchResult(NamedTuple):
    """All snippets of a switch in their order, None for one whose file is not rendered; and the facts they change."""

    judged: tuple[SnippetResult | None, ...]
    facts: tuple[FactChange, ...]


class _File(NamedTuple):
    """A file on its way through the snippets: its text and tree now, and the tree before the first of them."""

    output: Output
    text: str
    tree: Tree | ReadFault
    rendered: Tree | ReadFault


def build_verdict(texts: Mapping[str, str], snippets: Sequence[RawSnippet], spec: PlatformSpec) -> SwitchResult:
    """Judge the snippets of a switch one after the other.

    Args:
        texts: Its rendered files by their path on the device.
        snippets: The snippets.
        spec: Its platform.
    """
    files: dict[str, _File] = {}
    judged = [_judge(texts, snippet, spec, files) for snippet in snippets]
    facts = [fact for file in files.values() for fact in _list_changes(file, find_semantics(spec, file.output))]
    return SwitchResult(tuple(judged), tuple(facts))


def _judge(
    texts: Mapping[str, str], snippet: RawSnippet, spec: PlatformSpec, files: dict[str, _File]
) -> SnippetResult | None:
    path = snippet.output
    output = next(output for output in spec.outputs if output.path == path)
    read = find_reader(spec, output)
    if read is None or path not in texts:
        return None
    file = files.get(path)
    if file is None:
        rendered = _parse(read, texts[path])
        file = _File(output, texts[path], rendered, rendered)
    text = apply_snippet(file.text, snippet)
    refused = _find_refused(spec, output, text, snippet)
    tree = _parse(read, text)
    files[path] = file._replace(text=text, tree=tree)
    if isinstance(tree, ReadFault) or isinstance(file.tree, ReadFault):
        fault = file.tree if isinstance(file.tree, ReadFault) else tree
        return SnippetResult(output, fault if isinstance(fault, ReadFault) else None, (), (), refused)
    judge = spec.platform.format_of(output.path).judge
    floods = tuple(judge(tree)) if judge else ()
    return SnippetResult(output, None, tuple(changed_paths(file.tree, tree)), floods, refused)


def _find_refused(spec: PlatformSpec, output: Output, text: str, snippet: RawSnippet) -> tuple[int, ...] | None:
    """Return the lines of a snippet that stand in a file and are refused; None if nothing is known."""
    find = spec.platform.format_of(output.path).find_refused_lines
    found = find(text) if find else None
    if found is None:
        return None
    before = text.rstrip("\n").removesuffix("\nend").removesuffix(snippet.text.rstrip("\n")).count("\n")
    return tuple(line - before for line in found if line > before)


def _parse(read: Read, text: str) -> Tree | ReadFault:
    try:
        return read(text)
    except ReadFault as fault:
        return fault


def meaning_of(semantics: Semantics, steps: Steps) -> Meaning:
    """Return what the semantics of a file know of a path."""
    meaning = semantics.root
    for step in steps:
        meaning = meaning.child(step)
    return meaning


def _list_changes(file: _File, semantics: Semantics | None) -> Iterator[FactChange]:
    """Yield what a file no longer has as it was rendered, of that on which other devices rely."""
    list_facts = semantics.format.list_facts if semantics else None
    before, after = file.rendered, file.tree
    if semantics is None or list_facts is None or isinstance(before, ReadFault) or isinstance(after, ReadFault):
        return
    path = file.output.path
    for matter, thing, old, new, paths in _list_facts(list_facts(before), list_facts(after)):
        yield FactChange(path, matter, thing, old, new, paths)
    for steps in changed_paths(before, after):
        meaning = meaning_of(semantics, steps)
        if meaning.takes_both_ends:
            yield FactChange(path, meaning.get("title"), " > ".join(steps), BOTH_ENDS, "", (steps,))


def _list_facts(
    before: Iterable[Fact], after: Iterable[Fact]
) -> Iterator[tuple[str, str, str, str, tuple[Steps, ...]]]:
    new = {(fact.matter, fact.thing): fact for fact in after}
    for then in {(fact.matter, fact.thing): fact for fact in before}.values():
        now = new.get((then.matter, then.thing))
        value, paths = (now.value, (*then.paths, *now.paths)) if now else ("none", then.paths)
        if value != then.value:
            yield then.matter, then.thing, then.value, value, paths
