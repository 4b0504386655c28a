"""The filters json and cli: exact output, and what they refuse."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import StrictUndefined

from fabricgen.render.environment import UnsafeTextError, to_cli, to_json


@given(st.one_of(st.text(), st.integers(), st.booleans(), st.none(), st.lists(st.text())))
def test_json_equals_the_standard_library(value: object) -> None:
    assert to_json(value) == json.dumps(value)
    assert to_json(value).isascii()


@pytest.mark.parametrize(("value", "error"), [(float("nan"), ValueError), (StrictUndefined(name="x"), TypeError)])
def test_json_refuses_what_json_cannot_write(value: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        to_json(value)


@pytest.mark.parametrize("value", ["", "plain", "Zürich", "日本", "room 7", 8080])
def test_cli_leaves_text_on_one_line_alone(value: str | int) -> None:
    assert to_cli(value) == str(value)


@pytest.mark.parametrize("character", "\n\r\t\0\x0b\x1b\x7f\x85\u2028\u2029\u202e\u200b\xa0")
def test_cli_refuses_what_nobody_can_see(character: str) -> None:
    with pytest.raises(UnsafeTextError, match=r"holds U\+[0-9A-F]{4} "):
        to_cli(f"description{character}shutdown")


@pytest.mark.parametrize("value", [True, None, 1.5, ["a"], StrictUndefined(name="x")])
def test_cli_refuses_other_types(value: object) -> None:
    with pytest.raises(TypeError):
        to_cli(value)
