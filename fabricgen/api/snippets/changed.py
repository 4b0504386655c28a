"""Values that raw snippets of exceptions change in the files they are merged into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from fabricgen.api.snippets.added import Additions
from fabricgen.api.snippets.load import MALFORMED, Judge, find_judge, find_reader, find_snippet_judge, parse_text
from fabricgen.api.snippets.redaction import find_redaction
from fabricgen.api.snippets.result import CHANGES_MANAGED, Results, Step
from fabricgen.device.lower import Lowering
from fabricgen.device.model import Switch
from fabricgen.diagnostics import Bag, IntentPath, Related, Severity, register, set_to
from fabricgen.plan.model.exceptions import RawSnippet
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.platforms.commands.snippets import Laid
from fabricgen.platforms.manifest.spec import Output, PlatformSpec
from fabricgen.platforms.reading.reader import ReadFault
from fabricgen.platforms.reading.redaction import Redaction, Steps
from fabricgen.render.engine import Renderer, tree_folder
from fabricgen.render.raw_snippets import changed_paths, lay_over

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
    fix="Take out of the snippet what undoes the guard, or set it to a safe value.",
    source="Guo et al., SIGCOMM 2016, section 4.2; Qian et al., Alibaba HPN, SIGCOMM 2024, section 4.2",
)


def check_snippets(plan: FabricPlan, specs: Mapping[str, PlatformSpec], folder: Path, bag: Bag) -> bool:
    """Report every snippet that breaks its file, changes what fabricgen manages, or adds what the device refuses.

    Args:
        plan: The plan, snippets included.
        specs: Platforms by name.
        folder: Folder of the inventory.
        bag: Takes what is wrong.

    Returns:
        False if an error elsewhere kept a file that a snippet is for from being rendered; what snippets make of the
        switches and their neighbours is reported only if none did.
    """
    complete, results = True, Results()
    lowering, renderer, additions = Lowering(plan), Renderer(specs, Bag()), Additions(plan, folder)
    for device, exception in sorted(plan.exceptions.switches.items()):
        if not exception.raw or exception.state == "absent":
            continue
        switch = replace(lowering.lower_switch(device), raw=())
        spec = specs.get(switch.cls.platform)
        if spec is None:
            complete = False
            continue
        files = renderer.render_switch(switch, excepted=device in lowering.touched)
        texts = {file.path: file.data.decode() for file in files}
        steps: list[Step] = []
        for snippet in exception.raw:
            output = next(output for output in spec.outputs if output.path == snippet.output)
            complete = complete and tree_folder(switch) + output.path in texts
            step = _lay(switch, spec, output, snippet, texts)
            if step is not None:
                steps.append(step)
                refused = additions.judge(switch.hostname, snippet, step.laid, find_snippet_judge(spec, output))
                _check_snippet(switch.hostname, step, bag, refused)
                _judge(switch.hostname, step, find_judge(spec, output), bag)
        results.add(switch, spec, steps, exception.reason)
    additions.report(bag)
    if complete:
        results.report(bag)
    return complete


def _lay(switch: Switch, spec: PlatformSpec, output: Output, snippet: RawSnippet, texts: dict[str, str]) -> Step | None:
    """Lay a snippet over a file of a switch in ``texts``; None if the file is not there or has no reader."""
    path, read = tree_folder(switch) + output.path, find_reader(spec, output)
    if read is None or path not in texts:
        return None
    before, after = texts[path], lay_over(texts[path], snippet)
    texts[path] = after
    others = {name: text for name, text in texts.items() if name != path}
    release, redaction = switch.cls.release, find_redaction(spec, output)
    laid = Laid(snippet.text, before, after, release.name, release.routing, others, redaction)
    return Step(output, snippet, laid, read)


def _judge(hostname: str, step: Step, judge: Judge | None, bag: Bag) -> None:
    """Report forbidden values of a file after a snippet; unreadable files are reported elsewhere."""
    tree, snippet = parse_text(step.read, step.laid.after), step.snippet
    if judge is None or isinstance(tree, ReadFault):
        return
    for fault in judge(tree):
        bag.add(FLOODS, f"{snippet.file} in {snippet.output} of {hostname}: {fault}", snippet.told_at)


def _override(snippet: RawSnippet, steps: Steps, redaction: Redaction) -> IntentPath:
    """Return the place of an override: an item is named by its text, or by its list if the text may hold a secret."""
    path = (*snippet.told_at, _OVERRIDES)
    return (*path, f"[{_STEP.join(steps)}]") if redaction.names(steps) == steps else path


def _check_snippet(hostname: str, step: Step, bag: Bag, refused: bool) -> None:
    """Report managed values that a snippet changes, or that it breaks the file if nothing else has told so."""
    snippet, laid = step.snippet, step.laid
    before, after = parse_text(step.read, laid.before), parse_text(step.read, laid.after)
    if isinstance(before, ReadFault) or isinstance(after, ReadFault):
        if not refused:
            fault = before if isinstance(before, ReadFault) else after
            bag.add(MALFORMED, f"{snippet.output} of {hostname} with {snippet.file}: {fault}", snippet.told_at)
        return
    changes = list(changed_paths(before, after))
    meant = [tuple(words.split(_STEP)) for words in snippet.overrides]
    for change in changes:
        if not any(change[: len(steps)] == steps for steps in meant):
            bag.add(
                CHANGES_MANAGED,
                f"{snippet.file} changes {_STEP.join(change)} in {snippet.output} of {hostname}",
                snippet.told_at,
                hint=f"if this is intended: overrides: ['{_STEP.join(change)}']",
                related=[Related("what it may change", _override(snippet, steps, laid.redaction)) for steps in meant],
            )
    for steps in meant:
        if not any(change[: len(steps)] == steps for change in changes):
            message = f"{snippet.file} does not change {_STEP.join(laid.redaction.names(steps))} of {hostname}"
            path = _override(snippet, steps, laid.redaction)
            fixes = set_to(path, None) if path[-1] != _OVERRIDES else ()
            bag.add(IDLE_OVERRIDE, message, path, hint="remove it", fixes=fixes)
