"""Numbers as people write them: what is read, and what is refused in words."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from fabricgen.sizing import ask
from fabricgen.sizing.ask import AskError

NONSENSE = (
    "", " ", "abc", "-1", "0", "nan", "inf", "1e400", "9" * 5000, "40%%", "1 2", "٣x", "0x10", "12 parsecs",
    "١٢٨", "1_000",
)  # fmt: skip


@pytest.mark.parametrize(("text", "value"), [("2048", 2048), ("2,048", 2048), ("1,000,000", 1_000_000), (" 8 ", 8)])
def test_a_count_has_separators(text: str, value: int) -> None:
    assert ask.read_count("--gpus", text) == value


@pytest.mark.parametrize(("text", "value"), [("0.4", 0.4), (".4", 0.4), ("40%", 0.4), ("40 %", 0.4), ("1", 1.0)])
def test_a_share_is_a_fraction_or_in_percent(text: str, value: float) -> None:
    assert ask.read_share("--mfu", text) == pytest.approx(value)


@pytest.mark.parametrize(("text", "value"), [("30", 30), ("30d", 30), ("30 days", 30), ("1.5", 1.5)])
def test_a_quantity_has_its_unit_or_none(text: str, value: float) -> None:
    assert ask.read_quantity("--days", text, ("days", "day", "d"), "30") == value


@pytest.mark.parametrize("text", ["400", "400G", "400g", "400Gb/s", "400 Gbps", "400GbE", "400Gbit/s"])
def test_a_speed_has_the_units_of_the_field(text: str) -> None:
    assert ask.read_speed("--speed", text) == 400


@pytest.mark.parametrize(
    ("text", "value"), [("16:15", Fraction(16, 15)), ("2", Fraction(2)), ("1.5:1", Fraction(3, 2))]
)
def test_a_ratio_is_exact(text: str, value: Fraction) -> None:
    assert ask.read_ratio("--ratio", text) == value


@pytest.mark.parametrize("text", NONSENSE)
@pytest.mark.parametrize(
    "read",
    [
        lambda text: ask.read_count("--x", text),
        lambda text: ask.read_share("--x", text),
        lambda text: ask.read_amount("--x", text, "70.6B"),
        lambda text: ask.read_quantity("--x", text, ("days", "d"), "30"),
        lambda text: ask.read_ratio("--x", text),
        lambda text: ask.read_speed("--x", text),
    ],
)
def test_nonsense_is_refused_in_words(read: Callable[[str], object], text: str) -> None:
    with pytest.raises(AskError) as error:
        read(text)
    assert error.value.option == "--x"
    assert "is " in str(error.value)


@pytest.mark.parametrize("text", ["150%", "40", "1.01"])
def test_no_share_is_more_than_the_whole(text: str) -> None:
    with pytest.raises(AskError, match=r"write one such as 0\.4 or 40%"):
        ask.read_share("--mfu", text)
