"""Verdicts on the snippets of a switch, without its name: switches may share one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from fabricgen.api.snippets.load import find_judge, find_reader, find_semantics, find_snippet_judge
from fabricgen.api.snippets.neighbours import BOTH_ENDS
from fabricgen.api.snippets.redaction import find_redaction
from fabricgen.device.model import Release
from fabricgen.plan.model.exceptions import RawSnippet
from fabricgen.platforms.commands.snippets import Claim, Fault, Kind, Laid, SnippetJudge
from fabricgen.platforms.manifest.spec import Output, PlatformSpec
from fabricgen.platforms.reading.link_facts import Fact, ListFacts
from fabricgen.platforms.reading.reader import Read, ReadFault, Tree, load_module, optional
from fabricgen.platforms.reading.redaction import Steps
from fabricgen.platforms.reading.semantics import Meaning, Semantics
from fabricgen.render.raw_snippets import changed_paths, lay_over

FOREIGN_MIN = 3
"""Refused lines from which on a snippet may be one of another platform."""


class Judged(NamedTuple):
    """One snippet over one file.

    Attributes:
        output: The file.
        found: What is wrong with what it adds, and the addresses it adds.
        fault: Why the file cannot be read with it; None if it can.
        changes: Paths of managed values that it changes.
        floods: Rules of the platform that the file breaks with it.
    """

    output: Output
    found: tuple[Fault | Claim, ...]
    fault: ReadFault | None
    changes: tuple[Steps, ...]
    floods: tuple[str, ...]

    @property
    def is_refused(self) -> bool:
        """Return whether the device would refuse some of it."""
        return any(isinstance(item, Fault) and item.kind is not Kind.UNKNOWN for item in self.found)


class FactChange(NamedTuple):
    """A fact on which other devices rely, before and after all snippets of its file, and the paths that decide it."""

    output: str
    matter: str
    thing: str
    before: str
    after: str
    paths: tuple[Steps, ...]


class Verdict(NamedTuple):
    """All snippets of a switch in their order, None for one whose file is not rendered; and the facts they change."""

    judged: tuple[Judged | None, ...]
    facts: tuple[FactChange, ...]


class _File(NamedTuple):
    """A file on its way through the snippets: its text and tree now, and the tree before the first of them."""

    output: Output
    text: str
    tree: Tree | ReadFault
    rendered: Tree | ReadFault


def build_verdict(
    texts: Mapping[str, str], snippets: Sequence[RawSnippet], spec: PlatformSpec, release: Release
) -> Verdict:
    """Judge the snippets of a switch one after the other.

    Args:
        texts: Its rendered files by their path on the device.
        snippets: The snippets.
        spec: Its platform.
        release: The release it runs.
    """
    files: dict[str, _File] = {}
    judged = [_judge(texts, snippet, spec, release, files) for snippet in snippets]
    facts = [fact for file in files.values() for fact in _list_changes(file, find_semantics(spec, file.output))]
    return Verdict(tuple(judged), tuple(facts))


def _judge(
    texts: Mapping[str, str], snippet: RawSnippet, spec: PlatformSpec, release: Release, files: dict[str, _File]
) -> Judged | None:
    path = snippet.output
    output = next(output for output in spec.outputs if output.path == path)
    read = find_reader(spec, output)
    if read is None or path not in texts:
        return None
    file = files.get(path)
    if file is None:
        rendered = _parse(read, texts[path])
        file = _File(output, texts[path], rendered, rendered)
    text = lay_over(file.text, snippet)
    others = {name: files[name].text if name in files else own for name, own in texts.items() if name != path}
    redaction = find_redaction(spec, output)
    laid = Laid(snippet.text, file.text, text, release.name, release.routing, others, redaction)
    found = tuple(_list_additions(snippet, laid, find_snippet_judge(spec, output)))
    tree = _parse(read, text)
    files[path] = file._replace(text=text, tree=tree)
    if isinstance(tree, ReadFault) or isinstance(file.tree, ReadFault):
        fault = file.tree if isinstance(file.tree, ReadFault) else tree
        return Judged(output, found, fault if isinstance(fault, ReadFault) else None, (), ())
    judge = find_judge(spec, output)
    floods = tuple(judge(tree)) if judge else ()
    return Judged(output, found, None, tuple(changed_paths(file.tree, tree)), floods)


def _parse(read: Read, text: str) -> Tree | ReadFault:
    try:
        return read(text)
    except ReadFault as fault:
        return fault


def _list_additions(snippet: RawSnippet, laid: Laid, judge: SnippetJudge | None) -> Iterator[Fault | Claim]:
    """Yield what a platform finds in what a snippet adds, and whether most of it is meant for another platform."""
    if judge is None:
        return
    if not snippet.is_json and snippet.text.lstrip()[:1] == "{":
        yield Fault(Kind.FOREIGN, 1, 1, f"the text is JSON, {snippet.output} is not", "give it the ending .json")
        return
    refused = 0
    for item in judge(laid):
        refused += isinstance(item, Fault) and item.kind is Kind.COMMAND
        yield item
    lines = sum(1 for line in snippet.text.split("\n") if line.strip())
    if refused >= FOREIGN_MIN and 2 * refused > lines:
        message = f"{refused} of {lines} lines are no commands of {snippet.output}"
        yield Fault(Kind.FOREIGN, 1, 1, message)


def meaning_of(semantics: Semantics, steps: Steps) -> Meaning:
    """Return what the semantics of a file know of a path."""
    meaning = semantics.root
    for step in steps:
        meaning = meaning.child(step)
    return meaning


def _list_changes(file: _File, semantics: Semantics | None) -> Iterator[FactChange]:
    """Yield what a file no longer has as it was rendered, of that on which other devices rely."""
    module = load_module(semantics.reader) if semantics and semantics.reader else None
    list_facts: ListFacts | None = optional(module, "list_facts")
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
