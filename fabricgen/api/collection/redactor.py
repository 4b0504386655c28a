"""Redaction of collected outputs: secrets give way to a stand-in.

What fabricgen itself renders for the device is no secret: a rendered file has references in place of secrets.
"""

from __future__ import annotations

from collections.abc import Mapping

from fabricgen.api.collection.judgement import Judge
from fabricgen.api.compile import Compiled
from fabricgen.api.sides import render_devices
from fabricgen.collect.fetch_codes import NOT_REDACTED
from fabricgen.collect.target import Failure, Target
from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.readings import Reading
from fabricgen.platforms.reading.reader import ReadFault
from fabricgen.platforms.reading.redaction import NOTHING, REFERENCE, OwnText

REDACTED = f"{REFERENCE}redacted:value@"
"""Stand-in for a secret."""
_FEW = 64
"""So many devices are rendered by their names; where there are more, all devices of the inventory are."""


class Redactor:
    """Redacts outputs of the devices of an inventory."""

    def __init__(self, compiled: Compiled, judge: Judge, targets: Mapping[str, Target], bag: Bag) -> None:
        """Render the devices, and keep what of theirs looks like a secret and is none.

        Args:
            compiled: The inventory.
            judge: Knows the kinds of their files.
            targets: The devices by name.
            bag: Takes what is wrong with rendering.
        """
        self._judge = judge
        self._rendered: dict[tuple[str, str], OwnText] = {}
        only = tuple(targets) if len(targets) <= _FEW else ()
        for device in render_devices(compiled, only, bag):
            target = targets.get(device.name)
            for reading in target.readings if target else ():
                file = device.files.get(reading.output)
                data = file.load() if file else b""
                if isinstance(data, bytes) and data:
                    self._rendered[device.name, reading.output] = OwnText(data.decode())

    def redact(self, target: Target, reading: Reading, text: str) -> str:
        """Return an output without secrets.

        Args:
            target: The device.
            reading: The command that gave it.
            text: The output, which its platform can read.

        Raises:
            Failure: It cannot be read any more without them.
        """
        kind = self._judge.kind_of(target, reading)
        own = self._rendered.get((target.name, reading.output), NOTHING)
        done = kind.redaction.knowing(own).file(text, reading.output, lambda *_: REDACTED)
        try:
            kind.read(done)
        except ReadFault as fault:
            raise Failure(NOT_REDACTED, f"{reading.name} cannot be read any more once it is redacted") from fault
        return done
