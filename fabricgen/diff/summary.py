"""Changes of any number of devices to what an operator wants to know: by disruption, each kind of change once.

Nothing is kept per device but counts and one representative of each kind, so ten thousand devices need no more memory
than one; details are kept only if they are asked for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from fabricgen.diagnostics import Place
from fabricgen.diagnostics.quoting import HIDDEN
from fabricgen.diagnostics.visible import show_line
from fabricgen.diff.counting import Counted, count, noun_of
from fabricgen.diff.device import DeviceDiff, FileDiff
from fabricgen.diff.tree_changes import Comparison, Steps
from fabricgen.platforms.patching.steps import ABSENT, Change
from fabricgen.platforms.reading.reader import is_tree, number_of
from fabricgen.platforms.reading.redaction import Redaction
from fabricgen.platforms.reading.semantics import DISRUPTIONS

_PAIRS_MAX = 4
_SHOWN_MAX = 72
_ROLE = re.compile(r"[A-Za-z]+")


class Instance(NamedTuple):
    """One change of one device, as it may be shown.

    Attributes:
        kind: ``switches`` or ``hosts``.
        steps: Path in the file's tree, without secrets.
        change: The change itself.
        file: The file; its bytes are those of the intended side.
    """

    device: str
    kind: str
    path: str
    steps: Steps
    before: str
    after: str
    change: Change
    file: FileDiff


class Cause(NamedTuple):
    """A line of the intent that decides a change, or why there is none."""

    text: str
    place: Place | None = None


@dataclass(slots=True)
class Group:
    """Changes that are one and the same to an operator.

    Attributes:
        title: What is changed.
        action: ``change``, ``add`` or ``remove``, seen from the device.
        before: What the devices have; empty if they have different things, or nothing.
        after: What they should have.
        things: How many ports, or places where nothing is counted.
        noun: ``port`` where ports are counted.
        roles: Devices by the first word of their names.
        first: A representative.
        causes: Where the intent decides it.
        details: Every instance, if asked for.
    """

    disruption: str
    title: str
    unit: str
    action: str
    before: str
    after: str
    first: Instance
    values: int = 1
    things: int = 0
    noun: str = ""
    roles: Counter[str] = field(default_factory=Counter)
    causes: tuple[Cause, ...] = ()
    details: list[Instance] = field(default_factory=list)

    @property
    def devices(self) -> int:
        """How many devices."""
        return self.roles.total()

    @property
    def takes_both_ends(self) -> bool:
        """Whether both ends of each session have to be changed in one wave."""
        return self.first.change.meaning.takes_both_ends

    def headline(self, write: Callable[[str], str] = str) -> str:
        """The group in one line; ``write`` puts what devices say into the language of the line."""
        unit, title = f" {self.unit}" if self.unit else "", write(show_line(self.title))
        if self.action == "change" and self.values > 1:
            what = f"{title}: {self.values} different values"
        elif self.action == "change" and self.before == self.after == HIDDEN:
            what = f"{title}: value differs, not shown"
        elif self.action == "change":
            what = f"{title} {write(number(self.before))} → {write(number(self.after))}{unit}"
        else:
            shown = self.after if self.action == "add" else self.before
            word = "missing" if self.action == "add" else "not in the intent"
            what = f"{title} {word}" + (f": {write(number(shown))}{unit}" if shown and self.values == 1 else "")
        return f"{what} on {self.where()}"

    def where(self) -> str:
        """How many ports of how many devices."""
        devices = ", ".join(
            f"{count:,} {role}{'s' if count != 1 else ''}" for role, count in sorted(self.roles.items())
        )
        if self.noun and self.things:
            return f"{self.things:,} {self.noun}{'s' if self.things != 1 else ''} of {devices}"
        return f"{self.things:,} places of {devices}" if self.things > self.devices else devices


@dataclass(slots=True)
class Totals:
    """What a comparison comes to.

    Attributes:
        compared: Devices that were compared.
        different: Devices with differences.
        failed: Devices of which something could not be compared.
        changes: Changes, each by itself.
        unmanaged: How often each path that is not ours stands on a device, by its first step.
        withheld: Secrets that were not compared.
        absent: Intended files that were not collected, by path.
        added: Devices that are new.
        removed: Devices that are to go.
    """

    compared: int = 0
    different: int = 0
    failed: int = 0
    changes: int = 0
    withheld: int = 0
    unmanaged: Counter[str] = field(default_factory=Counter)
    absent: Counter[str] = field(default_factory=Counter)
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)

    def is_clean(self, *, unmanaged: bool) -> bool:
        """Whether nothing differs; what is not ours counts only if asked for."""
        return not (self.changes or self.added or self.removed or (unmanaged and self.unmanaged))


class Summary:
    """Takes device after device and forms groups."""

    def __init__(self, *, details: bool = False) -> None:
        """Start empty; ``details`` keeps every instance."""
        self._details = details
        self._kinds: dict[tuple[str, ...], dict[tuple[str, str], Group]] = {}
        self._known: dict[int, tuple[Comparison, list[tuple[Group, Counted]]]] = {}
        self.totals = Totals()

    def add(self, diff: DeviceDiff) -> None:
        """Take one device."""
        totals = self.totals
        totals.compared += not (diff.is_new or diff.is_gone or diff.failed)
        totals.failed += diff.failed
        if diff.is_new or diff.is_gone:
            (totals.added if diff.is_new else totals.removed).append(diff.name)
            return
        totals.absent.update(diff.absent)
        totals.unmanaged.update(f"{path} (file)" for path in diff.foreign)
        seen: dict[int, tuple[Group, set[str]]] = {}
        for file in diff.files:
            for part in file.parts:
                totals.withheld += len(part.withheld)
                totals.changes += len(part.changes)
                totals.unmanaged.update(file.kind.redaction.steps(steps[:1])[0] for steps in part.unmanaged)
                for group, counted in self._grouped(diff, file, part):
                    file.counting.collect(counted, seen.setdefault(id(group), (group, set()))[1])
        for group, found in seen.values():
            group.things += len(found)
            group.roles[_role(diff)] += 1
        totals.different += bool(seen)

    def _grouped(self, diff: DeviceDiff, file: FileDiff, part: Comparison) -> list[tuple[Group, Counted]]:
        """The groups of a part; worked out once for all devices that share it, unless details are kept."""
        known = self._known.get(id(part))
        if known is not None and not self._details:
            return known[1]
        groups: dict[int, tuple[Group, list[Change]]] = {}
        for change in part.changes:
            group = self._group(diff, file, change)
            groups.setdefault(id(group), (group, []))[1].append(change)
        found = [(group, count(changes)) for group, changes in groups.values()]
        # The part is kept with its groups, so that no other one can take its place in memory.
        self._known[id(part)] = (part, found)
        return found

    def _group(self, diff: DeviceDiff, file: FileDiff, change: Change) -> Group:
        meaning = change.meaning
        action = "add" if change.before is ABSENT else "remove" if change.after is ABSENT else "change"
        steps = file.kind.redaction.steps(change.steps)
        title = meaning.get("title") or _title(file, steps)
        before, after = _pair(change, file.kind.redaction)
        kind = (change.disruption, title, meaning.get("unit"), action)
        groups = self._kinds.setdefault(kind, {})
        group = groups.get((before, after))
        if group is None or self._details:
            instance = Instance(diff.name, diff.kind, file.path, steps, before, after, change, file)
            if group is None:
                group = Group(*kind[:3], action, before, after, instance, noun=noun_of(change))
                groups[before, after] = group
            if self._details:
                group.details.append(instance)
        return group

    def groups(self) -> list[Group]:
        """The groups, the most disruptive first; many values of one kind are one group."""
        found = [group for groups in self._kinds.values() for group in _merged(list(groups.values()))]
        found.sort(key=lambda group: (-DISRUPTIONS.index(group.disruption), group.title, group.action, group.before))
        return found

    def worst(self) -> str:
        """The greatest disruption of all; empty if there is no change."""
        words = [kind[0] for kind in self._kinds]
        return max(words, key=DISRUPTIONS.index, default="")


def _merged(groups: list[Group]) -> Iterator[Group]:
    if len(groups) <= _PAIRS_MAX:
        yield from groups
        return
    first = groups[0]
    merged = Group(first.disruption, first.title, first.unit, first.action, "", "", first.first, noun=first.noun)
    merged.values = len(groups)
    for group in groups:
        merged.things += group.things
        merged.details += group.details
        for role, number_ in group.roles.items():
            # A device may have several of the values; the largest group is a lower bound that never overstates.
            merged.roles[role] = max(merged.roles[role], number_)
    names = {group.first.device for group in groups}
    if sum(merged.roles.values()) < len(names):
        merged.roles = Counter(_role_of(group.first.kind, group.first.device) for group in groups)
    yield merged


def _title(file: FileDiff, steps: Steps) -> str:
    """What to call a change that the semantics have no name for."""
    name = file.path.rsplit("/", 1)[-1]
    if not steps:
        return f"file {file.path}"
    return f"{name}: {steps[0]}" if steps[0] != "lines" else f"file {file.path}"


def _role(diff: DeviceDiff) -> str:
    return _role_of(diff.kind, diff.name)


def _role_of(kind: str, name: str) -> str:
    """What a device is called among others: host, or the first word of its name."""
    found = _ROLE.match(name)
    return "host" if kind == "hosts" or not found else found[0]


def _pair(change: Change, redaction: Redaction) -> tuple[str, str]:
    """Both values as they may be shown; of texts that are compared by line, the first lines that differ."""
    before, after, steps = change.before, change.after, change.steps
    if isinstance(before, list) and isinstance(after, list) and steps[-1:] == ("lines",):
        had, wanted = frozenset(before), frozenset(after)
        old, new = [line for line in before if line not in wanted], [line for line in after if line not in had]
        more = max(len(old), len(new)) - 1
        suffix = f" (and {more} more)" if more > 0 else ""
        shown = [cut(_plain(redaction.line(steps, lines[0]) if lines else "")) for lines in (old, new)]
        return shown[0], shown[1] + suffix
    return show_value(before, steps, redaction), show_value(after, steps, redaction)


def show_value(value: Any, steps: Steps, redaction: Redaction) -> str:
    """A value in one short line, without what may not be shown; empty for what is not there."""
    return "" if value is ABSENT else cut(_text(redaction.value(steps, value)))


def _text(value: Any) -> str:
    if is_tree(value):
        items = sorted(value.items())
        return " ".join(key if is_tree(item) else f"{key}={_text(item)}" for key, item in items)
    if isinstance(value, list):
        shown = [f"({_text(item)})" if is_tree(item) else _text(item) for item in value]
        return HIDDEN if shown and set(shown) == {HIDDEN} else " ".join(shown)
    return _plain(value)


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return show_line(str(value)[: 8 * _SHOWN_MAX])


def cut(text: str) -> str:
    """A text short enough for a line."""
    return text if len(text) <= _SHOWN_MAX else text[: _SHOWN_MAX - 2] + " …"


def number(text: str) -> str:
    """A whole number with its thousands apart; any other text in quotes if it is empty or has blanks."""
    value = number_of(text)
    if value is not None and not text.startswith("0"):
        return f"{value:,}"
    return f"“{text}”" if not text or " " in text else text
