"""APIs behind a jump host: through a socket in a private folder, with the certificate of the device."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from fabricgen.collect.gather import open_ways
from fabricgen.collect.target import CollectLimits, CollectTarget, Failure, Login
from tests.emulated.https_fleet import ApiFleet, Authority, give_certificate, serve_api
from tests.emulated.https_switch import LOGIN, Answer, Switch
from tests.emulated_devices import served
from tests.unit.collect.test_collect_ways import Servers
from tests.waiting import PATIENCE_S

LIMITS = CollectLimits(connect_s=PATIENCE_S, command_s=PATIENCE_S, total_s=PATIENCE_S, retry_s=0.01)
PASSWORD = "opens sesame"
COMMAND = "show running-config"


@pytest.fixture(scope="module")
def jump() -> Iterator[Servers]:
    found = Servers()
    with served(found.start()):
        yield found


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[ApiFleet]:
    switch = Switch("leaf", "eapi", {COMMAND: Answer(b"hostname leaf\nend\n")}, password=PASSWORD)
    give_certificate(switch, tmp_path, Authority())
    with serve_api([switch], tmp_path) as running:
        yield running


def ask(jump: Servers, fleet: ApiFleet, folder: Path, port: int = 0, **changes: object) -> bytes:
    """Return what the switch answers to one command, asked through the jump host."""
    jumps, known = (("ops", "127.0.0.1", jump.ports[0]),), (jump.known_hosts(folder),)
    login = Login(LOGIN[0], known, password=PASSWORD, jumps=jumps, pins=(fleet.pins,))
    login = login._replace(**changes)  # type: ignore[arg-type]
    port = port or fleet.switches["leaf"].port
    target = CollectTarget("leaf", "switches", "leaf", ("eos",), "127.0.0.1", port, (), "eapi")

    async def talk() -> bytes:
        """The answer as it comes, then as it is read."""
        way, pieces = open_ways(["eapi"], login, LIMITS)["eapi"], list[bytes]()
        try:
            session = await way.connect(target)
            try:
                assert (await session.run(COMMAND, pieces.append)).status == 0
            finally:
                await session.close()
        finally:
            await way.close()
        return session.open(COMMAND, b"".join(pieces))[1]

    return asyncio.run(talk())


def test_a_switch_is_asked_through_the_jump_host(jump: Servers, fleet: ApiFleet, tmp_path: Path) -> None:
    assert ask(jump, fleet, tmp_path) == b"hostname leaf\nend\n"
    assert [peer for door in jump.doors for peer in door.peers] == [("127.0.0.1", fleet.switches["leaf"].port)]


@pytest.mark.parametrize("signed", [False, True])
def test_the_certificate_is_that_of_the_switch(signed: bool, jump: Servers, fleet: ApiFleet, tmp_path: Path) -> None:
    authorities = (Authority().write(tmp_path / "ca.pem"),) if signed else ()
    with pytest.raises(Failure) as raised:
        ask(jump, fleet, tmp_path, pins=(), authorities=authorities)
    assert raised.value.code.id == "FG-COL-011"
    expected = "certificate signature failure" if signed else fleet.switches["leaf"].fingerprint[:2].upper()
    assert expected in raised.value.message
    assert signed or f"127.0.0.1:{fleet.switches['leaf'].port} SHA256:" in raised.value.hint
    assert fleet.switches["leaf"].logins == []


def test_no_socket_is_left(jump: Servers, fleet: ApiFleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "sockets"))
    (tmp_path / "sockets").mkdir()
    ask(jump, fleet, tmp_path)
    with pytest.raises(Failure):
        ask(jump, fleet, tmp_path, jumps=(("ops", "127.0.0.1", 1),))
    assert list((tmp_path / "sockets").iterdir()) == []


def test_a_switch_that_the_jump_host_cannot_reach(jump: Servers, fleet: ApiFleet, tmp_path: Path) -> None:
    with pytest.raises(Failure) as raised:
        ask(jump, fleet, tmp_path, port=1)
    assert raised.value.code.id == "FG-COL-010"
    assert "the jump host cannot reach it" in raised.value.message
