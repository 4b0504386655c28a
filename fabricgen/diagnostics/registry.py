"""The registry of every ``FG-…`` code: what it means, why it matters, what to do, where that is written."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fabricgen.diagnostics.model import Severity

_CODE = re.compile(r"FG-[A-Z]{3}-\d{3}")
_REGISTRY: dict[str, Code] = {}


@dataclass(frozen=True, slots=True)
class Code:
    """Metadata of one diagnostic code.

    Attributes:
        id: ``FG-<area>-<number>``; numbers from 900 mean "understood, not implemented".
        title: One line, no full stop.
        severity: Severity of every diagnostic of this code.
        why: What goes wrong in a fabric if this is ignored.
        fix: What the user does about it.
        source: Public document, standard or law the rule rests on.
        fatal: The document cannot be read any further, so nothing else can be reported with it.
        waivable: An owner may take the risk, although it is an error; warnings always are.
    """

    id: str
    title: str
    severity: Severity
    why: str
    fix: str
    source: str
    fatal: bool = False
    waivable: bool = False

    @property
    def hint(self) -> str:
        """The fix in the form of a hint: lower case, without a full stop."""
        sentences = self.fix.removesuffix(".").split(". ")
        return "; ".join(sentence[0].lower() + sentence[1:] for sentence in sentences)


def register(
    id: str,  # noqa: A002 - the field's own word
    title: str,
    *,
    why: str,
    fix: str,
    source: str,
    severity: Severity = Severity.ERROR,
    fatal: bool = False,
    waivable: bool = False,
) -> Code:
    """Declare a code once, next to what raises it.

    Raises:
        ValueError: The id is malformed or taken: a programming error, caught at import.
    """
    if not _CODE.fullmatch(id):
        raise ValueError(f"malformed diagnostic code {id!r}")
    if id in _REGISTRY:
        raise ValueError(f"diagnostic code {id} is declared twice")
    code = Code(id, title, severity, why, fix, source, fatal, waivable or severity is Severity.WARNING)
    _REGISTRY[id] = code
    return code


def lookup(id: str) -> Code | None:  # noqa: A002 - the field's own word
    """Return the code of that id, or None; only imported rooms have declared theirs."""
    return _REGISTRY.get(id)


def all_codes() -> list[Code]:
    """Every declared code, sorted by id."""
    return [_REGISTRY[name] for name in sorted(_REGISTRY)]
