"""Steps of a patch without the secrets of a device's own file.

A collected configuration holds secrets in clear text. A patch writes every other value of it as it is; in place of a
secret it has a reference, and says that the secret has to be put in. ``platforms.reading.redaction`` finds them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from fabricgen.diagnostics.free_text import mark_banners
from fabricgen.diagnostics.secrets import find_secrets
from fabricgen.diff.file_diff import FileDiff
from fabricgen.platforms.patching.steps import Step
from fabricgen.platforms.reading.redaction import REFERENCE

_LONG = 8
"""Characters of a secret that is no word of a command."""
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def redact(steps: Sequence[Step], file: FileDiff) -> list[Step]:
    """Return steps that hold references in place of secrets, and whose comments hold no secret at all.

    Args:
        steps: What is planned.
        file: The file that they change; what fabricgen rendered of it holds references already.
    """
    redaction, own = file.redaction(), file.own
    known = _list_placed(file)

    @cache
    def content(text: str, name: str) -> str:
        shown = text if text == own else redaction.file(text, name, _reference)
        return shown if name.endswith((".json", ".yaml", ".conf")) or text == own else known(shown)

    return [
        step._replace(
            content=content(step.content, step.file) if step.content else "",
            command=known(redaction.line(step.command, _reference)),
            reason=redaction.line(step.reason),
        )
        for step in steps
    ]


def _list_placed(file: FileDiff) -> Callable[[str], str]:
    """Return what replaces long secrets of a file where a command has them without the word that announces them."""
    both = file.sides or file.situation
    texts = (both.before_text, "" if file.is_ours else both.after_text) if both else ()
    found = {
        line[each.start : each.end]: each.name
        for text in texts
        for line, is_free in mark_banners(text)
        for each in find_secrets(line, is_free)
        if each.is_placed
    }
    words = [re.escape(word) for word in found if len(word) >= _LONG and " " not in word and REFERENCE not in word]
    if not words:
        return str
    # What is a reference already stays as it is.
    pattern = re.compile(rf"{REFERENCE}[^@\s]*@|(?<![\w/.-])(?:{'|'.join(words)})(?![\w/.-])")
    return lambda text: pattern.sub(lambda it: _reference(found[it[0]]) if it[0] in found else it[0], text)


def _reference(name: str) -> str:
    return f"{REFERENCE}deployed:{name if _NAME.fullmatch(name) else 'value'}@"
