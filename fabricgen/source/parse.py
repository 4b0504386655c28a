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

_CODE_TOO_LARGE = re.compile(r"\\U(?!000|0010)[0-9A-Fa-f]{8}")


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


_TOKENS = {
    "<stream end>": "the end of the file",
    "<block end>": "the end of the indented lines",
    "<document start>": "'---'",
    "<document end>": "'...'",
    "<scalar>": "a text",
    "<alias>": "an alias",
    "<anchor>": "an anchor",
    "<tag>": "a tag",
    "<directive>": "a directive",
    "<block mapping start>": "an indented mapping",
    "<block sequence start>": "an indented list",
}
_SECOND_COLON = Phrase(
    "",
    "a colon is not allowed here: the line already holds a value",
    "start 'key: value' on a line of its own, and put quotes around a text that contains ': '",
)
_CONTINUED = Phrase(
    "",
    "a colon is not allowed here: the line continues the text above it",
    "write 'key: value' above, with a space behind the colon; give keys of one mapping the same indentation",
)
_PHRASES = (
    Phrase(
        r"could not find expected ':'",
        "a key without colon",
        "write 'key: value', with a colon and a space; close quotes and brackets on the lines above",
        at_start=True,
    ),
    Phrase(r"found unexpected end of stream", "a quote that is never closed", "close the quote", at_start=True),
    Phrase(
        r"found unexpected document separator",
        "a quote that is not closed before the document ends",
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
        r"expected ',' or '(?P<close>[\]}])', but got ':'",
        "a colon is not allowed here: a bracket is still open",
        "close the bracket with '{close}'; inside brackets separate entries with commas",
    ),
    Phrase(
        r"expected ',' or '(?P<close>[\]}])', but got '(?P<found>.*)'",
        "inside brackets a ',' or '{close}' is missing before this",
        "separate entries with commas and close the bracket with '{close}'",
    ),
    Phrase(
        r"expected <block end>, but found '<block (?:mapping|sequence) start>'",
        "this line is indented differently from the lines it belongs to",
        "give all entries of one mapping or list the same indentation",
    ),
    Phrase(
        r"expected <block end>, but found '-'",
        "a list item where the lines above form a mapping",
        "indent the list below its key",
    ),
    Phrase(
        r"expected <block end>, but found '\?'",
        "a key where the lines above form a list",
        "indent it below a list item, or start the line with '- '",
    ),
    Phrase(
        r"expected <block end>, but found '(?P<found>.*)'",
        "this does not fit to the value before it",
        "put quotes around the whole value, or start a new line",
    ),
    Phrase(
        r"sequence entries are not allowed",
        "a list item is not allowed here",
        "start '- item' on a line of its own, below its key",
    ),
    Phrase(
        r"mapping keys are not allowed", "a '? ' is not allowed here", "put quotes around a text that starts with '? '"
    ),
    Phrase(
        r"found character '(?P<found>\\?.)' that cannot start any token",
        "a value cannot start with '{found}'",
        "put quotes around it",
    ),
    Phrase(
        r"expected the node content, but found '<stream end>'",
        "the file ends here and a bracket is still open",
        "close every bracket",
    ),
    Phrase(
        r"expected the node content, but found '(?P<found>.*)'",
        "a value is missing before {found}",
        'write the value; an empty text is written ""',
    ),
    Phrase(
        r"found unknown escape character (?P<found>'.*'|\".*\")",
        "\\ and the character {found} are no escape sequence",
        "write a backslash twice, or use single quotes, in which it is an ordinary character",
    ),
    Phrase(
        r"expected escape sequence of (?P<count>\d) hex",
        "an escape sequence needs {count} hexadecimal digits here",
        "write a backslash twice, or use single quotes, in which it is an ordinary character",
    ),
    Phrase(
        r"expected '<document start>'",
        "this is outside of the document that ended above",
        "give it the indentation of the lines it belongs to, and start it with a key",
    ),
    Phrase(
        r"non-comment content after document end",
        "text behind the end marker '...'",
        "delete the line that starts with '...'",
    ),
    Phrase(
        r"more indented follow up line",
        "the block text above starts with a blank line that holds spaces",
        "delete the spaces on the blank line",
    ),
    Phrase(
        r"chomping or indentation|comment or a line break|indentation indicator",
        "text on the line of '|' or '>'",
        "start the block text on the next line",
    ),
    Phrase(
        r"expected alphabetic or numeric",
        "'*' and '&' start an alias or an anchor here, and no name follows",
        "put quotes around a text that starts with '*' or '&'",
    ),
    Phrase(r"found unexpected ':'", "a colon inside a word between brackets", "put quotes around the word"),
    Phrase(
        r"tag|URI|expected '[!> ]'",
        "'!' starts a tag here, and tags are not allowed",
        "put quotes around a text that starts with '!'",
    ),
)


