"""Ways to a device: a jump host, a password, a key with a passphrase."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import asyncssh
import pytest

from fabricgen.collect.ssh import SshTransport
from fabricgen.collect.target import CollectLimits, CollectTarget, Failure, Login
from tests.emulated_devices import served
from tests.waiting import PATIENCE_S

LIMITS = CollectLimits(connect_s=PATIENCE_S, command_s=PATIENCE_S, total_s=PATIENCE_S, retry_s=0.01)


class Door(asyncssh.SSHServer):
    """A server with a password, which leads on to wherever it is asked to."""

    def __init__(self) -> None:
        self.peers: list[tuple[str, int]] = []

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        return (username, password) == ("ops", "opens sesame")

    def connection_requested(self, dest_host: str, dest_port: int, orig_host: str, orig_port: int) -> bool:
        self.peers.append((dest_host, dest_port))
        return True


class Servers:
    """A jump host and a device behind it, each with a key."""

    def __init__(self) -> None:
        self.keys = [asyncssh.generate_private_key("ssh-ed25519") for _ in range(2)]
        self.doors: list[Door] = []
        self.ports: list[int] = []

    def make_door(self) -> Door:
        self.doors.append(Door())
        return self.doors[-1]

    async def start(self) -> list[asyncssh.SSHAcceptor]:
        listening = []
        for key in self.keys:
            server = await asyncssh.listen(
                "127.0.0.1", 0, server_host_keys=[key], server_factory=self.make_door, process_factory=answer
            )
            listening.append(server)
            self.ports.append(server.sockets[0].getsockname()[1])
        return listening

    def known_hosts(self, folder: Path, *, first: int = 0) -> Path:
        file = folder / "known_hosts"
        pairs = list(zip(self.ports, self.keys, strict=True))[first:]
        file.write_text("".join(f"[127.0.0.1]:{port} {key.export_public_key().decode()}" for port, key in pairs))
        return file


def answer(process: asyncssh.SSHServerProcess[str]) -> None:
    process.stdout.write(f"{process.command}\n")
    process.exit(3)


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    found = Servers()
    with served(found.start()):
        yield found


def ask(login: Login, *ports: int) -> list[tuple[int | None, bytes]]:
    """Run a command on devices, one after the other, over one transport."""

    async def talk() -> list[tuple[int | None, bytes]]:
        transport, found = SshTransport(login, LIMITS), []
        try:
            for port in ports:
                target = CollectTarget("leaf", "switches", "leaf", (), "127.0.0.1", port, ())
                session = await transport.connect(target)
                pieces: list[bytes] = []
                ending = await session.run("show it", pieces.append)
                found.append((ending.status, b"".join(pieces)))
                await session.close()
        finally:
            await transport.close()
        return found

    return asyncio.run(talk())


def test_a_password_lets_in_and_a_wrong_one_does_not(servers: Servers, tmp_path: Path) -> None:
    known = (servers.known_hosts(tmp_path),)
    login = Login("ops", known, password="opens sesame")
    assert ask(login, servers.ports[1]) == [(3, b"show it\n")]
    with pytest.raises(Failure) as raised:
        ask(login._replace(password="wrong"), servers.ports[1])
    assert raised.value.code.id == "FG-COL-013"
    assert "wrong" not in raised.value.message


def test_devices_behind_a_jump_host_share_the_connection_to_it(servers: Servers, tmp_path: Path) -> None:
    jump, device = servers.ports
    login = Login("ops", (servers.known_hosts(tmp_path),), password="opens sesame", jumps=(("", "127.0.0.1", jump),))
    before = len(servers.doors)
    assert ask(login, device, device) == [(3, b"show it\n")] * 2
    made = servers.doors[before:]
    assert [door.peers for door in made if door.peers] == [[("127.0.0.1", device)] * 2]
    assert len(made) == 3


def test_the_key_of_a_jump_host_is_checked(servers: Servers, tmp_path: Path) -> None:
    jump, device = servers.ports
    known = (servers.known_hosts(tmp_path, first=1),)
    login = Login("ops", known, password="opens sesame", jumps=(("", "127.0.0.1", jump),))
    with pytest.raises(Failure) as raised:
        ask(login, device)
    assert raised.value.code.id == "FG-COL-011"
    assert raised.value.message.startswith(f"jump host 127.0.0.1:{jump}: its host key")


def test_a_device_that_the_jump_host_cannot_reach(servers: Servers, tmp_path: Path) -> None:
    jumps = (("", "127.0.0.1", servers.ports[0]),)
    login = Login("ops", (servers.known_hosts(tmp_path),), password="opens sesame", jumps=jumps)
    with pytest.raises(Failure) as raised:
        ask(login, 1)
    assert (raised.value.code.id, raised.value.message) == ("FG-COL-010", "the jump host cannot reach it")


def test_a_passphrase_opens_the_key(tmp_path: Path) -> None:
    key = tmp_path / "key"
    asyncssh.generate_private_key("ssh-ed25519").write_private_key(str(key), "pkcs8-pem", passphrase="open")
    SshTransport(Login("ops", (), (key,), passphrase="open"), LIMITS)
    with pytest.raises(Failure) as raised:
        SshTransport(Login("ops", (), (key,), passphrase="shut"), LIMITS)
    assert raised.value.code.id == "FG-COL-006"
    assert "shut" not in raised.value.message
