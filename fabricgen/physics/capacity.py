"""Counting: powers of two, oversubscription."""

from __future__ import annotations

from math import gcd


def next_power_of_two(count: int) -> int:
    """The smallest power of two not below ``count`` (at least 1)."""
    return 1 << (count - 1).bit_length() if count > 1 else 1


def reduced(numerator: int, denominator: int) -> tuple[int, int]:
    """A ratio in lowest terms; (0, 1) if the numerator is 0."""
    common = gcd(numerator, denominator)
    return numerator // common, denominator // common
