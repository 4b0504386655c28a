"""``fabricgen init``: a new inventory, from a size, from questions or from a blueprint."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from fabricgen.cli import sizing_options as options
from fabricgen.cli.options import CatalogOption, argument, flag, option
from fabricgen.cli.output import DataFormat, fail, print_diagnostics, print_line
from fabricgen.diagnostics import Bag

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabricgen.sizing.ask import Option, Shelf


EXAMPLES = """\
fabricgen init my-fabric --gpus 512 --server dgx_h100_8
fabricgen init my-fabric --blueprint rail-1k
fabricgen init --list"""
_QUICKSTART = "quickstart"


def init(
    context: typer.Context,
    folder: Annotated[Path | None, argument("[DIR]", "Folder to create.")] = None,
    blueprint: Annotated[
        str | None, option("--blueprint", "NAME", "Start from an inventory that ships with fabricgen.")
    ] = None,
    list_all: Annotated[bool, flag("--list", "List the blueprints and end.")] = False,
    gpus: options.GpusOption = None,
    server: options.ServerOption = None,
    nic: options.NicOption = None,
    switch: options.SwitchOption = None,
    platform: options.PlatformOption = None,
    ratio: options.RatioOption = "1:1",
    cable: options.CableOption = None,
    catalog: CatalogOption = None,
) -> None:
    """Start a new inventory.

    From --gpus and --server, from a blueprint, or on a terminal from questions.
    """
    from fabricgen.api.init import describe_blueprints
    from fabricgen.cli.output import print_rows

    if list_all:
        print_rows([dict(row) for row in describe_blueprints()], DataFormat.table, whole=True)
        return
    if folder is None:
        raise typer.BadParameter("which folder? For example: fabricgen init my-fabric --gpus 512.", param_hint="'DIR'")
    _check(folder)
    sized = _list_sizes(context.params)
    if blueprint is not None and sized:
        message = f"a blueprint has its own size; leave out {' and '.join(sized)}, or the blueprint."
        raise typer.BadParameter(message, param_hint="'--blueprint'")
    asks = blueprint is None and not sized and sys.stdin.isatty() and sys.stdout.isatty()
    if blueprint is not None or not (sized or asks):
        _copy(folder, blueprint or _QUICKSTART)
        return

    shelf = options.load_records(catalog or ())
    if asks:
        write_option(folder, ask_size(shelf))
        return
    _size(folder, context.params, shelf)


def _list_sizes(given: Mapping[str, Any]) -> list[str]:
    """Return the options of a size that have a value."""
    return [f"--{name}" for name in ("gpus", "server", "nic", "switch", "platform", "cable") if given[name]]


def _check(folder: Path) -> None:
    from fabricgen.api.init import check_folder

    bag = Bag()
    if not check_folder(folder, bag):
        fail(bag)


def _size(folder: Path, given: Mapping[str, Any], shelf: Shelf) -> None:
    """Write the inventory of the best fabric that meets the options."""
    if given["gpus"] is None:
        raise typer.BadParameter("how many GPUs? For example --gpus 512.", param_hint="'--gpus'")
    asked = options.read_asked(given)
    _, ranking = options.rank(asked, shelf, alternatives=False)
    write_option(folder, options.best_option(asked, ranking))


def _copy(folder: Path, blueprint: str) -> None:
    from fabricgen.api.init import create_inventory

    bag = Bag()
    _report(folder, create_inventory(folder, blueprint, bag), print_diagnostics(bag))


def write_option(folder: Path, best: Option) -> None:
    """Write the inventory of a sized fabric; what it is goes to stderr, and what is left to do."""
    from fabricgen.api.init import write_sized
    from fabricgen.tables.size import left_to_do, notes, summary

    bag, size = Bag(), best.size
    written = write_sized(folder, size, bag)
    failed = print_diagnostics(bag)
    if not failed:
        for line in (summary(size), *notes(size.request, size), *left_to_do(best)):
            print_line(line, error=True)
    _report(folder, written, failed)


def _report(folder: Path, written: list[Path], failed: bool) -> None:
    """Name what was written, and what to do next."""
    if failed:
        raise typer.Exit(1)
    for path in written:
        print_line(path)
    print_line(f"Next: fabricgen validate {folder}", error=True)


_Answer = TypeVar("_Answer")
_CHOICES = 6
"""Switches to choose from; the others are named with options."""


def ask_size(shelf: Shelf) -> Option:
    """Ask for GPUs, server, ratio and switch until they make a fabric."""
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
        if text.isascii() and text.isdecimal() and 1 <= int(text) <= len(names):
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
