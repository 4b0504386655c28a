"""Values that raw snippets of exceptions change in the files they are laid over, and who answers for that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from fabricgen.device.lower import Lowering
from fabricgen.device.model import Switch
from fabricgen.diagnostics import Bag, Diagnostic, IntentPath, Place, Related, Severity, Waiver, register
from fabricgen.diagnostics.secrets import show_line_of_file
from fabricgen.diagnostics.visible import HIDDEN
from fabricgen.diagnostics.words import name_few
from fabricgen.plan.model.fabric import DeviceException, FabricPlan, RawSnippet
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.platforms.reading.redaction import EVERYTHING, Redaction, Steps
from fabricgen.platforms.reading.semantics import PLAIN, Meaning
from fabricgen.render.engine import Renderer, tree_folder
from fabricgen.snippets.load import find_semantics, report_malformed
from fabricgen.snippets.verdict import SnippetResult, judge_snippets

_declare = partial(register, source="docs/intent.md, exceptions")
_STEP, _OVERRIDES = " > ", "overrides"

CHANGES_MANAGED = _declare(
    "FG-EXC-021",
    "Snippet that changes a managed value",
    why="What the checks have proved of the intent would not hold on the device, without any trace.",
    fix="Configure it in the intent, remove it from the snippet, or list it under overrides.",
)
IDLE_OVERRIDE = _declare(
    "FG-EXC-022",
    "Override that the snippet does not make",
    severity=Severity.WARNING,
    why="The snippet, or what is rendered, has changed since; the next change there would go unseen.",
    fix="Remove it from overrides.",
)
NO_COMMAND = register(
    "FG-EXC-030",
    "Snippet with a line that FRR's own parser refuses",
    why="The device skips the line, or refuses the whole file.",
    fix="Correct the line, or put it below the line that enters its mode.",
    source="vtysh, option -C, of this machine",
    waivable=True,
)
NO_OWNER = _declare(
    "FG-EXC-060",
    "Override without owner and expiry",
    why="It changes what the lossless contract, addressing or routing promises of the device: no check of the intent "
    "holds there any longer, the other ends of its links may not agree, and an override without an end is forgotten.",
    fix="Add owner and expires beside overrides, or configure it in the intent.",
)
HOLDS_SECRET = register(
    "FG-EXC-167",
    "Snippet with a secret in it",
    why="It would be in the tree, in version control, and on every screen that shows the file.",
    fix="Write the reference in its place, as @fabricgen-secret:env:NAME@; render --with-secrets puts the value there.",
    source="SECURITY.md; docs/intent.md, secrets",
    waivable=True,
)
NOT_RENDERED = _declare(
    "FG-EXC-064",
    "Snippet over a file that cannot be rendered",
    why="The device would be configured without it, and of the snippet nothing was judged.",
    fix="Correct what keeps the file from being rendered.",
)
NOT_JUDGED = _declare(
    "FG-EXC-930",
    "Snippet whose lines are not judged",
    severity=Severity.INFO,
    why="Only frr.conf has a parser beside fabricgen, where vtysh is installed; the device may refuse any other line, "
    "and the other end of a link may not agree with it.",
    fix="Check them on a device, or install FRR's vtysh for a frr.conf.",
)


def check_snippets(plan: FabricPlan, specs: Mapping[str, PlatformSpec], folder: Path, bag: Bag) -> Bag:
    """Report every snippet that breaks its file, changes what fabricgen manages, or adds what the device refuses.

    Snippets over files that cannot be rendered are not judged; they are returned with the reasons.
    """
    faults, missing = Bag(), Bag()
    lowering, renderer = Lowering(plan), Renderer(specs, faults)
    lines: dict[tuple[str, int | None], list[tuple[str, RawSnippet]]] = {}
    secrets: dict[tuple[str, int], list[tuple[str, RawSnippet]]] = {}
    unknown: dict[tuple[str, str], list[tuple[str, RawSnippet]]] = {}
    for device, exception in sorted(plan.exceptions.switches.items()):
        if not exception.raw or exception.state == "absent":
            continue
        switch = replace(lowering.lower_switch(device), raw=())
        spec = specs.get(switch.cls.platform)
        judged = _judge(renderer, switch, spec, exception, excepted=device in lowering.touched)
        for snippet, result in zip(exception.raw, judged, strict=True):
            if spec is None or result is None:
                unknown.setdefault((snippet.file, snippet.output), []).append((switch.hostname, snippet))
                continue
            for line in (None,) if result.refused is None else result.refused:
                lines.setdefault((snippet.file, line), []).append((switch.hostname, snippet))
            root = _find_meaning(spec, result)
            for line in _find_secrets(snippet, root):
                secrets.setdefault((snippet.file, line), []).append((switch.hostname, snippet))
            _check_snippet(switch.hostname, snippet, result, root, exception.reason, folder, bag)
    _report_lines(lines, folder, bag)
    for (file, line), devices in sorted(secrets.items()):
        named_at, count = devices[0][1].named_at, len(devices)
        applied, place = (
            Related(f"applied to {_name_devices(devices)} here", named_at),
            Place(str(folder / file), line, 1),
        )
        bag.add(HOLDS_SECRET, f"{file} holds a secret", named_at, related=[applied], place=place, count=count)
    missing.extend(list(faults) if unknown else [])
    for (file, output), devices in unknown.items():
        message = f"{file} is not judged: {output} of {_name_devices(devices)} cannot be rendered"
        missing.add(NOT_RENDERED, message, devices[0][1].named_at, count=len(devices))
    return missing


def _judge(
    renderer: Renderer, switch: Switch, spec: PlatformSpec | None, exception: DeviceException, *, excepted: bool
) -> Iterator[SnippetResult | None]:
    """Yield the verdict on each snippet of a switch."""
    if spec is None:
        yield from (None for _ in exception.raw)
        return
    files = renderer.render_switch(switch, excepted=excepted)
    texts = {file.path.removeprefix(tree_folder(switch)): file.data.decode() for file in files}
    yield from judge_snippets(texts, exception.raw, spec)


def _find_secrets(snippet: RawSnippet, root: Meaning) -> list[int]:
    """Return the lines of a snippet in which a secret is where secrets are, whatever else looks like one."""
    hidden: list[str] = []

    def put(_: str, secret: str) -> str:
        hidden.append(secret)
        return HIDDEN

    shown = Redaction(root, EVERYTHING).file(snippet.text, snippet.file, put)
    if not snippet.is_json:
        pairs = zip(snippet.text.split("\n"), shown.split("\n"), strict=True)
        return [number for number, (line, other) in enumerate(pairs, 1) if line != other]
    return sorted({_line_of(snippet.text, (text,)) for text in hidden})


def _line_of(text: str, words: Iterable[str]) -> int:
    """Return the line of a text in which the last of some words is that stand behind each other there."""
    at = 0
    for word in words:
        at = max(at, text.find(word, at))
    return text.count("\n", 0, at) + 1


def _name_devices(devices: Sequence[tuple[str, RawSnippet]]) -> str:
    return name_few([name for name, _ in devices])


def _report_lines(
    lines: Mapping[tuple[str, int | None], Sequence[tuple[str, RawSnippet]]], folder: Path, bag: Bag
) -> None:
    """Report each line that is refused, and each snippet of which no line was judged, once for all its devices."""
    for (file, line), devices in sorted(lines.items(), key=lambda item: (item[0][0], item[0][1] or 0)):
        snippet, count, named = devices[0][1], len(devices), _name_devices(devices)
        if line is None:
            message = f"lines of {file} are not judged: {snippet.output} of {named}"
            bag.add(NOT_JUDGED, message, snippet.named_at, count=count)
        else:
            refused = show_line_of_file(snippet.text.split("\n")[line - 1].strip())[:80]
            message = f"vtysh of this machine refuses {refused!r} in {snippet.output}"
            applied = Related(f"applied to {named} here", snippet.named_at)
            place = Place(str(folder / file), line, 1)
            bag.add(NO_COMMAND, message, snippet.named_at, related=[applied], place=place, count=count)


def _override(snippet: RawSnippet, steps: Steps, redaction: Redaction) -> IntentPath:
    """Return the place of an override: an item is named by its text, or by its list if the text may hold a secret."""
    path = (*snippet.named_at, _OVERRIDES)
    return (*path, f"[{_STEP.join(steps)}]") if redaction.steps(steps) == steps else path


def _check_snippet(
    hostname: str, snippet: RawSnippet, judged: SnippetResult, root: Meaning, reason: str, folder: Path, bag: Bag
) -> None:
    """Report managed values that a snippet changes, or that it breaks the file."""
    if judged.fault is not None:
        line = judged.fault.line - judged.before
        report_malformed(snippet, hostname, judged.fault, line if judged.before else 0, folder, bag)
        return
    redaction = Redaction(root)
    changes, meant = judged.changes, [tuple(words.split(_STEP)) for words in snippet.overrides]
    for change in changes:
        if not any(change[: len(steps)] == steps for steps in meant):
            bag.add(
                CHANGES_MANAGED,
                f"{snippet.file} changes {_STEP.join(change)} in {snippet.output} of {hostname}",
                snippet.named_at,
                place=Place(str(folder / snippet.file), _line_of(snippet.text, change), 1),
                hint=f"if this is intended, add overrides: ['{_STEP.join(change)}']",
                related=[
                    Related(f"applied to {hostname} here", snippet.named_at),
                    *(Related("what it may change", _override(snippet, steps, redaction)) for steps in meant),
                ],
            )
    for steps in meant:
        made = [change for change in changes if change[: len(steps)] == steps]
        if made:
            _report_override(hostname, snippet, steps, made, root, reason, bag)
            continue
        message = f"{snippet.file} does not change {_STEP.join(redaction.steps(steps))} of {hostname}"
        bag.add(IDLE_OVERRIDE, message, _override(snippet, steps, redaction), hint="remove it")


def _report_override(
    hostname: str, snippet: RawSnippet, steps: Steps, made: Sequence[Steps], root: Meaning, reason: str, bag: Bag
) -> None:
    """Report an override without an owner where other devices rely on what it changes; list any other as waived."""
    words = _STEP.join(steps)
    what = f"{words} in {snippet.output} of {hostname}"
    path: IntentPath = (*snippet.named_at, _OVERRIDES, f"[{words}]")
    if snippet.owner:
        related = tuple(
            Related(text, (*snippet.named_at, key))
            for text, key in (("the owner", "owner"), ("the last day", "expires"))
        )
        waiver = Waiver(snippet.owner, snippet.expires, reason)
        code, text, hint = CHANGES_MANAGED, f"{snippet.file} overrides {what}", f"remove it by {snippet.expires}"
        bag.extend([Diagnostic(code.id, code.severity, text, path, hint=hint, related=related, waived=waiver)])
    elif not all(_meaning_of(root, change).is_local for change in made):
        message = f"{snippet.file} overrides {what}, on which other devices rely, and has no owner"
        bag.add(NO_OWNER, message, path, hint="add owner: <name> and expires: <YYYY-MM-DD> beside overrides")


def _meaning_of(meaning: Meaning, steps: Steps) -> Meaning:
    """Return what is known of a path, given the meaning of the empty one."""
    for step in steps:
        meaning = meaning.child(step)
    return meaning


def _find_meaning(spec: PlatformSpec, judged: SnippetResult) -> Meaning:
    """Return what is known of the empty path of a file; nothing where no semantics knows it."""
    return (find_semantics(spec, judged.output) or PLAIN).root
