"""Shell completion: verbs, options and their values, overlays, tiers and devices of the inventory that is named."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabricgen.cli.verb import COMPLETE
from fabricgen.diagnostics import Bag

if TYPE_CHECKING:
    from fabricgen.plan.model.fabric import FabricPlan

EXAMPLES = """\
fabricgen completion bash > ~/.fabricgen.bash
fabricgen completion zsh > ~/.zfunc/_fabricgen
fabricgen completion fish > ~/.config/fish/completions/fabricgen.fish"""
_ZSH_DEFINES = "compdef _fabricgen_completion fabricgen"
_ZSH_ANSWERS = f"""\
if [[ $funcstack[1] == _fabricgen ]]; then
  _fabricgen_completion
else
  {_ZSH_DEFINES}
fi"""
_SHOWN_MAX = 200
"""More names than this do not help to choose."""

Shell = StrEnum("Shell", "bash zsh fish")
"""Shells that can complete."""


def completion(shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="The shell.", show_default=False)]) -> None:
    """Print the completion script of a shell.

    Load it in the start-up file of the shell (. ~/.fabricgen.bash), or write it where the shell looks for completions.
    """
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    script = get_completion_script(prog_name="fabricgen", complete_var=COMPLETE, shell=shell.value)
    # zsh runs a file of its path of functions as the body of the function, at the first completion: it has to answer.
    print(script.replace(_ZSH_DEFINES, _ZSH_ANSWERS))


def answer_shell(app: typer.Typer) -> int:
    """Print completions for the words that the shell has put into the environment, and return the exit code."""
    from typer.completion import completion_init  # type: ignore[attr-defined]

    completion_init()
    try:
        app(prog_name="fabricgen", complete_var=COMPLETE)
    except SystemExit as done:
        sys.stdout.flush()
        return done.code if isinstance(done.code, int) else 0
    return 0


def complete_overlays(incomplete: str) -> list[str]:
    """Return the overlays of the inventory that begin like a word."""
    from fabricgen.compiler.compile import locate_intent

    folder = _inventory()
    found = locate_intent(folder)[0] / "overlays" if folder else Path(os.devnull)
    return _begin((path.stem for path in found.glob("*.yaml")), incomplete)


def complete_tiers(incomplete: str) -> list[str]:
    """Return the tiers and host groups of the inventory that begin like a word."""
    plan = _plan()
    return _begin([*(tier.name for tier in plan.tiers), *(row.name for row in plan.hosts)] if plan else [], incomplete)


def complete_devices(incomplete: str) -> list[str]:
    """Return the devices of the inventory that begin like a word."""
    plan = _plan()
    if plan is None:
        return []
    return _begin([*map(plan.device_name, plan.switches()), *map(plan.host_name, plan.all_hosts())], incomplete)


def _begin(names: Iterable[str], word: str) -> list[str]:
    return sorted({name for name in names if name.startswith(word)})[:_SHOWN_MAX]


def _inventory() -> Path | None:
    """Return the inventory among the words of the command line, which the shell hands over in the environment."""
    words = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS") or ""
    named = (Path(word).expanduser() for word in _split(words)[2:])
    return next((path for path in named if path.name == "fabric.yaml" or (path / "fabric.yaml").is_file()), None)


def _split(words: str) -> list[str]:
    """Split words as a shell does; a quotation mark may not be closed yet."""
    import shlex

    for closed in ("", '"', "'"):
        with suppress(ValueError):
            return shlex.split(words + closed)
    return words.split()


def _plan() -> FabricPlan | None:
    """Return the plan of the inventory that is named; None without one, or if it has faults that leave no plan."""
    from fabricgen.api import compile_inventory

    folder = _inventory()
    if folder is None or not folder.exists():
        return None
    compiled = compile_inventory(folder, (), Bag())
    return compiled.plan if compiled else None
