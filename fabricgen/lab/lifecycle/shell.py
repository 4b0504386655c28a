"""A shell on a device of a lab."""

from __future__ import annotations

import shlex

from fabricgen.lab.lifecycle.boot import enter, vtysh
from fabricgen.lab.lifecycle.state import device_folder
from fabricgen.lab.model.blueprint import Blueprint, Node

_SHELL = """
vtysh() {{ command {vtysh} "$@"; }}
lldpcli() {{ command lldpcli -u {socket} "$@"; }}
"""


def shell_functions(blueprint: Blueprint, node: Node) -> str:
    """Return shell functions by which ``vtysh`` and ``lldpcli`` talk to the daemons of a device."""
    socket = device_folder(blueprint.lab, node.name) / "lldpd.socket"
    return _SHELL.format(vtysh=shlex.join(vtysh(blueprint, node.name)), socket=shlex.quote(str(socket)))


def shell_command(blueprint: Blueprint, node: Node, command: list[str]) -> list[str]:
    """The command that runs a shell, or one command, on a device.

    There ``vtysh`` and ``lldpcli`` talk to the daemons of the device.
    """
    folder = device_folder(blueprint.lab, node.name)
    prompt = f"PS1='{node.name}# '"
    start = shell_functions(blueprint, node)
    if command:
        words = ["sh", "-c", f'{start}\n"$@"', node.name, *command]
    else:
        (folder / "shell.rc").write_text(f"{start}{prompt}\n")
        words = ["bash", "--rcfile", str(folder / "shell.rc"), "-i"]
    return enter(blueprint, node, words)
