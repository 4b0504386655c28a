"""Devices that are SSH servers on the loopback: each with a key of its own, answers, and what is wrong with it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import resource
import threading
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import asyncssh

from fabricgen.collect.target import CollectTarget, spell_command

CHUNK = b"x" * 65536
ABSENT = 44


class Reply(NamedTuple):
    """Answer to one command.

    Attributes:
        status: Exit status; None to end the session without one.
        flood_bytes: So much is sent after the data.
        hangs: Nothing follows the data, and the command does not end.
    """

    data: bytes = b""
    status: int | None = 0
    flood_bytes: int = 0
    hangs: bool = False


@dataclass
class Emulated:
    """One device.

    Attributes:
        replies: Answers by command; every other command ends with status 127.
        known: Key that its line of known_hosts has; its own if None.
        silent: It accepts connections and says nothing.
        asked: Commands that were run.
    """

    name: str
    replies: dict[str, Reply]
    key: asyncssh.SSHKey = field(default_factory=lambda: asyncssh.generate_private_key("ssh-ed25519"))
    known: asyncssh.SSHKey | None = None
    silent: bool = False
    port: int = 0
    asked: list[str] = field(default_factory=list)


def emulate(target: CollectTarget, tree: Path, **settings: Any) -> Emulated:
    """Return a device that answers with the files of a rendered tree, and with nothing wrong in any state."""
    replies: dict[str, Reply] = {}
    for reading in target.readings:
        command = spell_command(reading, sudo=True)
        file = tree / target.kind / target.name / reading.output
        if reading.state:
            replies[command] = Reply(b"{}\n" if reading.form == "json" else b"fine\n")
        elif file.is_file():
            end = f"{reading.last}\n".encode() if reading.last else b""
            replies[command] = Reply(file.read_bytes() + end)
        else:
            replies[command] = Reply(status=ABSENT)
    return Emulated(target.name, replies, **settings)


class Fleet:
    """Running devices, and what a client has to know of them.

    Attributes:
        devices: Devices by name.
        key: File of the private key that they let in.
        known_hosts: File with their host keys.
        addresses: File with their addresses.
    """

    def __init__(self, devices: Mapping[str, Emulated], folder: Path) -> None:
        """Name the files; written by ``serve_fleet``."""
        self.devices = devices
        self.key = folder / "id_ed25519"
        self.known_hosts = folder / "known_hosts"
        self.addresses = folder / "addresses"

    @property
    def options(self) -> list[str]:
        """Return the options of ``fabricgen collect`` that lead here."""
        files = {"--key": self.key, "--known-hosts": self.known_hosts, "--addresses": self.addresses}
        return ["--user", "admin", *(text for name, file in files.items() for text in (name, str(file)))]


@contextlib.contextmanager
def serve_fleet(devices: Sequence[Emulated], folder: Path) -> Iterator[Fleet]:
    """Run devices in a thread until the end of the context."""
    logging.getLogger("asyncssh").setLevel(logging.CRITICAL)
    raise_limit(4 * len(devices) + 256)
    fleet = Fleet({device.name: device for device in devices}, folder)
    login = asyncssh.generate_private_key("ssh-ed25519")
    login.write_private_key(str(fleet.key))
    fleet.key.chmod(0o600)
    authorized = asyncssh.import_authorized_keys(login.export_public_key().decode())

    async def start() -> list[Any]:
        return [await _listen(device, authorized) for device in devices]

    with served(start()):
        _write_files(fleet)
        yield fleet


@contextlib.contextmanager
def served(start: Coroutine[Any, Any, Sequence[Any]]) -> Iterator[None]:
    """Run what starts servers in a loop of a thread; servers, and what still runs there, end with the context."""
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda loop, context: None)
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    servers = asyncio.run_coroutine_threadsafe(start, loop).result(120)
    try:
        yield
    finally:
        asyncio.run_coroutine_threadsafe(_stop(servers), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


def _write_files(fleet: Fleet) -> None:
    lines, places = [], []
    for device in fleet.devices.values():
        key = (device.known or device.key).export_public_key().decode().strip()
        lines.append(f"[127.0.0.1]:{device.port} {key}\n")
        places.append(f"{device.name} 127.0.0.1:{device.port}\n")
    fleet.known_hosts.write_text("".join(lines), encoding="utf-8")
    fleet.addresses.write_text("".join(places), encoding="utf-8")


async def _listen(device: Emulated, authorized: asyncssh.SSHAuthorizedKeys) -> Any:
    if device.silent:
        server: Any = await asyncio.start_server(_say_nothing, "127.0.0.1", 0)
    else:
        server = await asyncssh.listen(
            "127.0.0.1",
            0,
            server_host_keys=[device.key],
            authorized_client_keys=authorized,
            process_factory=lambda process: _answer(device, process),
            encoding=None,
        )
    device.port = server.sockets[0].getsockname()[1]
    return server


async def _say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        await reader.read()
    writer.close()


async def _answer(device: Emulated, process: asyncssh.SSHServerProcess[bytes]) -> None:
    command = process.command or ""
    device.asked.append(command)
    reply = device.replies.get(command, Reply(b"not found\n", 127))
    with contextlib.suppress(OSError, asyncssh.Error):
        process.stdout.write(reply.data)
        for _ in range(reply.flood_bytes // len(CHUNK)):
            process.stdout.write(CHUNK)
            await process.stdout.drain()
        if reply.hangs:
            await process.stdin.read()
            return
        if reply.status is None:
            process.close()
        else:
            process.exit(reply.status)


async def _stop(servers: Sequence[Any]) -> None:
    for server in servers:
        server.close()
    await asyncio.sleep(0)
    tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.sleep(0.01)


def raise_limit(files: int) -> None:
    """Let the process open so many files, as far as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = files if hard == resource.RLIM_INFINITY else min(files, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
