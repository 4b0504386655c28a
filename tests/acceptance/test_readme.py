"""The commands of the README run as they stand there."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.acceptance.run import REPOSITORY

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def commands() -> list[str]:
    """Every command of the shell blocks without its comment; what make does is up to continuous integration."""
    lines = [line for block in BLOCKS for line in block.splitlines()]
    found = [" ".join(shlex.split(line, comments=True)) for line in lines]
    return [command for command in found if command and not command.startswith("make ")]


@dataclass(frozen=True)
class Walk:
    """A working folder in which the commands have run, and how each ended."""

    folder: Path
    ended: dict[str, subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    """The commands, one after the other, with ``fabricgen`` on the path."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / "bin").mkdir()
    (folder / "work").mkdir()
    shim = folder / "bin" / "fabricgen"
    source, python = shlex.quote(str(REPOSITORY)), shlex.quote(sys.executable)
    shim.write_text(f'#!/bin/sh\nPYTHONPATH={source} exec {python} -m fabricgen "$@"\n')
    shim.chmod(0o755)
    env = {**os.environ, "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    return Walk(
        folder / "work",
        {
            command: subprocess.run(
                ["sh", "-c", command], cwd=folder / "work", env=env, capture_output=True, text=True, check=False
            )
            for command in commands()
        },
    )


def test_every_command_works(walk: Walk) -> None:
    assert {command.split()[1] for command in walk.ended} >= {"init", "validate", "show", "render", "explain"}
    for command, done in walk.ended.items():
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr
        assert done.stdout or command.split()[1] in ("validate", "render"), command


def test_the_tree_looks_as_it_is_drawn(walk: Walk) -> None:
    """Every path of the listing exists for some device, and a host has no more files than is promised."""
    drawn = [path for path in re.findall(r"^(out/\S+)", README, re.MULTILINE) if "…" not in path]
    assert len(drawn) >= 4
    for path in drawn:
        assert list(walk.folder.glob(path.replace("<name>", "*"))), path
    promised = re.search(r"at most (\w+) files per host", README)
    assert promised is not None
    most = NUMBERS.index(promised[1])
    for host in (walk.folder / "out/hosts").iterdir():
        assert len([path for path in host.rglob("*") if path.is_file()]) <= most
