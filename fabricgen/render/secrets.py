"""Secrets stay references until the last moment: find their tokens, resolve them, guard where they land.

The operator's own programs look some of them up, ``sops`` and ``vault``, with the operator's own rights. Nothing that a
program prints is ever shown, its complaints included: they might hold what must not be told.
"""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from shutil import which
from typing import Literal, NamedTuple

from fabricgen.diagnostics import Bag
from fabricgen.files import Refused, kind_of, read_file
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.render import render_codes
from fabricgen.render.tree.filesystem import Filesystem, make_folders, report_os_error, status_or_none

TIMEOUT_S = 30.0

_WORDS: Mapping[str, Callable[[str, str], Sequence[str]]] = {
    "sops": lambda file, key: ("--decrypt", "--extract", _sops_path(key), file),
    "vault": lambda path, key: ("kv", "get", f"-field={key}", path),
}
"""Arguments by scheme. Source: getsops/sops README, "Extract a sub-part of a document tree"; Vault CLI, `kv get`."""
_OPENING = b"@fabricgen-secret:"
# The key may hold no character that JSON, YAML, XML or a shell would escape or split.
_TOKEN = re.compile(rb"@fabricgen-secret:([a-z][a-z0-9]{0,15}):([A-Za-z0-9_./#:=,+%\[\]~-]{1,250})@")
_UNSAFE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_UNSAFE_IN_TEXT = frozenset("\"'`\\")
_PRIVATE = 0o700
_FILE_MAX_BYTES = 1 << 16
"""No secret of a device is longer."""


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
    """Ask the program of a scheme, ``sops`` or ``vault``, for a value; None with a diagnostic, which shows no output.

    ``shown`` is the reference in messages, ``place`` the file or path, and the key in it; neither begins with a dash.
    The program is looked for in the ``PATH`` of ``environment``.
    """
    program = which(scheme, path=environment.get("PATH", ""))
    if program is None:
        bag.add(render_codes.NO_COMMAND, f"{shown} cannot be resolved: no program {scheme} on the PATH")
        return None
    try:
        printed = _run((program, *_WORDS[scheme](*place)), environment, timeout_s)
        reason = f"{scheme} ended with status {printed}" if isinstance(printed, int) else ""
    except TimeoutError:
        reason = f"{scheme} did not end within {timeout_s:g} s"
    except OSError as error:
        reason = f"{program}: {error.strerror or 'it cannot be run'}"
    if reason or isinstance(printed, int):
        bag.add(render_codes.COMMAND_FAILED, f"{shown} cannot be resolved: {reason}")
        return None
    return _decode(printed, shown, bag)


def _decode(value: bytes, shown: str, bag: Bag) -> str | None:
    """Return a value without the end of its line; None with a diagnostic if it is no text."""
    try:
        return value.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        bag.add(render_codes.SECRET_VALUE, f"the value of {shown} is refused: it is not UTF-8")
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


class SecretToken(NamedTuple):
    """A reference to a secret in rendered text: a key of ``env``, ``file``, ``sops`` or ``vault``."""

    scheme: str
    key: str

    def __str__(self) -> str:
        """The token's own text."""
        return f"@fabricgen-secret:{self.scheme}:{self.key}@"


Resolver = Callable[[SecretToken, Bag], str | None]
"""Looks a secret up; None with a diagnostic if it cannot."""


def find_tokens(data: bytes) -> tuple[SecretToken, ...]:
    """Every distinct secret reference in a text, in order of appearance."""
    found = (SecretToken(match[1].decode(), match[2].decode()) for match in _TOKEN.finditer(data))
    return tuple(dict.fromkeys(found))


def list_secrets(plan: FabricPlan) -> list[SecretToken]:
    """Return every secret that a plan refers to, its snippets included."""
    services = plan.services
    keys = (key for tier in plan.tiers for key in (tier.routing.key_upper, tier.routing.key_lower))
    users = (user.password_hash for user in services.users)
    raw = (snippet.text for switch in plan.exceptions.switches.values() for snippet in switch.raw)
    texts = (services.snmp_community, services.tacacs_key, *users, *keys, *raw)
    return list(dict.fromkeys(token for text in texts for token in find_tokens(text.encode())))


def resolve_tokens(data: bytes, resolver: Resolver, *, format: Literal["json", "text"], bag: Bag) -> bytes | None:  # noqa: A002 - the field's own word
    """Replace every secret reference by its value; None if any is missing or unfit. No diagnostic holds a value.

    The format ``json`` escapes for the inside of a JSON string. ``text`` inserts as is and therefore takes fewer
    characters: nothing that could end a word or a quoted string.
    """
    values = {token: _fit_value(token, resolver, format, bag) for token in find_tokens(data)}
    intact = data.count(_OPENING) == sum(1 for _ in _TOKEN.finditer(data))
    if not intact:
        bag.add(render_codes.BAD_TOKEN, "rendered text holds a secret reference that cannot be read")
    ready = {token: value for token, value in values.items() if value is not None}
    if not intact or len(ready) != len(values):
        return None
    return _TOKEN.sub(lambda match: ready[SecretToken(match[1].decode(), match[2].decode())], data)


