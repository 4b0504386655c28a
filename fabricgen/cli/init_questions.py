"""Questions that a new inventory is sized by, on a terminal; an interruption leaves nothing behind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import typer

from fabricgen.cli import sizing_options as options
from fabricgen.cli.output import print_line

if TYPE_CHECKING:
    from fabricgen.sizing.ask import Option, Shelf

_Answer = TypeVar("_Answer")
_CHOICES = 6
"""Switches to choose from; the others are named with options."""


def ask_size(shelf: Shelf) -> Option:
    """Ask for GPUs, server, ratio and switch until they make a fabric.

    Args:
        shelf: The catalog.
    """
    from fabricgen.sizing.ask import SizingOptions, explain_refusal, gpu_servers, has_pci_map, read_count

    while True:
        gpus = _ask("How many GPUs?", "512", lambda text: read_count("--gpus", text))
        servers = gpu_servers(shelf)
        notes = ["" if has_pci_map(shelf.catalog.servers[name]) else "needs an asset list" for name in servers]
        server = _choose("Which server are they in?", servers, notes)
        ratio = _ask("Oversubscription of the leafs, downlinks to uplinks?", "1:1", _ratio)
        asked = SizingOptions(gpus=gpus, server=server, ratio=ratio)
        _, ranking = options.rank(asked, shelf)
        if ranking.options:
            return _choose_switch(ranking.options[:_CHOICES])
        for line in explain_refusal(asked, ranking):
            print_line(line, error=True)


def _choose_switch(found: Sequence[Option]) -> Option:
    names = [f"{option.size.boxes.leaf.id} with {option.size.boxes.platform}" for option in found]
    notes = [
        f"{option.size.switches} switches, {option.size.optics} optics"
        + (f"; remarks {', '.join(dict.fromkeys(item.code for item in option.remarks))}" if option.remarks else "")
        for option in found
    ]
    return found[names.index(_choose("Which switch, and which operating system?", names, notes))]


def _choose(question: str, names: Sequence[str], notes: Sequence[str]) -> str:
    """Ask for one of several names; its number does as well."""
    width = max(map(len, names))
    for number, (name, note) in enumerate(zip(names, notes, strict=True), 1):
        print_line(f"  {number:>2}  {name:<{width if note else 0}}{f'  {note}' if note else ''}", error=True)

    def pick(text: str) -> str:
        if text.isdecimal() and 1 <= int(text) <= len(names):
            return names[int(text) - 1]
        if text in names:
            return text
        raise ValueError(f"{text!r} is not in the list; answer with a number from 1 to {len(names)}.")

    return _ask(question, "1", pick)


def _ask(question: str, default: str, read: Callable[[str], _Answer]) -> _Answer:
    """Ask until the answer can be read."""
    while True:
        text = str(typer.prompt(question, default=default, err=True)).strip()
        try:
            return read(text)
        except ValueError as error:
            print_line(error, error=True)


def _ratio(text: str) -> str:
    from fabricgen.sizing.ask import read_ratio

    read_ratio("--ratio", text)
    return text
