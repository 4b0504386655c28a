"""Cables against the plan: texts and JSON of LLDP, one file a device, however they were taken."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fabricgen.api.check import DeviceAnswers, report_left_out
from fabricgen.collect.folder import device_name, walk_folder
from fabricgen.collect.readings import Answer, Record
from fabricgen.diagnostics import Bag, Diagnostic
from fabricgen.diagnostics.words import counted, name_few
from fabricgen.diff.diff_codes import NO_CONFIG, NOT_OURS
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.platforms.observations.records import LldpNeighbor
from fabricgen.state.cabling import Cabling, CablingFault, LldpReport, list_faults
from fabricgen.state.expected import Expectations, Expected
from fabricgen.state.findings import CABLES
from fabricgen.state.judge import Observed, judge
from fabricgen.state.report import DeviceReport, explain_cables
from fabricgen.state.state_codes import NO_COLLECTION
from fabricgen.tables.tables import label_ports

_LLDP = "lldp"
_NAMED_MAX = 4
_AFFIX = re.compile(r"^(?:show[-_ .])?lldp(?:ctl|cli)?[-_ .]|[-_ .](?:show[-_ .])?lldp.*$", re.IGNORECASE)
"""Words that people add to the name of a device: ``leaf-01_show_lldp_table``, ``lldpctl.leaf-01``."""


@dataclass(frozen=True, slots=True)
class CableReport:
    """Cables of a fabric, judged.

    Attributes:
        devices: Results of each device that was read, for formats that go by device.
        planned: Cables that the plan has at the devices that were asked for.
        judged: Those of which an end was read; ``one_end`` those of which the other end was not.
    """

    devices: tuple[DeviceReport, ...]
    faults: tuple[CablingFault, ...]
    planned: int
    judged: int
    one_end: int


def check_cables(
    plan: FabricPlan, specs: Mapping[str, PlatformSpec], places: Sequence[Path], chosen: frozenset[str] | None, bag: Bag
) -> CableReport | None:
    """Judge the cables of a fabric by LLDP answers; None with a diagnostic if there is nothing to judge.

    Places are files, each named after its device or in a folder of that name, and folders of such files. Without chosen
    devices all are judged, or those whose files are named.
    """
    expectations = Expectations(plan, counts_prefixes=False)
    files = _find_files(places, {name.lower(): name for name in expectations.names}, bag)
    if not files:
        return None
    if chosen is None and not any(os.path.isdir(place) for place in places):
        chosen = frozenset(files)
    every = {name: found for name in expectations.names if (found := expectations.of(name))}
    answers = DeviceAnswers(specs, bag, (CABLES,))
    read = {name: _read(answers, expected, files[name]) for name, expected in every.items() if name in files}
    seen = {key: LldpReport(every[key], now.of(LldpNeighbor, _LLDP)) for key, now in read.items() if _LLDP in now.read}
    reports = [_report(every[name], now, files[name][0]) for name, now in read.items() if _concerns(chosen, name)]
    report_left_out(reports, bag)
    planned = _report_unread(every, seen, chosen, bag)
    return _sum_up(Cabling(seen, label_ports(plan)), reports, planned, chosen)


def _sum_up(found: Cabling, reports: Sequence[DeviceReport], count: int, chosen: frozenset[str] | None) -> CableReport:
    """Return the report of the cables that were asked for: their mistakes, and how many were judged by which ends."""
    faults = [fault for fault in list_faults(found) if _concerns(chosen, *(end.device for end in fault.ends))]
    judged = [cable for cable in found.planned if _concerns(chosen, *(end.device for end in cable))]
    one_end = sum(any(end.device not in found.seen for end in cable) for cable in judged)
    return CableReport(tuple(explain_cables(reports, faults)), tuple(faults), count, len(judged), one_end)


def _report(expected: Expected, now: Observed, file: str) -> DeviceReport:
    results = tuple(judge(expected, now, only=(CABLES,)))
    return DeviceReport(expected.name, expected.kind, expected.tier, expected.platform, results, {CABLES: file})


def _concerns(chosen: frozenset[str] | None, *devices: str) -> bool:
    return chosen is None or not chosen.isdisjoint(devices)


def _read(answers: DeviceAnswers, wanted: Expected, files: Sequence[str]) -> Observed:
    """Return the neighbors in all files of a device; one that cannot be read is reported, and no pass."""
    found: list[LldpNeighbor] = []
    for file in files:
        path = Path(file)
        answer = Answer(_LLDP, "", 0, path.name, path.stat().st_size if path.exists() else 0)
        record = Record(wanted.name, wanted.kind, (wanted.platform,), "", "", redacted=False, answers={_LLDP: answer})
        now = answers.read(path.parent, wanted, record)
        if _LLDP not in now.read:
            return now
        found += now.of(LldpNeighbor, _LLDP)
    return Observed({_LLDP: found})


def _find_files(places: Sequence[Path], names: Mapping[str, str], bag: Bag) -> dict[str, list[str]]:
    """Return the files of each device, by its name in lower case; those whose name has ``lldp`` alone if there are."""
    found: dict[str, list[str]] = {}
    strange: list[str] = []
    for place in places:
        if not os.path.exists(place):
            bag.add(NO_COLLECTION, f"{place} does not exist")
        for path in walk_folder(place) if os.path.isdir(place) else [place]:
            name = _name_device(path, names)
            if name:
                found.setdefault(name, []).append(str(path))
            elif path == place and os.path.exists(place):
                bag.add(NO_COLLECTION, f"{place} is not named after a device of the plan, nor is its folder")
            elif _LLDP in path.name.lower() or path.parent == place:
                strange.append(path.name)
    if strange:
        bag.add(NOT_OURS, f"files named after no device of the plan: {name_few(strange, _NAMED_MAX)}")
    if not found and not bag.has_errors:
        bag.add(NO_COLLECTION, f"{', '.join(map(str, places))}: no file is named after a device of the plan")
    return {name: _choose_files(files) for name, files in found.items()}


def _choose_files(files: list[str]) -> list[str]:
    """Return the files of a device that count: those whose name has ``lldp``, or all if none has it."""
    return [file for file in files if _LLDP in Path(file).name.lower()] or files


def _name_device(path: Path, names: Mapping[str, str]) -> str:
    """Return the device that a file is of: by its own name, or by that of its folder where its name has ``lldp``."""
    own = device_name(path.name)
    called = [own, _AFFIX.sub("", own)]
    if _LLDP in own.lower():
        called.append(path.parent.name)
    every = (word for name in called for word in (name, name.partition(".")[0]))
    return next((names[word.lower()] for word in every if word.lower() in names), "")


def _report_unread(
    every: Mapping[str, Expected], seen: Mapping[str, LldpReport], chosen: frozenset[str] | None, bag: Bag
) -> int:
    """Report the cables of which neither end was read, by tier, and return how many cables were asked for."""
    count = 0
    unread: dict[str, list[str]] = {}
    for name, expected in every.items():
        for link in expected.links:
            if not _concerns(chosen, name, link.peer):
                continue
            count += 1
            if name not in seen and link.peer not in seen:
                unread.setdefault(expected.tier, []).append(name)
    for tier, names in unread.items():
        devices = list(dict.fromkeys(names))
        more = f" and {len(devices) - 1} more of tier or host group {tier}" if len(devices) > 1 else ""
        message = f"{devices[0]}{more}: {counted(len(names), 'cable')} not judged, as neither end was read"
        bag.extend([Diagnostic(NO_CONFIG.id, NO_CONFIG.severity, message, hint=NO_CONFIG.hint)])
    return count // 2
