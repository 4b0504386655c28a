"""Way to devices of a running lab, as ``collect.gather`` takes it: their daemons, kernels and files."""

from __future__ import annotations

import asyncio
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Callable
from contextlib import suppress

from fabricgen.collect.fetch_codes import TIMED_OUT, TOO_MUCH
from fabricgen.collect.target import CollectLimits, CollectTarget, Ending, Failure, spell_command
from fabricgen.files import Refused, read_file
from fabricgen.lab.lifecycle.boot import shell_functions
from fabricgen.lab.lifecycle.state import files_folder
from fabricgen.lab.model.blueprint import Blueprint, LabNode
from fabricgen.lab.model.configuration import restore_routing
from fabricgen.lab.model.routing_suite import CONFIG_NAME
from fabricgen.platforms.manifest.readings import ABSENT, Reading

GIVEN = frozenset(("sessions", "bfd", "routes", "routes6", "lldp", "ports", "errors"))
"""State readings that a lab has; everything else is of ASICs, modules, NICs or a system that is not here."""
_CHUNK_BYTES = 64 * 1024


class LabWay:
    """Opens sessions on devices of one lab."""

    def __init__(self, blueprint: Blueprint, limits: CollectLimits) -> None:
        """Take over a lab.

        Args:
            blueprint: The lab.
            limits: Bounds of commands.
        """
        self._blueprint = blueprint
        self._limits = limits

    async def connect(self, target: CollectTarget) -> LabSession:
        """Return a session on a device.

        Args:
            target: The device.
        """
        return LabSession(self._blueprint, target, self._limits)

    async def close(self) -> None:
        """End what sessions share, which is nothing."""


class LabSession:
    """One device of a lab, for one command after the other."""

    def __init__(self, blueprint: Blueprint, target: CollectTarget, limits: CollectLimits) -> None:
        """Take over a device."""
        self._blueprint = blueprint
        self._node: LabNode = blueprint.node(target.name)
        self._limits = limits
        self._readings = {spell_command(reading, sudo=False): reading for reading in target.readings}

    async def run(self, command: str, write: Callable[[bytes], object]) -> Ending:
        """Take an answer: of the device's daemons or kernel, or from a file that it has.

        Args:
            command: Command of a reading.
            write: Takes the answer, piece by piece.

        Returns:
            How it ended; a state that a lab does not have ends as on a device that does not have it.

        Raises:
            Failure: It took too long, or printed too much.
        """
        reading = self._readings[command]
        if reading.path and not self._is_routing(reading):
            data = self._load(reading.path)
            write(data or b"")
            return Ending(0) if data is not None else Ending(ABSENT, f"the lab has no {reading.path}")
        if reading.state and reading.state not in GIVEN:
            return Ending(ABSENT)
        try:
            async with asyncio.timeout(self._limits.command_s):
                status = await self._run(command, write)
        except TimeoutError as error:
            raise Failure(TIMED_OUT, f"no end of the answer within {self._limits.command_s:g} s: {command}") from error
        return Ending(status, f"exit status {status}" if status else "")

    def open(self, command: str, body: bytes) -> tuple[Ending, bytes]:
        """Return an answer as the device would give it: without what the lab changes of its configuration.

        Args:
            command: Command of a reading.
            body: What was answered.
        """
        reading = self._readings[command]
        if self._is_routing(reading):
            rendered = (self._load(reading.path) or b"").decode(errors="replace")
            return Ending(0), restore_routing(body.decode(errors="replace"), rendered).encode()
        return Ending(0), body

    async def close(self) -> None:
        """End the session, of which nothing is left."""

    def _is_routing(self, reading: Reading) -> bool:
        """Return whether the device's own daemons run what a reading is."""
        node = self._node
        return bool(node.config) and not node.equivalent and reading.path.rpartition("/")[2] == CONFIG_NAME

    def _load(self, path: str) -> bytes | None:
        """Return a file of the device; None if it does not have it."""
        folder = files_folder(self._blueprint.lab, self._node.name)
        found = read_file(folder / path, self._limits.answer_bytes, inside=folder)
        return None if isinstance(found, Refused) else found

    async def _run(self, command: str, write: Callable[[bytes], object]) -> int:
        """Return the exit status of a command in the device's namespace, which has a ``/sys`` of its own."""
        script = f"{shell_functions(self._blueprint, self._node)}\n{command}"
        namespace = self._blueprint.namespace(self._node.name)
        words = ("ip", "netns", "exec", namespace, "sh", "-c", script, self._node.name)
        process = await asyncio.create_subprocess_exec(*words, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL)
        size = 0
        try:
            while process.stdout is not None and (data := await process.stdout.read(_CHUNK_BYTES)):
                size += len(data)
                if size > self._limits.answer_bytes:
                    raise Failure(TOO_MUCH, f"it sends more than {self._limits.answer_bytes // 2**20} MiB: {command}")
                write(data)
            return await process.wait()
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
