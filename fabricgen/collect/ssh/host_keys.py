"""Host keys: known, unknown or changed; no key is ever accepted because it is new."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import asyncssh
from asyncssh.public_key import get_default_public_key_algs

from fabricgen.collect.fetch_codes import BAD_LOGIN, CHANGED_KEY, UNKNOWN_KEY
from fabricgen.collect.target import SSH_PORT, Failure
from fabricgen.files import Refused, read_file

_KNOWN_HOSTS_MAX_BYTES = 64 * 1024 * 1024


def load_known_hosts(files: Sequence[Path]) -> asyncssh.SSHKnownHosts:
    """Read the host keys that are known.

    Args:
        files: Files in the form of OpenSSH.

    Returns:
        The keys of all files.

    Raises:
        Failure: A file cannot be read.
    """
    texts = []
    for file in files:
        data = read_file(file, _KNOWN_HOSTS_MAX_BYTES)
        if isinstance(data, Refused):
            hint = f"add the keys of devices: ssh-keyscan ADDRESS >> {file}, then compare them with their own"
            raise Failure(BAD_LOGIN, f"{file}: {data.reason}", hint)
        texts.append(data.decode("utf-8", "replace"))
    try:
        return asyncssh.import_known_hosts("\n".join(texts))
    except ValueError as error:
        raise Failure(BAD_LOGIN, f"{files[0]} is no known_hosts file: {error}") from error


class Verifier(asyncssh.SSHClient):
    """Remembers the host key that was offered and is not trusted."""

    def __init__(self) -> None:
        """Start without a key."""
        self.offered: asyncssh.SSHKey | None = None
        self.peer = ""

    def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:
        """Refuse a key that is not among those that are known."""
        self.offered, self.peer = key, addr
        return False


def list_algorithms(known: asyncssh.SSHKnownHosts, host: str, port: int) -> Sequence[str]:
    """Return the kinds of host keys to ask for: those that are known first, then all others.

    The library alone would ask for known kinds only, and a device whose key is of another kind now would end the
    connection before it shows that key.

    Args:
        known: The keys that are known.
        host: Host the connection goes to.
        port: Its port.

    Returns:
        The kinds; none where no key is known, or where an authority signs keys.
    """
    keys, authorities = known.match(host, "", port)[:2]
    if authorities or not keys:
        return ()
    names = [name for key in keys for name in key.sig_algorithms] + get_default_public_key_algs()
    return [name.decode("ascii") for name in dict.fromkeys(names)]


def explain_key(known: asyncssh.SSHKnownHosts, host: str, port: int, verifier: Verifier) -> Failure:
    """Return the failure of a host key that is not trusted.

    Args:
        known: The keys that are known.
        host: Host the connection went to.
        port: Its port.
        verifier: Has the key that was offered; none if it is revoked.
    """
    trusted = [key for keys in known.match(host, verifier.peer, port)[:2] for key in keys]
    offered = verifier.offered
    found = f"{_name(offered)} {offered.get_fingerprint()}" if offered else "a key that is revoked"
    place = host if port == SSH_PORT else f"[{host}]:{port}"
    if trusted:
        expected = ", ".join(f"{_name(key)} {key.get_fingerprint()}" for key in trusted[:3])
        return Failure(CHANGED_KEY, f"its host key has changed: {found}; known is {expected}")
    port_option = "" if port == SSH_PORT else f"-p {port} "
    hint = (
        f"compare it with the device's own (ssh-keygen -lf of its public key), then add the key of {place}: "
        f"ssh-keyscan {port_option}{host} >> the file of --known-hosts"
    )
    return Failure(UNKNOWN_KEY, f"its host key {found} is not known", hint)


def _name(key: asyncssh.SSHKey) -> str:
    return key.get_algorithm()
