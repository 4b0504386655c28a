"""Signs of the system that wrote a text: of a kind of file, beginnings of lines or names of JSON members.

They are data of the semantics of the file. A device's platform is known in most cases, and then only the kinds of its
files are looked for; where several may be meant, the one with the most different signs is the most specific one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from fabricgen.platforms.values import Line
from fabricgen.validation.forms import record

_NAMED_MAX = 4


@record
class OtherForm(NamedTuple):
    """A form in which a system prints its configuration, and which is not read.

    Attributes:
        signs: Signs of it.
        what: Name of the form.
        command: Command that prints the form that is read.
    """

    signs: tuple[Line, ...]
    what: Line
    command: Line


def count_signs(text: str, signs: Sequence[str]) -> int:
    """Return how many different signs a text has.

    Args:
        text: Any text.
        signs: Beginnings of lines; in double quotes, names of members of a JSON object.
    """
    return len({match.group().strip(" \t:") for match in _pattern(tuple(signs)).finditer(text)}) if signs else 0


def list_signs(signs: Sequence[str]) -> str:
    """Return signs as a message names them, the first ones where there are many."""
    shown = [sign if sign.startswith('"') else f"'{sign}'" for sign in signs[:_NAMED_MAX]]
    return ", ".join(shown) + (", …" if len(signs) > _NAMED_MAX else "")


@cache
def _pattern(signs: tuple[str, ...]) -> re.Pattern[str]:
    members = [re.escape(sign) for sign in signs if sign.startswith('"')]
    lines = [re.escape(sign) for sign in signs if not sign.startswith('"')]
    words = [rf"^(?:{'|'.join(lines)})(?![A-Za-z_-])"] if lines else []
    return re.compile("|".join([*words, *([rf"(?:{'|'.join(members)})\s*:"] if members else [])]), re.MULTILINE)
