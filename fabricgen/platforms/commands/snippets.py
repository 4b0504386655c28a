"""Contract of the modules that judge what a snippet adds to a file, and of what they find.

The semantics of a file name such a module under ``snippets``. Its function ``judge_snippet(laid)`` yields faults and
claims, each with the snippet's own line and column.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from fabricgen.platforms.reading.redaction import Redaction


class Kind(Enum):
    """Faults of a line or a value of a snippet."""

    COMMAND = "a command that the target does not have"
    NAME = "a table, row or field that the target does not have"
    VALUE = "a value that the target refuses"
    REFERENCE = "a reference to what is not there"
    FOREIGN = "a text for another platform"
    UNKNOWN = "a text that cannot be judged"


class Line(NamedTuple):
    """A command of a snippet: where it stands, how deep, and its words with their columns."""

    number: int
    depth: int
    text: str
    words: list[str]
    columns: list[int]


class Fault(NamedTuple):
    """One thing that is wrong; line and column count from 1, in the snippet."""

    kind: Kind
    line: int
    column: int
    message: str
    hint: str = ""


class Claim(NamedTuple):
    """An address that a snippet gives to the device.

    Attributes:
        interface: Where it is configured.
        address: The address with its prefix length; a single address may go without.
        table: Routing table it is in: the name of a VRF, empty for the default one.
    """

    line: int
    column: int
    interface: str
    address: str
    table: str = ""


class Laid(NamedTuple):
    """A snippet laid over a file.

    Attributes:
        text: The snippet.
        before: The file without it.
        after: The file with it.
        release: Release of the target's software; empty where the platform has none.
        routing: Version of the routing daemons in it; empty where the platform does not tell.
        others: Other files of the device, by path.
        redaction: What of the file may be quoted.
    """

    text: str
    before: str
    after: str
    release: str
    routing: str
    others: Mapping[str, str]
    redaction: Redaction


class SnippetJudge(Protocol):
    """Judge of a snippet."""

    def __call__(self, laid: Laid, /) -> Iterator[Fault | Claim]:
        """Yield what is wrong with what the snippet adds, and the addresses it adds."""
