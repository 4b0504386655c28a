"""Judgement of one device: every check that its plan asks for, from what was read of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from fabricgen.platforms.observations import records
from fabricgen.platforms.observations.records import Observation
from fabricgen.state import findings as names
from fabricgen.state.counters import (
    Readings,
    index,
    judge_cnps,
    judge_drops,
    judge_ecn,
    judge_errors,
    judge_fec,
    judge_pfc,
    judge_watchdog,
)
from fabricgen.state.expected import Expected
from fabricgen.state.findings import ADDED, CHECKS, UNJUDGED, CheckResult, Outcome, StateFinding, judged
from fabricgen.state.links import judge_cables, judge_optics, judge_ports, judge_rdma
from fabricgen.state.routing import judge_bfd, judge_prefixes, judge_sessions, judge_widths
from fabricgen.state.settings import judge_contract, judge_files, judge_saved

R = TypeVar("R", bound=Observation)
_ROUTES = {"routes": "ipv4", "routes6": "ipv6"}


@dataclass(frozen=True, slots=True)
class Observed:
    """Records of one device at one time; states that lack them, with outcome and reason for their checks."""

    read: Mapping[str, Sequence[Observation]] = field(default_factory=dict)
    lacking: Mapping[str, tuple[Outcome, str]] = field(default_factory=dict)

    def of(self, kind: type[R], *states: str) -> list[R]:
        """Return the records of one kind from some state readings."""
        return [found for state in states for found in self.read.get(state, ()) if isinstance(found, kind)]


def judge(
    expected: Expected,
    now: Observed,
    before: Observed | None = None,
    *,
    idle: bool = False,
    only: Collection[str] = CHECKS,
) -> list[CheckResult]:
    """Judge one device, compared with earlier records if there are any; if idle, nothing may pause or be marked."""
    made = [check for check in list_checks(expected) if check in only]
    return [_judge(check, expected, now, before, idle=idle, only=made) for check in made]


def list_checks(expected: Expected) -> Iterator[str]:
    """Yield the names of the checks that the plan asks for on a device."""
    switch = expected.kind == "switches"
    wanted = {
        names.SESSIONS: switch or bool(expected.sessions),
        names.PREFIXES: any(session.received for session in expected.sessions),
        names.BFD: any(session.watched for session in expected.sessions),
        names.WIDTHS: bool(expected.widths),
        names.DROPS: bool(expected.lossless),
        names.PFC: switch or bool(expected.lossless),
        names.WATCHDOG: switch and expected.watchdog,
        names.ECN: switch or expected.dcqcn,
        names.CONTRACT: bool(expected.settings),
        names.FILES: bool(expected.files),
        names.SAVED: bool(expected.saved),
        names.SOFTWARE: switch,
    }
    return (check for check in CHECKS if wanted.get(check, True))


def _judge(
    check: str, expected: Expected, now: Observed, before: Observed | None, *, idle: bool, only: Collection[str]
) -> CheckResult:
    """Make one check; without one of its readings it is no pass, and the result says why."""
    states = list_states(check, expected)
    lost = _list_lost(states, now)
    if not any(state in now.read for state in states if state not in ADDED):
        outcome, reason = lost[0] if lost else _NOTHING
        return CheckResult(check, outcome, reason=reason)
    found = _judge_readings(check, expected, now, before, idle=idle, only=only)
    outcome, reason = next((lack for lack in lost if lack[0] in UNJUDGED), lost[0] if lost else _WHOLE)
    if not reason or (found.findings and outcome not in UNJUDGED):
        return found
    return found._replace(outcome=Outcome.different if found.findings else outcome, reason=reason)


def _list_lost(states: Sequence[str], now: Observed) -> list[tuple[Outcome, str]]:
    """Return why state readings are not there; one that is only added is lost if the device was asked for it."""
    return [
        now.lacking.get(state, _NOTHING)
        for state in states
        if state in now.lacking or (state not in ADDED and state not in now.read)
    ]


def _judge_readings(
    check: str, expected: Expected, now: Observed, before: Observed | None, *, idle: bool, only: Collection[str]
) -> CheckResult:
    if check == names.SESSIONS:
        return judge_sessions(expected, now.of(records.BgpSession, "sessions"))
    if check == names.PREFIXES:
        return judge_prefixes(expected, now.of(records.BgpSession, "sessions"), only_up=names.SESSIONS in only)
    if check == names.BFD:
        return judge_bfd(expected, now.of(records.Bfd, "bfd"))
    if check == names.WIDTHS:
        families = frozenset(family for state, family in _ROUTES.items() if state in now.read)
        return judge_widths(expected, now.of(records.InstalledRoute, *_ROUTES), families)
    if check == names.CABLES:
        return judge_cables(expected, now.of(records.LldpNeighbor, "lldp"))
    if check == names.PORTS:
        return _judge_ports(expected, now)
    if check == names.OPTICS:
        return judge_optics(expected, now.of(records.Module, "optics"), now.of(records.Level, "optics"))
    if check == names.CONTRACT:
        return judge_contract(expected, now.of(records.ActiveSetting, "contract"))
    if check == names.FILES:
        return judge_files(expected, now.of(records.ActiveSetting, *CHECKS[check]))
    if check == names.SAVED:
        return judge_saved(now.of(records.ActiveSetting, *expected.saved))
    if check == names.SOFTWARE:
        return _judge_software(expected, now, before)
    return _judge_counters(check, expected, now, before, idle=idle)


def _judge_ports(expected: Expected, now: Observed) -> CheckResult:
    """Judge the ports, and the RDMA devices on them where these were collected."""
    found = judge_ports(expected, now.of(records.PortState, "ports"), now.of(records.PortState, "fec_modes"))
    devices = judge_rdma(expected, now.of(records.RdmaDevice, "rdma")) if "rdma" in now.read else []
    outcome = Outcome.different if devices else found.outcome
    return found._replace(outcome=outcome, findings=(*found.findings, *devices))


_NOTHING = (Outcome.missing, "the collection has no answer")
_WHOLE = (Outcome.expected, "")


def list_states(check: str, expected: Expected) -> tuple[str, ...]:
    """Return the state readings that a check needs; what shows nothing of the plan is not asked for."""
    if check == names.FILES:
        return tuple(dict.fromkeys(setting.at for setting in expected.files))
    if check == names.SAVED:
        return expected.saved
    if check != names.WIDTHS:
        return CHECKS[check]
    prefixes = [prefix for width in expected.widths for prefix in width.prefixes]
    families = {"ipv6" if ":" in prefix else "ipv4" for prefix in prefixes}
    return tuple(state for state in CHECKS[check] if _ROUTES[state] in families)


def _judge_counters(check: str, wanted: Expected, now: Observed, before: Observed | None, *, idle: bool) -> CheckResult:
    (state,) = CHECKS[check]
    earlier = before if before is not None and state in before.read else None
    if check == names.WATCHDOG:
        return judge_watchdog(wanted, now.read[state], earlier.read[state] if earlier else None)
    past_counters = index(wanted, earlier.of(records.Counter, state)) if earlier else None
    readings = Readings(index(wanted, now.of(records.Counter, state)), past_counters, idle)
    judges = {names.ERRORS: judge_errors, names.FEC: judge_fec, names.DROPS: judge_drops, names.PFC: judge_pfc}
    return judges.get(check, judge_cnps if wanted.dcqcn else judge_ecn)(wanted, readings)


def _judge_software(expected: Expected, now: Observed, before: Observed | None) -> CheckResult:
    """Return whether the device runs the release that the intent names, and did not restart since the earlier time."""
    found, systems = [], now.of(records.System, "system")
    earlier = next(iter(before.of(records.System, "system")), None) if before else None
    for system in systems:
        if expected.release and expected.release not in system.version:
            found.append(StateFinding("software", f"release {expected.release}", f"release {system.version}"))
        past = earlier.uptime_s if earlier else None
        if system.uptime_s is not None and past is not None and system.uptime_s < past:
            found.append(StateFinding("uptime", "no restart", "restarted since the earlier collection"))
    return judged(names.SOFTWARE, 1, found, [] if systems else ["the release"])
