"""Values that raw snippets of exceptions change in the files they are merged into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Bag, IntentPath, Place, Related, Severity, register
from fabricgen.diagnostics.secrets import show_line_of_file
from fabricgen.plan.model.fabric import FabricPlan, RawSnippet
from fabricgen.platforms.manifest.spec import Output, PlatformSpec
from fabricgen.platforms.reading.redaction import Redaction, Steps
from fabricgen.platforms.reading.semantics import PLAIN
from fabricgen.render.engine import Renderer, tree_folder
from fabricgen.snippets.load import MALFORMED, find_semantics
from fabricgen.snippets.result import CHANGES_MANAGED, Results
from fabricgen.snippets.result_cache import ResultCache
from fabricgen.snippets.verdict import SnippetResult

_DOCS = "docs/intent.md, exceptions"
_STEP, _OVERRIDES = " > ", "overrides"

IDLE_OVERRIDE = register(
    "FG-EXC-022",
    "Override that the snippet does not make",
    severity=Severity.WARNING,
    why="The snippet, or what is rendered, has changed since; the next change there would go unseen.",
    fix="Remove it from overrides.",
    source=_DOCS,
)
FLOODS = register(
    "FG-EXC-080",
    "Snippet after which the file breaks a rule of its platform",
    why="The target takes the file and then does what a lossless fabric must not do, such as flooding its class.",
    fix="Remove the line that undoes the guard from the snippet, or set a safe value.",
    source="Guo et al., SIGCOMM 2016, section 4.2; Qian et al., Alibaba HPN, SIGCOMM 2024, section 4.2",
)
NO_COMMAND = register(
    "FG-EXC-030",
    "Snippet with a line that FRR's own parser refuses",
    why="The device skips the line, or refuses the whole file.",
    fix="Correct the line, or put it below the line that enters its mode.",
    source="vtysh, option -C, of this machine",
    waivable=True,
)
NOT_JUDGED = register(
    "FG-EXC-930",
    "Snippet whose lines are not judged",
    severity=Severity.INFO,
    why="Only frr.conf has a parser beside fabricgen, where vtysh is installed; the device may refuse any other line.",
    fix="Check them on a device, or install FRR's vtysh for a frr.conf.",
    source=_DOCS,
)


def check_snippets(plan: FabricPlan, specs: Mapping[str, PlatformSpec], folder: Path, bag: Bag) -> Results:
    """Report every snippet that breaks its file, changes what fabricgen manages, or adds what the device refuses.

    Returns:
        What snippets make of the switches and their neighbours, not reported yet; with the snippets that could not be
        judged because an error elsewhere keeps their file from being rendered.
    """
    faults = Bag()
    results, cache = Results(faults), ResultCache()
    lowering, renderer = Lowering(plan), Renderer(specs, faults)
    lines: dict[tuple[str, int | None], list[tuple[str, RawSnippet]]] = {}
    for device, exception in sorted(plan.exceptions.switches.items()):
        if not exception.raw or exception.state == "absent":
            continue
        switch = replace(lowering.lower_switch(device), raw=())
        spec = specs.get(switch.cls.platform)
        if spec is None:
            for snippet in exception.raw:
                results.miss(switch.hostname, snippet)
            continue
        files = renderer.render_switch(switch, excepted=device in lowering.touched)
        texts = {file.path.removeprefix(tree_folder(switch)): file.data.decode() for file in files}
        verdict = cache.judge(switch.cls, spec, texts, exception.raw)
        for snippet, judged in zip(exception.raw, verdict.judged, strict=True):
            if judged is not None:
                for line in (None,) if judged.refused is None else judged.refused:
                    lines.setdefault((snippet.file, line), []).append((switch.hostname, snippet))
                _check_snippet(switch.hostname, snippet, judged, _find_redaction(spec, judged.output), bag)
        results.add(switch, spec, exception, verdict)
    _report_lines(lines, folder, bag)
    return results


def _report_lines(
    lines: Mapping[tuple[str, int | None], Sequence[tuple[str, RawSnippet]]], folder: Path, bag: Bag
) -> None:
    """Report each line that is refused, and each snippet of which no line was judged, once for all its devices."""
    for (file, line), devices in sorted(lines.items(), key=lambda item: (item[0][0], item[0][1] or 0)):
        (device, snippet), count = devices[0], len(devices)
        others = f" and {count - 1} more" if count > 1 else ""
        if line is None:
            message = f"lines of {file} are not judged: {snippet.output} of {device}{others}"
            bag.add(NOT_JUDGED, message, snippet.named_at, count=count)
        else:
            refused = show_line_of_file(snippet.text.split("\n")[line - 1].strip())[:80]
            message = f"vtysh of this machine refuses {refused!r} in {snippet.output}"
            applied = Related(f"applied to {device}{others} here", snippet.named_at)
            place = Place(str(folder / file), line, 1)
            bag.add(NO_COMMAND, message, snippet.named_at, related=[applied], place=place, count=count)


def _override(snippet: RawSnippet, steps: Steps, redaction: Redaction) -> IntentPath:
    """Return the place of an override: an item is named by its text, or by its list if the text may hold a secret."""
    path = (*snippet.named_at, _OVERRIDES)
    return (*path, f"[{_STEP.join(steps)}]") if redaction.steps(steps) == steps else path


def _check_snippet(hostname: str, snippet: RawSnippet, judged: SnippetResult, redaction: Redaction, bag: Bag) -> None:
    """Report managed values that a snippet changes, or that it breaks the file."""
    if judged.fault is not None:
        message = f"{snippet.output} of {hostname} with {snippet.file}: {judged.fault}"
        bag.add(MALFORMED, message, snippet.named_at)
        return
    changes, meant = judged.changes, [tuple(words.split(_STEP)) for words in snippet.overrides]
    for change in changes:
        if not any(change[: len(steps)] == steps for steps in meant):
            bag.add(
                CHANGES_MANAGED,
                f"{snippet.file} changes {_STEP.join(change)} in {snippet.output} of {hostname}",
                snippet.named_at,
                hint=f"if this is intended, add overrides: ['{_STEP.join(change)}']",
                related=[Related("what it may change", _override(snippet, steps, redaction)) for steps in meant],
            )
    for steps in meant:
        if not any(change[: len(steps)] == steps for change in changes):
            message = f"{snippet.file} does not change {_STEP.join(redaction.steps(steps))} of {hostname}"
            path = _override(snippet, steps, redaction)
            bag.add(IDLE_OVERRIDE, message, path, hint="remove it")
    for flood in judged.floods:
        bag.add(FLOODS, f"{snippet.file} in {snippet.output} of {hostname}: {flood}", snippet.named_at)


def _find_redaction(spec: PlatformSpec, output: Output) -> Redaction:
    """Return what of a file of a platform may be quoted; nothing where no semantics knows it."""
    return Redaction((find_semantics(spec, output) or PLAIN).root)
