"""One device judged around its change: its answers are kept as a collection, and what is worse than before is found."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from fabricgen.api.check import DeviceAnswers
from fabricgen.collect.readings import Answer, Record, read_record, state_folder
from fabricgen.collect.store import open_collection, stage
from fabricgen.diagnostics import Bag
from fabricgen.files import Refused, read_file
from fabricgen.platforms.manifest.load import load_platforms
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.rollout.bundle import DEVICES, PROCEDURES, SUMS
from fabricgen.rollout.checks import ROUTING
from fabricgen.rollout.digests import digest_bytes
from fabricgen.rollout.expectation import Expectation, StateReading, find_part, read_expectation, split_answers
from fabricgen.rollout.rollout_codes import BUNDLE_CHANGED, BUNDLE_MALFORMED, NOT_A_BUNDLE
from fabricgen.rollout.stored_bundle import SIZE_MAX_BYTES
from fabricgen.state.expected import Expected
from fabricgen.state.findings import CHECKS, CheckResult, Outcome, StateFinding, list_known, pick_lost, pick_new
from fabricgen.state.judge import Observed, judge
from fabricgen.state.state_codes import MISREAD, NO_ANSWER

ANSWERS_MAX_BYTES = 1 << 26
"""Most that is taken of the answers of one device together."""


class BundleDevice(NamedTuple):
    """A device of a bundle, in one of its waves or in the last one."""

    bundle: Path
    device: str
    wave: int | None = None


class Judgement(NamedTuple):
    """Outcome for one device: checks with what is worse, or all where nothing is compared; ``known`` was before."""

    device: str
    results: tuple[CheckResult, ...]
    known: tuple[tuple[str, StateFinding], ...] = ()

    @property
    def findings(self) -> list[tuple[str, StateFinding]]:
        """Return what counts, with its check."""
        return [(result.check, found) for result in self.results for found in result.findings]

    @property
    def lacking(self) -> list[str]:
        """Return the checks that could not be made, or not of all that is planned, with the reason."""
        lacking = (Outcome.unread, Outcome.lacking)
        return [f"{each.check}: {each.reason}" for each in self.results if not each.is_whole or each.outcome in lacking]

    @property
    def is_whole(self) -> bool:
        """Return whether there are checks, and none lacks an answer that the device should have given."""
        made = (Outcome.expected, Outcome.different, Outcome.single)
        return any(each.outcome in made for each in self.results) and all(each.is_whole for each in self.results)


def judge_device(
    place: BundleDevice, answers: bytes, out: Path, when: str, bag: Bag, *, since: Path | None = None,
    skip: Collection[str] = (), strict: bool = False,
) -> Judgement | None:  # fmt: skip
    """Judge one device of a bundle by its answers, see ``split_answers``; None with diagnostics.

    The folder becomes a collection with these answers, which are dated in UTC, ISO 8601. Findings of the collection
    before the change do not count, except if strict.
    """
    expectation = _open(place, bag)
    if expectation is None:
        return None
    expected = expectation.expected
    if len(answers) > ANSWERS_MAX_BYTES:
        message = f"{expected.name}: its answers have more than {ANSWERS_MAX_BYTES >> 20} MiB"
        bag.add(MISREAD, message, device=expected.name)
        return None
    found = split_answers(expectation, answers)
    # What was written down is read again, one answer after the other: nothing else of them stays in memory.
    del answers
    if not any(status == 0 for status, _ in found.values()):
        message, hint = "none of its readings was answered", "pass the output of the readings of its procedure on stdin"
        bag.add(NO_ANSWER, f"{expected.name}: {message}", hint=hint, device=expected.name)
        return None
    record = _keep(expectation, found, out, when, bag)
    del found
    if record is None:
        return None
    asked = {reading.state for reading in expectation.judged}
    # Before the last phase of a device its sessions and routes are not those of the plan, and are not asked for.
    idle = {check for check in ROUTING if not asked.intersection(CHECKS[check])}
    only = tuple(check for check in CHECKS if check not in skip and check not in idle)
    # What cannot be read is part of the results; here it is no error of its own.
    reader = DeviceAnswers(_load_platforms(expected, bag), Bag(), only)
    now = reader.read(out, expected, record)
    earlier = read_record(since, expected.kind, expected.name) if since is not None else None
    if since is None or earlier is None:
        return Judgement(expected.name, tuple(judge(expected, now, None, only=only)))
    return _compare(expectation, now, reader.read(since, expected, earlier), only, strict=strict)


def _load_platforms(expected: Expected, bag: Bag) -> dict[str, PlatformSpec]:
    kind = "switch" if expected.kind == "switches" else "host"
    found = load_platforms({expected.platform: ()}, kind, bag)
    return {**found, **load_platforms({expected.nic: ()}, "nic", bag)} if expected.nic else found


def _compare(wanted: Expectation, now: Observed, before: Observed, only: Collection[str], *, strict: bool) -> Judgement:
    expected, compared = wanted.expected, not wanted.restarts
    results = judge(expected, now, before if compared else None, only=only)
    past = judge(expected, before, None, only=only)
    if strict:
        return Judgement(expected.name, tuple(pick_lost(results, past)))
    new = pick_new(results, past, compared=compared)
    return Judgement(expected.name, tuple(new), tuple(list_known(results, new)))


def _open(place: BundleDevice, bag: Bag) -> Expectation | None:
    """Return what is expected of a device, if it is what the bundle was written with."""
    root, path = place.bundle, f"{DEVICES}/{place.device}.json"
    sums = read_file(root / SUMS, SIZE_MAX_BYTES, inside=root)
    if isinstance(sums, Refused):
        bag.add(NOT_A_BUNDLE, f"{root}/{SUMS} {sums.reason}")
        return None
    digests = frozenset(sums.decode(errors="replace").splitlines())
    device = _read(root, path, digests, bag)
    part = None if device is None else find_part(device, place.wave)
    procedure = None if part is None else _read(root, f"{PROCEDURES}/{part.procedure}.json", digests, bag)
    found = None if part is None or procedure is None else read_expectation(procedure, part)
    if found is None and not bag.has_errors:
        of = f" of wave {place.wave}" if place.wave is not None else ""
        bag.add(BUNDLE_MALFORMED, f"{root}/{path}: it has no expectation{of} of this release")
    return found


def _read(root: Path, path: str, digests: Collection[str], bag: Bag) -> bytes | None:
    """Return a file of a bundle; None with a diagnostic if it is not what was written."""
    data = read_file(root / path, SIZE_MAX_BYTES, inside=root)
    if isinstance(data, Refused):
        bag.add(NOT_A_BUNDLE, f"{root}/{path} {data.reason}")
        return None
    if f"{digest_bytes(data)}  {path}" not in digests:
        bag.add(BUNDLE_CHANGED, f"{root}/{path} has changed")
        return None
    return data


def _keep(wanted: Expectation, found: Mapping[str, tuple[int, bytes]], out: Path, when: str, bag: Bag) -> Record | None:
    """Write the answers into a collection of their own; its record, or None with a diagnostic."""
    expected = wanted.expected
    with open_collection(out, bag) as is_open:
        if not is_open:
            return None
        with stage(out, expected.kind, expected.name) as staged:
            answers = {}
            for reading in wanted.judged:
                status, data = found.get(reading.state, (None, b""))
                name = f"{reading.state}.{'json' if reading.form == 'json' else 'txt'}"
                answers[reading.state] = _answer(reading, status, data, expected, name)
                if answers[reading.state].file:
                    with staged.create(staged.state(name)) as stream:
                        stream.write(data)
            record = Record(expected.name, expected.kind, (expected.platform,), "", when, False, answers)
            staged.commit(record)
    return record


def _answer(reading: StateReading, status: int | None, data: bytes, expected: Expected, name: str) -> Answer:
    if status != 0 or not data.strip():
        return Answer(reading.state, reading.command, status)
    file = state_folder(Path(), expected.kind, expected.name) / name
    return Answer(reading.state, reading.command, status).keep(file, data)
