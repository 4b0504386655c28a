"""Judgement of congestion notification between hosts: a marked packet brings a CNP, and a CNP is heeded."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.platforms.observations.records import CNP_HANDLED, CNP_IGNORED, CNP_SENT, MARKED_RECEIVED
from fabricgen.state.counters import Readings, list_unread
from fabricgen.state.expected import Expected
from fabricgen.state.findings import ECN, CheckResult, StateFinding, judged

_COUNTERS = (MARKED_RECEIVED, CNP_SENT, CNP_HANDLED, CNP_IGNORED)


def judge_cnps(expected: Expected, readings: Readings) -> CheckResult:
    """Return whether NICs answer marked packets with CNPs, and act on those that they get.

    Ports of a bond share an RDMA device and its counters, at any of them.
    """
    known = dict.fromkeys(port for port, _, _ in readings.now)
    ports = known if expected.bonded and known else [link.port for link in expected.links]
    findings = [*readings.fell(), *(finding for port in ports for finding in _judge_port(port, readings))]
    keys = [(port, name, None) for port in ports for name in _COUNTERS]
    return judged(ECN, len(keys), findings, list_unread(readings, keys))


def _judge_port(port: str, readings: Readings) -> Iterator[StateFinding]:
    """Yield what the counters of one port say against its NIC."""
    marked, sent, handled, ignored = (readings.rise((port, name, None)) for name in _COUNTERS)
    if marked and not sent:
        yield StateFinding(port, "CNPs for marked packets", "no CNP sent", f"{marked:,} marked packets")
    if ignored:
        yield StateFinding(port, "every CNP acted on", "CNPs ignored", f"{ignored:,} CNPs")
    if readings.idle and readings.before is not None and (sent or handled):
        yield StateFinding(port, "no CNPs while idle", "CNPs", f"{sent:,} sent, {handled:,} received")
