"""Verdicts on the snippets of a switch, one laid over its files after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from fabricgen.plan.model.fabric import RawSnippet
from fabricgen.platforms.manifest.spec import Output, PlatformSpec
from fabricgen.platforms.reading.reader import Read, ReadFault, Tree
from fabricgen.platforms.reading.redaction import Steps
from fabricgen.render.raw_snippets import apply_snippet, changed_paths
from fabricgen.snippets.load import find_reader


class SnippetResult(NamedTuple):
    """One snippet over one file.

    Attributes:
        fault: Why the file cannot be read with it; None if it can.
        before: Lines of the file that are before those of the snippet; 0 if it is merged.
        refused: Its lines that the target's own parser refuses, from 1; None where no parser is at hand.
    """

    output: Output
    fault: ReadFault | None
    before: int
    changes: tuple[Steps, ...]
    refused: tuple[int, ...] | None


def judge_snippets(
    texts: Mapping[str, str], snippets: Sequence[RawSnippet], spec: PlatformSpec
) -> Iterator[SnippetResult | None]:
    """Yield the verdict on each snippet of a switch, in their order; None for one whose file is not rendered."""
    files: dict[str, tuple[str, Tree | ReadFault]] = {}
    for snippet in snippets:
        path = snippet.output
        output = next(output for output in spec.outputs if output.path == path)
        read = find_reader(spec, output)
        if read is None or path not in texts:
            yield None
            continue
        before, was = files.get(path) or (texts[path], _parse(read, texts[path]))
        text = apply_snippet(before, snippet)
        tree = _parse(read, text)
        files[path] = text, tree
        rest = text.rstrip("\n").removesuffix("\nend").removesuffix(snippet.text.rstrip("\n"))
        lines_before = 0 if snippet.is_json else rest.count("\n")
        refused = _find_refused(spec, output, text, lines_before)
        fault = next((side for side in (was, tree) if isinstance(side, ReadFault)), None)
        changes = () if isinstance(was, ReadFault) or isinstance(tree, ReadFault) else tuple(changed_paths(was, tree))
        yield SnippetResult(output, fault, lines_before, changes, refused)


def _find_refused(spec: PlatformSpec, output: Output, text: str, before: int) -> tuple[int, ...] | None:
    """Return the lines of a snippet that stand in a file and are refused; None if nothing is known."""
    find = spec.platform.format_of(output.path).find_refused_lines
    found = find(text) if find else None
    if found is None:
        return None
    return tuple(line - before for line in found if line > before)


def _parse(read: Read, text: str) -> Tree | ReadFault:
    try:
        return read(text)
    except ReadFault as fault:
        return fault
