"""Every option of every verb with a wrong value: words of fabricgen, none of the libraries that read it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from fabricgen.cli import app as command_line

WRONG = ("", "nonsense", "-1", "9" * 30, "1.5", "40%", "\udcff")
LIBRARIES = re.compile(
    r"Input should|Value error|pydantic|argparse|click|parse string|Traceback|internal error|NoneType"
)
VERBS = ("size", "init", "catalog", "show", "validate", "analyze", "render", "diff")


def _options() -> Iterator[tuple[str, str]]:
    group: Any = typer.main.get_command(command_line.app)
    for verb in VERBS:
        for param in group.commands[verb].params:
            if param.param_type_name == "option" and not param.is_flag and param.name != "help":
                yield verb, max(param.opts, key=len)


@pytest.mark.sampled(30, of="verb,option")
@pytest.mark.parametrize(("verb", "option"), list(_options()))
def test_a_wrong_value_is_told_in_words(
    verb: str, option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    place = {"init": ["new"], "size": [], "catalog": []}.get(verb, ["missing"])
    rest = {"size": ["--server", "dgx_h100_8"], "init": ["--server", "dgx_h100_8"], "diff": ["missing"]}.get(verb, [])
    for value in WRONG:
        monkeypatch.setattr(sys, "argv", ["fabricgen", verb, *place, *rest, f"{option}={value}"])
        code = command_line.main()
        said = capsys.readouterr()
        assert code in ((0, 1, 2) if verb == "catalog" else (1, 2)), (value, code)
        assert not LIBRARIES.search(said.err + said.out), (value, said.err)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["render", "x", "-o", "y", "--jobs", "two"], "'--jobs': 'two' is not a whole number."),
        (["render", "x", "-o", "y", "--jobs", "0"], "'--jobs': '0' is less than 1."),
        (["render", "x", "-o", "y", "--jobs", "999"], "'--jobs': '999' is more than 256."),
        (["show", "x", "tables"], "'tables' is not one of 'summary', 'devices',"),
        (["show", "links", "x"], " INVENTORY comes first, then links."),
        (["analyze", "failures", "x"], " INVENTORY comes first, then failures."),
        (["size", "--gpus", "", "--server", "dgx_h100_8"], "'--gpus': is empty; give a value, or leave the option"),
        (["init", "x", "--blueprint", ""], "'--blueprint': is empty"),
        (["render", "x", "-o", ""], "'-o': is empty; give a value"),
        (["render", "x", "--out="], "'--out': is empty"),
        (["validate", ""], "an argument: is empty"),
        (["init", "x", "--platform", "eos"], "how many GPUs?"),
        (["size", "--gpus", "8", "--server", "h100"], "did you mean dgx_h100_8, dgx_h100_8_nvl256 or"),
        (["show", "summary"], "'INVENTORY': which inventory? For example: fabricgen show my-fabric summary"),
        (["validate"], "'INVENTORY': is missing. For example: fabricgen validate my-fabric"),
        (["render", "x"], "'-o / --out': is missing. For example: fabricgen render my-fabric -o out"),
        (["analyze", "x"], "'QUESTION': is missing; give one of buffers, capacity, deadlock, failures, entropy. For"),
    ],
)
def test_limits_and_choices_are_named(
    words: list[str], told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["fabricgen", *words])
    assert command_line.main() == 2
    assert told in capsys.readouterr().err
