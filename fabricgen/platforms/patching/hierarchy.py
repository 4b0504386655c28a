"""Changes to the commands of a hierarchical CLI, for targets that hier_config knows; settings are replaced in place.

hier_config plans removals and additions in the target's order. For a setting that only gets another value it writes
``no`` before the new line; between the two a queue would not mark and a priority would not pause. Where the changes say
that a setting is replaced, the ``no`` is left out: the new line takes the old one's place. The library is given the
changes alone, as the format of the file writes them: it would turn every other line of the device around too.

Data of the semantics: ``driver``, hier_config's name of the target; ``apply`` and ``save``, the commands that take the
lines and keep them; ``listed``, beginnings of lines that are entries of a list, which a new entry does not replace;
``parallel``, lines that stand beside the one they begin as, which is not replaced by them either; ``superseded``, lines
by the one that takes their place without their removal;
``after_interface``, a section that leaves the mode of an interface, so that what stands below a refused one is refused;
``exit`` does so where the section is not to be there afterwards, as it would create it;
``numbered``, beginnings of sections whose entries begin with a number and are removed by it alone.

Source:
    netdevops/hier_config 3.7; its effect on marking was measured with an EOS queue.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from fabricgen.platforms.patching.steps import (
    ABSENT,
    PatchFault,
    PatchStep,
    Situation,
    StepPhase,
    apply_changes,
    run,
    worst,
)

_ENTRY = re.compile(r"^( +no \d+) .+")
"""A removed entry of a numbered list; the group is what removes it."""


def plan_patch(situation: Situation) -> tuple[PatchStep, ...]:
    """The commands for the running device, and what keeps them."""
    if not situation.changes:
        return ()
    data = situation.semantics.data
    name = situation.path.rsplit("/", 1)[-1]
    lines = "".join(f"{line}\n" for line in list_commands(situation))
    disruption = worst([change.disruption for change in situation.changes])
    return (
        PatchStep(str(data["apply"]), f"{name}.commands", lines, disruption),
        run(str(data["save"]), phase=StepPhase.save),
    )


def list_commands(situation: Situation) -> list[str]:
    """The lines that turn what is there into what should be; raises PatchFault where two are one and the same."""
    # Loading the library takes as long as comparing a small fabric, and most comparisons need no patch.
    from hier_config import Platform, WorkflowRemediation, get_hconfig
    from hier_config.exceptions import DuplicateChildError

    data = situation.semantics.data
    driver = _find_driver(Platform[str(data["driver"])], data.get("beside", {}))
    leaver = str(data.get("after_interface", ""))
    try:
        sides = [get_hconfig(driver, _once(text, leaver)) for text in _write_sides(situation)]
    except DuplicateChildError as error:
        raise PatchFault("a section has one line twice, alone and with lines below it") from error
    replaced = [
        change.steps[-1]
        for change in situation.changes
        if ABSENT not in (change.before, change.after)
        and not change.steps[-1].startswith(tuple(data.get("listed", ())))
    ]
    gone = {change.steps[-1] for change in situation.changes if change.after is ABSENT}
    lines = _lines(WorkflowRemediation(*sides).remediation_config, sides[1], replaced, gone)
    lines = _drop_superseded(list(lines), data.get("superseded", {}))
    leaves = "exit" if leaver and leaver not in situation.after else leaver
    return list(_leave_interfaces(_by_number(lines, tuple(data.get("numbered", ()))), leaves))


def _find_driver(platform: Any, parallel: Mapping[str, Mapping[str, str]]) -> Any:
    """Return the library's rules of a target, by which lines beside another one are removed like all others."""
    from hier_config import get_hconfig_driver
    from hier_config.models import IdempotentCommandsAvoidRule, MatchRule

    driver = get_hconfig_driver(platform)
    for line in (line for lines in parallel.values() for line in lines):
        pattern = ".+".join(map(re.escape, line.split("{value}")))
        rules = (MatchRule(startswith=""), MatchRule(re_search=f"^{pattern}$"))
        driver.rules.idempotent_commands_avoid.append(IdempotentCommandsAvoidRule(match_rules=rules))
    return driver


def _write_sides(situation: Situation) -> tuple[str, str]:
    """Return what the changes concern as a text of each side, equal but for the changes.

    A line of the device that is no change is in neither, so no command concerns it.
    """
    heads = {change.steps[0] for change in situation.changes}
    superseded = situation.semantics.data.get("superseded", {})
    heads |= {line for line, other in superseded.items() if other in heads}
    after = {head: value for head, value in situation.after.items() if head in heads}
    before = apply_changes(after, [change.reversed() for change in situation.changes])
    write = situation.semantics.format.write
    return (write(before), write(after)) if write else ("", "")


def _once(text: str, command: str) -> str:
    """The text with a top-level command at its first place only: hier_config refuses a section that comes twice."""
    first, found, rest = text.partition(f"{command}\n") if command else (text, "", "")
    lines = rest.splitlines(keepends=True)
    return first + found + "".join(line for line in lines if line.rstrip() != command)


def _by_number(lines: Iterable[str], sections: tuple[str, ...]) -> Iterator[str]:
    """The lines, with entries of numbered lists removed by their numbers."""
    inside = False
    for line in lines:
        if not line.startswith(" "):
            inside = line.startswith(sections)
        yield _ENTRY.sub(r"\1", line) if inside else line


def _drop_superseded(lines: Sequence[str], superseded: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines without those that remove a line whose place another one takes."""
    taken = {f"no {line}" for line, other in superseded.items() if other in lines}
    yield from (line for line in lines if line not in taken)


def _leave_interfaces(lines: Iterable[str], command: str) -> Iterator[str]:
    """Yield the lines with a command behind each interface; without one where the target has no such command."""
    inside = False
    for line in lines:
        if inside and not line.startswith(" "):
            yield command
        if not line.startswith(" "):
            inside = bool(command) and line.startswith("interface ")
        yield line
    if inside:
        yield command


def _lines(node: Any, wanted: Any, replaced: Sequence[str], removed: Container[str], depth: int = 0) -> Iterator[str]:
    """The lines below a node in the target's order, without those that only make room for a new value.

    A line of neither side is the library's removal of a line of absence; the default is restored instead.
    """
    children = sorted(node.children)
    kept = [child.text for child in children if not child.text.startswith("no ")]
    for child in children:
        gone = child.text.removeprefix("no ")
        makes_room = gone != child.text and gone not in removed
        if makes_room and _gets_new_value(gone, replaced, kept):
            continue
        same = wanted.children.get(child.text) if wanted is not None else None
        turns = gone == child.text and same is None and not child.children
        # A text is removed by its first line.
        text = child.text if gone == child.text else child.text.partition("\n")[0]
        restored = f"default {text.removeprefix('default ')}" if turns else text
        yield f"{' ' * (3 * depth)}{restored}"
        yield from _lines(child, same, replaced, removed, depth + 1)


def _gets_new_value(removed: str, replaced: Sequence[str], kept: Sequence[str]) -> bool:
    """Return whether a removed line is of a replaced setting, of which a kept line has the new value."""
    names = tuple(name for name in replaced if f"{removed} ".startswith(f"{name} "))
    return any(text.startswith(names) for text in kept)
