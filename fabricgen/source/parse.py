"""Text to parser events, by the C parser where it reads the text as YAML 1.2 does and by the Python parser elsewhere.

The C parser is libyaml of the YAML 1.1 days. It is six times faster and refuses or misreads a few things: colons inside
words of flow collections (``{secret: env:KEY}``), question marks there, some escapes. The first is common and is
passed through it in disguise; text with any of the others, and text it refuses, goes to the Python parser, whose
verdict and words then count. So a user gets the same result whether or not the C parser is installed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Phrase:
    """Wording of one kind of syntax error.

    Attributes:
        problem: Regular expression for the parser's problem text; groups may be used in the message.
        hint: What to type instead.
        at_start: The mistake was made where the construct began, not where the parser gave up.
    """

    problem: str
    message: str
    hint: str
    at_start: bool = False


class SyntaxFault(Exception):  # noqa: N818 - it carries a diagnosis, it is not a failure of ours
    """Text that is no YAML: where, and what to say about it. Lines and columns count from 1."""

    def __init__(self, line: int, column: int, message: str, hint: str, began: tuple[int, int] | None = None) -> None:
        """Keep the diagnosis; ``began`` is where the construct that failed was opened."""
        super().__init__(message)
        self.line = line
        self.column = column
        self.message = message
        self.hint = hint
        self.began = began


_PHRASES = (
    Phrase(
        r"mapping values are not allowed",
        "a colon is not allowed here: the line already holds a value, or continues the text above it",
        "start 'key: value' on a line of its own, with a space behind the colon and the indentation of its mapping; "
        "put quotes around a text that contains ': '",
    ),
    Phrase(
        r"could not find expected ':'",
        "a key without colon",
        "write 'key: value', with a colon and a space; close quotes and brackets on the lines above",
        at_start=True,
    ),
    Phrase(
        r"found unexpected (?:end of stream|document separator)",
        "a quote that is never closed",
        "close the quote",
        at_start=True,
    ),
    Phrase(
        r"expected ',' or '(?P<close>[\]}])', but got '<stream end>'",
        "a bracket that is never closed",
        "close it with '{close}'",
        at_start=True,
    ),
    Phrase(
        r"expected ',' or '(?P<close>[\]}])', but got",
        "inside brackets a ',' or '{close}' is missing before this",
        "separate entries with commas, close the bracket with '{close}', and put quotes around a text with brackets",
    ),
    Phrase(
        r"expected <block end>",
        "this does not fit to the lines it belongs to",
        "give all entries of one mapping or list the same indentation, and put quotes around a whole value",
    ),
    Phrase(
        r"sequence entries are not allowed",
        "a list item is not allowed here",
        "start '- item' on a line of its own, below its key",
    ),
    Phrase(
        r"found character '(?P<found>\\?.)' that cannot start any token",
        "a value cannot start with '{found}'",
        "put quotes around it",
    ),
    Phrase(
        r"expected the node content",
        "a value is missing before this, or a bracket is still open",
        'write the value, an empty text as ""; close every bracket',
    ),
    Phrase(
        r"escape",
        "this is no escape sequence",
        "write a backslash twice, or use single quotes, in which it is an ordinary character",
    ),
)


def explain_fault(error: Exception) -> SyntaxFault:
    """Say what a parser's exception means to the one who wrote the text."""
    problem = str(getattr(error, "problem", None) or getattr(error, "context", None) or "")
    stopped = _position(getattr(error, "problem_mark", None))
    started = _position(getattr(error, "context_mark", None))
    last = stopped or started or (1, 1)
    for phrase in _PHRASES:
        found = re.search(phrase.problem, problem)
        if found is not None:
            place = (phrase.at_start and started) or last
            began = started if started and started[0] != place[0] else None
            words = found.groupdict()
            return SyntaxFault(*place, _fill(phrase.message, words), _fill(phrase.hint, words), began)
    return SyntaxFault(*last, "this cannot be read as YAML", "put quotes around texts with special characters")


def _position(mark: Any) -> tuple[int, int] | None:
    return None if mark is None else (mark.line + 1, mark.column + 1)


