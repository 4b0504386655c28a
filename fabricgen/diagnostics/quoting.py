"""Redaction of diagnostics: no value that may be a secret, neither in lines of devices nor in those of an intent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from fabricgen.diagnostics.visible import HIDDEN

_STEP = " > "
_STEPS = re.compile(r"[^'\",\[\]{}]+ > [^'\",\[\]{}]*")
"""A path into a file of a device, as overrides of a snippet have it."""
_KEY = (
    r"(?!(?:epoch_|sequence_|per_)tokens?\b|key_value_hidden\b)"
    r"[\w.-]*(?:pass|secret|key|community|communities|psk|token|credential|password_hash)[\w.-]*"
)
_NAMED = re.compile(_KEY, re.IGNORECASE)
"""Names of keys of an intent whose value is a reference to a secret, or should be one."""
_SET = re.compile(rf"(?<![\w.-])([\"']?)({_KEY})\1\s*:(?=\s|$|[\[{{\"'])", re.IGNORECASE)
_SECTION = re.compile(_SET.pattern.replace("(?:pass|", "(?:pass|snmp|tacacs|users|security|"), re.IGNORECASE)
_HINTS = ("pass", "secret", "key", "communit", "psk", "token", "credential", "snmp", "tacacs", "users", "security")
"""Every match of the two has one of these in it."""
_REFERENCE = re.compile(
    r"\s*(?:(?:\{\s*[\"']?secret[\"']?\s*:\s*)?[\"']?(?:env|file|sops|vault):[A-Za-z0-9_./#-]+[\"']?\s*\}?"
    r"|/[\w./-]+\.(?:key|pem)|(?:ssh|ecdsa)-[\w-]+ AAAA[\w+/=]+)(?=[\s,}\]]|$)"
)
"""A reference to a secret as it should be written, as a mapping or as its value; a file of a key, and a public key."""
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'")
_BEARING = frozenset({"snmp", "tacacs", "users", "security"})
"""Sections of an intent with a secret in them: one in the wrong place may stand for the whole section."""


def find_secret(path: Sequence[str]) -> int:
    """Return how many segments of an intent path may be told, up to the first key that holds a secret; 0 if none does.

    An item that has no name is named by its values; of one in a section with secrets that is not told either.
    """
    for at, segment in enumerate(path, 1):
        if _NAMED.fullmatch(segment):
            return at
        if at > 1 and path[at - 2] in _BEARING and segment[:1] == "[" and "=" in segment:
            return at - 1
    return 0


def holds_secrets(path: Sequence[str]) -> bool:
    """Return whether a path is that of a section with a secret in it, or of an item of one."""
    return path[-1:] != () and (
        path[-1] in _BEARING or (path[-2:-1] != () and path[-2] in _BEARING and path[-1][0] == "[")
    )


def may_hold_secret(path: Sequence[str]) -> bool:
    """Return whether what stands at a path of an intent, or is a key there, may be a secret in the wrong place."""
    return bool(find_secret(path)) or any(segment in _BEARING for segment in path)


def hide_values(lines: Sequence[str], *, broken: bool = False) -> list[str]:
    """Lines of YAML or JSON without values below keys that hold secrets, whole sections of a broken file."""
    shown = _hide(lines, _SECTION if broken else _SET)
    return [_hide_steps(line) if _STEP in line else line for line in shown]


def _hide_steps(line: str) -> str:
    """A line without secrets in the paths into files of devices that it has; few lines have one."""
    from fabricgen.diagnostics.secrets import hide_secrets

    return _STEPS.sub(lambda found: hide_secrets(found[0]), line)


def _hide(lines: Iterable[str], keys: re.Pattern[str]) -> Iterator[str]:
    depth, indent = 0, -1
    for line in lines:
        bare = line.strip()
        own = len(line) - len(line.lstrip())
        if indent >= 0 and bare and depth <= 0 and (own < indent or (own == indent and not bare.startswith("-"))):
            depth, indent = 0, -1
        if indent >= 0 and not _is_reference(bare):
            depth += _opened(line)
            yield line[:own] + (HIDDEN if bare else "")
            continue
        shown, open_at = _hide_in_line(line, keys)
        if open_at >= 0 and indent < 0:
            indent, depth = own, _opened(line[open_at:])
        yield shown


def _is_reference(bare: str) -> bool:
    """Return whether a line below a key is the reference that should stand there."""
    name, colon, value = bare.partition(":")
    return (
        bool(colon)
        and name.strip("\"' {") == "secret"
        and bool(_REFERENCE.fullmatch(value.partition(" #")[0].rstrip()))
    )


def _hide_in_line(line: str, keys: re.Pattern[str]) -> tuple[str, int]:
    """A line without what is set in it, and where a value begins that may go on below; -1 if none does."""
    at, small = 0, line.lower()
    # Most lines have none of the words, which is seen much sooner than that they have no such key.
    if line.isascii() and not any(hint in small for hint in _HINTS):
        return line, -1
    while (found := keys.search(line, at)) is not None:
        value = line[found.end() :]
        reference = _REFERENCE.match(value)
        if reference is None:
            rest = value.strip()
            # The reference itself may follow, as a mapping over several lines.
            shown = line if rest in ("", "{") or rest.startswith("#") else line[: found.end()] + " " + HIDDEN
            bare = _QUOTED.sub("", rest)
            # What is closed in its line does not go on below, however deep the next lines are.
            is_closed = bare[:1] in ("{", "[") and not set(bare) & {'"', "'"} and _opened(bare) <= 0
            return shown, -1 if is_closed else found.end()
        at = found.end() + reference.end()
    return line, -1


def _opened(text: str) -> int:
    """Return how many brackets a text leaves open."""
    return sum(text.count(sign) for sign in "[{") - sum(text.count(sign) for sign in "]}")
