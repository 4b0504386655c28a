"""SSH to devices, directly or through jump hosts, and commands that run there within bounds.

The only place that knows the SSH library. Host keys are known, unknown or changed; none is accepted because it is new.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import asyncssh
from asyncssh.public_key import get_default_public_key_algs

from fabricgen.collect.collect_codes import (
    BAD_LOGIN,
    CHANGED_KEY,
    LOGIN_REFUSED,
    SESSION_FAILED,
    TIMED_OUT,
    UNKNOWN_KEY,
    UNREACHABLE,
)
from fabricgen.collect.target import (
    SSH_PORT,
    CollectLimits,
    CollectTarget,
    Ending,
    Failure,
    Login,
    Write,
    show_address,
    try_twice,
)
from fabricgen.files import Refused, read_file

_CHUNK_BYTES = 64 * 1024
_WINDOW_BYTES = 256 * 1024
"""Most that a server may send ahead of what is read; bounds the memory of a session."""


class SshTransport:
    """Opens sessions with one login; shares the connection to the jump hosts."""

    def __init__(self, login: Login, limits: CollectLimits) -> None:
        """Read keys and known hosts; raises Failure if one of their files cannot be used."""
        logging.getLogger("asyncssh").setLevel(logging.CRITICAL)
        self._login = login
        self._limits = limits
        self._known = load_known_hosts(login.known_hosts)
        self._options = _build_options(login, self._known)
        self._tunnel: asyncssh.SSHClientConnection | None = None
        self._jumping = asyncio.Lock()

    async def connect(self, target: CollectTarget) -> SshSession:
        """Log in; a connection that fails at once is tried a second time. Raises Failure without a session."""
        return await try_twice(lambda: self._open(target.host, target.port), self._limits)

    async def forward(self, path: str, host: str, port: int) -> asyncssh.SSHListener:
        """Lead a local socket through the jump hosts to a port; raises Failure if there is no connection to them."""
        tunnel = await self._reach_jump()
        return await tunnel.forward_local_path_to_port(path, host, port)

    async def close(self) -> None:
        """End the connection to the jump hosts."""
        if self._tunnel is not None:
            await _end(self._tunnel)

    async def _open(self, host: str, port: int) -> SshSession:
        tunnel = await self._reach_jump() if self._login.jumps else None
        return SshSession(await self._dial(self._login.user, host, port, tunnel))

    async def _reach_jump(self) -> asyncssh.SSHClientConnection:
        """Return the connection that leads to devices; made anew where it is lost."""
        async with self._jumping:
            if self._tunnel is not None and not self._tunnel.is_closed():
                return self._tunnel
            tunnel = None
            for user, host, port in self._login.jumps:
                try:
                    tunnel = await self._dial(user or self._login.user, host, port, tunnel)
                except Failure as failure:
                    if tunnel is not None:
                        await _end(tunnel)
                    message = f"jump host {show_address(host, port)}: {failure.message}"
                    raise Failure(failure.code, message, failure.hint) from failure
            if tunnel is None:  # a programming error: asked for without jump hosts
                raise ValueError("no jump hosts")
            self._tunnel = tunnel
            return tunnel

    async def _dial(
        self, user: str, host: str, port: int, tunnel: asyncssh.SSHClientConnection | None
    ) -> asyncssh.SSHClientConnection:
        verifier = Verifier()
        try:
            async with asyncio.timeout(self._limits.connect_s):
                connection, _ = await asyncssh.create_connection(
                    lambda: verifier,
                    host,
                    port,
                    username=user,
                    tunnel=tunnel,
                    server_host_key_algs=list_algorithms(self._known, host, port),
                    options=self._options,
                )
        except TimeoutError as error:
            raise Failure(TIMED_OUT, f"no login within {self._limits.connect_s:g} s") from error
        except (asyncssh.Error, OSError) as error:
            raise self._explain(error, user, host, port, verifier) from error
        return connection

    def _explain(self, error: Exception, user: str, host: str, port: int, verifier: Verifier) -> Failure:
        """Return the failure that an error of connecting stands for."""
        if isinstance(error, asyncssh.HostKeyNotVerifiable):
            return explain_key(self._known, host, port, verifier)
        if isinstance(error, asyncssh.PermissionDenied):
            return Failure(LOGIN_REFUSED, f"it refuses the login of {user}")
        if isinstance(error, socket.gaierror):
            return Failure(UNREACHABLE, f"{host} is no name that the resolver knows")
        if isinstance(error, asyncssh.ChannelOpenError):
            return Failure(UNREACHABLE, "the jump host cannot reach it")
        if isinstance(error, OSError):
            reason = os.strerror(error.errno).lower() if error.errno else "no connection"
            return Failure(UNREACHABLE, f"it cannot be reached: {reason}", is_transient=True)
        lost = isinstance(error, asyncssh.ConnectionLost)
        return Failure(SESSION_FAILED, "the connection broke off before the login", is_transient=lost)


class SshSession:
    """A login at a device, for one command after the other."""

    def __init__(self, connection: asyncssh.SSHClientConnection) -> None:
        self._connection = connection

    async def run(self, command: str, write: Write) -> Ending:
        """Run a command without terminal, input and errors that it prints; raises Failure if the session ends."""
        quiet = {"stdin": asyncssh.DEVNULL, "stderr": asyncssh.DEVNULL}
        try:
            process = await self._connection.create_process(
                command, encoding=None, window=_WINDOW_BYTES, max_pktsize=_CHUNK_BYTES // 2, **quiet
            )
            try:
                while data := await process.stdout.read(_CHUNK_BYTES):
                    write(data)
                await process.wait_closed()
            finally:
                process.close()
        except asyncssh.Error as error:
            raise Failure(SESSION_FAILED, f"the session broke off: {command}") from error
        status = None if process.exit_signal else process.exit_status
        return Ending(status, "" if status == 0 else "no exit status" if status is None else f"exit status {status}")

    def open(self, command: str, body: bytes) -> tuple[Ending, bytes]:
        """Return what a command printed, which is its answer."""
        return Ending(0), body

    async def close(self) -> None:
        """End the connection without waiting for the device."""
        with suppress(Exception):
            self._connection.abort()


async def _end(connection: asyncssh.SSHClientConnection) -> None:
    """End a connection, and wait a moment until its socket is closed."""
    connection.abort()
    with suppress(Exception):
        async with asyncio.timeout(1):
            await connection.wait_closed()


def _build_options(login: Login, known: asyncssh.SSHKnownHosts) -> asyncssh.SSHClientConnectionOptions:
    """Return what all connections share; no file of the user's own configuration is read for it."""
    try:
        keys = asyncssh.load_keypairs([str(key) for key in login.keys], login.passphrase) if login.keys else ()
    except (OSError, ValueError, asyncssh.KeyImportError) as error:
        reason = getattr(error, "strerror", None) or "it is no private key, or needs another passphrase"
        raise Failure(BAD_LOGIN, f"--key {', '.join(map(str, login.keys))}: {reason}") from error
    return asyncssh.SSHClientConnectionOptions(
        config=None,
        known_hosts=known,
        client_keys=keys,
        passphrase=login.passphrase,
        password=login.password,
        agent_path=login.agent or None,
        agent_forwarding=False,
        gss_host=None,
        # What a server compresses has no bound before it is unpacked.
        compression_algs=["none"],
        connect_timeout=None,
        login_timeout=0,
    )


