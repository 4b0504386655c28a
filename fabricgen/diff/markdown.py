"""A summary as Markdown, for a comment on a pull request: the devices of each wave, then each kind of change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from fabricgen.diagnostics import Diagnostic, Severity
from fabricgen.diagnostics.visible import in_markdown
from fabricgen.diff.groups import ChangeGroup
from fabricgen.diff.report import conclusion, list_first, list_names, list_rest, place_of, values_of
from fabricgen.diff.summary import DiffSummary

SIZE_MAX = 60_000
"""Characters: a comment on GitHub has 65,536 at most."""
_NAMED_MAX = 12
_DISTURBS = {
    "hitless": "nothing is disturbed",
    "login": "the login is cut, and traffic goes on",
    "session reset": "BGP sessions are reset",
    "port flap": "ports go down and come up",
    "drain": "traffic has to be moved away first",
    "reboot": "the device restarts",
}


def write_markdown(
    summary: DiffSummary, diagnostics: list[Diagnostic], *, details: bool = False, unmanaged: bool = False
) -> str:
    """Write a comment; what makes it too long is counted in its last line."""
    blocks = [f"### fabricgen diff: {conclusion(summary, unmanaged=unmanaged)}", ""]
    blocks += [*(f"* {line}" for line in first), ""] if (first := list_first(summary, in_markdown)) else []
    blocks += _waves(summary)
    for disruption, groups in groupby(summary.groups(), key=lambda group: group.disruption):
        blocks += _table(disruption, groups)
    blocks += [f"* {line}" for line in list_rest(summary, in_markdown, unmanaged=unmanaged)]
    blocks += _diagnostics(diagnostics)
    if details:
        blocks += _folded("every change", (line for group in summary.groups() for line in _every(group)))
    return "\n".join(_limited(blocks)).rstrip("\n") + "\n"


def _diagnostics(diagnostics: list[Diagnostic]) -> Iterator[str]:
    """Yield notes, then the waivers and the faults folded."""
    waived = [found for found in diagnostics if found.waived or found.code.startswith("FG-WVR-")]
    others = [found for found in diagnostics if found not in waived]
    notes = [found for found in others if found.severity is Severity.INFO]
    yield from (f"* {in_markdown(found.message)}" for found in notes)
    faults = [found for found in others if found not in notes]
    for title, listed in (("waivers", waived), ("not compared", faults)):
        lines = (f"* `{found.code}` {in_markdown(found.message)}{_waiver(found)}" for found in listed)
        yield from _folded(title, lines)


def _waves(summary: DiffSummary) -> Iterator[str]:
    """Yield the devices that change, each in the wave of its greatest disruption."""
    waves = summary.waves()
    if not waves:
        return
    yield "| wave | devices | |\n|---|---|---|"
    for word, verdicts in waves.items():
        names = list_names([verdict.name for verdict in verdicts], in_markdown, _NAMED_MAX)
        yield f"| {word}: {_DISTURBS[word]} | {len(verdicts):,} | {names} |"
    for word, verdicts in waves.items():
        if len(verdicts) > _NAMED_MAX:
            yield from _folded(
                f"all {len(verdicts):,} devices of the wave {word}", [in_markdown(verdict.name) for verdict in verdicts]
            )
    yield ""


def _table(disruption: str, groups: Iterable[ChangeGroup]) -> Iterator[str]:
    yield f"| {disruption} | devices | for example | decided by |\n|---|---|---|---|"
    for group in groups:
        cells = (
            "; ".join([group.headline(in_markdown), *map(in_markdown, group.conditions)]),
            list_names([member.name for member in group.members], in_markdown),
            in_markdown(place_of(group.first)),
            "<br>".join(in_markdown(cause.text) for cause in group.causes) or "–",
        )
        yield f"| {' | '.join(cells)} |"
    yield ""


def _every(group: ChangeGroup) -> Iterator[str]:
    for instance in group.details:
        values = values_of(group, instance)
        place = in_markdown(place_of(instance))
        yield f"* {place} {group.title_line(in_markdown)}{in_markdown(values) if values else ''}"


def _folded(title: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield a part that is shown when the reader opens it; nothing if it has no line."""
    listed = list(lines)
    if listed:
        yield from ("", f"<details><summary>{title}</summary>", "")
        yield from listed
        yield from ("", "</details>", "")


def _limited(blocks: Iterable[str]) -> Iterator[str]:
    """Yield lines until the comment is full."""
    size, left, is_open = 0, 0, False
    for block in blocks:
        size += len(block) + 1
        if size > SIZE_MAX:
            left += bool(block.strip())
            continue
        is_open = (is_open or "<details>" in block) and "</details>" not in block
        yield block
    if left:
        yield from ("", "</details>", "") if is_open else ("",)
        yield f"* {left:,} more lines do not fit into a comment; `fabricgen diff` prints them"


def _waiver(found: Diagnostic) -> str:
    """Return who waives a diagnostic, and until when."""
    return f", waived {in_markdown(str(found.waived))}" if found.waived else ""
