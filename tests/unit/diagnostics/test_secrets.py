"""Secrets in lines: each place that netconan and RANCID know, what looks like one, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.diagnostics.secrets import find_secrets, hide_secrets, is_reference

HERE = Path(__file__).parent
SECRETS = ("hunter", "Tr0ub4dor", "0822455D0A16", "$1$wtHI$0rN7R8PKwC30AsCGA77vy.", "private", "1234abcd")
LINES, PLAIN = ((HERE / f"{name}_lines.txt").read_text().splitlines() for name in ("secret", "plain"))
"""Lines in which a secret stands where ``{}`` is, and lines without one."""


@pytest.mark.parametrize("line", LINES)
def test_a_secret_is_hidden_where_one_stands(line: str) -> None:
    for secret in SECRETS:
        shown = hide_secrets(line.format(secret))
        assert secret not in shown, shown
        assert shown.startswith(line.split()[0].partition("{")[0].partition("=")[0])


@pytest.mark.parametrize("line", PLAIN)
def test_what_is_no_secret_is_shown(line: str) -> None:
    assert hide_secrets(line) == line


@pytest.mark.parametrize(
    "token", ["aB3kX9mQ2z", "$6$salt$hash", "$9$Be4EhyVb2GDk", "eyJhbGciOiJIUzI1NiJ9.e30.x", "{SSHA}abc"]
)
def test_what_looks_like_a_secret_is_hidden_anywhere(token: str) -> None:
    (found,) = find_secrets(f"frobnicate {token} x")
    assert found.name == "value"
    assert hide_secrets(f"frobnicate {token} x") == "frobnicate (not shown) x"


def test_what_the_rendered_file_has_may_look_like_a_secret() -> None:
    line = "frobnicate aB3kX9mQ2z password aB3kX9mQ2z"
    assert hide_secrets(line, known={"aB3kX9mQ2z"}) == "frobnicate aB3kX9mQ2z password (not shown)"


def test_a_value_is_judged_with_what_stands_before_it() -> None:
    assert hide_secrets("neighbor x password 7 abc", start=len("neighbor x password ")) == "7 (not shown)"


@pytest.mark.parametrize(
    "text",
    [
        "This is a community supported appliance; visit our community site at: https://www.example.com/support",
        "The SNMP community of the operator. Have your password ready, and the secret token with you.",
        "Press a key to go on; key holders only",
    ],
)
def test_ordinary_words_of_a_text_for_people_are_shown(text: str) -> None:
    assert hide_secrets(text, is_free=True) == text
    for line in (f"neighbor LEAF description {text}", f"banner motd\n{text}\nEOF", f"message {text}"):
        assert hide_secrets(line) == line
    assert hide_secrets(f"banner motd\nx\nEOF\npassword {text.split()[0]}").endswith("password (not shown)")


@pytest.mark.parametrize(
    "text", ["password: {}", "the password is {}", "community={} please", 'key "{}"', "login with token '{}'"]
)
def test_a_secret_in_a_text_for_people_is_hidden(text: str) -> None:
    for secret in SECRETS:
        for line in (f"description {text.format(secret)}", f"banner motd\n{text.format(secret)}\nEOF"):
            assert secret not in hide_secrets(line), line
        assert secret not in hide_secrets(text.format(secret), is_free=True)


def test_a_reference_is_no_secret_and_hides_none() -> None:
    assert is_reference("7 @fabricgen-secret:env:KEY@")
    assert not is_reference("@fabricgen-secret:env:KEY@ hunter2")
    assert hide_secrets("x @fabricgen-secret:env:KEY@ password hunter2").endswith("password (not shown)")
