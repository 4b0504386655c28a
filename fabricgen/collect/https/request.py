"""A request to a device's API, and what an API has to know of requests and answers."""

from __future__ import annotations

import json
from typing import Any, NamedTuple, Protocol

from fabricgen.collect.target import Ending

NO_JSON = Ending(0, "the answer is no complete JSON")
NO_ANSWER = Ending(0, "the answer has no result")


class Request(NamedTuple):
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

    def build_request(self, command: str) -> Request:
        """Return the request that stands for a command."""

    def read_answer(self, command: str, body: bytes) -> tuple[Ending, bytes]:
        """Return how a command ended, and its answer as it is written."""

    def hint_at_refusal(self, status: int) -> str:
        """Return a remedy where the login is refused with a status of HTTP; empty for none."""


def parse_json(body: bytes) -> Any:
    """Return what a body says; raises ValueError if it is no JSON.

    Args:
        body: The answer.
    """
    try:
        return json.loads(body.decode("utf-8"), parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("too deep") from error


def write_json(data: Any) -> bytes:
    """Return data as lines; a text stays on one of them, with control characters escaped.

    Args:
        data: What an answer says.
    """
    # A lone surrogate becomes bytes that are no UTF-8, which is found when the answer is judged.
    return f"{json.dumps(data, indent=2, ensure_ascii=False)}\n".encode("utf-8", "surrogatepass")


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")
