"""Help of every verb: plain words within the terminal's width, every option described, examples that can be run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from fabricgen.cli.app import app
from tests.command_line import REPOSITORY, run_here

INTERNAL = re.compile(r"<\w|\blist\[|\bNone\b|\bPath\b|\bStrEnum\b|int range|\bTrue\b|\bFalse\b|\w+\.\w+Option")
SHORT_MAX = 62
"""Longest first sentence that a list of verbs shows whole at 80 columns."""


def walk(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every verb and group with its words, the command line itself first."""
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from walk(below, (*path, name))


COMMANDS = dict(walk(typer.main.get_command(app)))
DEFAULTS = {path: command.default for path, command in COMMANDS.items() if getattr(command, "default", "")}
"""The verb of a group that is meant where none is named."""
VERBS = {path: command for path, command in COMMANDS.items() if not hasattr(command, "commands")}


@pytest.mark.parametrize("width", [80, 120])
def test_help_is_plain_and_within_the_width(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    widest = 0
    for path in COMMANDS:
        done = run_here(*path, "--help")
        assert (done.returncode, done.stderr) == (0, "")
        for line in done.stdout.splitlines():
            assert len(line) <= width, (path, line)
            assert not INTERNAL.search(line), (path, line)
            assert not line.endswith("...") or line.startswith("Usage:"), (path, line)
            widest = max(widest, len(line))
    assert widest > width - 10


def test_every_argument_and_option_is_described() -> None:
    for path, command in VERBS.items():
        text = "".join(run_here(*path, "--help").stdout.split())
        for param in command.params:
            assert re.match(r"[A-Z].*[a-z].*\.$", param.help or ""), (path, param.name)
            assert "".join(param.help.split()) in text
            for name in param.opts if param.param_type_name == "option" else []:
                assert name in text, (path, name)
        assert len(command.help.split("\n")[0]) <= SHORT_MAX, path


def test_every_verb_ends_with_examples_that_parse() -> None:
    for path, command in VERBS.items():
        lines = (command.epilog or "").splitlines()
        assert lines, f"{' '.join(path)}: its module has no EXAMPLES"
        help_text = run_here(*path, "--help").stdout
        assert help_text.endswith("Examples:\n" + "".join(f"  {line}\n" for line in lines))
        for line in lines:
            assert len(line) <= 76
            words = shlex.split(line.partition(" > ")[0])
            if path[-1] == DEFAULTS.get(path[:-1]):
                words.insert(len(path), path[-1])
            assert words[: 1 + len(path)] == ["fabricgen", *path]
            # An unknown option, or a value that an option does not take, is a usage error.
            command.make_context(" ".join(path), words[1 + len(path) :]).close()


@pytest.mark.parametrize(("word", "verb"), [("plan", "diff"), ("apply", "rollout"), ("validat", "validate")])
def test_a_verb_of_another_tool_is_answered_with_ours(word: str, verb: str) -> None:
    assert f"Did you mean '{verb}'?" in run_here(word, "x").exits(2).stderr


def test_what_needs_no_action_is_shown_by_show_alone() -> None:
    shown = {
        words: run_here(words[0], "inventories/quickstart", *words[1:], cwd=REPOSITORY).exits(0)
        for words in (("validate",), ("validate", "--format", "json"), ("show", "summary"), ("show", "devices"))
    }
    found = {words: "FG-PLT-020" in done.stderr + done.stdout for words, done in shown.items()}
    assert list(found.values()) == [False, True, True, False]