def explain_fault(error: Exception, text: str) -> SyntaxFault:
    """Say what a parser's exception means to the one who wrote the text."""
    problem = str(getattr(error, "problem", None) or getattr(error, "context", None) or "")
    stopped = _position(getattr(error, "problem_mark", None))
    started = _position(getattr(error, "context_mark", None))
    if stopped is None and started is None:
        return _unplaced(text)
    last = stopped or started or (1, 1)
    for phrase in _phrases(problem, text, stopped):
        found = re.search(phrase.problem, problem)
        if found is not None:
            place = (phrase.at_start and started) or last
            words = {name: _TOKENS.get(value, value) for name, value in found.groupdict().items()}
            began = started if started and started[0] != place[0] else None
            return SyntaxFault(*place, _fill(phrase.message, words), _fill(phrase.hint, words), began)
    return SyntaxFault(*last, "this cannot be read as YAML", "put quotes around texts with special characters")


def _phrases(problem: str, text: str, stopped: tuple[int, int] | None) -> tuple[Phrase, ...]:
    """Return what a problem may be; of a colon that cannot be there, what it follows."""
    if stopped is None or "mapping values are not allowed" not in problem:
        return _PHRASES
    before = text.split("\n")[stopped[0] - 1][: stopped[1] - 1]
    return (_SECOND_COLON if re.search(r":\s", before) else _CONTINUED,)


def _unplaced(text: str) -> SyntaxFault:
    """The one fault parsers report without a place: an escape for a character beyond Unicode."""
    found = _CODE_TOO_LARGE.search(text)
    start = found.start() if found else 0
    line = text.count("\n", 0, start) + 1
    column = start - (text.rfind("\n", 0, start) + 1) + 1
    return SyntaxFault(line, column, "an escape sequence beyond U+10FFFF, the last character", "correct the code")


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


def parse_events(text: str, *, pure: bool = False, json: bool = False) -> list[Any]:
    """Parse a text up to the end of its first document.

    Args:
        text: Printable text with line feeds and without tabs outside of quotes, comments and block scalars.
        pure: Leave the C parser out.
        json: The text is known to be JSON, so that nothing in it is read differently by the two parsers.

    Returns:
        The parser's events; they end early where a second document begins or values nest deeper than ``DEPTH_MAX``.

    Raises:
        SyntaxFault: The text is not YAML.
    """
    if not pure and (json or _UNEVEN.search(text) is None):
        events = _parse_fast(text)
        if events is not None:
            return events
    try:
        return list(_bounded(text, pure=True))
    except _parser_errors() as error:
        raise explain_fault(error, text) from error


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
    from ruamel.yaml import YAML

    steps = _steps()
    depth = documents = 0
    for event in YAML(typ="safe", pure=pure).parse(text):
        yield event
        step = steps.get(event.__class__)
        if step is None:
            continue
        if step == 0:
            documents += 1
        depth += step
        if depth > DEPTH_MAX or documents > 1:
            return


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
    """Return what the parsers raise on bad text.

    The last two are the Python parser's answer to impossible character codes.
    """
    from ruamel.yaml.error import YAMLError

    return (YAMLError, ValueError, OverflowError)
