"""eAPI and NVUE: what is asked, how answers are read, and that the emulated eAPI is one to Arista's own client."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import asynceapi
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.collect.https.apis import Eapi, HttpRequest, Nvue
from tests.emulated.https_fleet import serve_api
from tests.emulated.https_switch import LOGIN, Answer, Switch

APPLIED = "GET /nvue_v1/?rev=applied&filled=false"
COMMANDS = ("show running-config", "show version | json", APPLIED, "GET /nvue_v1/system")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda below: (
        st.lists(below, max_size=4)
        | st.dictionaries(st.sampled_from(["result", "error", "code", "output", "set"]) | st.text(), below, max_size=4)
    ),
)


@pytest.mark.parametrize(
    ("command", "words", "form"),
    [("show running-config", "show running-config", "text"), ("show version | json", "show version", "json")],
)
def test_a_command_becomes_a_call(command: str, words: str, form: str) -> None:
    request = Eapi().build_request(command)
    assert request[:2] == ("POST", "/command-api")
    assert json.loads(request.content)["params"] == {"version": "latest", "cmds": ["enable", words], "format": form}


def test_a_path_becomes_a_request() -> None:
    assert Nvue().build_request(APPLIED) == HttpRequest("GET", "/nvue_v1/?rev=applied&filled=false")


def test_the_emulated_eapi_is_one_to_aristas_client(tmp_path: Path) -> None:
    answers = {"show running-config": Answer(b"hostname leaf\nend\n"), "show version | json": Answer(b'{"version": 1}')}
    with serve_api([Switch("leaf", "eapi", answers)], tmp_path) as fleet:
        port = fleet.switches["leaf"].port

        async def talk() -> list[object]:
            async with asynceapi.Device("127.0.0.1", *LOGIN, port=port) as device:
                found: list[object] = [await device.cli("show running-config", ofmt="text")]
                found.append(await device.cli(commands=["enable", "show version"]))
                with pytest.raises(asynceapi.EapiCommandError) as raised:
                    await device.cli(commands=["enable", "show nonsense"])
            return [*found, raised.value.failed, raised.value.passed]

        assert asyncio.run(talk()) == ["hostname leaf\nend\n", [{}, {"version": 1}], "show nonsense", [{}]]


@pytest.mark.parametrize("command", COMMANDS)
@given(body=st.binary() | JSON.map(lambda data: json.dumps(data).encode()))
def test_no_answer_breaks_the_reading(command: str, body: bytes) -> None:
    ending, answer = (Nvue() if command.startswith("GET") else Eapi()).read_answer(command, body)
    assert not answer or (ending.status, ending.fault) == (0, "")
    assert ending.status == 0 or ending.fault


@pytest.mark.parametrize("command", COMMANDS[1:])
@given(data=JSON)
def test_json_is_kept_as_it_is(command: str, data: object) -> None:
    whole = {"result": [{}, {"x": data}]} if "|" in command else data
    ending, answer = (Eapi() if "|" in command else Nvue()).read_answer(command, json.dumps(whole).encode())
    if ending.fault:
        assert any(word in json.dumps(data) for word in ("NaN", "Infinity"))
        return
    applied = [{"set": data}] if command == APPLIED and isinstance(data, dict) else data
    expected = {"x": data} if "|" in command else applied
    assert json.loads(answer.decode("utf-8", "surrogatepass")) == expected
    assert not any(byte < 32 and byte != 10 for byte in answer)
