"""Changes that are one and the same to an operator, in the words of a change or of drift."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from fabricgen.diagnostics import Place
from fabricgen.diagnostics.visible import HIDDEN, show_line
from fabricgen.diff.file_diff import FileDiff
from fabricgen.diff.tree_changes import Steps
from fabricgen.diff.values import cut, number
from fabricgen.platforms.patching.steps import Change
from fabricgen.platforms.reading.redaction import Redaction

_ROLES = {"hosts": "host", "switches": "switch"}
CHANGE_WORDS = {"add": "added", "remove": "removed", "change": "changed"}
"""Words between two revisions: what the newer one adds, removes and changes."""
BOTH_ENDS = "needs both ends of each session in one wave: with one end alone the session stays down"
DRIFT_WORDS = {"add": "missing", "remove": "unexpected", "change": "different"}
"""Words against devices: what they lack, have beyond the intent, and have otherwise."""


def plural(noun: str) -> str:
    """Return a noun of devices in the plural."""
    return f"{noun}es" if noun.endswith(("ch", "s", "x")) else f"{noun}s"


class Instance(NamedTuple):
    """One change of one device, as it may be shown.

    Attributes:
        kind: ``switches`` or ``hosts``.
        steps: Path in the file's tree, without secrets.
        file: The file; its bytes are those of the intended side.
        redaction: What of the file may be shown.
    """

    device: str
    kind: str
    path: str
    steps: Steps
    before: str
    after: str
    change: Change
    file: FileDiff
    redaction: Redaction


class ChangeCause(NamedTuple):
    """A line of the intent that decides a change, or why there is none."""

    text: str
    place: Place | None = None


class DeviceState(StrEnum):
    """The result of comparing one device."""

    equal = "equal"
    different = "different"
    added = "added"
    removed = "removed"
    missing = "not collected"
    unreadable = "not compared"


@dataclass(slots=True, eq=False)
class DeviceSummary:
    """One device.

    Attributes:
        kind: ``switches``, ``hosts``, or empty if the side does not name it.
        tier: Tier of a switch; empty where it is not known.
    """

    name: str
    kind: str
    state: DeviceState
    changes: int = 0
    absent: tuple[str, ...] = ()
    groups: list[ChangeGroup] = field(default_factory=list)
    tier: str = ""

    @property
    def role(self) -> str:
        """Return the tier of a switch where it is known, else the kind of device; names say nothing of either."""
        return self.tier or _ROLES.get(self.kind, "device")


@dataclass(slots=True, eq=False)
class ChangeGroup:
    """Changes that are one and the same to an operator.

    Attributes:
        action: ``change``, ``add`` or ``remove``, seen from the deployed side.
        before: The deployed value in one line; empty if there are several, or none.
        words: ``CHANGE_WORDS`` or ``DRIFT_WORDS``.
        things: Number of ports, or of places where nothing is counted.
        noun: ``port`` where ports are counted.
        causes: Lines of the intent that decide it.
        details: Every instance, if asked for.
    """

    disruption: str
    title: str
    unit: str
    action: str
    before: str
    after: str
    first: Instance
    words: dict[str, str]
    values: int = 1
    things: int = 0
    noun: str = ""
    members: list[DeviceSummary] = field(default_factory=list)
    causes: tuple[ChangeCause, ...] = ()
    details: list[Instance] = field(default_factory=list)

    @property
    def devices(self) -> int:
        """Return the number of devices."""
        return len(self.members)

    @property
    def takes_both_ends(self) -> bool:
        """Return whether both ends of each session have to be changed in one wave."""
        return self.first.change.meaning.takes_both_ends

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return what the repair takes beside the commands of a patch, each in half a sentence."""
        remedy = self.first.file.remedy
        return (*((BOTH_ENDS,) if self.takes_both_ends else ()), *((remedy,) if remedy else ()))

    def headline(self, write: Callable[[str], str] = str) -> str:
        """Return the group in one line; ``write`` puts names and values of devices into the language of the line."""
        return f"{self.title_line(write)} on {self.where()}"

    def title_line(self, write: Callable[[str], str] = str) -> str:
        """Return the headline without the devices."""
        unit, what = f" {self.unit}" if self.unit else "", f"{write(show_line(self.title))} {self.words[self.action]}"
        if self.values > 1:
            return f"{what}, {self.values} different values" if self.action == "change" else what
        if self.action != "change":
            shown = self.after if self.action == "add" else self.before
            return what + (f": {write(number(cut(shown)))}{unit}" if shown else "")
        if self.before == self.after == HIDDEN:
            return f"{what}, value not shown"
        return f"{what}: {write(number(cut(self.before)))} → {write(number(cut(self.after)))}{unit}"

    def where(self) -> str:
        """Return the number of ports and of devices."""
        roles = Counter(member.role for member in self.members)
        devices = ", ".join(
            f"{count:,} {role if count == 1 else plural(role)}" for role, count in sorted(roles.items())
        )
        if self.noun and self.things:
            return f"{self.things:,} {self.noun}{'s' if self.things != 1 else ''} of {devices}"
        return f"{self.things:,} places of {devices}" if self.things > self.devices else devices
