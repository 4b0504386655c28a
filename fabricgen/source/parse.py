"""Text to parser events, by the C parser where it reads the text as YAML 1.2 does and by the Python parser elsewhere.

The C parser is libyaml of the YAML 1.1 days. It is six times faster and refuses or misreads a few things: colons inside
words of flow collections (``{secret: env:KEY}``), question marks there, some escapes. The first is common and is
passed through it in disguise; text with any of the others, and text it refuses, goes to the Python parser, whose
verdict and words then count. So a user gets the same result whether or not the C parser is installed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from fabricgen.source.syntax import explain_fault

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
