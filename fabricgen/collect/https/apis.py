"""Requests to the APIs of devices, and the reading of their answers: Arista's eAPI, NVIDIA's NVUE."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from fabricgen.collect.target import Ending
from fabricgen.files.json_text import parse_json

NO_JSON = Ending(0, "the answer is no complete JSON")
NO_ANSWER = Ending(0, "the answer has no result")


class HttpRequest(NamedTuple):
    """One request; ``content`` is JSON, empty for none."""

    method: str
    path: str
    content: bytes = b""


class Api(Protocol):
    """Requests of an API, and the reading of its answers; ``refusals`` are remedies by status of HTTP."""

    refusals: Mapping[int, str]

    def build_request(self, command: str) -> HttpRequest:
        """Return the request that stands for a command."""

    def read_answer(self, command: str, body: bytes) -> tuple[Ending, bytes]:
        """Return how a command ended, and its answer as it is written."""


PATH = "/command-api"
_PIPE = " | json"
_CODE_MAX = 100_000
"""Errors of eAPI are around 1,000, those of JSON-RPC around -32,000."""


class Eapi:
    """Arista's eAPI: the commands of the CLI as JSON-RPC, text for configurations and JSON for states.

    A command that ends in ``| json`` is asked for in that format instead of through the pipe; ``latest`` is the version
    of the models that the pipe has. ``enable`` comes first, as a session of the API begins without privileges.

    Source:
        Arista, *Arista Command API*, overview; aristanetworks/anta 1.10.0, asynceapi/device.py (form of a request and
        of an error, ``version``) and anta/device.py (``enable``).
    """

    refusals: Mapping[int, str] = {}

    def build_request(self, command: str) -> HttpRequest:
        """Return the request that runs a command."""
        as_json = command.endswith(_PIPE)
        params = {
            "version": "latest",
            "cmds": ["enable", command.removesuffix(_PIPE)],
            "format": "json" if as_json else "text",
        }
        call = {"jsonrpc": "2.0", "method": "runCmds", "params": params, "id": "fabricgen"}
        return HttpRequest("POST", PATH, json.dumps(call).encode())

    def read_answer(self, command: str, body: bytes) -> tuple[Ending, bytes]:
        """Return how a command ended, and its output."""
        try:
            call = parse_json(body)
        except ValueError:
            return NO_JSON, b""
        if not isinstance(call, dict):
            return NO_ANSWER, b""
        if "error" in call:
            return _read_error(call["error"]), b""
        result = call.get("result")
        if not isinstance(result, list) or len(result) != 2 or not isinstance(result[1], dict):
            return NO_ANSWER, b""
        if command.endswith(_PIPE):
            return Ending(0), json.dumps(result[1]).encode()
        output = result[1].get("output")
        return (Ending(0), output.encode("utf-8", "surrogatepass")) if isinstance(output, str) else (NO_ANSWER, b"")


def _read_error(error: object) -> Ending:
    """Return the ending that an error stands for; its text is the device's and is not taken."""
    code = error.get("code") if isinstance(error, dict) else None
    known = isinstance(code, int) and 0 < abs(code) < _CODE_MAX
    return Ending(code if known else -1, f"error {code} of eAPI" if known else "an error of eAPI without a code")


CONFIGURATION = "/nvue_v1/?"
"""Beginning of the path of a whole configuration."""


class Nvue:
    """NVIDIA's NVUE over REST: objects by their paths, as JSON.

    The applied configuration comes as its objects, or in newer releases as the list of ``header`` and ``set`` that
    ``nv config show`` prints; written is that list either way.

    Source:
        CumulusNetworks/docs 05782f94, cumulus-linux-514 *NVUE API*: port, methods, *View a Configuration*, and the
        status 403 while the user cumulus has the factory password. NVIDIA's crate libnvue, struct
        NvueConfigWithHeader: the list with a header.
    """

    refusals: Mapping[int, str] = {
        403: "change the factory password of the user cumulus, or give the user the rights to read"
    }

    def build_request(self, command: str) -> HttpRequest:
        """Return the request of a command."""
        method, _, path = command.partition(" ")
        return HttpRequest(method, path)

    def read_answer(self, command: str, body: bytes) -> tuple[Ending, bytes]:
        """Return how a request ended, and its answer: of a configuration, the list that startup.yaml is."""
        try:
            data = parse_json(body)
        except ValueError:
            return NO_JSON, b""
        whole = command.partition(" ")[2].startswith(CONFIGURATION)
        return Ending(0), b'[{"set": %s}]\n' % body if whole and isinstance(data, dict) else body
