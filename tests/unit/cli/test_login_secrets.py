"""Secrets of a login: found where a reference leads, and never repeated."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from fabricgen.cli.collect_login import look_up_secret

SECRET = "hunter2-öf-the-api"


def refuse(reference: str) -> str:
    """Return the message of a reference that leads nowhere."""
    with pytest.raises(typer.BadParameter) as raised:
        look_up_secret(reference, "--password")
    return raised.value.message


def test_a_secret_is_in_the_environment_a_private_file_or_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FABRIC_PASSWORD", SECRET)
    file = tmp_path / "a secret"
    file.write_text(f"{SECRET}\n", encoding="utf-8")
    file.chmod(0o600)
    assert look_up_secret("env:FABRIC_PASSWORD", "--password") == SECRET
    assert look_up_secret(f"file:{file}", "--password") == SECRET
    assert look_up_secret(f"command:cat '{file}'", "--password") == SECRET
    assert look_up_secret("", "--password") is None


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644])
def test_a_file_that_others_may_read_is_refused(mode: int, tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text(SECRET, encoding="utf-8")
    file.chmod(mode)
    message = refuse(f"file:{file}")
    assert f"mode {mode:04o}" in message
    assert SECRET not in message


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        (SECRET, "give env:NAME, file:PATH or command:PROGRAM"),
        (f"secret:{SECRET}", "give env:NAME, file:PATH or command:PROGRAM"),
        ("env:", "give env:NAME, file:PATH or command:PROGRAM"),
        ("env:a b", "give env:NAME"),
        ("env:NOT_SET_AT_ALL", "NOT_SET_AT_ALL is not set"),
        ("file:/", "is a directory"),
        ("file:/no/file", "does not exist"),
        ("command:false", "false ended with status 1"),
        ("command:true", "is empty"),
        ("command:/no/program", "cannot be run"),
        ("command:printf '\\377'", "is not UTF-8"),
        ("command:'", "No closing quotation"),
    ],
)
def test_a_reference_that_leads_nowhere_says_why(reference: str, words: str) -> None:
    message = refuse(reference)
    assert words in message
    assert SECRET not in message
