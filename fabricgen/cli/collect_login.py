"""Login of ``fabricgen collect``: names, files and references of the command line, and what the environment adds."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from fabricgen.collect.target import Login

_REFERENCE = re.compile(r"env:([A-Za-z_][A-Za-z0-9_]*)")


def build_login(
    user: str,
    known_hosts: Sequence[Path] | None,
    keys: Sequence[Path] | None,
    passphrase: str,
    password: str,
    jumps: str,
    *,
    sudo: bool,
) -> Login:
    """Return who logs in.

    Args:
        user: Name; that of the one who runs the command if empty.
        known_hosts: Files with host keys; the user's own if None.
        keys: Private keys.
        passphrase: Reference to what opens them.
        password: Reference to the login's password.
        jumps: Jump hosts, a comma between them.
        sudo: Commands that need root begin with ``sudo -n``.

    Raises:
        typer.BadParameter: A reference or a jump host is none.
    """
    from fabricgen.collect.target import Login

    return Login(
        user or _own_name(),
        tuple(known_hosts or [Path.home() / ".ssh" / "known_hosts"]),
        tuple(keys or ()),
        os.environ.get("SSH_AUTH_SOCK", ""),
        _look_up(passphrase, "--passphrase"),
        _look_up(password, "--password"),
        tuple(_parse_jump(text) for text in jumps.split(",") if text),
        sudo,
    )


def _own_name() -> str:
    import getpass

    return getpass.getuser()


def _look_up(reference: str, name: str) -> str | None:
    """Return the secret of a reference; a value that is none is not repeated, it may be the secret itself."""
    if not reference:
        return None
    found = _REFERENCE.fullmatch(reference)
    if found is None:
        raise typer.BadParameter("give env:NAME, the environment variable that holds it", param_hint=f"'{name}'")
    value = os.environ.get(found[1])
    if not value:
        raise typer.BadParameter(f"the environment variable {found[1]} is not set", param_hint=f"'{name}'")
    return value


def _parse_jump(text: str) -> tuple[str, str, int]:
    """Return user, host and port of a jump host."""
    from fabricgen.api.collection.addresses import parse_address
    from fabricgen.collect.target import SSH_PORT

    user, _, place = text.strip().rpartition("@")
    address = parse_address(place)
    if address is None:
        raise typer.BadParameter(f"{text!r} is no [USER@]HOST[:PORT]", param_hint="'--jump'")
    return user, address.host, address.port or SSH_PORT
