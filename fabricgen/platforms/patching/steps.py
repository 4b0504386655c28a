"""Changes of a file to an operator's steps on a device."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import Enum, StrEnum
from typing import Any, NamedTuple

from fabricgen.platforms.reading.reader import Tree
from fabricgen.platforms.reading.semantics import DISRUPTIONS, LOGIN, Meaning, Semantics
from fabricgen.platforms.reading.traffic import Carriers


class Absent(Enum):
    """The one value of a path that is not there; None is a value of JSON."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT


class PatchFault(Exception):  # noqa: N818 - the fault is in the file
    """A file that no patch can be made of; the message completes "FILE: no patch: …"."""


class Change(NamedTuple):
    """One path at which what a device has is not what it should have.

    Attributes:
        steps: Path in the trees.
        before: What stands there; ABSENT if nothing does. A tree if everything below is new or to go.
        after: What should; ABSENT for nothing.
        meaning: What the semantics say of the path.
        idle: Name of the port or neighbor that it is about, which carries nothing before the change; empty if it does.
    """

    steps: tuple[str, ...]
    before: Any
    after: Any
    meaning: Meaning
    idle: str = ""

    @property
    def disruption(self) -> str:
        """Return what carrying the change out disturbs, by the semantics; the safe assumption where they are silent.

        What carries nothing disturbs nothing, but for rows whose coming and going the semantics name themselves.
        """
        word = ""
        if self.before is ABSENT:
            word = self.meaning.get("disruption_add")
        elif self.after is ABSENT:
            word = self.meaning.get("disruption_remove")
        disruption = self.meaning.get("disruption") or "drain"
        return word or (DISRUPTIONS[0] if self.idle and disruption != LOGIN else disruption)

    def reversed(self) -> Change:
        """The change that undoes this one."""
        return self._replace(before=self.after, after=self.before)


class Situation(NamedTuple):
    """A file as it is and as it should be.

    Attributes:
        changes: Differences, in the order of the paths.
        before: Tree of the file as it is; empty if it is not there.
        after: Tree of the file as it should be; empty if it should not be there.
        semantics: Of the file.
        mode: Permission bits it should have.
        has_more: The device has settings there that are not ours or that it only negates, and that stay.
        quiet: Names of ports and neighbors that carry nothing meanwhile, because their other end is drained.
    """

    path: str
    changes: Sequence[Change]
    before: Tree
    after: Tree
    before_text: str
    after_text: str
    semantics: Semantics
    mode: int = 0o644
    has_more: bool = False
    quiet: frozenset[str] = frozenset()

    @property
    def outcome(self) -> Tree:
        """Tree of the file once the changes are carried out: foreign settings are still there."""
        tree = apply_changes(self.before, self.changes)
        return share(tree, self.after) if self.semantics.as_text else tree

    @property
    def outcome_text(self) -> str:
        """The file once the changes are carried out; what the device has there that is not ours stays."""
        write = self.semantics.format.write if self.has_more else None
        return write(self.outcome) if write else self.after_text

    def quieted(self, quiet: frozenset[str]) -> Situation:
        """Return the same while some ports and neighbors carry nothing."""
        marked = mark_idle(self.changes, self.before, self.semantics, quiet)
        return self._replace(changes=tuple(marked), quiet=quiet)

    def reversed(self) -> Situation:
        """Rollback, from the device after the changes."""
        changes, outcome = [change.reversed() for change in self.changes], self.outcome
        return self._replace(
            changes=tuple(mark_idle(changes, outcome, self.semantics, self.quiet)),
            before=outcome,
            after=self.before,
            before_text=self.after_text,
            after_text=self.before_text,
            has_more=False,
        )


class StepPhase(StrEnum):
    """The part of a procedure that a step belongs to, in their order."""

    back_up = "back up"
    drain = "drain"
    apply = "apply"
    verify = "verify"
    confirm = "confirm"
    undrain = "undrain"
    save = "save"
    restart = "restart"


class PatchStep(NamedTuple):
    """One thing to do on a device.

    Attributes:
        command: The command to run there; ``{file}`` stands for the file that goes with it. Empty where no public
            command does it: then the reason is a note for the operator.
        file: Name of that file; empty if there is none.
        disruption: What doing it disturbs, see ``semantics.DISRUPTIONS``.
        reason: Why it is done this way, where there is a gentler one; empty if not.
        seconds: What it costs the target, in CPU seconds of one core of a server; 0 if that is not known.
        phase: The part of the procedure it belongs to.
        trial: It changes nothing that the device runs on; it is done too where the procedure is only tried.
    """

    command: str
    file: str
    content: str
    disruption: str
    reason: str = ""
    seconds: float = 0.0
    phase: StepPhase = StepPhase.apply
    trial: bool = False


def run(command: str, reason: str = "", disruption: str = "hitless", phase: StepPhase = StepPhase.apply) -> PatchStep:
    """Return a command that goes with no file."""
    return PatchStep(command, "", "", disruption, reason, phase=phase)


def apply_changes(tree: Tree, changes: Sequence[Change]) -> Tree:
    """A copy of a tree with changes carried out; a first step under which nothing is left disappears."""
    result = dict(tree)
    copied: set[tuple[str, ...]] = set()
    for change in changes:
        if not change.steps:
            return {} if change.after is ABSENT else dict(change.after)
        node = result
        for depth, step in enumerate(change.steps[:-1], 1):
            path = change.steps[:depth]
            if path not in copied:
                node[step] = dict(node.get(step, {}))
                copied.add(path)
            node = node[step]
        if change.after is ABSENT:
            node.pop(change.steps[-1], None)
        else:
            node[change.steps[-1]] = change.after
    emptied = {change.steps[0] for change in changes if len(change.steps) > 1 and not result[change.steps[0]]}
    return {step: value for step, value in result.items() if step not in emptied}


def share(tree: Tree, other: Tree) -> Tree:
    """Return a tree of texts with the very parts of another one where they are equal.

    What is known of these, such as whether they hold secrets, is then known of it.
    """
    return {name: other[name] if name in other and other[name] == value else value for name, value in tree.items()}


def mark_idle(changes: Sequence[Change], tree: Tree, semantics: Semantics, quiet: Collection[str] = ()) -> list[Change]:
    """Return changes, those marked that are about a port or session which carries nothing.

    What takes a reload, or rows that are only made with their port, disturbs the ports that are up as well.

    ``tree`` is the one of before, or the part of it that tells what is up; what is ``quiet`` carries nothing whatever
    it tells.
    """
    if not semantics.carriers:
        return list(changes)
    carriers = Carriers(semantics.carriers, tree, quiet)
    return [row if row.meaning.get("patch") else row._replace(idle=carriers.find_idle(row.steps)) for row in changes]


def worst(disruptions: Sequence[str]) -> str:
    """The greatest of several disruptions; hitless if there is none."""
    return max(disruptions, key=DISRUPTIONS.index, default=DISRUPTIONS[0])


def replace_file(situation: Situation) -> tuple[PatchStep, ...]:
    """The patch of a file without another one: put the whole file in place, and make its reader read it again.

    The command for that is ``then`` in the data of the semantics.
    """
    name = situation.path.rsplit("/", 1)[-1]
    disruption = worst([change.disruption for change in situation.changes])
    then = situation.semantics.data.get("then", "")
    tail = f" && {then}" if then else ""
    if not situation.after_text:
        return (run(f"rm /{situation.path}{tail}", disruption=disruption),)
    command = f"install -D -m {situation.mode:03o} {{file}} /{situation.path}{tail}"
    return (PatchStep(command, name, situation.outcome_text, disruption),)
