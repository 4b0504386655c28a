"""Ways to devices: SSH, and the APIs over HTTPS that platforms have; a library is loaded where its way is taken."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

from fabricgen.collect.gather import Connected
from fabricgen.collect.target import SSH, CollectLimits, CollectTarget, Login
from fabricgen.platforms.manifest.readings import EAPI

if TYPE_CHECKING:
    from fabricgen.collect.ssh.transport import SshTransport as SshTransport


class AccessWay(Protocol):
    """One way to log in to devices."""

    async def connect(self, host: str, port: int) -> Connected:
        """Log in; see ``ssh.transport`` and ``https.transport``."""

    async def close(self) -> None:
        """End what sessions share."""


class Ways:
    """Logs in to each device by its way."""

    def __init__(self, ways: Mapping[str, AccessWay]) -> None:
        """Take over ways by name."""
        self._ways = ways

    async def connect(self, target: CollectTarget) -> Connected:
        """Log in.

        Args:
            target: The device.

        Raises:
            Failure: There is no session.
        """
        return await self._ways[target.via].connect(target.host, target.port)

    async def close(self) -> None:
        """End what sessions share."""
        for way in self._ways.values():
            await way.close()


def open_ways(names: Iterable[str], login: Login, limits: CollectLimits) -> Ways:
    """Return ways with one login.

    Args:
        names: ``ssh``, ``eapi``, ``nvue``.
        login: Who logs in, and which devices are known.
        limits: Bounds.

    Raises:
        Failure: A file or a secret of the login cannot be used.
        ImportError: A library is not installed.
    """
    return Ways({name: _open_way(name, login, limits) for name in sorted(set(names))})


def _open_way(name: str, login: Login, limits: CollectLimits) -> AccessWay:
    if name == SSH:
        return _open_ssh(login, limits)
    from fabricgen.collect.https.eapi import Eapi
    from fabricgen.collect.https.nvue import Nvue
    from fabricgen.collect.https.transport import HttpsTransport

    door = _open_ssh(login, limits) if login.jumps else None
    return HttpsTransport(login, limits, Eapi() if name == EAPI else Nvue(), door)


def _open_ssh(login: Login, limits: CollectLimits) -> SshTransport:
    from fabricgen.collect.ssh.transport import SshTransport

    return SshTransport(login, limits)
