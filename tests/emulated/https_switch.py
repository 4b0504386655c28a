"""Switches with eAPI or NVUE: HTTPS servers on the loopback, each with a certificate, answers, and what is wrong.

Requests are judged as the real servers do it: JSON-RPC with ``runCmds`` below ``/command-api``, paths below
``/nvue_v1``, a login of HTTP basic authentication in each. Sources: fabricgen/collect/https/apis.py and nvue.py.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import ssl
from dataclasses import dataclass, field
from typing import Any, NamedTuple

CHUNK = b" " * 65536
LOGIN = ("admin", "pa55-öf-the-api")
REASONS = {200: "OK", 302: "Found", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 500: "Oh no"}


class Answer(NamedTuple):
    """Answer to one request.

    ``flood_bytes``: so much is sent after the body, in chunks. ``missing_bytes``: so much less is sent than the header
    promises, and the connection ends. ``raw``: the body is sent as it is, not as the result of a command. ``error``:
    code of an error of eAPI in place of a result.
    """

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    flood_bytes: int = 0
    missing_bytes: int = 0
    hangs: bool = False
    raw: bool = False
    error: int = 0


@dataclass
class Switch:
    """One switch.

    ``pinned``: fingerprint that its line of pins has; that of its own certificate if empty; ``-`` for no line.
    ``silent``: it accepts connections and says nothing.
    """

    name: str
    api: str
    answers: dict[str, Answer]
    certificate: str = ""
    fingerprint: str = ""
    pinned: str = ""
    silent: bool = False
    plain: bool = False
    password: str = LOGIN[1]
    port: int = 0
    asked: list[str] = field(default_factory=list)
    logins: list[str] = field(default_factory=list)

    async def listen(self) -> asyncio.Server:
        """Begin to serve on a free port of the loopback."""
        context = None
        if not self.silent and not self.plain:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self.certificate)
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=context, backlog=16)
        self.port = server.sockets[0].getsockname()[1]
        return server

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(OSError, ssl.SSLError, asyncio.IncompleteReadError):
                await self._talk(reader, writer)
        finally:
            writer.transport.abort()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.plain:
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        if self.plain or self.silent:
            await reader.read()
            return
        while await self._serve_one(reader, writer):
            pass

    async def _serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer a request; False if the connection ends after it."""
        head, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").strip().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        method, path, _ = head.split(" ")
        self.logins.append(headers.get("authorization", ""))
        answer = self._find_answer(method, path, headers, body)
        return await _send(answer, reader, writer)

    def _find_answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        login = base64.b64encode(f"{LOGIN[0]}:{self.password}".encode()).decode()
        if headers.get("authorization") != f"Basic {login}":
            return Answer(status=401, headers=(("WWW-Authenticate", "Basic"),))
        if self.api == "eapi":
            return self._run(json.loads(body)) if (method, path) == ("POST", "/command-api") else Answer(status=404)
        self.asked.append(f"{method} {path}")
        return self.answers.get(f"{method} {path}", Answer(b'{"title": "Not Found"}', 404))

    def _run(self, call: dict[str, Any]) -> Answer:
        """Return the answer to a JSON-RPC call, or the error that is the standard's."""
        params = call.get("params", {})
        if (
            call.get("jsonrpc") != "2.0"
            or call.get("method") != "runCmds"
            or params.get("version") not in (1, "latest")
        ):
            return _reply(call, error={"code": -32600, "message": "Invalid request", "data": []})
        as_json = params.get("format", "json") == "json"
        results: list[Any] = []
        for command in params["cmds"]:
            word = command["cmd"] if isinstance(command, dict) else command
            if word == "enable":
                results.append({} if as_json else {"output": ""})
                continue
            answer = self._find_command(f"{word} | json" if as_json else word)
            if answer.raw or answer.status != 200 or answer.hangs or answer.flood_bytes:
                return answer
            if answer.error:
                failed = {"errors": [f"Invalid input {answer.body.decode()}"]}
                error = {"code": answer.error, "message": "CLI command failed", "data": [*results, failed]}
                return _reply(call, error=error)
            results.append(json.loads(answer.body) if as_json else {"output": answer.body.decode()})
        return _reply(call, result=results)

    def _find_command(self, command: str) -> Answer:
        self.asked.append(command)
        return self.answers.get(command, Answer(b"% Invalid input", error=1002))


def _reply(call: dict[str, Any], **content: Any) -> Answer:
    return Answer(json.dumps({"jsonrpc": "2.0", "id": call.get("id"), **content}).encode())


async def _send(answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Send an answer; False if the connection ends after it."""
    chunked = bool(answer.flood_bytes)
    size = len(answer.body) + answer.missing_bytes + int(answer.hangs)
    length = ("Transfer-Encoding", "chunked") if chunked else ("Content-Length", str(size))
    headers = (("Content-Type", "application/json"), length, *answer.headers)
    lines = [f"HTTP/1.1 {answer.status} {REASONS[answer.status]}", *(f"{name}: {value}" for name, value in headers)]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    pieces = [answer.body, *[CHUNK] * (answer.flood_bytes // len(CHUNK))] if chunked else [answer.body]
    for piece in pieces:
        writer.write(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked and piece else piece)
        await writer.drain()
    if answer.hangs:
        await reader.read()
        return False
    if chunked:
        writer.write(b"0\r\n\r\n")
    await writer.drain()
    return not answer.missing_bytes
