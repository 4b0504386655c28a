"""Procedures of a rollout: what devices have in common is said once, with a name where they differ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from fabricgen.diff.patches import DevicePatch, name_files
from fabricgen.platforms.patching.steps import PatchStep
from fabricgen.rollout.bundle import PlannedCheck, PlannedProcedure, PlannedStep
from fabricgen.rollout.phases import DeviceChange

_LOOK = "look: "
_WORDS = re.compile(r"([\w.:]+)")
_NAMES = re.compile(r"\{(\w+)\}")
_OWN = "{device}", "{patch}"


class Use(NamedTuple):
    """A procedure on one device, with the values it has there."""

    procedure: str
    values: dict[str, str]


class _Parts(NamedTuple):
    """The steps of one device."""

    steps: tuple[PlannedStep, ...]
    rollback: tuple[PlannedStep, ...]
    undo: tuple[PlannedStep, ...]

    @property
    def shape(self) -> tuple[Any, ...]:
        """Return all of them but their texts."""
        return tuple(tuple((*step[:2], step.file, step.disruption, step.trial) for step in part) for part in self)


def plan_procedures(
    changes: Sequence[DeviceChange], patches: Sequence[str]
) -> tuple[tuple[PlannedProcedure, ...], list[Use]]:
    """Return procedures for changes, each with its patch, and the use of one for each change."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    parts = [_Parts(*(plan_steps(steps, name) for name, steps in parts_of(change.patch))) for change in changes]
    for at, change in enumerate(changes):
        checks = tuple((*check.planned[:4], str(check.planned.values)) for check in change.checks)
        readings = change.judged.readings if change.judged is not None else ()
        what = change.platform, change.kind, change.tier, change.patch.disruption, bool(change.cuts)
        groups.setdefault((*what, parts[at].shape, checks, readings), []).append(at)
    found: list[PlannedProcedure] = []
    uses: list[Use | None] = [None] * len(changes)
    names: Counter[str] = Counter()
    for members in groups.values():
        first = changes[members[0]]
        words = f"{first.platform} {first.tier} {first.patch.disruption}"
        title = "-".join(re.findall("[0-9a-z]+", words.lower()))
        names[title] += 1
        title = f"{title}-{names[title]}" if names[title] > 1 else title
        texts = _Texts([changes[at].name for at in members], [patches[at] for at in members])
        found.append(_join(title, [changes[at] for at in members], [parts[at] for at in members], texts))
        for at, values in zip(members, texts.values, strict=True):
            uses[at] = Use(title, values)
    return tuple(found), [use for use in uses if use is not None]


def parts_of(patch: DevicePatch) -> Iterator[tuple[str, Sequence[PatchStep]]]:
    """Yield the parts of a patch with the folder that each has."""
    yield from (("apply", patch.apply), ("rollback", patch.rollback), ("undo", patch.undo))


def plan_steps(steps: Sequence[PatchStep], folder: str) -> tuple[PlannedStep, ...]:
    """Return steps as data, with the names that their files have in a folder of the patch."""
    names = name_files(steps)
    return tuple(_plan_step(step, names.get((step.file, step.content), ""), folder) for step in steps)


def _plan_step(step: PatchStep, name: str, folder: str) -> PlannedStep:
    reason = step.reason.replace("{file}", name)
    expected = reason.removeprefix(_LOOK) if reason.startswith(_LOOK) else ""
    return PlannedStep(
        phase=step.phase.value,
        action="note" if not step.command else "look" if expected else "run",
        command=step.command.replace("{file}", name),
        file=f"{folder}/{name}" if name else "",
        disruption=step.disruption,
        reason="" if expected else reason,
        expected=expected,
        seconds=round(step.seconds, 1),
        trial=step.trial,
    )


