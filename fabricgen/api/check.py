"""Running devices against the plan: a collection in, a report of every device out."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fabricgen.api.effects import Effects
from fabricgen.collect.folder import KINDS, SIZE_MAX_BYTES
from fabricgen.collect.readings import COLLECTION, STATE, Record, find_alteration, is_collection, read_record
from fabricgen.collect.target import LAB
from fabricgen.diagnostics import Bag, Code, Diagnostic, Place
from fabricgen.diagnostics.words import counted, name_few
from fabricgen.diff.diff_codes import NO_CONFIG, NOT_OURS
from fabricgen.diff.saved import Saved
from fabricgen.files import Refused, read_file
from fabricgen.lab.collection import UNFIT, as_in_lab
from fabricgen.lab.model.planned import load_native
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import HostId
from fabricgen.platforms.manifest.readings import ABSENT, SAVED
from fabricgen.platforms.manifest.spec import PlatformSpec, find_platform
from fabricgen.platforms.observations.content import LackingError, MisreadError
from fabricgen.platforms.observations.records import LldpNeighbor, Observation, Reader, Readers
from fabricgen.platforms.reading.reader import ReadFault
from fabricgen.state.cabling import Cabling, LldpReport, list_faults
from fabricgen.state.expected import Expectations, Expected
from fabricgen.state.findings import ADDED, CHECKS, FILES, Outcome
from fabricgen.state.judge import Observed, judge, list_checks, list_states
from fabricgen.state.report import DeviceReport, explain_cables
from fabricgen.state.state_codes import MISREAD, NO_ANSWER, NO_COLLECTION, NO_ORDER, NOT_READ, NOT_THERE, PARTIAL
from fabricgen.tables.tables import label_ports

_NAMED_MAX = 4
Lack = tuple[Outcome, str]
"""Outcome of the checks that need an answer, and the reason why there is none."""


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """Options of a check, ``since`` an earlier collection; if ``idle``, nothing should pause or be marked."""

    chosen: frozenset[str] | None = None
    since: Path | None = None
    idle: bool = False
    only: Collection[str] = tuple(CHECKS)


def check_collection(
    plan: FabricPlan, specs: Mapping[str, PlatformSpec], root: Path, options: CheckOptions, bag: Bag
) -> list[DeviceReport] | None:
    """Judge devices by what was collected of them, switches first; None with a diagnostic without a collection."""
    if not _are_collections(root, options.since, bag):
        return None
    expectations, effects = Expectations(plan), Effects(plan, specs, bag)
    answers = DeviceAnswers(specs, bag, options.only)
    found: dict[str, DeviceReport] = {}
    alike: dict[tuple[str, ...], list[str]] = {}
    missing: dict[str, list[str]] = {}
    for name in expectations.names:
        if options.chosen is not None and name not in options.chosen:
            continue
        expected = expectations.of(name)
        record = read_record(root, expected.kind, name) if expected else None
        if expected is None:
            continue
        if record is None:
            missing.setdefault(expected.tier, []).append(name)
            continue
        host = expectations.names[name]
        if isinstance(host, HostId) and FILES in options.only:
            expected = replace(expected, files=tuple(effects.of(host)))
        if not isinstance(host, HostId):
            expected = replace(expected, saved=answers.saved.list_readings(expected.platform))
        found[name] = _report(answers, root, expected, record, options)
        board = expected.model or expected.tier
        alike.setdefault((expected.platform, expected.nic, expected.release, board), []).append(name)
    _report_missing(root, missing, bag)
    _report_unplanned(root, expectations.names, bag)
    for names in alike.values():
        found.update(compare_alike([found[name] for name in names]))
    reports = explain_cables(found.values(), list_faults(Cabling(answers.reports, label_ports(plan))))
    _report_unread(reports, bag)
    report_left_out(reports, bag)
    return reports


def _are_collections(root: Path, since: Path | None, bag: Bag) -> bool:
    """Return whether the collection is one, and the earlier one where it is given; both are reported."""
    found = [_is_collection(place, bag) for place in (root, since) if place]
    return all(found)


def _report(answers: DeviceAnswers, root: Path, expected: Expected, record: Record, how: CheckOptions) -> DeviceReport:
    if record.via == LAB:
        expected = as_in_lab(expected)
    now = answers.read(root, expected, record)
    if not {*CHECKS} - {*how.only}:
        answers.verify(root, expected, record)
    if "lldp" in now.read:
        answers.reports[expected.name] = LldpReport(expected, now.of(LldpNeighbor, "lldp"))
    before = None
    earlier = read_record(how.since, expected.kind, expected.name) if how.since else None
    if how.since and earlier:
        if earlier.collected > record.collected:
            message = f"{expected.name}: collected {earlier.collected}, after {record.collected}"
            answers.bag.extend([_error(NO_ORDER, message, device=expected.name)])
        else:
            before = answers.read(how.since, expected, earlier, is_earlier=True)
    results = tuple(judge(expected, now, before, idle=how.idle, only=how.only))
    files = {
        check: str(root / record.answers[state].file)
        for check, states in CHECKS.items()
        for state in reversed(states)
        if state in now.read
    }
    platform = LAB if record.via == LAB else expected.platform
    return DeviceReport(expected.name, expected.kind, expected.tier, platform, results, files)


def compare_alike(reports: Sequence[DeviceReport]) -> Iterator[tuple[str, DeviceReport]]:
    """Yield names with the reports in which a device lacks what others of its platform, release and board have."""
    has = {
        result.check: report.name
        for report in reversed(reports)
        for result in report.results
        if result.outcome in (Outcome.expected, Outcome.different, Outcome.single, Outcome.partial)
    }
    for report in reports:
        results = tuple(
            result._replace(
                outcome=Outcome.partial,
                reason=f"{result.reason}; {has[result.check]} of the same platform, release and board has it",
            )
            if result.outcome is Outcome.lacking and result.check in has
            else result
            for result in report.results
        )
        if results != report.results:
            yield report.name, replace(report, results=results)


def _report_unread(reports: Iterable[DeviceReport], bag: Bag) -> None:
    """Report what the answers of each device leave out; what is not there at all is reported where it is read."""
    for report in reports:
        for result in report.results:
            if result.outcome is Outcome.partial or (result.findings and result.reason):
                message = f"{report.name}: {result.check} not all judged: {result.reason}"
                place = Place(report.files[result.check], 1, 1) if result.check in report.files else None
                bag.extend([_error(PARTIAL, message, device=report.name, place=place)])


def report_left_out(reports: Iterable[DeviceReport], bag: Bag) -> None:
    """Report once for each platform the checks that it has no reader for, and those that its devices lack."""
    found: dict[tuple[Outcome, str], Counter[str]] = {}
    for report in reports:
        if report.platform == LAB:
            found.setdefault((Outcome.lacking, LAB), Counter())[UNFIT] += 1
        for result in report.results:
            if result.outcome in (Outcome.unread, Outcome.lacking):
                found.setdefault((result.outcome, report.platform), Counter())[result.check] += 1
    for (outcome, platform), checks in sorted(found.items()):
        if outcome is Outcome.unread:
            bag.add(NOT_READ, f"not judged on platform {platform}: {', '.join(checks)}")
            continue
        numbers = (f"{name} on {counted(count, 'device')}" for name, count in checks.items())
        lacks = "a lab does" if platform == LAB else f"devices of platform {platform} do"
        message = f"not judged, as {lacks} not have it: {', '.join(numbers)}"
        bag.add(NOT_THERE, message)


class DeviceAnswers:
    """Answers of devices, read by their platforms; ``reports`` has those whose neighbors were read."""

    def __init__(self, specs: Mapping[str, PlatformSpec], bag: Bag, only: Collection[str]) -> None:
        self.bag = bag
        self.reports: dict[str, LldpReport] = {}
        self.saved = Saved(specs, bag)
        self._only = only
        self._specs = specs
        self._readers: dict[tuple[str, str], Readers] = {}

    def read(self, root: Path, expected: Expected, record: Record, *, is_earlier: bool = False) -> Observed:
        """Return what the answers of a device hold; what cannot be read is reported.

        Earlier answers are only compared with later ones: what was not asked for then is no mistake of today.
        """
        readers = self._readers_of(expected, record)
        read: dict[str, list[Observation]] = {}
        lacking: dict[str, Lack] = {}
        for state in self._list_wanted(expected, record, readers):
            if state in read or state in lacking or (is_earlier and state not in record.answers):
                continue
            reader = readers.get(state)
            if state.startswith(SAVED) and record.via != LAB:
                answer = self._read_saved(root, expected, record, state)
            else:
                answer = self._read(root, expected, record, state, reader) if reader else _cannot_read(expected, record)
            if isinstance(answer, list):
                read[state] = answer
            else:
                lacking[state] = answer
        return Observed(read, lacking)

    def verify(self, root: Path, expected: Expected, record: Record) -> None:
        """Report the files that no check reads, and that are not those that were collected."""
        readers = self._readers_of(expected, record)
        saved = () if record.via == LAB else expected.saved
        read = {state for state in self._list_wanted(expected, record, readers) if state in readers}
        read |= {*saved, *(name.removeprefix(SAVED) for name in saved)}
        for name, answer in record.answers.items():
            if answer.file and name not in read:
                self._content(root, expected, record, name)

    def _readers_of(self, expected: Expected, record: Record) -> Readers:
        """Return the readers of a device's answers: Linux for a lab's switches, NICs where a host's system has none."""
        is_native = record.via == LAB and expected.kind == "switches"
        key = (LAB, "") if is_native else (expected.platform, expected.nic)
        found = self._readers.get(key)
        if found is None:
            names = [name for name in reversed(key) if name]
            specs = [find_platform(self._specs, name, "switch", "host", "nic") for name in names]
            specs = [load_native(self.bag)] if is_native else specs
            found = self._readers[key] = {
                reading.state: reader
                for spec in specs
                if spec is not None
                for reading in spec.readings
                if (reader := spec.platform.state_readers().get(reading.state)) is not None
            }
        return found

    def _list_wanted(self, expected: Expected, record: Record, readers: Readers) -> Iterator[str]:
        """Yield the state readings that the checks to make need; a lab has none of those that only add to another."""
        for check in (name for name in list_checks(expected) if name in self._only):
            for state in list_states(check, expected):
                if state not in ADDED or (state in readers and record.via != LAB):
                    yield state

    def _read(self, root: Path, wanted: Expected, record: Record, state: str, read: Reader) -> list[Observation] | Lack:
        """Return the records of an answer, or why there are none; a device that does not have it is no mistake."""
        content = self._content(root, wanted, record, state)
        if isinstance(content, tuple):
            return content
        try:
            return read(content)
        except LackingError as error:
            return Outcome.lacking, str(error)
        except MisreadError as error:
            return self._misread(root, wanted, record, state, str(error))

    def _read_saved(self, root: Path, expected: Expected, record: Record, state: str) -> list[Observation] | Lack:
        """Return what the next reboot makes of an output that runs, or why that is not known."""
        path, answer = state.removeprefix(SAVED), record.answers.get(state)
        runs = self._content(root, expected, record, path)
        is_absent = answer is not None and answer.status == ABSENT
        saved = None if is_absent else self._content(root, expected, record, state)
        if isinstance(runs, tuple):
            return runs
        if isinstance(saved, tuple):
            return saved
        try:
            return [self.saved.compare(expected.platform, path, runs, saved)]
        except ReadFault as fault:
            return self._misread(root, expected, record, path if is_absent else state, str(fault))

    def _content(self, root: Path, expected: Expected, record: Record, state: str) -> bytes | Lack:
        """Return the bytes of an answer, or why there are none."""
        answer = record.answers.get(state)
        if answer is not None and answer.status == ABSENT:
            return Outcome.lacking, "the device does not have the command, or what it shows"
        if answer is None or not answer.file:
            status = "" if answer is None or answer.status is None else f" with status {answer.status}"
            reason = f"{answer.command} ended{status}" if answer else "it was not asked for"
            message = f"{expected.name}: no answer about {state}: {reason}"
            self.bag.extend([_error(NO_ANSWER, message, device=expected.name)])
            return Outcome.missing, reason
        found = read_file(root / answer.file, SIZE_MAX_BYTES, inside=root)
        fault = f"it {found.reason}" if isinstance(found, Refused) else find_alteration(answer, found)
        if isinstance(found, Refused) or fault:
            return self._misread(root, expected, record, state, fault)
        return found

    def _misread(self, root: Path, expected: Expected, record: Record, state: str, reason: str) -> Lack:
        place = Place(str(root / record.answers[state].file), 1, 1)
        message = f"{expected.name}: the answer about {state} cannot be read: {reason}"
        self.bag.extend([_error(MISREAD, message, device=expected.name, place=place)])
        return Outcome.unreadable, reason


