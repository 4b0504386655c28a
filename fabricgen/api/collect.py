"""``collect``: from an inventory's plan to a folder with what its devices answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from fabricgen.api.sides import render_devices
from fabricgen.collect.collect_codes import IN_WORK_TREE, NO_LIBRARY, NOT_REDACTED
from fabricgen.collect.gather import AccessWay, CollectOutcome, Work, gather, open_ways
from fabricgen.collect.report import report_outcomes
from fabricgen.collect.store import open_collection
from fabricgen.collect.target import SSH, CollectLimits, CollectTarget, Failure, Login
from fabricgen.compiler.compile import Compiled
from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import FileKind, FileKinds, load_kinds
from fabricgen.platforms.manifest.readings import Reading
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.platforms.reading.reader import ReadFault
from fabricgen.platforms.reading.redaction import NOTHING, REFERENCE, OwnText


class CollectSettings(NamedTuple):
    """Settings of a collection; ``now`` gives date and time, UTC, ISO 8601."""

    out: Path
    login: Login
    limits: CollectLimits
    now: Callable[[], str]


def collect(
    targets: Sequence[CollectTarget],
    specs: Mapping[str, PlatformSpec],
    settings: CollectSettings,
    bag: Bag,
    progress: Callable[[int], None],
    compiled: Compiled | None = None,
    ways: Mapping[str, AccessWay] | None = None,
) -> list[CollectOutcome] | None:
    """Collect devices into a folder; None if collecting did not begin.

    Secrets are redacted where the inventory is given: what it renders is known to hold none. Devices are reached by the
    ways, or by their own with the login.
    """
    ways = ways or _open_ways(targets, settings, bag)
    if ways is None:
        return None
    judge = CollectionJudge(specs.values(), bag)
    redact = None
    if compiled is not None:
        redact = Redactor(compiled, judge, {target.name: target for target in targets}, bag).redact
    work = Work(settings.now, judge.find_fault, redact, settings.login.sudo)
    with open_collection(settings.out, bag) as is_open:
        if not is_open:
            return None
        if redact is None:
            _warn_of_git(settings.out, bag)
        outcomes = asyncio.run(gather(targets, ways, settings.limits, work, settings.out, progress))
    report_outcomes(outcomes, bag)
    return outcomes


def _warn_of_git(out: Path, bag: Bag) -> None:
    """Report a work tree above the folder; in a linked work tree ``.git`` is a file, so any entry counts."""
    path = out.resolve()
    folder = next((folder for folder in (path, *path.parents) if (folder / ".git").exists()), None)
    if folder is not None:
        bag.add(IN_WORK_TREE, f"{out} lies in the git work tree {folder}, with the secrets of the devices")


def _open_ways(targets: Sequence[CollectTarget], settings: CollectSettings, bag: Bag) -> dict[str, AccessWay] | None:
    """Return the ways to the devices; None with a diagnostic."""
    try:
        return open_ways([target.via for target in targets] or [SSH], settings.login, settings.limits)
    except ImportError as error:
        name = error.name if error.name in ("asyncssh", "httpx") else "asyncssh"
        bag.add(NO_LIBRARY, f"fabricgen collect needs the package {name}")
    except Failure as failure:
        bag.add(failure.code, failure.message, hint=failure.hint)
    return None


class CollectionJudge:
    """Reads outputs of the platforms of an inventory."""

    def __init__(self, specs: Iterable[PlatformSpec], bag: Bag) -> None:
        self._kinds: FileKinds = load_kinds(specs, bag)
        self._known: dict[tuple[str, ...], Mapping[str, FileKind]] = {}

    def find_fault(self, target: CollectTarget, reading: Reading, text: str) -> str:
        """Return why an output is no configuration; empty if it is one."""
        try:
            tree = self.kind_of(target, reading).read(text)
        except ReadFault as fault:
            return f"the answer cannot be read, line {fault.line}: {fault}" if fault.line else f"the answer: {fault}"
        return "the answer sets nothing" if reading.form == "json" and not tree else ""

    def kind_of(self, target: CollectTarget, reading: Reading) -> FileKind:
        """Return the kind of file that an output is."""
        known = self._known.get(target.platforms)
        if known is None:
            paths = [each.output for each in target.readings if each.output]
            known = self._known[target.platforms] = self._kinds.of_device(target.kind, paths)
        return known[reading.output]


REDACTED = f"{REFERENCE}redacted:value@"
"""Stand-in for a secret."""
_FEW = 64
"""So many devices are rendered by their names; where there are more, all devices of the inventory are."""


class Redactor:
    """Redacts outputs of the devices of an inventory."""

    def __init__(
        self, compiled: Compiled, judge: CollectionJudge, targets: Mapping[str, CollectTarget], bag: Bag
    ) -> None:
        """Render the devices, and keep what of theirs looks like a secret and is none."""
        self._judge = judge
        self._rendered: dict[tuple[str, str], OwnText] = {}
        only = tuple(targets) if len(targets) <= _FEW else ()
        for device in render_devices(compiled, only, bag):
            target = targets.get(device.name)
            for reading in target.readings if target else ():
                file = device.files.get(reading.output)
                data = file.load() if file else b""
                if isinstance(data, bytes) and data:
                    self._rendered[device.name, reading.output] = OwnText(data.decode())

    def redact(self, target: CollectTarget, reading: Reading, text: str) -> str:
        """Return an output, which its platform can read, without secrets; raises Failure if it then cannot be read."""
        kind = self._judge.kind_of(target, reading)
        own = self._rendered.get((target.name, reading.output), NOTHING)
        done = kind.redaction.knowing(own).file(text, reading.output, lambda *_: REDACTED)
        try:
            kind.read(done)
        except ReadFault as fault:
            raise Failure(NOT_REDACTED, f"{reading.name} cannot be read any more once it is redacted") from fault
        return done
