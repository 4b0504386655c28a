"""Requests to devices within bounds: verified, never redirected, never unpacked, and read no further than is taken."""

from __future__ import annotations

import logging
import os
import socket
import ssl
from collections.abc import Iterator
from typing import TYPE_CHECKING

import httpx

from fabricgen.collect.collect_codes import BAD_LOGIN, LOGIN_REFUSED, REDIRECTED, SESSION_FAILED, TIMED_OUT, UNREACHABLE
from fabricgen.collect.https.apis import Api, HttpRequest
from fabricgen.collect.https.certificates import Trust
from fabricgen.collect.https.passage import Passage, open_passage
from fabricgen.collect.target import CollectLimits, CollectTarget, Ending, Failure, Login, Write, try_twice

if TYPE_CHECKING:
    from fabricgen.collect.ssh import SshTransport

_REFUSED = frozenset({401, 403})
_OK = 200


class HttpsTransport:
    """Opens sessions with one login and one API."""

    def __init__(self, login: Login, limits: CollectLimits, api: Api, door: SshTransport | None = None) -> None:
        """Read what is trusted; raises Failure if a file cannot be used, or there is no password."""
        for name in ("httpx", "httpcore"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        if login.password is None:
            hint = "name where it is with --password, for example env:FABRIC_PASSWORD"
            raise Failure(BAD_LOGIN, "eAPI and NVUE take a password, and none is given", hint)
        self._auth = httpx.BasicAuth(login.user, login.password)
        self._login = login
        self.limits = limits
        self.api = api
        self._door = door
        self._trust = Trust(login.pins, login.authorities)

    async def connect(self, target: CollectTarget) -> HttpsSession:
        """Return a session, whose first request connects; raises Failure if there is no way to the jump hosts."""
        host, port = target.host, target.port
        passage = await open_passage(host, port, self._door)
        client = httpx.AsyncClient(
            base_url=httpx.URL(scheme="https", host=host, port=port),
            auth=self._auth,
            transport=passage.make_transport(self._trust.make_context(host, port)),
            timeout=httpx.Timeout(None, connect=self.limits.connect_s),
            headers={"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "fabricgen"},
            # Neither a proxy nor a login of the environment; a redirection could lead the login anywhere.
            trust_env=False,
            follow_redirects=False,
        )
        return HttpsSession(client, self, passage)

    async def close(self) -> None:
        """End the connection to the jump hosts."""
        if self._door is not None:
            await self._door.close()

    def explain(self, error: httpx.ConnectError, passage: Passage) -> Failure:
        """Return the failure that an error of connecting stands for."""
        causes = list(_list_causes(error))
        for cause in causes:
            if isinstance(cause, ssl.SSLCertVerificationError):
                return self._trust.explain(passage.host, passage.port, cause)
            if isinstance(cause, socket.gaierror):
                return Failure(UNREACHABLE, f"{passage.host} is no name that the resolver knows")
        for cause in causes:
            if isinstance(cause, ssl.SSLError):
                if isinstance(cause, ssl.SSLEOFError):
                    continue
                reason = (cause.reason or "no reason given").replace("_", " ").lower()
                return Failure(SESSION_FAILED, f"its server does not speak TLS: {reason}")
            if isinstance(cause, OSError) and cause.errno:
                reason = os.strerror(cause.errno).lower()
                return Failure(UNREACHABLE, f"it cannot be reached: {reason}", is_transient=True)
        if passage.socket:
            message = "the jump host cannot reach it, or it ends the connection"
            return Failure(UNREACHABLE, message, is_transient=True)
        return Failure(SESSION_FAILED, "the connection broke off before the login", is_transient=True)

    def refuse(self, status: int) -> Failure | None:
        """Return the failure of the device that a status of HTTP stands for; None if it concerns one request."""
        if status in _REFUSED:
            hint = self.api.refusals.get(status) or "check --user and --password: the login is that of the API"
            return Failure(LOGIN_REFUSED, f"it refuses the login of {self._login.user} (HTTP status {status})", hint)
        if 300 <= status < 400:
            return Failure(REDIRECTED, f"it redirects to another place (HTTP status {status})")
        return None


class HttpsSession:
    """A connection to a device, for one request after the other."""

    def __init__(self, client: httpx.AsyncClient, transport: HttpsTransport, passage: Passage) -> None:
        self._client = client
        self._transport = transport
        self._passage = passage

    async def run(self, command: str, write: Write) -> Ending:
        """Ask for one answer; a connection that fails at once is tried a second time, then Failure is raised."""
        request = self._transport.api.build_request(command)
        status = await try_twice(lambda: self._ask(request, command, write), self._transport.limits)
        return Ending(0) if status == _OK else Ending(status, f"HTTP status {status}")

    def open(self, command: str, body: bytes) -> tuple[Ending, bytes]:
        """Return how a command ended, and its answer."""
        return self._transport.api.read_answer(command, body)

    async def close(self) -> None:
        """End the connection."""
        await self._client.aclose()
        self._passage.stack.close()

    async def _ask(self, request: HttpRequest, command: str, write: Write) -> int:
        """Return the status of an answer whose body is taken; the body of one that is none is not read."""
        try:
            async with self._client.stream(
                request.method,
                request.path,
                content=request.content or None,
                headers={"Content-Type": "application/json"} if request.content else None,
            ) as response:
                if failure := self._transport.refuse(response.status_code):
                    raise failure
                if response.status_code != _OK:
                    return response.status_code
                if response.headers.get("Content-Encoding", "identity").lower() != "identity":
                    raise Failure(SESSION_FAILED, f"it packs an answer, which was not asked for: {command}")
                async for data in response.aiter_raw():
                    write(data)
                return _OK
        except httpx.ConnectTimeout as error:
            limit = self._transport.limits.connect_s
            raise Failure(TIMED_OUT, f"no connection within {limit:g} s") from error
        except httpx.ConnectError as error:
            raise self._transport.explain(error, self._passage) from error
        except httpx.HTTPError as error:
            raise Failure(SESSION_FAILED, f"the session broke off: {command}") from error


def _list_causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and all that led to it."""
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for each in error.exceptions:
                yield from _list_causes(each)
        error = error.__cause__ or error.__context__
