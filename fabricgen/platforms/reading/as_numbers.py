"""AS numbers in every notation that a platform takes and prints, as the numbers that they are.

Source:
    RFC 5396: asplain is a decimal number; asdot writes those from 65536 on as two of 16 bits with a dot between them,
    asdot+ all of them. RFC 7607: 0 is none.
"""

from __future__ import annotations

import re

from fabricgen.platforms.reading.reader import number_of

_DOTTED = re.compile(r"(?<![\w.])([0-9]{1,5}\.[0-9]{1,5})(?![\w.])")
"""Two numbers with one dot between them, which no address has; a colon or the dash of a range may be beside them."""


def parse_asn(text: str) -> int | None:
    """Return the AS number that a text is, in asplain, asdot or asdot+; None if it is none."""
    high, dot, low = text.partition(".")
    if not dot:
        number = number_of(text) or 0
        return number if 0 < number < 1 << 32 else None
    upper, lower = number_of(high), number_of(low)
    if upper is None or lower is None or max(upper, lower) >= 1 << 16:
        return None
    return upper << 16 | lower or None


def write_plainly(text: str) -> str:
    """Return a text in which AS numbers may stand with those of asdot and asdot+ in asplain.

    Args:
        text: An AS number, a community, a path or a range; nothing in which two numbers with a dot are another value.
    """
    return _DOTTED.sub(lambda found: str(parse_asn(found[1]) or found[1]), text) if "." in text else text