class _Texts:
    """Texts of several devices made one, with ``{name}`` for what differs, whose values go by device."""

    def __init__(self, devices: Sequence[str], patches: Sequence[str]) -> None:
        """Start with what every device has."""
        self._devices = [re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])") for name in devices]
        self._columns = {tuple(patches): "patch"} if len({*patches}) > 1 else {}
        self._taken = {"neighbor", "device", "patch"}
        self.values: list[dict[str, str]] = [{} for _ in devices]

    def avoid(self, texts: Sequence[str]) -> None:
        """Note the names that stand in texts already."""
        for text in {*texts}:
            self._taken.update(_NAMES.findall(text))

    def join(self, texts: Sequence[str], name: str = "") -> str:
        """Return the text of all devices; where it differs in a way of its own, a name for it as a whole."""
        if any(own in texts[0] for own in _OWN):
            return self._name(texts, name)
        if len({*texts}) == 1:
            return texts[0]
        texts = [pattern.sub("{device}", text) for pattern, text in zip(self._devices, texts, strict=True)]
        rows = [_WORDS.split(text) for text in texts]
        if name or len({tuple(row[::2]) for row in rows}) > 1:
            return self._name(texts, name)
        parts, before = [""], ""
        for column in zip(*rows, strict=True):
            same = len({*column}) == 1
            parts.append(column[0] if same else self._name(column, before))
            before = column[0] if same and column[0].isidentifier() else before
        return "".join(parts)

    def _name(self, column: Sequence[str], hint: str) -> str:
        """Return the name in braces of what differs; what differs in the same way has one name."""
        column = tuple(column)
        if column not in self._columns:
            hint = re.sub(r"\W+", "_", hint.lower()).strip("_") or "value"
            names = (f"{hint}{number or ''}" for number in range(len(self._taken) + 1))
            self._columns[column] = name = next(each for each in names if each not in self._taken)
            self._taken.add(name)
            for values, value in zip(self.values, column, strict=True):
                values[name] = value
        return f"{{{self._columns[column]}}}"


def _join(name: str, changes: Sequence[DeviceChange], parts: Sequence[_Parts], texts: _Texts) -> PlannedProcedure:
    """Return the procedure of devices whose steps and checks have the same shape."""
    first = changes[0]
    for part in (part for each in parts for part in each):
        texts.avoid([text for step in part for text in (step.command, step.reason)])
    for change in changes:
        texts.avoid([text for check in change.checks for text in (check.planned.command, check.planned.expected)])
    steps, rollback, undo = (
        tuple(_join_steps(column, texts) for column in zip(*part, strict=True)) for part in zip(*parts, strict=True)
    )
    columns = zip(*([check.planned for check in change.checks] for change in changes), strict=True)
    checks = tuple(_join_checks(column, texts) for column in columns)
    readings = first.judged.readings if first.judged is not None else ()
    where = first.kind, first.tier, first.platform, first.patch.disruption
    return PlannedProcedure(name, *where, steps, rollback, undo, checks, readings)


def _join_steps(steps: Sequence[PlannedStep], texts: _Texts) -> PlannedStep:
    reasons = [step.reason for step in steps]
    return steps[0]._replace(
        command=texts.join([step.command for step in steps]),
        reason=texts.join(reasons, "note") if steps[0].action == "note" else _shorten(reasons),
        expected=_shorten([step.expected for step in steps]),
        seconds=max(step.seconds for step in steps),
    )


def _join_checks(checks: Sequence[PlannedCheck], texts: _Texts) -> PlannedCheck:
    first = checks[0]
    return first._replace(expected=texts.join([check.expected for check in checks], first.subject))


def _shorten(texts: Sequence[str]) -> str:
    """Return a text for people; where it differs, the words that all of them begin with."""
    pairs = zip(min(texts).split(" "), max(texts).split(" "), strict=False)
    shared = [one for one, other in takewhile(lambda pair: pair[0] == pair[1], pairs)]
    return texts[0] if len({*texts}) == 1 else " ".join([*shared, "…"])
