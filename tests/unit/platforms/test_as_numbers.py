"""AS numbers in the notations of RFC 5396 are the numbers that they are."""

from __future__ import annotations

import pytest

from fabricgen.platforms.reading.reader import parse_asn, write_plainly


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("65001", 65001),
        ("4200000001", 4200000001),
        ("64086.59905", 4200000001),
        ("0.65001", 65001),
        ("64086.0", 64086 << 16),
        ("0", None),
        ("0.0", None),
        ("4294967296", None),
        ("65536.1", None),
        ("1.65536", None),
        ("1.2.3", None),
        ("1.", None),
        ("external", None),
    ],
)
def test_a_number_is_read_in_every_notation(text: str, number: int | None) -> None:
    assert parse_asn(text) == number


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("external", "external"),
        ("64086.59905", "4200000001"),
        ("1.1-1.9", "65537-65545"),
        ("rt 1.1:100 10.0.0.1:5", "rt 65537:100 10.0.0.1:5"),
        ("65001 1.1 1.2 confed", "65001 65537 65538 confed"),
        ("10.0.0.0/8", "10.0.0.0/8"),
        ("70000.1", "70000.1"),
    ],
)
def test_numbers_with_a_dot_become_plain_and_addresses_stay(text: str, plain: str) -> None:
    assert write_plainly(text) == plain
