"""A rollout as data: the content of ``plan.json``, from which every other file of a bundle follows.

A rollout is a list of phases, each carried out in waves; a wave is a list of devices. What devices have in common is
said once: a procedure has the steps there and back and the checks around them, with ``{name}`` where devices differ. A
device has its values of these, its files before and after, and its patch, the folder with the files of the steps.

Keys are stable: one is added, never renamed, and a change of meaning changes ``FORMAT``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

from fabricgen.platforms.patching.steps import StepPhase
from fabricgen.platforms.reading.semantics import DISRUPTIONS
from fabricgen.rollout.expectation import StateReading
from fabricgen.rollout.model import Line, Name, StrandedPrefixes, WaveKind
from fabricgen.validation.forms import Form, Range, record

FORMAT: Literal["fabricgen-rollout/1"] = "fabricgen-rollout/1"
PLAN, DEPLOYED, RUNBOOK, TABLE, SUMS = "plan.json", "deployed.json", "runbook.md", "devices.csv", "SHA256SUMS"
"""Files of every bundle."""
PATCHES, PROCEDURES, DEVICES = "patches", "procedures", "devices"
"""Folders of every bundle: files of steps by patch, and procedures and devices for programs."""
_SEGMENT = r"(?!\.{1,2}(/|$))[^/\\\x00-\x1f\x7f]+"
_PATH = f"{_SEGMENT}(/{_SEGMENT})*"
Sha256 = Annotated[str, Form("[0-9a-f]{64}", "a SHA-256 in hex")]
Path = Annotated[str, Form(_PATH, "a relative path without '.' and '..'")]
PatchName = Annotated[str, Form("^[0-9a-z-]*$", "small letters, digits and hyphens")]
File = Annotated[str, Form(f"({_PATH})?", "a relative path without '.' and '..', or empty")]
Disruption = Annotated[str, Form("|".join(DISRUPTIONS), f"one of {', '.join(DISRUPTIONS)}")]
Kind = Annotated[str, Form("switches|hosts", "switches or hosts")]
WaveWord = Annotated[str, Form("|".join(WaveKind), f"one of {', '.join(WaveKind)}")]
PhaseWord = Annotated[str, Form("|".join(StepPhase), f"one of {', '.join(StepPhase)}")]
Number = Annotated[int, Range(0)]


@record
class Digest(NamedTuple):
    """Digests of a file.

    Attributes:
        sha256: Of its bytes.
        meaning: Of what it means: the same whatever its layout, its order and the defaults it spells out. Values of
            secrets are left out. Empty where nothing but the bytes was looked at.
        kept: JSON pointers of paths that count in the meaning though an operator may write them: the intent has them.
    """

    sha256: Sha256
    meaning: Annotated[str, Form("([0-9a-f]{64})?", "a SHA-256 in hex, or empty")] = ""
    kept: tuple[Line, ...] = ()


@record
class PlannedFile(NamedTuple):
    """A file that a rollout changes.

    Attributes:
        path: Path on the device, without the leading slash.
        before: The deployed file as it was read; None if the device did not have it.
        after: The intended file; None if the device should not have it.
        secrets: Paths of values that only refer to secrets, as JSON pointers (RFC 6901); the digest of the meaning
            after leaves them out.
    """

    path: Path
    before: Digest | None
    after: Digest | None
    secrets: tuple[Line, ...] = ()


@record
class PlannedStep(NamedTuple):
    """One thing to do on a device.

    Attributes:
        phase: The part of the procedure: back up, drain, apply, verify, confirm, undrain, save, restart.
        action: ``run`` is a command that has to succeed; ``look`` is one whose output is compared with ``expected``;
            ``note`` is for a person, because no public command does it.
        command: The command line on the device, in a folder that holds a copy of ``file``; empty for a note.
        file: File that goes with it, below the device's patch; empty if there is none.
        reason: Why, or what a note asks for.
        expected: What the output of a ``look`` has to show.
        seconds: What it costs the device, in CPU seconds of one core of a server; 0 if that is not known.
        trial: It changes nothing that the device runs on, so that it is done too where a rollout is only tried.
    """

    phase: PhaseWord
    action: Literal["run", "look", "note"]
    command: Line
    file: File
    disruption: Disruption
    reason: Line = ""
    expected: Line = ""
    seconds: float = 0.0
    trial: bool = False


@record
class PlannedNeighbor(NamedTuple):
    """A device that is asked about others, by its address before the first wave or a name that resolves."""

    name: Name
    platform: Line
    address: Line


@record
class PlannedCheck(NamedTuple):
    """A reading of a device with what the plan expects of it.

    Attributes:
        when: ``before`` the first step; once the device is ``drained``; ``after`` the last step before the save; once
            it is ``undrained`` and saved.
        subject: The check of ``fabricgen check`` that judges the same of a collection; ``neighbors`` is read on them.
        command: The command line on the device; in one for neighbors ``{neighbor}`` is what they call the device.
        form: ``json`` where the whole answer is one JSON document.
        expected: What a person compares.
        values: How a program reads the answer of a neighbor; ``planned`` where the sessions are those of the plan.
    """

    when: Annotated[str, Form("before|drained|after|undrained", "before, drained, after or undrained")]
    subject: Line
    command: Line
    form: Annotated[str, Form("json|text", "json or text")]
    expected: Line
    values: dict[str, Any] = {}  # noqa: RUF012 - never written to


@record
class PlannedProcedure(NamedTuple):
    """Everything to do on the devices of one platform, tier and disruption that are changed in the same way.

    Attributes:
        steps: What leads there; files lie in ``apply`` of the device's patch.
        rollback: What gives the start back if a step fails before the save; files lie in ``rollback``.
        undo: What takes it back once all of ``steps`` is done; files lie in ``undo``.
        readings: What a program reads to judge a device.
    """

    name: Name
    kind: Kind
    tier: Line
    platform: Name
    disruption: Disruption
    steps: tuple[PlannedStep, ...]
    rollback: tuple[PlannedStep, ...]
    undo: tuple[PlannedStep, ...]
    checks: tuple[PlannedCheck, ...] = ()
    readings: tuple[StateReading, ...] = ()

    def fill(self, values: Mapping[str, str]) -> PlannedProcedure:
        """Return the procedure of one device."""
        steps, rollback, undo = (
            tuple(step._replace(command=fill(step.command, values), reason=fill(step.reason, values)) for step in part)
            for part in (self.steps, self.rollback, self.undo)
        )
        checks = tuple(check._replace(expected=fill(check.expected, values)) for check in self.checks)
        return self._replace(steps=steps, rollback=rollback, undo=undo, checks=checks)

    @property
    def drains(self) -> bool:
        """Return whether traffic is moved away from the device."""
        return any(step.phase == StepPhase.drain.value for step in self.steps)


@record
class PlannedDevice(NamedTuple):
    """A device of a wave.

    Attributes:
        kind: ``switches`` or ``hosts``, the folder that it has in a rendered tree.
        tier: Tier of a switch, group of a host.
        plane: Plane of a switch, from 0.
        patch: Folder below ``patches`` with the files of its steps; empty if they have none.
        before: Digest over the files that its steps change, as they were deployed.
        after: The same over the intended files.
        values: What stands for each ``{name}`` of its procedure, besides ``device`` and ``patch``.
        address: Its management address before the wave, or a name that resolves.
        login: Its changes that cut the login, by name; empty if none does.
        moves_to: Its management address after them; empty if it keeps the one it has.
    """

    name: Name
    wave: Number
    kind: Kind
    tier: Line
    plane: Number
    platform: Name
    disruption: Disruption
    procedure: Name
    patch: PatchName
    before: Sha256
    after: Sha256
    files: tuple[PlannedFile, ...]
    values: dict[str, Line] = {}  # noqa: RUF012 - never written to
    address: Line = ""
    login: Line = ""
    moves_to: Line = ""

    @property
    def key(self) -> str:
        """Return what tells it from the same device in other waves."""
        return f"{self.wave:02d}/{self.name}"

    @property
    def all_values(self) -> dict[str, str]:
        """Return what stands for each ``{name}`` of its procedure."""
        return {"device": self.name, "patch": self.patch, **self.values}


@record
class PlannedPlatform(NamedTuple):
    """Operation of the devices of a platform; see ``platforms.manifest.spec``.

    Attributes:
        neighbors: Keys that lead to a map of BGP neighbours in the answer that has the sessions, joined by dots.
        state: Key of a neighbour's state in it; empty where no program reads the answer.
        established: The state in which routes are exchanged.
    """

    name: Name
    shell: Literal["posix", "cli"]
    network_os: Line = ""
    commits: Line = ""
    abandons: Line = ""
    saves: Line = ""
    neighbors: tuple[Line, ...] = ()
    state: Line = ""
    established: Line = ""


@record
class PlannedFailure(NamedTuple):
    """The failure that leaves least while a wave is out.

    Attributes:
        switch: The switch that fails; empty where none costs a pair of leafs more than the wave does.
        kept: The two leafs of the pair that keeps least then; empty where no pair loses any.
    """

    switch: Annotated[str, Form(r"[^/\\\s\x00-\x1f\x7f]{0,255}", "a name without blanks and slashes, or empty")] = ""
    kept: tuple[Name, ...] = ()


@record
class PlannedWave(NamedTuple):
    """Devices that change together; the next wave begins when all of them are back.

    Attributes:
        number: From 0, through all phases.
        kind: canary, hitless, login, drain or hosts.
        scope: What it is confined to, such as a plane; empty if nothing.
        bandwidth: Smallest part of its planned bandwidth that a pair of leafs in service keeps meanwhile.
        kept: The two leafs of that pair; empty where no pair loses any.
        hosts: Hosts whose jobs the scheduler moves away first.
        devices: In the order in which they are changed.
        n_minus_1: The smallest part that a pair keeps if one more switch or link fails meanwhile.
        failure: The failure that leaves ``n_minus_1``.
        max_failures: How many of its devices may fail, and be rolled back, before the next wave is stopped; all never.
    """

    number: Number
    phase: Number
    kind: WaveWord
    scope: Line
    bandwidth: float
    kept: tuple[Name, ...]
    hosts: tuple[Name, ...]
    devices: tuple[PlannedDevice, ...]
    n_minus_1: float = 1.0
    failure: PlannedFailure = PlannedFailure()
    max_failures: Number = 0


@record
class PlannedPhase(NamedTuple):
    """A part of a rollout that is complete before the next begins.

    Attributes:
        title: What it does, for people; empty if it is the only one.
        reason: Why it comes in this place, for people; empty where any other would do.
        leg: Number of the plan that the rollout leads to with it, from 0.
    """

    number: Number
    title: Line
    reason: Line = ""
    leg: Number = 0


@record
class PlannedSide(NamedTuple):
    """A side that a rollout was planned from, as the user called it, with a digest over all its files."""

    name: Line
    sha256: Sha256


@record
class RolloutPlan(NamedTuple):
    """The content of ``plan.json``.

    Attributes:
        intent: Digest of the intent, as the manifest of a rendered tree has it.
        floor: Part of the planned bandwidth that every pair of leafs in service keeps.
        stranded: Prefixes without another path; they go on using a drained device.
        resumes: Digest of the plan of which this is the rest; empty for a rollout from its start.
        procedures: What is done, once for all devices that it is done on.
        neighbors: Devices that are asked about others.
        platforms: How to operate the platforms of the fabric.
        summary: The lines that an approver reads first: the change of intent, and devices that come or go.
        soak_seconds: Time to wait after each wave.
        gate: Command that has to succeed after each wave and that time; empty if there is none.
    """

    format: Literal["fabricgen-rollout/1"]
    fabric: Line
    intent: Sha256
    intended: PlannedSide
    deployed: PlannedSide
    floor: float
    disruption: Disruption
    phases: tuple[PlannedPhase, ...]
    procedures: tuple[PlannedProcedure, ...]
    waves: tuple[PlannedWave, ...]
    stranded: tuple[StrandedPrefixes, ...] = ()
    resumes: Annotated[str, Form("([0-9a-f]{64})?", "a SHA-256 in hex, or empty")] = ""
    neighbors: tuple[PlannedNeighbor, ...] = ()
    platforms: tuple[PlannedPlatform, ...] = ()
    summary: tuple[Line, ...] = ()
    soak_seconds: Number = 0
    gate: Line = ""

    @property
    def devices(self) -> tuple[PlannedDevice, ...]:
        """Return the devices of all waves, in order; one that changes in two waves comes twice."""
        return tuple(device for wave in self.waves for device in wave.devices)

    def procedure_of(self, device: PlannedDevice) -> PlannedProcedure:
        """Return what is done on a device, with its values."""
        found = next(each for each in self.procedures if each.name == device.procedure)
        return found.fill(device.all_values)


def fill(text: str, values: Mapping[str, str]) -> str:
    """Return a text with values in their places."""
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text
