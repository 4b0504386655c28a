"""Answers that show what a system has in effect of files: their trees as settings, one for each value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from fabricgen.platforms.observations.content import MisreadError, decode_text, refuse_nothing
from fabricgen.platforms.observations.records import Observation, Reader, Setting
from fabricgen.platforms.reading import netplan, settings_files, unit_files
from fabricgen.platforms.reading.reader import ReadFault, Tree


def list_settings(state: str, tree: Tree, above: str = "") -> Iterator[Setting]:
    """Yield each value of a tree.

    Args:
        state: State reading that shows it, or is to show it.
        tree: The tree.
        above: Path of the tree itself, with a separator at its end.
    """
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from list_settings(state, value, f"{above}{key} > ")
        elif value is not None:
            yield Setting(state, f"{above}{key}", _write(value))


def _write(value: Any) -> str:
    """Return a value as text; the order of a list's items and of their keys means nothing."""
    if isinstance(value, list):
        return ", ".join(sorted(map(_write, value))) or "none"
    if isinstance(value, dict):
        return " ".join(f"{key}={_write(below)}" for key, below in sorted(value.items()))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read(state: str, read: Callable[[str], Tree], data: bytes) -> list[Observation]:
    try:
        tree = read(decode_text(data))
    except ReadFault as fault:
        raise MisreadError(str(fault)) from None
    found: list[Observation] = [*list_settings(state, tree)]
    refuse_nothing(found, "setting")
    return found


def _read_parameters(text: str) -> Tree:
    return settings_files.read_merged(text, "", {})


def _read_network(text: str) -> Tree:
    tree = netplan.read(text)
    return tree if tree.keys() == {"network"} else {}


read_sysctl: Reader = partial(_read, "sysctl", _read_parameters)
"""Reads ``sysctl -a``: a line for each parameter, procps 4.0."""
read_netplan: Reader = partial(_read, "netplan", _read_network)
"""Reads ``netplan get``: YAML of all files together."""
read_units: Reader = partial(_read, "units", unit_files.read)
"""Reads ``systemctl cat``: a unit and its drop-ins, in the order in which systemd reads them."""