_KNOWN_HOSTS_MAX_BYTES = 64 * 1024 * 1024


def load_known_hosts(files: Sequence[Path]) -> asyncssh.SSHKnownHosts:
    """Read the host keys that are known; raises Failure if a file cannot be read."""
    texts = []
    for file in files:
        data = read_file(file, _KNOWN_HOSTS_MAX_BYTES)
        if isinstance(data, Refused):
            hint = f"add the keys of devices: ssh-keyscan ADDRESS >> {file}, then compare them with their own"
            raise Failure(BAD_LOGIN, f"{file}: {data.reason}", hint)
        texts.append(data.decode("utf-8", "replace"))
    try:
        return asyncssh.import_known_hosts("\n".join(texts))
    except ValueError as error:
        raise Failure(BAD_LOGIN, f"{files[0]} is no known_hosts file: {error}") from error


class Verifier(asyncssh.SSHClient):
    """Remembers the host key that was offered and is not trusted."""

    def __init__(self) -> None:
        self.offered: asyncssh.SSHKey | None = None
        self.peer = ""

    def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:
        """Refuse a key that is not among those that are known."""
        self.offered, self.peer = key, addr
        return False


def list_algorithms(known: asyncssh.SSHKnownHosts, host: str, port: int) -> Sequence[str]:
    """Return the kinds of host keys to ask for: known ones first; none where no key is known, or an authority signs.

    The library alone would ask for known kinds only, and a device whose key is of another kind now would end the
    connection before it shows that key.
    """
    keys, authorities = known.match(host, "", port)[:2]
    if authorities or not keys:
        return ()
    names = [name for key in keys for name in key.sig_algorithms] + get_default_public_key_algs()
    return [name.decode("ascii") for name in dict.fromkeys(names)]


def explain_key(known: asyncssh.SSHKnownHosts, host: str, port: int, verifier: Verifier) -> Failure:
    """Return the failure of a host key that is not trusted."""
    trusted = [key for keys in known.match(host, verifier.peer, port)[:2] for key in keys]
    offered = verifier.offered
    found = f"{_name(offered)} {offered.get_fingerprint()}" if offered else "a key that is revoked"
    place = host if port == SSH_PORT else f"[{host}]:{port}"
    if trusted:
        expected = ", ".join(f"{_name(key)} {key.get_fingerprint()}" for key in trusted[:3])
        return Failure(CHANGED_KEY, f"its host key has changed: {found}; known is {expected}")
    port_option = "" if port == SSH_PORT else f"-p {port} "
    hint = (
        f"compare it with the device's own (ssh-keygen -lf of its public key), then add the key of {place}: "
        f"ssh-keyscan {port_option}{host} >> the file of --known-hosts"
    )
    return Failure(UNKNOWN_KEY, f"its host key {found} is not known", hint)


def _name(key: asyncssh.SSHKey) -> str:
    return key.get_algorithm()
