"""Connections to devices, directly or through jump hosts, and commands that run there within bounds."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Callable
from contextlib import suppress

import asyncssh

from fabricgen.collect.fetch_codes import BAD_LOGIN, LOGIN_REFUSED, SESSION_FAILED, TIMED_OUT, TOO_MUCH, UNREACHABLE
from fabricgen.collect.ssh.host_keys import Verifier, explain_key, list_algorithms, load_known_hosts
from fabricgen.collect.target import CollectLimits, Ending, Failure, Login, show_address

Write = Callable[[bytes], object]
"""Takes the next bytes of an answer."""
_CHUNK_BYTES = 64 * 1024
_WINDOW_BYTES = 256 * 1024
"""Most that a server may send ahead of what is read; bounds the memory of a session."""


class SshTransport:
    """Opens sessions with one login; shares the connection to the jump hosts."""

    def __init__(self, login: Login, limits: CollectLimits) -> None:
        """Read keys and known hosts.

        Args:
            login: Who logs in, and which host keys are known.
            limits: Bounds of connections and commands.

        Raises:
            Failure: A key or a file with known hosts cannot be used.
        """
        logging.getLogger("asyncssh").setLevel(logging.CRITICAL)
        self._login = login
        self._limits = limits
        self._known = load_known_hosts(login.known_hosts)
        self._options = _build_options(login, self._known)
        self._tunnel: asyncssh.SSHClientConnection | None = None
        self._jumping = asyncio.Lock()

    async def connect(self, host: str, port: int) -> SshSession:
        """Log in to a device; a connection that fails at once is tried a second time.

        Args:
            host: Address or name.
            port: TCP port.

        Raises:
            Failure: There is no session.
        """
        try:
            return await self._open(host, port)
        except Failure as failure:
            if not failure.is_transient:
                raise
        await asyncio.sleep(self._limits.retry_s)
        return await self._open(host, port)

    async def forward(self, path: str, host: str, port: int) -> asyncssh.SSHListener:
        """Lead a socket of this machine through the jump hosts to a port.

        Args:
            path: Path of the socket, which is made.
            host: Address or name, as the last jump host knows it.
            port: TCP port.

        Raises:
            Failure: There is no connection to the jump hosts.
        """
        tunnel = await self._reach_jump()
        return await tunnel.forward_local_path_to_port(path, host, port)

    async def close(self) -> None:
        """End the connection to the jump hosts."""
        if self._tunnel is not None:
            await _end(self._tunnel)

    async def _open(self, host: str, port: int) -> SshSession:
        tunnel = await self._reach_jump() if self._login.jumps else None
        return SshSession(await self._dial(self._login.user, host, port, tunnel), self._limits)

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

    def __init__(self, connection: asyncssh.SSHClientConnection, limits: CollectLimits) -> None:
        """Take over a connection."""
        self._connection = connection
        self._limits = limits

    async def run(self, command: str, write: Write) -> Ending:
        """Run a command without a terminal and without input.

        Args:
            command: Command line for the device's shell or CLI.
            write: Takes what it prints, piece by piece.

        Returns:
            How it ended.

        Raises:
            Failure: It took too long, printed too much, or the session ended.
        """
        try:
            async with asyncio.timeout(self._limits.command_s):
                status = await self._run(command, write)
        except TimeoutError as error:
            raise Failure(TIMED_OUT, f"no end of the answer within {self._limits.command_s:g} s: {command}") from error
        except asyncssh.Error as error:
            raise Failure(SESSION_FAILED, f"the session broke off: {command}") from error
        if status == 0:
            return Ending(0)
        return Ending(status, "no exit status" if status is None else f"exit status {status}")

    async def _run(self, command: str, write: Write) -> int | None:
        process = await self._connection.create_process(
            command, encoding=None, stdin=asyncssh.DEVNULL, window=_WINDOW_BYTES, max_pktsize=_CHUNK_BYTES // 2
        )
        noise = asyncio.create_task(self._drain(process.stderr, lambda data: None, command))
        try:
            await self._drain(process.stdout, write, command)
            await noise
            await process.wait_closed()
        finally:
            noise.cancel()
            process.close()
        return None if process.exit_signal else process.exit_status

    async def _drain(self, stream: asyncssh.SSHReader[bytes], write: Write, command: str) -> None:
        """Read a stream to its end, or until it has more than is taken."""
        size = 0
        while data := await stream.read(_CHUNK_BYTES):
            size += len(data)
            if size > self._limits.answer_bytes:
                limit = self._limits.answer_bytes // 1024 // 1024
                raise Failure(TOO_MUCH, f"it sends more than {limit} MiB: {command}")
            write(data)

    def open(self, command: str, body: bytes) -> tuple[Ending, bytes]:
        """Return what a command printed, which is its answer.

        Args:
            command: The command.
            body: What it printed.
        """
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
