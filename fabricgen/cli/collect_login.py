"""Login of ``fabricgen collect``: names, files and references of the command line, and what the environment adds."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer

from fabricgen.cli.login_secrets import look_up_secret

if TYPE_CHECKING:
    from fabricgen.collect.target import Login


class LoginWords(NamedTuple):
    """Login as the command line has it.

    Attributes:
        user: Name; that of the one who runs the command if empty.
        known_hosts: Files with host keys; the user's own if None.
        keys: Private keys.
        passphrase: Reference to what opens them.
        password: Reference to the login's password.
        jumps: Jump hosts, a comma between them.
        pins: Files with fingerprints of certificates.
        authorities: Files with certificates of authorities.
        sudo: Commands that need root begin with ``sudo -n``.
    """

    user: str
    known_hosts: Sequence[Path] | None
    keys: Sequence[Path] | None
    passphrase: str
    password: str
    jumps: str
    pins: Sequence[Path] | None
    authorities: Sequence[Path] | None
    sudo: bool


def build_login(words: LoginWords) -> Login:
    """Return who logs in.

    Args:
        words: What the command line says.

    Raises:
        typer.BadParameter: A reference or a jump host is none.
    """
    from fabricgen.collect.target import Login

    return Login(
        words.user or _own_name(),
        tuple(words.known_hosts or [Path.home() / ".ssh" / "known_hosts"]),
        tuple(words.keys or ()),
        os.environ.get("SSH_AUTH_SOCK", ""),
        look_up_secret(words.passphrase, "--passphrase"),
        look_up_secret(words.password, "--password"),
        tuple(_parse_jump(text) for text in words.jumps.split(",") if text),
        words.sudo,
        tuple(words.pins or ()),
        tuple(words.authorities or ()),
    )


def _own_name() -> str:
    import getpass

    return getpass.getuser()


def _parse_jump(text: str) -> tuple[str, str, int]:
    """Return user, host and port of a jump host."""
    from fabricgen.collect.addresses import parse_address
    from fabricgen.collect.target import SSH_PORT

    user, _, place = text.strip().rpartition("@")
    address = parse_address(place)
    if address is None:
        raise typer.BadParameter(f"{text!r} is no [USER@]HOST[:PORT]", param_hint="'--jump'")
    return user, address.host, address.port or SSH_PORT


def parse_ways(texts: Sequence[str]) -> dict[str, int]:
    """Return ways to devices with their TCP ports, 0 for the usual one.

    Args:
        texts: ``eapi``, ``nvue`` or ``ssh``, each with ``:PORT`` behind it or without.

    Raises:
        typer.BadParameter: One is no way.
    """
    from fabricgen.collect.target import PORTS

    found = {}
    for text in texts:
        name, _, port = text.partition(":")
        if name == "gnmi":
            raise typer.BadParameter(
                "SONiC's gNMI does not give frr.conf, half of its configuration; leave --via out, ssh gives both",
                param_hint="'--via'",
            )
        if name not in PORTS or (port and not (port.isdecimal() and 0 < int(port) < 65536)):
            raise typer.BadParameter(f"{text!r} is none of {', '.join(PORTS)}, or no NAME:PORT", param_hint="'--via'")
        found[name] = int(port or 0)
    return found
