"""Arista's eAPI: the commands of the CLI as JSON-RPC, text for configurations and JSON for states.

A command that ends in ``| json`` is asked for in that format instead of through the pipe; ``latest`` is the version of
the models that the pipe has. ``enable`` comes first, as a session of the API begins without privileges.

Source:
    Arista, *Arista Command API*, overview; aristanetworks/anta 1.10.0, asynceapi/device.py (form of a request and of an
    error, ``version``) and anta/device.py (``enable``).
"""

from __future__ import annotations

import json

from fabricgen.collect.https.request import NO_ANSWER, NO_JSON, Request, parse_json, write_json
from fabricgen.collect.target import Ending

PATH = "/command-api"
_PIPE = " | json"
_CODE_MAX = 100_000
"""Errors of eAPI are around 1,000, those of JSON-RPC around -32,000."""


class Eapi:
    """Requests and answers of eAPI."""

    def build_request(self, command: str) -> Request:
        """Return the request that runs a command.

        Args:
            command: As the CLI takes it.
        """
        as_json = command.endswith(_PIPE)
        params = {
            "version": "latest",
            "cmds": ["enable", command.removesuffix(_PIPE)],
            "format": "json" if as_json else "text",
        }
        call = {"jsonrpc": "2.0", "method": "runCmds", "params": params, "id": "fabricgen"}
        return Request("POST", PATH, json.dumps(call).encode())

    def read_answer(self, command: str, body: bytes) -> tuple[Ending, bytes]:
        """Return how a command ended, and its output.

        Args:
            command: The command.
            body: The answer.
        """
        try:
            data = parse_json(body)
        except ValueError:
            return NO_JSON, b""
        if not isinstance(data, dict):
            return NO_ANSWER, b""
        if "error" in data:
            return _read_error(data["error"]), b""
        result = data.get("result")
        if not isinstance(result, list) or len(result) != 2 or not isinstance(result[1], dict):
            return NO_ANSWER, b""
        if command.endswith(_PIPE):
            return Ending(0), write_json(result[1])
        output = result[1].get("output")
        return (Ending(0), output.encode("utf-8", "surrogatepass")) if isinstance(output, str) else (NO_ANSWER, b"")

    def hint_at_refusal(self, status: int) -> str:
        """Return no remedy: a status of eAPI has one meaning.

        Args:
            status: Of HTTP.
        """
        return ""


def _read_error(error: object) -> Ending:
    """Return the ending that an error stands for; its text is the device's and is not taken."""
    code = error.get("code") if isinstance(error, dict) else None
    known = isinstance(code, int) and 0 < abs(code) < _CODE_MAX
    return Ending(code if known else -1, f"error {code} of eAPI" if known else "an error of eAPI without a code")