def _cannot_read(expected: Expected, record: Record) -> Lack:
    if record.via == LAB:
        return Outcome.lacking, "a lab does not have it"
    return Outcome.unread, f"fabricgen does not read this from {expected.platform}"


def _is_collection(root: Path, bag: Bag) -> bool:
    """Return whether a folder is a collection; otherwise it is reported."""
    if is_collection(root):
        return True
    reason = f"has no {COLLECTION} of this version" if os.path.isdir(root) else "does not exist"
    bag.add(NO_COLLECTION, f"{root} {reason}")
    return False


def _report_missing(root: Path, missing: Mapping[str, Sequence[str]], bag: Bag) -> None:
    """Report devices that the collection has no record of, once for each tier or host group."""
    for tier, names in missing.items():
        more = f" and {len(names) - 1} more of tier or host group {tier}" if len(names) > 1 else ""
        bag.extend([_error(NO_CONFIG, f"{names[0]}{more}: there is no record in {root}", count=len(names))])


def _report_unplanned(root: Path, known: Iterable[str], bag: Bag) -> None:
    names = frozenset(known)
    folders = [root / STATE / kind for kind in KINDS]
    strange = sorted(path.name for top in folders if top.is_dir() for path in top.iterdir() if path.name not in names)
    if strange:
        bag.add(NOT_OURS, f"not in the plan: {name_few(strange, _NAMED_MAX)}")


def _error(code: Code, message: str, *, count: int = 1, device: str = "", place: Place | None = None) -> Diagnostic:
    return Diagnostic(code.id, code.severity, message, hint=code.hint, count=count, device=device, place=place)