class SecretResolver:
    """Resolves the schemes ``env``, ``file``, ``sops`` and ``vault``; every other scheme is a diagnostic."""

    def __init__(self, environment: Mapping[str, str], folder: Path, *, filesystem: Filesystem | None = None) -> None:
        """Take the places of secrets.

        ``environment`` has the variables, which programs that are asked get as well; ``cli`` passes its own. ``folder``
        is the inventory, to which keys of ``file`` and ``sops`` are relative, and which they may not leave.
        """
        self._environment = environment
        self._fs = filesystem or Filesystem()
        self._inventory = folder

    def __call__(self, token: SecretToken, bag: Bag) -> str | None:
        """Look one secret up; None with a diagnostic that names the reference."""
        if token.scheme == "env":
            value = self._environment.get(token.key)
            if value is None:
                text = f"the environment variable {token.key} of {token} is not set"
                bag.add(render_codes.NO_VARIABLE, text)
            return value
        if token.scheme == "file":
            return self._read(token, bag)
        if token.scheme in ("sops", "vault"):
            return self._ask(token, bag)
        bag.add(render_codes.BAD_TOKEN, f"{token} cannot be resolved: its scheme is unknown")
        return None

    def _ask(self, token: SecretToken, bag: Bag) -> str | None:
        """Have the program of the token's scheme look a key up; neither part of it can be an option."""
        place, _, key = token.key.rpartition("#")
        if not place or not key or place.startswith("-"):
            bag.add(render_codes.BAD_TOKEN, f"{token} names no key: write PATH#KEY")
            return None
        found = self._inside(token, place, bag) if token.scheme == "sops" else place
        if not found:
            return None
        if token.scheme == "sops" and (kind := kind_of(found)):
            text = f"the file {found} of {token} is {kind}, not a regular file"
            bag.add(render_codes.NO_SECRET_FILE, text)
            return None
        return run_secret_command(str(token), token.scheme, (found, key), self._environment, bag)

    def _inside(self, token: SecretToken, key: str, bag: Bag) -> str | None:
        """The file a key names; where a symlink leads out of the inventory, that is outside too."""
        folder = self._fs.real_path(str(self._inventory))
        path = self._fs.real_path(f"{folder}/{key}")
        if key.startswith("/") or os.path.commonpath([folder, path]) != folder:
            bag.add(render_codes.SECRET_OUTSIDE, f"{token} lies outside the inventory folder {folder}")
            return None
        return path

    def _read(self, token: SecretToken, bag: Bag) -> str | None:
        """Read a secret's file."""
        path = self._inside(token, token.key, bag)
        if path is None:
            return None
        content = read_file(path, _FILE_MAX_BYTES, inside=self._fs.real_path(str(self._inventory)))
        if isinstance(content, Refused):
            bag.add(render_codes.NO_SECRET_FILE, f"the file {path} of {token} {content.reason}")
            return None
        return _decode(content, str(token), bag)


def _fit_value(token: SecretToken, resolver: Resolver, format: str, bag: Bag) -> bytes | None:  # noqa: A002
    """Look a value up and encode it for the format; None if that would not be safe."""
    value = resolver(token, bag)
    if value is None:
        return None
    reason = _refuse_value(value, format)
    if reason is not None:
        bag.add(render_codes.SECRET_VALUE, f"the value of {token} is refused: {reason}")
        return None
    return (json.dumps(value)[1:-1] if format == "json" else value).encode()


def _refuse_value(value: str, format: str) -> str | None:  # noqa: A002
    if not value:
        return "it is empty"
    if any(unicodedata.category(character) in _UNSAFE_CATEGORIES for character in value):
        return "it contains a line break, a control character or an invisible character"
    if format == "text" and any(character.isspace() or character in _UNSAFE_IN_TEXT for character in value):
        return "it contains a space, a quote or a backslash, which would change the meaning of its line"
    return None


def check_secret_target(out: Path, bag: Bag, *, filesystem: Filesystem | None = None) -> bool:
    """Make sure that resolved secrets land in a private folder outside every git work tree.

    The folder is created with mode 0700 if it is absent. Returns whether secrets may be written there.
    """
    fs = filesystem or Filesystem()
    try:
        path = fs.real_path(str(out))
        return _is_outside_git(fs, path, bag) and _is_private(fs, path, bag)
    except OSError as error:
        report_os_error(bag, error, f"cannot prepare {out} for secrets")
        return False


def _is_outside_git(fs: Filesystem, path: str, bag: Bag) -> bool:
    """Walk up to the root; in a linked work tree ``.git`` is a file, so any kind of entry counts."""
    folder = path
    while True:
        if status_or_none(fs, os.path.join(folder, ".git")) is not None:
            bag.add(render_codes.IN_WORK_TREE, f"{path} lies in the git work tree {folder}")
            return False
        above = os.path.dirname(folder)
        if above == folder:
            return True
        folder = above


def _is_private(fs: Filesystem, path: str, bag: Bag) -> bool:
    """Create the folder if need be; look at it afterwards either way."""
    if status_or_none(fs, path) is None:
        make_folders(fs, os.path.dirname(path))
        fs.make_folder(path, _PRIVATE)
    status = fs.status(path)
    mode = stat.S_IMODE(status.st_mode)
    if not stat.S_ISDIR(status.st_mode):
        problem = "it is not a folder"
    elif status.st_uid != fs.user():
        problem = f"it belongs to user {status.st_uid}, not to user {fs.user()}"
    elif mode != _PRIVATE:
        problem = f"its mode is {mode:04o}, not {_PRIVATE:04o}"
    else:
        return True
    bag.add(render_codes.NOT_PRIVATE, f"{path} is not private: {problem}")
    return False
