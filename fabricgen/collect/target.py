"""Devices to collect, how to log in to them, and the bounds of it: plain data, made above this room."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

from fabricgen.collect.folder import SIZE_MAX_BYTES
from fabricgen.diagnostics import Code
from fabricgen.platforms.manifest.readings import EAPI, NVUE, SUDO, Reading

T = TypeVar("T")
Write = Callable[[bytes], object]
"""Takes the next bytes of an answer."""
SSH_PORT = 22
SSH, LAB = "ssh", "lab"
PORTS = {SSH: SSH_PORT, EAPI: 443, NVUE: 8765}
"""Ways to devices of a fabric, and the TCP port of each; devices of a lab are reached on the machine itself."""


class CollectTarget(NamedTuple):
    """A device to collect.

    Attributes:
        kind: ``switches`` or ``hosts``.
        platforms: Platforms of its readings, the operating system first.
        via: How it is reached, one of ``PORTS`` or ``LAB``.
    """

    name: str
    kind: str
    group: str
    platforms: tuple[str, ...]
    host: str
    port: int
    readings: tuple[Reading, ...]
    via: str = SSH

    @property
    def address(self) -> str:
        """Return host and port as a text; of a device of a lab, the lab."""
        return show_address(self.host, self.port) if self.port else f"lab {self.host}"


class Login(NamedTuple):
    """Identity of the one who collects, and of the devices.

    Attributes:
        known_hosts: Files with the host keys of devices and jump hosts.
        keys: Private keys to offer; those of ``~/.ssh`` if empty. Keys of the agent are offered before.
        agent: Socket of an SSH agent; empty for none.
        password: Offered where keys are refused.
        jumps: Jump hosts, the nearest first: user, host, port.
        pins: Files with fingerprints of certificates, by address.
        authorities: Files with certificates of the authorities that sign those of devices.
    """

    user: str
    known_hosts: tuple[Path, ...]
    keys: tuple[Path, ...] = ()
    agent: str = ""
    passphrase: str | None = None
    password: str | None = None
    jumps: tuple[tuple[str, str, int], ...] = ()
    sudo: bool = True
    pins: tuple[Path, ...] = ()
    authorities: tuple[Path, ...] = ()


class CollectLimits(NamedTuple):
    """Bounds in time, number and size: the most devices at the same time, and the most bytes of one answer.

    Seconds are the most until a login, for a command and for a device; ``retry_s`` is the pause before the one
    repetition of a connection that failed at once.
    """

    width: int = 50
    connect_s: float = 10
    command_s: float = 60
    total_s: float = 120
    retry_s: float = 1
    answer_bytes: int = SIZE_MAX_BYTES


class Ending(NamedTuple):
    """End of a command.

    The status is 0 for an answer, else the exit status, the error of eAPI or the status of HTTP; None if there is none.
    ``fault`` is why the answer cannot be taken; empty if it can.
    """

    status: int | None
    fault: str = ""


class Failure(Exception):  # noqa: N818 - the failure of a device, which the run survives
    """A device, or all of it, cannot be collected; becomes a diagnostic.

    Attributes:
        message: Cause, without the device's name; the same for every device with the same cause where possible.
        hint: Remedy; empty for that of the code.
        is_transient: Connecting again may help.
    """

    def __init__(self, code: Code, message: str, hint: str = "", *, is_transient: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.is_transient = is_transient


async def try_twice(connect: Callable[[], Awaitable[T]], limits: CollectLimits) -> T:
    """Return what connecting gives; where that fails at once, it is tried a second time after a pause."""
    try:
        return await connect()
    except Failure as failure:
        if not failure.is_transient:
            raise
    await asyncio.sleep(limits.retry_s)
    return await connect()


def show_address(host: str, port: int) -> str:
    """Return host and port as a text."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def spell_command(reading: Reading, *, sudo: bool) -> str:
    """Return the command of a reading as it is run."""
    return reading.command.replace(SUDO, "sudo -n " if sudo else "")
