"""A request to a device's API, and what an API has to know of requests and answers."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple, Protocol

from fabricgen.collect.target import Ending

NO_JSON = Ending(0, "the answer is no complete JSON")
NO_ANSWER = Ending(0, "the answer has no result")


class HttpRequest(NamedTuple):
    """One request.

    Attributes:
        method: Of HTTP.
        path: Path, with the query.
        content: Body, JSON; empty for none.
    """

    method: str
    path: str
    content: bytes = b""


class Api(Protocol):
    """Requests of an API, and the reading of its answers."""

    def build_request(self, command: str) -> HttpRequest:
        """Return the request that stands for a command."""

    def read_answer(self, command: str, body: bytes) -> tuple[Ending, bytes]:
        """Return how a command ended, and its answer as it is written."""

    def hint_at_refusal(self, status: int) -> str:
        """Return a remedy where the login is refused with a status of HTTP; empty for none."""


class JsonMember(NamedTuple):
    """A member of a JSON document, as it says it and as it came."""

    data: Any
    text: str


def split_json(text: str) -> dict[str, JsonMember]:
    """Return the members of an object, or those of a list by their number, each as it came.

    Args:
        text: The document, within the bounds of ``files.json_text``.

    Raises:
        ValueError: It is neither, or no JSON.
    """
    found: dict[str, JsonMember] = {}
    at = _skip(text, 0)
    end = {"{": "}", "[": "]"}.get(text[at : at + 1], "")
    if not end:
        raise ValueError("neither an object nor a list")
    at = _skip(text, at + 1)
    while text[at : at + 1] != end or found:
        key = str(len(found))
        if end == "}":
            key, at = _decode(text, at)
            if not isinstance(key, str):
                raise ValueError("a key is no text")
            at = _skip(text, _expect(text, at, ":"))
        start = at
        data, at = _decode(text, at)
        found[key] = JsonMember(data, text[start:at])
        at = _skip(text, at)
        if text[at : at + 1] == end:
            break
        at = _skip(text, _expect(text, at, ","))
    if text[at + 1 :].strip(_BLANKS):
        raise ValueError("more than one document")
    return found


def _decode(text: str, at: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, at)
    except RecursionError:
        raise ValueError("too deep") from None


def _skip(text: str, at: int) -> int:
    """Return the place of the next sign that is no blank."""
    found = _NO_BLANK.search(text, at)
    return found.start() if found else len(text)


def _expect(text: str, at: int, sign: str) -> int:
    """Return the place behind a sign that has to come next."""
    at = _skip(text, at)
    if text[at : at + 1] != sign:
        raise ValueError(f"{sign} is missing")
    return at + 1


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)
_BLANKS = " \t\n\r"
_NO_BLANK = re.compile(r"[^ \t\n\r]")
