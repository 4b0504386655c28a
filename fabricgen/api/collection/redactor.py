"""Redaction of collected outputs: secrets, and what nothing knows to be public, give way to a stand-in.

Public is what a file's semantics show (docs/adr/0017), and what fabricgen itself renders for the device: a rendered
file has references in place of secrets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from fabricgen.api.collection.judgement import Judge
from fabricgen.api.compile import Compiled
from fabricgen.api.sides import render_devices
from fabricgen.collect.fetch_codes import NOT_REDACTED
from fabricgen.collect.target import Failure, Target
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.quoting import is_telling
from fabricgen.diff.kinds import FileKind
from fabricgen.platforms.manifest.readings import Reading
from fabricgen.platforms.reading.reader import ReadFault
from fabricgen.platforms.reading.redaction import REFERENCE

REDACTED = f"{REFERENCE}redacted:value@"
"""Stand-in for everything that may be a secret."""
_WORD = re.compile(r"[^\s\"',;]+")
_NOTHING: frozenset[str] = frozenset()
_FEW = 64
"""So many devices are rendered by their names; where there are more, all devices of the inventory are."""


class Redactor:
    """Redacts outputs of the devices of an inventory."""

    def __init__(self, compiled: Compiled, judge: Judge, targets: Mapping[str, Target], bag: Bag) -> None:
        """Render the devices, and keep the words of theirs that no semantics knows.

        Args:
            compiled: The inventory.
            judge: Knows the kinds of their files.
            targets: The devices by name.
            bag: Takes what is wrong with rendering.
        """
        self._judge = judge
        self._rendered: dict[tuple[str, str], frozenset[str]] = {}
        same: dict[frozenset[str], frozenset[str]] = {}
        only = tuple(targets) if len(targets) <= _FEW else ()
        for device in render_devices(compiled, only, bag):
            target = targets.get(device.name)
            for reading in target.readings if target else ():
                file = device.files.get(reading.path)
                data = file.load() if file else b""
                if target is None or not isinstance(data, bytes) or not data:
                    continue
                words = frozenset(_hidden(judge.kind_of(target, reading), data.decode()))
                self._rendered[device.name, reading.path] = same.setdefault(words, words)

    def redact(self, target: Target, reading: Reading, text: str) -> str:
        """Return an output without secrets.

        Args:
            target: The device.
            reading: The command that gave it.
            text: The output, which its platform can read.

        Raises:
            Failure: Something that may be a secret cannot be taken out.
        """
        kind = self._judge.kind_of(target, reading)
        own = self._rendered.get((target.name, reading.path), _NOTHING)
        hidden = set(_hidden(kind, text)) - own
        if not hidden:
            return text
        public = set(kind.redaction.list_public(kind.read(text)))
        done = "".join(_redact_line(line, hidden, public) for line in text.splitlines(keepends=True))
        try:
            left = {word for word in _hidden(kind, done) if word not in own and word not in public and word != REDACTED}
        except ReadFault as fault:
            raise Failure(NOT_REDACTED, f"{reading.path} cannot be read any more once it is redacted") from fault
        if any(REDACTED not in word for word in left):
            raise Failure(NOT_REDACTED, f"{reading.path} has something that may be a secret and cannot be taken out")
        return done


def _hidden(kind: FileKind, text: str) -> Iterator[str]:
    """Yield every text of a file that may be a secret, and the words of it; references to secrets are none."""
    redaction = kind.redaction
    for text_or_line, _ in redaction.list_hidden(kind.read(text)):
        if not text_or_line.startswith(REFERENCE):
            yield text_or_line
            yield from _WORD.findall(text_or_line)


def _redact_line(line: str, hidden: set[str], public: set[str]) -> str:
    """Return a line with a stand-in for each hidden word; a public one stays but behind a word that tells a secret."""
    telling = False

    def replace(found: re.Match[str]) -> str:
        nonlocal telling
        word = found[0]
        core = word.strip(":=[]{}()")
        takes = core in hidden and (core not in public or telling)
        telling = telling or is_telling(word)
        return word.replace(core, REDACTED) if takes and core and not core.startswith(REFERENCE) else word

    return _WORD.sub(replace, line)
