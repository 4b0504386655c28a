"""Completion in real shells, from the scripts that are printed for them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.acceptance.run import INVENTORIES, succeed
from tests.command_line import write_program
from tests.waiting import PATIENCE_S

QUICKSTART = str(INVENTORIES / "quickstart")
ASKED = {
    "fabricgen sch": {"schema"},
    "fabricgen show --form": {"--format"},
    f"fabricgen show {QUICKSTART} devices --format ": {"table", "json", "csv"},
    f"fabricgen show {QUICKSTART} ca": {"cabling"},
    f"fabricgen show {QUICKSTART} devices --tier s": {"spine"},
    f"fabricgen show {QUICKSTART} devices --device leaf-u001": {"leaf-u001-r0", "leaf-u001-r4"},
    f"fabricgen validate {QUICKSTART} --overlay mixed": {"mixed", "mixed-fboss"},
}
COMPLETE = """
source "$1"
COMP_WORDS=($2)
[ "${2% }" != "$2" ] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_fabricgen_completion fabricgen
printf '%s\\n' "${COMPREPLY[@]}"
"""


ZSH = r"""
zmodload zsh/zpty
before=$1 after=$2 said=$3
shift 3
zpty z zsh -f -i
zpty -w z "$before; autoload -Uz compinit; compinit -u -d $said.dump; $after"
zpty -w z "try() { zle expand-or-complete; print -r -- \"\$BUFFER\" >> $said; BUFFER= }; zle -N try; bindkey ^T try"
for words in "$@"; do
  number=$(wc -l < $said)
  zpty -w -n z "$words"$'\x14'
  repeat 300; do [[ $(wc -l < $said) == $number ]] && sleep 0.1 || break; done
done
"""
"""Type words into an interactive zsh, complete them, and write down the line that it makes of them."""


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the command, the scripts that complete it, and an inventory whose path has a blank."""
    folder = tmp_path_factory.mktemp("completion")
    write_program(folder)
    (folder / "functions").mkdir()
    for shell, name in (("bash", "c.bash"), ("zsh", "functions/_fabricgen"), ("fish", "c.fish")):
        (folder / name).write_text(succeed("completion", shell))
    shutil.copytree(QUICKSTART, folder / "my fabric")
    return folder


def _shell(folder: Path, name: str, *words: str) -> str:
    """Output of a shell that finds the command."""
    program = shutil.which(name)
    if program is None:
        missing = pytest.fail if os.environ.get("CI") else pytest.skip
        missing(f"{name} is missing")
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "TERM": "dumb"}
    done = subprocess.run(
        [program, *words], env=environment, cwd=folder, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), words
    return done.stdout


a_shell = pytest.mark.nightly


@a_shell
def test_bash_completes_verbs_options_and_values(command: Path) -> None:
    for words, wanted in ASKED.items():
        printed = _shell(command, "bash", "--norc", "-c", COMPLETE, "bash", str(command / "c.bash"), words)
        assert set(printed.split()) == wanted, words


@a_shell
def test_fish_completes_verbs_options_and_values(command: Path) -> None:
    lines = [f"source {command / 'c.fish'}"]
    for words in ASKED:
        lines += [f"complete -C '{words}'", "echo ==="]
    printed = _shell(command, "fish", "--no-config", "-c", "\n".join(lines)).split("===\n")
    for answer, (words, wanted) in zip(printed, ASKED.items(), strict=False):
        assert {line.partition("\t")[0] for line in answer.splitlines()} == wanted, words


@pytest.mark.parametrize("how", ["sourced", "autoloaded"])
def test_zsh_completes_from_the_first_time_on(how: str, command: Path) -> None:
    functions = command / "functions"
    before = f"fpath=({functions} $fpath)" if how == "autoloaded" else ":"
    after = f"source {functions}/_fabricgen" if how == "sourced" else ":"
    typed = {
        "fabricgen sch": "fabricgen schema ",
        "fabricgen val": "fabricgen validate ",
        f"fabricgen show {QUICKSTART} ca": f"fabricgen show {QUICKSTART} cabling ",
        r"fabricgen show my\ fabric devices --tier sp": r"fabricgen show my\ fabric devices --tier spine ",
    }
    said = command / how
    said.touch()
    _shell(command, "zsh", "-f", "-c", ZSH, "zsh", before, after, str(said), *typed)
    assert [line.rstrip() for line in said.read_text().splitlines()] == [line.rstrip() for line in typed.values()]


@a_shell
def test_a_path_with_a_blank_is_read_as_the_shell_quotes_it(command: Path) -> None:
    for quoted in (r"my\ fabric", '"my fabric"'):
        words = f"fabricgen show {quoted} devices --tier s"
        assert _shell(command, "fish", "--no-config", "-c", f"source c.fish; complete -C '{words}'") == "spine\n", words
