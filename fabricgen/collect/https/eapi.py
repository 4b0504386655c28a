"""Arista's eAPI: the commands of the CLI as JSON-RPC, text for configurations and JSON for states.

A command that ends in ``| json`` is asked for in that format instead of through the pipe; ``latest`` is the version of
the models that the pipe has. ``enable`` comes first, as a session of the API begins without privileges.

Source:
    Arista, *Arista Command API*, overview; aristanetworks/anta 1.10.0, asynceapi/device.py (form of a request and of an
    error, ``version``) and anta/device.py (``enable``).
"""

from __future__ import annotations

import json

from fabricgen.collect.https.request import NO_ANSWER, NO_JSON, HttpRequest, JsonMember, split_json
from fabricgen.collect.target import Ending
from fabricgen.files.json_text import check_bounds

PATH = "/command-api"
_PIPE = " | json"
_NOTHING = JsonMember(None, "")
_CODE_MAX = 100_000
"""Errors of eAPI are around 1,000, those of JSON-RPC around -32,000."""


class Eapi:
    """Requests and answers of eAPI."""

    def build_request(self, command: str) -> HttpRequest:
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
        return HttpRequest("POST", PATH, json.dumps(call).encode())

    def read_answer(self, command: str, body: bytes) -> tuple[Ending, bytes]:
        """Return how a command ended, and its output.

        Args:
            command: The command.
            body: The answer.
        """
        try:
            check_bounds(body)
            call = split_json(body.decode("utf-8"))
            error, whole = call.get("error"), call.get("result", _NOTHING)
            if error is not None:
                return _read_error(error.data), b""
            result = list(split_json(whole.text).values()) if isinstance(whole.data, list) else []
        except ValueError:
            return NO_JSON, b""
        if len(result) != 2 or not isinstance(result[1].data, dict):
            return NO_ANSWER, b""
        if command.endswith(_PIPE):
            return Ending(0), result[1].text.encode()
        output = result[1].data.get("output")
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
