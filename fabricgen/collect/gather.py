"""Collection of many devices at once: each within its bounds, each whole or not at all, none in the way of another.

Devices are reached by SSH and by the APIs over HTTPS that platforms have; a library is loaded where its way is taken.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, Protocol

from fabricgen.collect.collect_codes import COMMAND_FAILED, NO_CONFIGURATION, SESSION_FAILED, TIMED_OUT
from fabricgen.collect.readings import Answer, Record, device_folder, read_record, state_folder
from fabricgen.collect.store import Staged, stage
from fabricgen.collect.target import SSH, CollectLimits, CollectTarget, Ending, Failure, Login, Write, spell_command
from fabricgen.diagnostics.file_codes import CANNOT_WRITE
from fabricgen.files.json_text import parse_json
from fabricgen.platforms.manifest.readings import ABSENT, EAPI, Reading

if TYPE_CHECKING:
    from fabricgen.collect.ssh import SshTransport as SshTransport


class Connected(Protocol):
    """A login at a device."""

    async def run(self, command: str, write: Write) -> Ending:
        """Run a command; see ``SshTransport`` and ``HttpsTransport``."""

    def open(self, command: str, body: bytes) -> tuple[Ending, bytes]:
        """Return how a command ended and its answer, of what was sent."""

    async def close(self) -> None:
        """End it."""


class AccessWay(Protocol):
    """One way to log in to devices."""

    async def connect(self, target: CollectTarget) -> Connected:
        """Log in; see ``SshTransport`` and ``HttpsTransport``."""

    async def close(self) -> None:
        """End what sessions share."""


class Work(NamedTuple):
    """Parts of the work on answers.

    Attributes:
        now: Gives date and time, UTC, ISO 8601.
        judge: Gives the fault of an output's text as its platform reads it; empty if there is none.
        redact: Replaces secrets in an output's text, given its path; None to leave them.
        reader: Reads answers beside the loop of events, one at a time.
    """

    now: Callable[[], str]
    judge: Callable[[CollectTarget, Reading, str], str]
    redact: Callable[[CollectTarget, Reading, str], str] | None = None
    sudo: bool = True
    reader: Executor | None = None


@dataclass
class CollectOutcome:
    """Outcome of one device.

    Attributes:
        record: Answers that were taken; None if the device was not collected.
        old: Date of the answers that stay in place of newer ones; empty if there are none.
        unread: Names of other readings than outputs that the device did not give, with the cause and the command.
    """

    target: CollectTarget
    record: Record | None = None
    failure: Failure | None = None
    old: str = ""
    unread: list[tuple[str, str]] = field(default_factory=list)
    seconds: float = 0.0


async def gather(
    targets: Sequence[CollectTarget],
    ways: Mapping[str, AccessWay],
    limits: CollectLimits,
    work: Work,
    root: Path,
    progress: Callable[[int], None],
) -> list[CollectOutcome]:
    """Collect devices, so many at a time, each by its way; return one outcome for each, in their order."""
    # What a hostile server breaks inside the library ends its session; it is not printed.
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
    outcomes = [CollectOutcome(target) for target in targets]
    waiting = iter(outcomes)
    done = 0

    async def serve() -> None:
        nonlocal done
        for outcome in waiting:
            await _collect(outcome, ways, limits, work, root)
            done += 1
            progress(done)

    try:
        with ThreadPoolExecutor(1) as reader:
            work = work._replace(reader=reader)
            await asyncio.gather(*(serve() for _ in range(min(limits.width, len(outcomes)))))
    finally:
        for way in ways.values():
            await way.close()
    return outcomes


async def _collect(
    outcome: CollectOutcome, ways: Mapping[str, AccessWay], limits: CollectLimits, work: Work, root: Path
) -> None:
    """Collect one device; whatever happens to it is its own outcome."""
    target, started = outcome.target, monotonic()
    try:
        with stage(root, target.kind, target.name) as staged:
            async with asyncio.timeout(limits.total_s):
                record = await _visit(outcome, ways[target.via], limits, work, staged)
            staged.commit(record)
        outcome.record = record
    except TimeoutError:
        outcome.failure = Failure(TIMED_OUT, f"not all answers within {limits.total_s:g} s")
    except Failure as failure:
        # Its traceback would keep the whole answer until the last device is done.
        outcome.failure = failure.with_traceback(None)
        outcome.failure.__cause__ = outcome.failure.__context__ = None
    except OSError as error:
        outcome.failure = Failure(CANNOT_WRITE, f"its answers cannot be written: {error.strerror or error}")
    except Exception as error:
        # A server can send what the library has not foreseen; the other devices have nothing to do with it.
        outcome.failure = Failure(SESSION_FAILED, f"its server breaks the protocol ({type(error).__name__})")
    outcome.seconds = monotonic() - started
    if outcome.failure is not None:
        old = read_record(root, target.kind, target.name)
        outcome.old = old.collected if old else ""


async def _visit(outcome: CollectOutcome, way: AccessWay, limits: CollectLimits, work: Work, staged: Staged) -> Record:
    """Return the record of a device that gave all its outputs."""
    target = outcome.target
    answers: dict[str, Answer] = {}
    session = await way.connect(target)
    try:
        collected = work.now()
        for reading in target.readings:
            ended = await _ask(session, spell_command(reading, sudo=work.sudo), limits, _place(staged, reading), staged)
            # What a device sent may take long and much memory to read: one answer at a time, while others are asked.
            loop = asyncio.get_running_loop()
            answers[reading.name] = await loop.run_in_executor(
                work.reader, _take, outcome, session, reading, work, staged, ended
            )
    finally:
        await session.close()
    redacted, origin = work.redact is not None, (target.platforms, target.address)
    return Record(target.name, target.kind, *origin, collected, redacted, answers, target.via)


async def _ask(session: Connected, command: str, limits: CollectLimits, place: Path, staged: Staged) -> Ending:
    """Stage an answer as it comes, and return its ending; raises Failure if it takes too long or sends too much."""
    size = 0

    def write(data: bytes) -> None:
        nonlocal size
        size += len(data)
        if size > limits.answer_bytes:
            raise Failure(NO_CONFIGURATION, f"it sends more than {limits.answer_bytes // 2**20} MiB: {command}")
        stream.write(data)

    with staged.create(place) as stream:
        try:
            async with asyncio.timeout(limits.command_s):
                return await session.run(command, write)
        except TimeoutError as error:
            raise Failure(TIMED_OUT, f"no end of the answer within {limits.command_s:g} s: {command}") from error


def _take(
    outcome: CollectOutcome, session: Connected, reading: Reading, work: Work, staged: Staged, ending: Ending
) -> Answer:
    """Return an answer that is staged, after it was read."""
    command, place = spell_command(reading, sudo=work.sudo), _place(staged, reading)
    answer = Answer(reading.name, command, ending.status)
    if ending.status is not None and ending.status == (reading.absent or None if reading.path else ABSENT):
        place.unlink()
        return answer
    body = b"" if ending.fault else place.read_bytes()
    data = b""
    if not ending.fault:
        ending, data = session.open(command, body)
        answer = answer._replace(status=ending.status)
    fault = ending.fault or find_fault(reading, data)
    if reading.output and not fault:
        fault = work.judge(outcome.target, reading, data.decode())
    if fault:
        place.unlink()
        _lose(outcome, reading, answer, fault)
        return answer
    if reading.output and work.redact is not None:
        data = work.redact(outcome.target, reading, data.decode()).encode()
    if data != body:
        with staged.create(place) as stream:
            stream.write(data)
    return answer.keep(_file_of(outcome, reading), data)


def _file_of(outcome: CollectOutcome, reading: Reading) -> Path:
    """Return where an answer is kept in the collection."""
    folder = device_folder if reading.path else state_folder
    return folder(Path(), outcome.target.kind, outcome.target.name) / (reading.path or reading.file_name)


def _place(staged: Staged, reading: Reading) -> Path:
    """Return where an answer is staged."""
    return staged.output(reading.path) if reading.path else staged.state(reading.file_name)


def _lose(outcome: CollectOutcome, reading: Reading, answer: Answer, fault: str) -> None:
    """Record an answer that cannot be taken; raises Failure for an output, without which nothing is collected."""
    cause = f"{fault}: {answer.command}"
    if reading.path:
        codes = {None: SESSION_FAILED, 0: NO_CONFIGURATION}
        raise Failure(codes.get(answer.status, COMMAND_FAILED), cause)
    outcome.unread.append((reading.name, cause))


_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def find_fault(reading: Reading, data: bytes) -> str:
    """Return what keeps an answer from being taken, as a sentence without an end; empty if nothing does."""
    if not data.strip():
        return "the answer is empty"
    if reading.output and (found := _CONTROL.search(data)):
        return f"the answer has the control character {found[0][0]:#04x} in line {_line_of(data, found.start())}"
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"the answer is not UTF-8 in line {_line_of(data, error.start)}" if reading.output else ""
    if reading.last and text.rstrip().rpartition("\n")[2].strip() != reading.last:
        return f"the answer does not end with the line {reading.last!r}"
    return _find_json_fault(data) if reading.form == "json" else ""


def _find_json_fault(data: bytes) -> str:
    try:
        parse_json(data)
    except json.JSONDecodeError as error:
        return f"the answer is no complete JSON, line {error.lineno}"
    except ValueError as error:
        return f"the answer is no JSON that is taken: {error}"
    return ""


def _line_of(data: bytes, position: int) -> int:
    return data.count(b"\n", 0, position) + 1


def open_ways(names: Iterable[str], login: Login, limits: CollectLimits) -> dict[str, AccessWay]:
    """Return ways with one login, by name; raises Failure if it cannot be used, ImportError for a library."""
    return {name: _open_way(name, login, limits) for name in sorted(set(names))}


def _open_way(name: str, login: Login, limits: CollectLimits) -> AccessWay:
    if name == SSH:
        return _open_ssh(login, limits)
    from fabricgen.collect.https.apis import Eapi, Nvue
    from fabricgen.collect.https.transport import HttpsTransport

    door = _open_ssh(login, limits) if login.jumps else None
    return HttpsTransport(login, limits, Eapi() if name == EAPI else Nvue(), door)


def _open_ssh(login: Login, limits: CollectLimits) -> SshTransport:
    from fabricgen.collect.ssh import SshTransport

    return SshTransport(login, limits)
