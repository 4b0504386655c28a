"""NVIDIA's NVUE over REST: objects by their paths, as JSON.

The applied configuration comes as its objects, or in newer releases as the list of ``header`` and ``set`` that
``nv config show`` prints; written is that list either way.

Source:
    CumulusNetworks/docs 05782f94, cumulus-linux-514 *NVUE API*: port, methods, *View a Configuration*, and the status
    403 while the user cumulus has the factory password. NVIDIA's crate libnvue, struct NvueConfigWithHeader:
    the list with a header.
"""

from __future__ import annotations

from fabricgen.collect.https.request import NO_JSON, HttpRequest
from fabricgen.collect.target import Ending
from fabricgen.files.json_text import parse_json

CONFIGURATION = "/nvue_v1/?"
"""Beginning of the path of a whole configuration."""
_FORBIDDEN = 403


class Nvue:
    """Requests and answers of NVUE."""

    def build_request(self, command: str) -> HttpRequest:
        """Return the request of a command.

        Args:
            command: Method and path.
        """
        method, _, path = command.partition(" ")
        return HttpRequest(method, path)

    def read_answer(self, command: str, body: bytes) -> tuple[Ending, bytes]:
        """Return how a request ended, and its answer: of a configuration, the list that startup.yaml is.

        Args:
            command: Method and path.
            body: The answer.
        """
        try:
            data = parse_json(body)
        except ValueError:
            return NO_JSON, b""
        whole = command.partition(" ")[2].startswith(CONFIGURATION)
        return Ending(0), b'[{"set": %s}]\n' % body if whole and isinstance(data, dict) else body

    def hint_at_refusal(self, status: int) -> str:
        """Return the remedy for a switch with the password of the factory, or for missing rights.

        Args:
            status: Of HTTP.
        """
        if status != _FORBIDDEN:
            return ""
        return "change the factory password of the user cumulus, or give the user the rights to read"
