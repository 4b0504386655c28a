"""What raw snippets of exceptions change in the files they are laid over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from fabricgen.api.snippets.added import Additions
from fabricgen.api.snippets.load import MALFORMED, Judge, find_judge, find_reader, find_snippet_judge
from fabricgen.api.snippets.redaction import find_redaction
from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Bag, IntentPath, Related, Severity, register, set_to
from fabricgen.plan.model.exceptions import RawSnippet
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.platforms.commands.snippets import Laid
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.platforms.reading.reader import Read, ReadFault
from fabricgen.platforms.reading.redaction import Redaction, Steps
from fabricgen.render.engine import Renderer, tree_folder
from fabricgen.render.raw_snippets import lay_over, read_changes

_DOCS = "docs/intent.md, exceptions"
_STEP, _OVERRIDES = " > ", "overrides"

CHANGES_MANAGED = register(
    "FG-EXC-021",
    "Snippet that changes a managed value",
    why="What the checks have proved of the intent would not hold on the device, without any trace.",
    fix="Configure it in the intent, remove it from the snippet, or list it under overrides.",
    source=_DOCS,
)
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
        False if an error elsewhere kept a file that a snippet is for from being rendered.
    """
    complete = True
    lowering, renderer, additions = Lowering(plan), Renderer(specs, Bag()), Additions(plan, folder)
    for device, exception in sorted(plan.exceptions.switches.items()):
        if not exception.raw or exception.state == "absent":
            continue
        switch = replace(lowering.lower_switch(device), raw=())
        cls = switch.cls
        spec = specs.get(cls.platform)
        if spec is None:
            complete = False
            continue
        texts = {file.path: file.data.decode() for file in renderer.render_switch(switch, excepted=True)}
        for snippet in exception.raw:
            path = tree_folder(switch) + snippet.output
            output = next(output for output in spec.outputs if output.path == snippet.output)
            read = find_reader(spec, output)
            complete = complete and path in texts
            if read is not None and path in texts:
                before, texts[path] = texts[path], lay_over(texts[path], snippet)
                others = {name: text for name, text in texts.items() if name != path}
                laid = Laid(
                    snippet.text,
                    before,
                    texts[path],
                    cls.release.name,
                    cls.release.routing,
                    others,
                    find_redaction(spec, output),
                )
                refused = additions.judge(switch.hostname, snippet, laid, find_snippet_judge(spec, output))
                _check_snippet(switch.hostname, before, snippet, laid, read, bag, refused)
                _judge(switch.hostname, texts[path], snippet, read, find_judge(spec, output), bag)
    additions.report(bag)
    return complete


def _judge(hostname: str, text: str, snippet: RawSnippet, read: Read, judge: Judge | None, bag: Bag) -> None:
    """Report what a file must not say once a snippet is in it; what cannot be read is told elsewhere."""
    if judge is None:
        return
    try:
        tree = read(text)
    except ReadFault:
        return
    for fault in judge(tree):
        bag.add(FLOODS, f"{snippet.file} in {snippet.output} of {hostname}: {fault}", snippet.told_at)


def _override(snippet: RawSnippet, steps: Steps, redaction: Redaction) -> IntentPath:
    """Where an override stands: an item is named by its text, so of one that may not be shown the list is told."""
    path = (*snippet.told_at, _OVERRIDES)
    return (*path, f"[{_STEP.join(steps)}]") if redaction.names(steps) == steps else path


def _check_snippet(
    hostname: str, text: str, snippet: RawSnippet, laid: Laid, read: Read, bag: Bag, refused: bool
) -> None:
    """Report managed values that a snippet changes, or that it breaks the file if nothing else has told so."""
    try:
        changes = read_changes(text, snippet, read)
    except ReadFault as fault:
        if not refused:
            bag.add(MALFORMED, f"{snippet.output} of {hostname} with {snippet.file}: {fault}", snippet.told_at)
        return
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
