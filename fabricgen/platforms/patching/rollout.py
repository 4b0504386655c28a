"""The whole procedure on one device: backup, drain, the steps of the patch, checks, save; and the rollback of a part.

A platform plans the steps that change a file, and puts around them what it needs. One that has nothing of its own gets
``frame_patch`` of this module: copies of replaced files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from fabricgen.platforms.patching.steps import PatchStep, Situation, StepPhase, run, worst
from fabricgen.platforms.reading.reader import Tree
from fabricgen.platforms.reading.semantics import DISRUPTIONS

BEFORE = "fabricgen-before"
"""Ending of a copy that a procedure makes of a file, and name of the checkpoint that it starts from."""
COMPARE = "collect the device again and compare it: fabricgen diff INTENDED COLLECTED prints no difference"
COMPARE_DRAINED = f"{COMPARE} but the end of the drain"
"""The same where the drain, which is configuration too, ends later."""
IN_BETWEEN = "collect the device again: fabricgen rollout resume BUNDLE COLLECTED no longer has this wave of it"
IN_BETWEEN_DRAINED = "collect the device again: fabricgen rollout resume BUNDLE COLLECTED asks for its undrain alone"
"""The same, where a later wave of a rollout changes it again."""
_INSTALL = re.compile(r"install -D -m \d+ \{file\} (?P<path>\S+)(?P<then> && .+)?|rm (?P<gone>\S+)(?P<after> && .+)?")


class Core(NamedTuple):
    """The steps that change the files of one device.

    Attributes:
        situations: The files that change.
        unchanged: Reads the files that stay as they are.
    """

    name: str
    steps: tuple[PatchStep, ...]
    back: tuple[PatchStep, ...]
    situations: tuple[Situation, ...]
    unchanged: Callable[[], Iterable[Tree]] = tuple

    @property
    def disruption(self) -> str:
        """Return the greatest disruption of the steps."""
        return worst([step.disruption for step in self.steps])

    @property
    def is_drained(self) -> bool:
        """Return whether traffic is moved away first."""
        return is_drained(self.disruption)

    def of(self, phase: StepPhase) -> list[PatchStep]:
        """Return the steps of a phase."""
        return [step for step in self.steps if step.phase is phase]


class DrainProof(NamedTuple):
    """A command that shows on a neighbor whether it sends over a device: not in a drain, and again after it.

    Attributes:
        command: With ``{neighbor}`` for what routing calls the device there; its answer is one JSON document.
        expected: What it has to show, for people.
        routes: Keys that lead to a map of prefixes in the answer, joined by dots.
        preference: Key of the local preference of a path; 0 where the neighbor takes every other path.
        paths: Key of the paths of a prefix; empty where the map has the list of them itself.
        via: Key of what is compared with the device; empty where every path is the device's.
        used: Keys, joined by dots, of which one is true for a path that the neighbor sends over.
        returned: What it has to show once the drain has ended, for people.
    """

    command: str
    expected: str
    routes: str
    preference: str
    paths: str = ""
    via: str = ""
    used: tuple[str, ...] = ()
    returned: str = ""


class Procedure(NamedTuple):
    """Everything to do on one device.

    Attributes:
        steps: The commands in order; the configuration is saved last.
        rollback: The commands that give the start back for as long as nothing is saved, whatever step failed.
        stays_drained: The files have the device drained once the steps are done, so that its drain does not end.
    """

    steps: tuple[PatchStep, ...]
    rollback: tuple[PatchStep, ...]
    stays_drained: bool = False


def is_drained(disruption: str) -> bool:
    """Return whether a disruption asks for a drain: traffic moves before sessions reset or ports flap, not after."""
    return DISRUPTIONS.index(disruption) >= DISRUPTIONS.index("session reset")


def in_between(reason: str) -> str:
    """Return the reason of a step where a later wave of a rollout changes its device again."""
    return {COMPARE: IN_BETWEEN, COMPARE_DRAINED: IN_BETWEEN_DRAINED}.get(reason, reason)


def note(text: str, phase: StepPhase) -> PatchStep:
    """Return a step for the operator where no public command does it."""
    return run("", text, phase=phase)


def look(command: str, expected: str, phase: StepPhase = StepPhase.verify) -> PatchStep:
    """Return a command whose output the operator compares."""
    return run(command, f"look: {expected}", phase=phase)


def with_drain(steps: Sequence[PatchStep], drain: Sequence[PatchStep]) -> list[PatchStep]:
    """Return steps with those of a drain before the first one that needs it."""
    at = next((number for number, step in enumerate(steps) if is_drained(step.disruption)), len(steps))
    return [*steps[:at], *(drain if at < len(steps) else ()), *steps[at:]]


def frame_patch(core: Core) -> Procedure:
    """Frame replaced files by copies of them; a device that restarts does so last."""
    drain = [
        note(
            "move traffic or jobs away from the device first: its platform has no command that is known here",
            StepPhase.drain,
        )
    ]
    return frame_files(core, drain)


def frame_files(core: Core, drain: Sequence[PatchStep], verify: Sequence[PatchStep] = ()) -> Procedure:
    """Frame replaced files by copies of them.

    ``drain`` comes before the first step that asks for one; ``verify`` are checks beside the comparison of a new
    collection.
    """
    restart = [run("reboot", "some files are read at start only", "reboot", phase=StepPhase.restart)]
    steps = (
        *copies_of(core.steps),
        *with_drain(core.of(StepPhase.apply), drain),
        *core.of(StepPhase.verify),
        *verify,
        *core.of(StepPhase.save),
        *(restart if core.disruption == "reboot" else ()),
        note(COMPARE, StepPhase.verify),
    )
    return Procedure(steps, tuple(restore_copies(core.steps)))


def copies_of(steps: Sequence[PatchStep]) -> list[PatchStep]:
    """Return the copies to make of the files that steps replace or remove."""
    return [
        run(f"test ! -e {path} || cp -p {path} {path}.{BEFORE}", phase=StepPhase.back_up)
        for path, _ in _replaced(steps)
    ]


def restore_copies(steps: Sequence[PatchStep]) -> list[PatchStep]:
    """Return the commands that put copies back, or remove a file that was not there before."""
    return [
        run(
            f"if test -e {path}.{BEFORE}; then cp -p {path}.{BEFORE} {path}; else rm -f {path}; fi{then}",
            disruption=disruption,
        )
        for (path, then), disruption in reversed(list(zip(_replaced(steps), _disruptions(steps), strict=True)))
    ]


def _replaced(steps: Sequence[PatchStep]) -> list[tuple[str, str]]:
    """Return the paths of replaced files, and the command that has them read again."""
    found = [_INSTALL.fullmatch(step.command) for step in steps]
    return [
        (match["path"] or match["gone"], (match["then"] or match["after"] or "").replace(" && ", "; ", 1))
        for match in found
        if match
    ]


def _disruptions(steps: Sequence[PatchStep]) -> list[str]:
    return [step.disruption for step in steps if _INSTALL.fullmatch(step.command)]
