"""Way from here to the port of a device: directly, or by a socket in a private folder that a jump host leads on."""

from __future__ import annotations

import shutil
import ssl
import tempfile
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

import httpx

if TYPE_CHECKING:
    from fabricgen.collect.ssh import SshTransport

_ONE = httpx.Limits(max_connections=1)


class Passage(NamedTuple):
    """Way to one device, by a socket that leads through jump hosts where there is one; ``stack`` ends it."""

    host: str
    port: int
    socket: str | None
    stack: ExitStack

    def make_transport(self, context: ssl.SSLContext) -> httpx.AsyncHTTPTransport:
        """Return what carries requests there."""
        return httpx.AsyncHTTPTransport(verify=context, uds=self.socket, limits=_ONE, trust_env=False)


async def open_passage(host: str, port: int, door: SshTransport | None) -> Passage:
    """Return the way to a device; raises Failure if there is no connection to the jump hosts."""
    if door is None:
        return Passage(host, port, None, ExitStack())
    with ExitStack() as stack:
        folder = tempfile.mkdtemp(prefix="fabricgen-")
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        socket = f"{folder}/device"
        stack.callback((await door.forward(socket, host, port)).close)
        return Passage(host, port, socket, stack.pop_all())
