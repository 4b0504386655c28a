"""Steps of a patch without the secrets of a device's own file.

A collected configuration holds secrets in clear text. A patch writes every other value of it as it is; in place of a
secret it has a reference, which names the side that has it, and says that the secret has to be put in.
``platforms.reading.redaction`` finds them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import cache, lru_cache

from fabricgen.diagnostics.secrets import Put, find_secrets, mark_banners
from fabricgen.diagnostics.visible import HIDDEN
from fabricgen.diff.file_diff import FileDiff
from fabricgen.platforms.patching.steps import PatchStep
from fabricgen.platforms.reading.redaction import REFERENCE

_LONG = 8
"""Characters of a secret that is no word of a command."""
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def redact(steps: Sequence[PatchStep], file: FileDiff) -> list[PatchStep]:
    """Return steps with references in place of secrets, as rendered files have them, and with comments without any."""
    redaction, own, refer = file.redaction(), file.own, _refer(file)
    known = _list_placed(file, refer)

    @cache
    def content(text: str, name: str) -> str:
        shown = text if text == own else redaction.file(text, name, refer)
        return shown if name.endswith((".json", ".yaml", ".conf")) or text == own else known(shown)

    return [
        step._replace(
            content=content(step.content, step.file) if step.content else "",
            command=known(redaction.line(step.command, refer)),
            reason=redaction.line(step.reason),
        )
        for step in steps
    ]


def _list_placed(file: FileDiff, refer: Put) -> Callable[[str], str]:
    """Return what replaces long secrets of a file where a command has them without the word that announces them."""
    before, after = map(_find_placed, _list_sides(file))
    found = {**before, **after}
    words = [re.escape(word) for word in found if len(word) >= _LONG and " " not in word and REFERENCE not in word]
    if not words:
        return str
    # What is a reference already stays as it is.
    pattern = re.compile(rf"{REFERENCE}[^@\s]*@|(?<![\w/.-])(?:{'|'.join(words)})(?![\w/.-])")
    return lambda text: pattern.sub(lambda it: refer(found[it[0]], it[0]) if it[0] in found else it[0], text)


@lru_cache(4)
def _find_placed(text: str) -> dict[str, str]:
    """Return the placed secrets of a file with their names; both directions of a patch and all its phases ask."""
    return {
        line[each.start : each.end]: each.name
        for line, is_free in mark_banners(text)
        for each in find_secrets(line, is_free)
        if each.is_placed
    }


def _list_sides(file: FileDiff) -> tuple[str, str]:
    """Return the deployed and the intended file; what fabricgen rendered holds no secret."""
    both = file.situation
    if both is None:
        return "", ""
    return "" if file.secret_free.deployed else both.before_text, "" if file.secret_free.intended else both.after_text


def _refer(file: FileDiff) -> Put:
    """Return what gives the reference to a secret, with the side that has it."""
    before, after = _list_sides(file)
    intended = _list_secrets(file, after)
    deployed = _list_secrets(file, before) if intended else frozenset[str]()

    def refer(name: str, secret: str) -> str:
        side = "intended" if secret in intended and secret not in deployed else "deployed"
        return f"{REFERENCE}{side}:{name if _NAME.fullmatch(name) else 'value'}@"

    return refer


def _list_secrets(file: FileDiff, text: str) -> Collection[str]:
    """Return every secret of a file."""
    found: set[str] = set()

    def take(_: str, secret: str) -> str:
        found.add(secret)
        return HIDDEN

    file.redaction().file(text, file.kind.name, take)
    return found
