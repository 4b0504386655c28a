"""Numbers as people write them on a command line: ``2,048``, ``70.6B``, ``40%``, ``30d``, ``400G``."""

from __future__ import annotations

import re
from fractions import Fraction

GPUS_MAX = 1_000_000
"""Far beyond any training fabric; a slip of a few zeros ends here."""
_DIGITS_MAX = 15
_FACTORS = {"": 1.0, "K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
_NUMBER = re.compile(r"(\d+(?:\.\d+)?|\.\d+)\s*([a-z/%]*)", re.IGNORECASE)
_RATIO = re.compile(r"(\d{1,4}(?:\.\d{1,3})?)(?::(\d{1,4}(?:\.\d{1,3})?))?")
_SPEED = re.compile(r"(\d{2,4})\s*(?:G(?:bE|bps|b/s|bit/s)?)?", re.IGNORECASE)


class AskError(ValueError):
    """An option that cannot be met; ``option`` is its name on the command line."""

    def __init__(self, option: str, message: str) -> None:
        """Keep the message and the option it is about."""
        super().__init__(message)
        self.option = option


def read_count(option: str, text: str, most: int = GPUS_MAX) -> int:
    """Return a whole number such as ``2048`` or ``2,048``.

    Raises:
        AskError: It is none, or out of range.
    """
    digits = text.strip().replace(",", "").replace("_", "")
    if not digits.isdecimal() or len(digits) > _DIGITS_MAX or not 1 <= int(digits) <= most:
        raise AskError(option, f"{text!r} is not a whole number from 1 to {most}.")
    return int(digits)


def read_amount(option: str, text: str, example: str) -> float:
    """Return a positive number such as ``70.6B``.

    Raises:
        AskError: It is missing or none.
    """
    number, unit = _split(text)
    value = number * _FACTORS.get(unit.upper(), 0.0)
    if value <= 0:
        written = f"{text!r} is not a number; write" if text else "is missing; give"
        raise AskError(option, f"{written} one such as {example}.")
    return value


def read_quantity(option: str, text: str, units: tuple[str, ...], example: str) -> float:
    """Return a positive number, whose unit may stand after it.

    Args:
        option: Its option.
        text: What is written.
        units: Spellings of the unit, in lower case.
        example: A number to write instead.

    Raises:
        AskError: It is none.
    """
    number, unit = _split(text)
    if number <= 0 or unit.lower() not in ("", *units):
        raise AskError(option, f"{text!r} is not a positive number of {units[0]}; write one such as {example}.")
    return number


def read_share(option: str, text: str) -> float:
    """Return a share of a whole, written as ``0.4`` or ``40%``.

    Raises:
        AskError: It is none, or more than the whole.
    """
    number, unit = _split(text)
    share = number / 100 if unit == "%" else number
    if not 0 < share <= 1 or unit not in ("", "%"):
        raise AskError(option, f"{text!r} is not a share of the peak; write one such as 0.4 or 40%.")
    return share


def read_ratio(option: str, text: str) -> Fraction:
    """Return a ratio such as ``16:15``, ``2`` or ``1.5``.

    Raises:
        AskError: It is none.
    """
    match = _RATIO.fullmatch(text.strip())
    if not match or not Fraction(match[1]) or not Fraction(match[2] or 1):
        raise AskError(
            option, f"{text!r} is not a ratio; write downlink to uplink bandwidth, such as 1:1, 2:1 or 16:15."
        )
    return Fraction(match[1]) / Fraction(match[2] or 1)


def read_speed(option: str, text: str) -> int:
    """Return a speed such as ``400G``, Gb/s.

    Raises:
        AskError: It is none.
    """
    match = _SPEED.fullmatch(text.strip())
    if not match:
        raise AskError(option, f"{text!r} is not a speed; write Gb/s, such as 400G.")
    return int(match[1])


def _split(text: str) -> tuple[float, str]:
    """A number and its unit; 0 if it is none, or has more digits than any amount needs."""
    match = _NUMBER.fullmatch(text.strip())
    return (float(match[1]), match[2]) if match and len(match[1]) <= _DIGITS_MAX else (0.0, "")
