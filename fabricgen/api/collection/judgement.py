"""Judgement of an output as its platform reads it: an answer that is no configuration is not taken for one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fabricgen.collect.target import Target
from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import FileKind, Kinds, load_kinds
from fabricgen.platforms.manifest.readings import Reading
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.platforms.reading.reader import ReadFault


class Judge:
    """Reads outputs of the platforms of an inventory."""

    def __init__(self, specs: Iterable[PlatformSpec], bag: Bag) -> None:
        """Prepare.

        Args:
            specs: The platforms.
            bag: Takes faults of their semantics.
        """
        self._kinds: Kinds = load_kinds(specs, bag)
        self._known: dict[tuple[str, ...], Mapping[str, FileKind]] = {}

    def find_fault(self, target: Target, reading: Reading, text: str) -> str:
        """Return why an output is no configuration; empty if it is one.

        Args:
            target: The device.
            reading: The command that gave it.
            text: The answer.
        """
        try:
            tree = self.kind_of(target, reading).read(text)
        except ReadFault as fault:
            return f"the answer cannot be read, line {fault.line}: {fault}" if fault.line else f"the answer: {fault}"
        return "the answer sets nothing" if reading.form == "json" and not tree else ""

    def kind_of(self, target: Target, reading: Reading) -> FileKind:
        """Return the kind of file that an output is.

        Args:
            target: The device.
            reading: The command that gives it.
        """
        known = self._known.get(target.platforms)
        if known is None:
            paths = [each.output for each in target.readings if each.output]
            known = self._known[target.platforms] = self._kinds.of_device(target.kind, paths)
        return known[reading.output]
