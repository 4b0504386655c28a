"""Login of ``fabricgen collect``: names, files and references of the command line, and what the environment adds.

Secrets are references: an environment variable, a private file, or a command of the user's own. A value that is no
reference is not repeated in a message: it may be the secret itself.
"""

from __future__ import annotations

import os
import re
import shlex
import stat
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from fabricgen.files import Refused, open_file, read_file

if TYPE_CHECKING:
    from fabricgen.collect.target import Login


def build_login(
    user: str,
    known_hosts: Sequence[Path] | None,
    keys: Sequence[Path] | None,
    passphrase: str,
    password: str,
    jumps: str,
    *,
    pins: Sequence[Path] | None,
    authorities: Sequence[Path] | None,
    sudo: bool,
) -> Login:
    """Return who logs in, from the words of the command line.

    An empty ``user`` is the one who runs the command, no ``known_hosts`` are the user's own. ``passphrase`` and
    ``password`` are references, ``jumps`` has commas between hosts, ``pins`` and ``authorities`` are files with
    fingerprints and certificates. With ``sudo``, commands that need root begin with ``sudo -n``.
    """
    from getpass import getuser

    from fabricgen.collect.target import Login

    return Login(
        user or getuser(),
        tuple(known_hosts or [Path.home() / ".ssh" / "known_hosts"]),
        tuple(keys or ()),
        os.environ.get("SSH_AUTH_SOCK", ""),
        look_up_secret(passphrase, "--passphrase"),
        look_up_secret(password, "--password"),
        tuple(_parse_jump(text) for text in jumps.split(",") if text),
        sudo,
        tuple(pins or ()),
        tuple(authorities or ()),
    )


def _parse_jump(text: str) -> tuple[str, str, int]:
    """Return user, host and port of a jump host."""
    from fabricgen.collect.target import SSH_PORT
    from fabricgen.collect.targets import parse_address

    user, _, place = text.strip().rpartition("@")
    address = parse_address(place)
    if address is None:
        raise typer.BadParameter(f"{text!r} is no [USER@]HOST[:PORT]", param_hint="'--jump'")
    return user, address.host, address.port or SSH_PORT


def parse_ways(texts: Sequence[str]) -> dict[str, int]:
    """Return ways, ``eapi``, ``nvue`` or ``ssh``, each with the TCP port that ``:PORT`` gives; 0 for the usual one."""
    from fabricgen.collect.target import PORTS

    found = {}
    for text in texts:
        name, _, port = text.partition(":")
        if name == "gnmi":
            raise typer.BadParameter(
                "SONiC's gNMI does not give frr.conf, half of its configuration; leave --via out, ssh gives both",
                param_hint="'--via'",
            )
        if name not in PORTS or (port and not (port.isascii() and port.isdecimal() and 0 < int(port) < 65536)):
            raise typer.BadParameter(f"{text!r} is none of {', '.join(PORTS)}, or no NAME:PORT", param_hint="'--via'")
        found[name] = int(port or 0)
    return found


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FILE_MAX_BYTES = 64 * 1024
_COMMAND_S = 60


def look_up_secret(reference: str, option: str) -> str | None:
    """Return the secret of a reference, ``env:NAME``, ``file:PATH`` or ``command:PROGRAM ARGUMENT…``; None if empty.

    Raises BadParameter, with the name of the option, if the reference is wrong, or its secret empty or out of reach.
    """
    if not reference:
        return None
    scheme, _, place = reference.partition(":")
    read = {"env": _read_variable, "file": _read_private_file, "command": _ask_command}.get(scheme)
    if read is None or not place:
        raise typer.BadParameter("give env:NAME, file:PATH or command:PROGRAM", param_hint=f"'{option}'")
    try:
        found = read(place)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint=f"'{option}'") from None
    if not found:
        raise typer.BadParameter(f"the secret of {scheme}:{place} is empty", param_hint=f"'{option}'")
    return found


def _read_variable(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError("give env:NAME, the environment variable that holds it")
    if name not in os.environ:
        raise ValueError(f"the environment variable {name} is not set")
    return os.environ[name]


def _read_private_file(path: str) -> str:
    opened = open_file(path)
    if isinstance(opened, Refused):
        raise ValueError(f"{path} {opened.reason}")
    try:
        mode = stat.S_IMODE(os.fstat(opened).st_mode)
    finally:
        os.close(opened)
    if mode & 0o077:
        raise ValueError(f"{path} has mode {mode:04o}, so that others may read it; run chmod 600 on it")
    data = read_file(path, _FILE_MAX_BYTES)
    if isinstance(data, Refused):
        raise ValueError(f"{path} {data.reason}")
    return _decode(data, path)


def _ask_command(line: str) -> str:
    """Return what a program prints, without a shell; what it prints besides is the user's own terminal's."""
    words = shlex.split(line)
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=_COMMAND_S, check=False)  # noqa: S603 - the user's own command
    except subprocess.TimeoutExpired:
        raise ValueError(f"{words[0]} did not end within {_COMMAND_S} s") from None
    except OSError as error:
        raise ValueError(f"{words[0]} cannot be run: {error.strerror}") from None
    if done.returncode:
        raise ValueError(f"{words[0]} ended with status {done.returncode}")
    return _decode(done.stdout, words[0])


def _decode(data: bytes, place: str) -> str:
    """Return a secret without the end of its line."""
    try:
        return data.decode("utf-8").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise ValueError(f"the secret of {place} is not UTF-8") from None
