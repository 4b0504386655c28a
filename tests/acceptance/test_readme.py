"""The commands of the README and of every page run as they stand there."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fabricgen.cli.app import app
from tests.command_line import REPOSITORY, Done, run, write_program

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
SHELL = re.compile(r"^ *```sh\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
PAGES = sorted((*REPOSITORY.glob("docs/**/*.md"), *REPOSITORY.glob("examples/**/*.md")))
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")


def commands() -> list[str]:
    """Every command of the README's shell blocks without its comment; continuous integration runs make."""
    return [command for command in lines_of(README) if not command.startswith("make ")]


def lines_of(page: str) -> list[str]:
    """Every command of a page's shell blocks without its comment."""
    lines = [x for block in SHELL.findall(page) for x in block.splitlines() if re.match(r" *(fabricgen|make) ", x)]
    found = [shlex.join(shlex.split(line, comments=True)) for line in lines]
    return [command for command in found if command]


def of_pages() -> list[str]:
    """Commands on other pages on the README's inventory, but labs; placeholders and revisions are parsed only."""
    every = [command for page in PAGES for command in lines_of(page.read_text(encoding="utf-8"))]
    ours = [command for command in every if re.match(r"fabricgen (?!lab )", command)]
    return [command for command in ours if not re.search(r"\b[A-Z]{3,}\b| main:", command)]


@dataclass(frozen=True)
class Walk:
    """A working folder in which the commands have run, and how each ended."""

    folder: Path
    ended: dict[str, Done]


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    """The commands, one after the other: those of the README in a shell with ``fabricgen`` on its path."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / "bin").mkdir()
    (folder / "work").mkdir()
    write_program(folder / "bin")
    env = {"TACACS_KEY": "of-the-test", "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    ended = {command: in_shell(command, folder / "work", env) for command in commands()}
    for command in of_pages():
        if command not in ended:
            ended[command] = run(*shlex.split(command)[1:], cwd=folder / "work", env=env)
    return Walk(folder / "work", ended)


def in_shell(command: str, folder: Path, env: dict[str, str]) -> Done:
    words = ["sh", "-c", command]
    done = subprocess.run(words, cwd=folder, env={**os.environ, **env}, capture_output=True, text=True, check=False)
    return Done.of(done)


def test_every_command_works(walk: Walk) -> None:
    assert {command.split()[1] for command in walk.ended} >= {"init", "validate", "show", "render", "explain"}
    for command, done in walk.ended.items():
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr
        assert done.stdout or command.split()[1] in ("validate", "render", "diff", "rollout"), command


def test_every_command_exists() -> None:
    """Commands with placeholders, and those of the lab: the verb and all of its options are there."""
    pages = [README, *(page.read_text(encoding="utf-8") for page in PAGES)]
    every = {command for page in pages for command in lines_of(page) if command.startswith("fabricgen ")}
    runner = CliRunner()
    assert len(every) > 15
    for command in sorted(every):
        words = [word.strip("[]").partition("|")[0] for word in shlex.split(command.partition(" -- ")[0])][1:]
        done = runner.invoke(app, [*words, "--help"])
        assert done.exit_code == 0, f"{command}\n{done.output}"


def test_the_tree_looks_as_it_is_drawn(walk: Walk) -> None:
    """Every path of the listing exists for some device, and a host has no more files than is promised."""
    listing = README.partition("## What comes out")[2].partition("\n## ")[0]
    drawn = [path for path in re.findall(r"^(out/\S+)", listing, re.MULTILINE) if "…" not in path]
    assert len(drawn) >= 4
    for path in drawn:
        assert list(walk.folder.glob(path.replace("<name>", "*"))), path
    most = NUMBERS.index(re.search(r"at most (\w+) files per host", README)[1])
    for host in (walk.folder / "out/hosts").iterdir():
        assert len([path for path in host.rglob("*") if path.is_file()]) <= most
