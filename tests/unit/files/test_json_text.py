"""JSON of devices: what is taken, and what is refused before it grows."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from fabricgen.collect.https.apis import Eapi
from fabricgen.files.json_text import parse_json

ROUTES = {f"10.0.{n // 256}.{n % 256}/32": [{"nexthops": [{"fib": True, "flags": []}] * 4}] for n in range(2_000)}
HOSTILE = {
    "many lists": b"[" + b"[]," * 5_000_000 + b"[]]",
    "many numbers": b"[" + b"1," * 5_000_000 + b"1]",
    "deep and closed": b"[" * 2_000 + b"]" * 2_000,
    "deep": b"[" * 1_000_000,
    "deep objects": b'{"a":' * 80 + b"1" + b"}" * 80,
    "quotes without end": b'"' + b'\\"' * 2_000_000,
    "no number": b"[NaN]",
    "no text": b"\xff",
}


def test_large_answers_are_taken() -> None:
    assert parse_json(json.dumps(ROUTES, indent=2).encode()) == ROUTES
    brackets = {"text": "[{" * 5_000 + '"]}'}
    assert parse_json(json.dumps(brackets).encode()) == brackets


@pytest.mark.parametrize("how", HOSTILE)
def test_hostile_text_is_refused_without_growing(how: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"\w"):
            parse_json(HOSTILE[how])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 * len(HOSTILE[how]) + 1_000_000


@pytest.mark.parametrize("inner", [b"[" * 50_000 + b"]" * 50_000, b'{"a":' * 40_000 + b"1" + b"}" * 40_000])
def test_deep_answer_of_eapi_is_none(inner: bytes) -> None:
    body = b'{"jsonrpc": "2.0", "id": "fabricgen", "result": [{}, {"x": %s}]}' % inner
    ending, answer = Eapi().read_answer("show version | json", body)
    assert (ending.fault, answer) == ("the answer is no complete JSON", b"")


def test_answer_of_eapi_says_what_came() -> None:
    inner = b'{"a":  1.50, "b":\t[1e5, "\\u00e9"],"a":2}'
    body = b'{"jsonrpc":"2.0",\n"result" : [ {} , %s ] , "id":"fabricgen"}\n' % inner
    assert json.loads(Eapi().read_answer("show version | json", body)[1]) == json.loads(inner)