def _fill(text: str, words: dict[str, str]) -> str:
    for name, value in words.items():
        text = text.replace(f"{{{name}}}", value)
    return text


DEPTH_MAX = 64

_COLON_PLACEHOLDER = "\ue000"
_WORD_COLON = re.compile(r"(?<=[^\s,\[\]{}\"'])(?<!\\):(?=[^\s,\[\]{}])")
_UNEVEN = re.compile(
    # a question mark ends words in flow collections of YAML 1.1, unless it stands in quotes
    r"(?m)^(?:[^#\n?\"]++|(?<=[\[,:][ ])\"[^\"\\\n]*\"(?=[,\]}])|\")*+\?"
    r"|:[,\[\]{}]|[\"'\]}]:[^\s]|(?:^|[\s,\[{]):\S"  # colons that are an indicator in one version only
    r"|(?:^|[\s,\[\]{}\"'-])!"  # tags: places differ
    r"|[&*][-\w]+:"  # a colon is part of the name of an anchor in YAML 1.2
    r"|[|>][-+0-9]*[ ]*#"  # a comment behind the indicator of a block scalar; YAML 1.1 requires no blank before it
    r"|^(?:\.\.\.|%|(?:---)?[ ]*[|>])"  # ends of documents, directives below, a block scalar for a document
    r"|\\'"  # an escape that only YAML 1.1 knows
    r"|[|>][-+0-9]*[ ]*\n(?:[ ]*+\n)*?[ ]++\n"  # blank lines at the head of a block scalar, deeper than its text
    rf"|{_COLON_PLACEHOLDER}"
)


def parse_events(text: str, *, json: bool = False) -> list[Any]:
    """Parse a printable text without tabs outside of quotes, comments and block scalars; raises SyntaxFault.

    The events end early where a second document begins or values nest deeper than ``DEPTH_MAX``. JSON is a text in
    which nothing is read differently by the two parsers.
    """
    if json or _UNEVEN.search(text) is None:
        events = _parse_fast(text)
        if events is not None:
            return events
    try:
        return list(_bounded(text, pure=True))
    except _parser_errors() as error:
        raise explain_fault(error) from error


def _parse_fast(text: str) -> list[Any] | None:
    """Parse with the C parser; None if it refuses the text."""
    disguised, colons = _WORD_COLON.subn(_COLON_PLACEHOLDER, text)
    try:
        events = list(_bounded(disguised, pure=False))
    except _parser_errors():
        return None
    if colons:
        for event in events:
            value = getattr(event, "value", None)
            if value is not None and _COLON_PLACEHOLDER in value:
                event.value = value.replace(_COLON_PLACEHOLDER, ":")
    return events


def _bounded(text: str, *, pure: bool) -> Iterator[Any]:
    steps = _steps()
    depth = documents = 0
    for event in _events(text, pure=pure):
        yield event
        step = steps.get(event.__class__)
        if step is None:
            continue
        if step == 0:
            documents += 1
        depth += step
        if depth > DEPTH_MAX or documents > 1:
            return


def _events(text: str, *, pure: bool) -> Iterator[Any]:
    from ruamel.yaml import YAML, main

    # YAML() and the class that it makes for each text would cost more than the events of a small file.
    c_parser: Any = None if pure else getattr(main, "CParser", None)
    if c_parser is None:
        yield from YAML(typ="safe", pure=True).parse(text)
        return
    parser = c_parser(text)
    while parser.check_event():
        yield parser.get_event()


def _steps() -> dict[type, int]:
    from ruamel.yaml import events

    return {
        events.DocumentStartEvent: 0,
        events.MappingStartEvent: 1,
        events.SequenceStartEvent: 1,
        events.MappingEndEvent: -1,
        events.SequenceEndEvent: -1,
    }


def _parser_errors() -> tuple[type[Exception], ...]:
    """Return what the parsers raise on bad text; the last two are for impossible character codes."""
    from ruamel.yaml.error import YAMLError

    return (YAMLError, ValueError, OverflowError)
