"""The page on sizing: its commands run, and print what it shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from tests.command_line import REPOSITORY, run

PAGE = (REPOSITORY / "docs/size.md").read_text(encoding="utf-8")
COMMANDS = [line for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.M | re.S) for line in block.splitlines()]
SHOWN = [line.strip() for block in re.findall(r"^```text\n(.*?)^```", PAGE, re.M | re.S) for line in block.splitlines()]


def test_every_command_of_the_page_works_and_prints_what_it_shows(tmp_path: Path) -> None:
    printed = []
    refused = ["fabricgen size --gpus 512 --server dgx_h100_8 --switch nvidia_sn3700 --platform sonic"]
    for command in [*COMMANDS, *refused]:
        program, *words = shlex.split(command)
        assert program == "fabricgen"
        done = run(*words, cwd=tmp_path)
        assert done.returncode == (1 if command in refused else 0), f"{command}\n{done.stderr}"
        assert "info" not in done.stderr, f"{command}\n{done.stderr}"
        printed += [line.strip() for line in f"{done.stdout}\n{done.stderr}".splitlines()]
    assert SHOWN
    assert not [line for line in SHOWN if line not in printed]


def test_every_option_of_the_page_exists() -> None:
    known = run("size", "--help").stdout + run("init", "--help").stdout + run("catalog", "--help").stdout
    for option in set(re.findall(r"`(--[a-z-]+)", PAGE)):
        assert option in known, option
