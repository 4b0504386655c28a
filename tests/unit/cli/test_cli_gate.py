"""The gate before terminal and build log, by whatever way a text comes to it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fabricgen.cli import app, table
from fabricgen.cli.gate import Gate, gated


def passed(*texts: str, commands: bool = False) -> str:
    """Return what comes out behind the gate."""
    below = io.BytesIO()
    gate = Gate(io.TextIOWrapper(below, "utf-8"))
    for text in texts:
        gate.write_commands(text) if commands else gate.write(text)
    gate.flush()
    found = below.getvalue().decode()
    gate.detach()
    return found


def test_hidden_characters_are_written_out() -> None:
    assert passed("a\x1b[31mb\x1b]0;x\x07\r\t\x9b\u202e\ud800\n") == (
        "a\\x1b[31mb\\x1b]0;x\\x07\\r\\t\\x9b\\u202e\\ud800\n"
    )
    assert passed("Größe 日本 → 😀\n") == "Größe 日本 → 😀\n"


def test_colors_pass_where_they_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert passed("\x1b[1;31merror\x1b[0m \x1b[2J \x1b]8;;x\x07\n") == (
        "\x1b[1;31merror\x1b[0m \\x1b[2J \\x1b]8;;x\\x07\n"
    )
    monkeypatch.setenv("NO_COLOR", "1")
    assert passed("\x1b[31m") == "\\x1b[31m"


def test_build_servers_find_no_command() -> None:
    assert passed("::error::x\n  ::add-mask::y\n") == "\\x3a:error::x\n  \\x3a:add-mask::y\n"
    assert passed("::err", "or::x\n") == "\\x3a:error::x\n"
    assert passed("a ", "::1 and ::2", "\n::1 32\n") == "a ::1 and ::2\n::1 32\n"
    assert passed("x ##[error]y ##vso[z] ## [a]\n") == "x #\\x23[error]y #\\x23vso[z] ## [a]\n"
    assert passed("::error title=x::##[y]\x1b\n", commands=True) == "::error title=x::#\\x23[y]\\x1b\n"


def test_what_is_printed_goes_through_it(capfd: pytest.CaptureFixture[str]) -> None:
    before = sys.stdout, sys.stderr
    with gated():
        sys.stdout.write("a\x1b")
        sys.stderr.write("b\u202e\n")
    assert (sys.stdout, sys.stderr) == before
    sys.stdout.write("c\n")
    assert capfd.readouterr() == ("a\\x1bc\n", "b\\u202e\n")


def test_a_usage_error_repeats_nothing_that_is_hidden(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["fabricgen", "show", "x", "--bo\x1b[31m\u202eg"])
    assert app.main() == app.EXIT_USAGE
    assert "--bo\\x1b[31m\\u202eg" in capfd.readouterr().err


def test_cells_are_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    markup = "[red]x[/red] [link=http://x]y[/link] [/] :smile:"
    cells: table.Row = {"[bold]key[/bold]": markup, "b": "\x1b[31m\n", "c": 1}
    for whole in (False, True):
        table.print_table([cells, cells], whole=whole)
        printed = capsys.readouterr().out
        for text in ("[bold]key[/bold]", "[red]x[/red]", "[link=http://x]y[/link]", "[/]", ":smile:", "\\x1b[31m\\n"):
            assert text in printed
        assert "\x1b" not in printed


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_line_to_stderr_is_out_before_the_command_goes_on(unbuffered: str) -> None:
    program = (
        "import os, sys; from fabricgen.cli.gate import gated\n"
        "with gated():\n    print('cost', file=sys.stderr)\n    os._exit(0)\n"
    )
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, env=environment, check=True)
    assert done.stderr == b"cost\n"


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        ("show inventories/quickstart summary >&-", 0, ""),
        ("show inventories/quickstart summary >/dev/full", 1, "the output cannot be written: No space left on device"),
        ("--version >/dev/full", 1, "No space left on device"),
        ("validate inventories/quickstart <&- >&- 2>&-", 0, ""),
        ("validate inventories/nothing 2>/dev/full", 1, ""),
        ("diff inventories/quickstart inventories/rail-1k 2>/dev/null | true; exit ${PIPESTATUS[0]}", 3, ""),
        ("render inventories/quickstart -o $TREE <&- >&- 2>&-; ls $TREE/hosts $TREE/switches >/dev/null", 0, ""),
    ],
)
def test_lost_output_costs_the_output_only(words: str, code: int, error: str, tmp_path: Path) -> None:
    command = f"'{sys.executable}' -m fabricgen {words}"
    environment = {**os.environ, "TREE": str(tmp_path / "tree")}
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == code, done.stderr
    assert error in done.stderr
    assert "File " not in done.stderr


def test_a_folder_that_is_gone_is_no_internal_error(tmp_path: Path) -> None:
    command = f"rmdir '{tmp_path}'; '{sys.executable}' -m fabricgen diff a b"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
