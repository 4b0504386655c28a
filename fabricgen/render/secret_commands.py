"""Secrets that the operator's own programs look up: ``sops`` and ``vault``, with the operator's own rights.

Nothing that a program prints is ever shown, its complaints included: they might hold what must not be told.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from shutil import which

from fabricgen.diagnostics import Bag
from fabricgen.render.tree.tree_codes import COMMAND_FAILED, NO_COMMAND, SECRET_VALUE

TIMEOUT_S = 30.0

_WORDS: Mapping[str, Callable[[str, str], Sequence[str]]] = {
    "sops": lambda file, key: ("--decrypt", "--extract", _sops_path(key), file),
    "vault": lambda path, key: ("kv", "get", f"-field={key}", path),
}
"""Arguments by scheme. Source: getsops/sops README, "Extract a sub-part of a document tree"; Vault CLI, `kv get`."""


def _sops_path(key: str) -> str:
    """A key such as ``snmp/community`` as sops names a place in a tree; a whole number is an item of a list."""
    return "".join(f"[{part if part.isdigit() else json.dumps(part)}]" for part in key.split("/"))


def run_secret_command(
    shown: str,
    scheme: str,
    place: tuple[str, str],
    environment: Mapping[str, str],
    bag: Bag,
    timeout_s: float = TIMEOUT_S,
) -> str | None:
    """Ask the program of a scheme for a value.

    Args:
        shown: The reference, for messages.
        scheme: ``sops`` or ``vault``; the program is called so.
        place: The file or path, and the key in it; neither begins with a dash.
        environment: Environment of the program; its ``PATH`` is where the program is looked for.
        bag: Takes diagnostics; none of them holds anything the program printed.
        timeout_s: How long it may take.

    Returns:
        The value; None with a diagnostic.
    """
    program = which(scheme, path=environment.get("PATH", ""))
    if program is None:
        bag.add(NO_COMMAND, f"{shown} cannot be resolved: no program {scheme} on the PATH")
        return None
    words = (program, *_WORDS[scheme](*place))
    try:
        printed = _run(words, environment, timeout_s)
    except TimeoutError:
        text = f"{shown} cannot be resolved: {scheme} did not end within {timeout_s:g} s"
        bag.add(COMMAND_FAILED, text)
        return None
    except OSError as error:
        reason = error.strerror or "it cannot be run"
        bag.add(COMMAND_FAILED, f"{shown} cannot be resolved: {program}: {reason}")
        return None
    if isinstance(printed, int):
        text = f"{shown} cannot be resolved: {scheme} ended with status {printed}"
        bag.add(COMMAND_FAILED, text)
        return None
    try:
        return printed.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        bag.add(SECRET_VALUE, f"the value of {shown} is refused: it is not UTF-8")
        return None


def _run(words: Sequence[str], environment: Mapping[str, str], timeout_s: float) -> bytes | int:
    """Return what a program prints, or the status it fails with.

    After a time-out its output is closed rather than awaited: what it has started may hold the pipe open for ever.
    """
    with subprocess.Popen(  # noqa: S603 - no shell; no argument that comes from the intent begins with a dash
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(environment)
    ) as process:
        try:
            printed, _ = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            process.kill()
            raise TimeoutError from None
    return process.returncode or printed
