"""Wording of diagnostics: the part of docs/style.md that a test can hold."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fabricgen.diagnostics import Diagnostic

VERBS = frozenset(
    re.findall(
        r"\w+",
        "add ask attach bond boot bring build carry change check choose clean close collect compare configure copy "
        "correct count create cut define delete describe drain end enter fix free give guard have import indent "
        "install keep leave let log look lower make mark measure merge move name put raise read remove rename "
        "render repair report restore run sample save set shorten size start state stop take test undo uninstall "
        "use wait waive watch write",
    )
)
"""Words that open a hint: what the user does."""
OTHER_OPENINGS = re.compile(r"did you mean .+\?|no action (is )?needed|(if|on|where|with) [^,]+, ")
INTERNAL = re.compile(r"\b(None|NoneType|PosixPath|Traceback|pydantic|dataclass)\b|<class|object at 0x")
DIALECT = re.compile(
    r"\b(nobody|somebody|is told|are told|whoever|the way back|if that is meant|says nothing|hears?|wants?)\b",
    re.IGNORECASE,
)
ONE_OF_MANY = re.compile(r"(?<![\d.,/x-])(?<!x )(?<!of )\b1 (?!(?:is|was|has|its|class|ms|us)\b)[a-z]{2,}[^s\W\d]s\b")


def faults_of(diagnostic: Diagnostic) -> Iterator[str]:
    """Yield what a diagnostic's texts have against docs/style.md, by text."""
    message, hint = diagnostic.message, diagnostic.hint
    notes = [("note", item.text) for item in diagnostic.related]
    for name, text in (("message", message), ("hint", hint), *notes):
        if not text.strip():
            yield f"{name} is empty"
        if text.endswith(".") and not text.endswith(".."):
            yield f"{name} ends with a full stop: {text}"
        for pattern in (INTERNAL, DIALECT, ONE_OF_MANY):
            if found := pattern.search(text):
                yield f"{name} has {found[0]!r}: {text}"
    if hint.split(" ")[0] not in VERBS and not OTHER_OPENINGS.match(hint):
        yield f"hint is no imperative: {hint}"
    if hint and hint in message:
        yield f"hint repeats the message: {hint}"
