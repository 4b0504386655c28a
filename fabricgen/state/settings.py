"""Judgement of settings that are in effect: the lossless contract on the NICs of a host, and one firmware."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from fabricgen.diagnostics.words import and_list
from fabricgen.platforms.observations.records import CM_TOS, CNP_DSCP, CNP_PRIORITY, FIRMWARE, UNCHANGED, ActiveSetting
from fabricgen.state.expected import Expected
from fabricgen.state.findings import CONTRACT, FILES, SAVED, CheckResult, StateFinding, judged

_OF_RDMA_DEVICE = frozenset((CM_TOS, CNP_DSCP, CNP_PRIORITY))
"""Settings of an RDMA device, of which the ports of a bond have one between them."""


def judge_contract(expected: Expected, seen: Sequence[ActiveSetting]) -> CheckResult:
    """Return whether the NIC ports of a host have the settings of the contract, and one firmware."""
    answered = {(setting.at, setting.name) for setting in seen}
    shared = _OF_RDMA_DEVICE & {name for _, name in answered} if expected.bonded else ()
    wanted = [each for each in expected.settings if each.name not in shared or each[:2] in answered]
    named = any(setting.name == FIRMWARE for setting in wanted)
    ports = () if named else dict.fromkeys(setting.at for setting in expected.settings)
    return judge_settings(CONTRACT, [*wanted, *_list_firmware(ports, seen)], seen)


def _list_firmware(ports: Collection[str], seen: Sequence[ActiveSetting]) -> Iterator[ActiveSetting]:
    """Yield the firmware of most ports for each port, where the intent names none: NICs of one host have the same."""
    found = Counter(setting.value for setting in seen if setting.name == FIRMWARE and setting.at in ports)
    most = max(found, key=lambda version: (found[version], version), default="")
    yield from (ActiveSetting(port, FIRMWARE, most) for port in ports)


def judge_files(expected: Expected, seen: Sequence[ActiveSetting]) -> CheckResult:
    """Return whether the values that a host's files set are in effect, of the state readings that were answered."""
    answered = {setting.at for setting in seen}
    wanted = [setting for setting in expected.files if setting.at in answered]
    return judge_settings(FILES, wanted, seen)


def judge_saved(seen: Sequence[ActiveSetting]) -> CheckResult:
    """Return whether the next reboot loads what runs, of each output that was read both ways: one finding for all."""
    found = judge_settings(SAVED, [each._replace(value=UNCHANGED) for each in seen], seen)
    if len(found.findings) < 2:
        return found
    changed = [each for each in seen if each.value != UNCHANGED]
    what = f"{changed[0].name} {'; '.join(f'{each.at}: {each.value}' for each in changed)}"
    at = and_list([each.at for each in changed])
    return found._replace(findings=(StateFinding(at, f"{changed[0].name} {UNCHANGED}", what),))


def judge_settings(check: str, wanted: Sequence[ActiveSetting], seen: Sequence[ActiveSetting]) -> CheckResult:
    """Return whether settings are as they should be; one that the answer leaves out is not judged."""
    known = {(setting.at, setting.name): setting.value for setting in seen}
    findings, unread = [], []
    for at, name, value in wanted:
        found = known.get((at, name))
        if found is None:
            unread.append(f"the {name} of {at}")
        elif found != value:
            findings.append(StateFinding(at, f"{name} {value}", f"{name} {found}"))
    return judged(check, len(wanted), findings, unread)
