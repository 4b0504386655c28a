"""Way from here to the port of a device: directly, or by a socket in a private folder that a jump host leads on."""

from __future__ import annotations

import shutil
import ssl
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import httpx

_ONE = httpx.Limits(max_connections=1)


class Forwarding(Protocol):
    """A socket that leads on; ends when it is closed."""

    def close(self) -> None:
        """End it."""


class Door(Protocol):
    """Jump hosts."""

    async def forward(self, path: str, host: str, port: int) -> Forwarding:
        """Lead a socket of this machine to a device; see ``SshTransport``."""

    async def close(self) -> None:
        """End the connection to them."""


class Passage:
    """Way to one device.

    Attributes:
        host: Address or name.
        port: TCP port.
        jumps: It leads through jump hosts.
    """

    def __init__(self, host: str, port: int, folder: Path | None = None, forwarding: Forwarding | None = None) -> None:
        """Take over what leads there; neither folder nor forwarding for a direct way."""
        self.host = host
        self.port = port
        self.jumps = folder is not None
        self._folder = folder
        self._forwarding = forwarding

    def make_transport(self, context: ssl.SSLContext) -> httpx.AsyncHTTPTransport:
        """Return what carries requests there."""
        path = str(_socket(self._folder)) if self._folder else None
        return httpx.AsyncHTTPTransport(verify=context, uds=path, limits=_ONE, trust_env=False)

    def close(self) -> None:
        """End what leads there."""
        if self._forwarding is not None:
            self._forwarding.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


async def open_passage(host: str, port: int, door: Door | None) -> Passage:
    """Return the way to a device.

    Raises:
        Failure: There is no connection to the jump hosts.
    """
    if door is None:
        return Passage(host, port)
    folder = Path(tempfile.mkdtemp(prefix="fabricgen-"))
    try:
        return Passage(host, port, folder, await door.forward(str(_socket(folder)), host, port))
    except BaseException:
        with suppress(OSError):
            shutil.rmtree(folder)
        raise


def _socket(folder: Path) -> Path:
    return folder / "device"
