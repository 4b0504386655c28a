"""Changes of any number of devices to what an operator needs: by disruption, each kind of change once.

Of each device only its verdict is kept, and one representative of each kind of change; details are kept only if they
are asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from fabricgen.diff.counting import Counted, count, noun_of
from fabricgen.diff.device import DeviceDiff
from fabricgen.diff.file_diff import FileDiff
from fabricgen.diff.groups import CHANGE_WORDS, DRIFT_WORDS, ChangeGroup, DeviceState, DeviceSummary, Instance
from fabricgen.diff.tree_changes import Steps, TreeComparison
from fabricgen.diff.values import show_pair
from fabricgen.platforms.patching.steps import ABSENT, Change
from fabricgen.platforms.reading.redaction import Redaction
from fabricgen.platforms.reading.semantics import DISRUPTIONS

_PAIRS_MAX = 4


@dataclass(slots=True)
class Totals:
    """Totals of a comparison.

    Attributes:
        failed: Devices of which something could not be compared.
        changes: Changes, each by itself.
        unmanaged: How often each path that is not ours stands on a device, by its first step.
        negated: How often a device negates each path of which the default is not known.
        absent: Intended files that were not collected, by path.
        missing: Devices of kinds that were not collected at all, by kind.
        added: Devices that only the intended side has.
        removed: Devices that only the deployed side has.
        exchanged: Switches that are another box by the asset lists of both sides, in words.
    """

    compared: int = 0
    different: int = 0
    failed: int = 0
    changes: int = 0
    secrets: int = 0
    unmanaged: Counter[str] = field(default_factory=Counter)
    negated: Counter[str] = field(default_factory=Counter)
    absent: Counter[str] = field(default_factory=Counter)
    missing: Counter[str] = field(default_factory=Counter)
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    exchanged: list[str] = field(default_factory=list)

    def is_clean(self, *, unmanaged: bool) -> bool:
        """Return whether nothing differs; what is not ours counts only if asked for."""
        return not (self.changes or self.added or self.removed or self.exchanged or (unmanaged and self.unmanaged))


class DiffSummary:
    """Takes device after device and forms groups.

    Attributes:
        intent: The change of intent between two inventories in one line; empty if a side is none.
        tier_of: Gives the tier of a switch; empty where it is not known.
    """

    def __init__(self, *, details: bool = False, is_drift: bool = True, hides_values: bool = False) -> None:
        """Start empty.

        Args:
            details: Keep every instance.
            is_drift: The deployed side is of devices, and not a revision that fabricgen made.
            hides_values: Show no word of a device that the rendered file lacks.
        """
        self._details = details
        self._is_strict = hides_values
        self.is_drift = is_drift
        self._words = DRIFT_WORDS if is_drift else CHANGE_WORDS
        self._kinds: dict[tuple[str, ...], dict[tuple[str, str], ChangeGroup]] = {}
        self._known: dict[int, tuple[TreeComparison, list[tuple[ChangeGroup, Counted]]]] = {}
        self.totals = Totals()
        self.intent = ""
        self.tier_of: Callable[[str], str] = lambda _: ""
        self.verdicts: list[DeviceSummary] = []

    def add(self, diff: DeviceDiff) -> None:
        """Take one device."""
        totals, verdict = self.totals, DeviceSummary(diff.name, diff.kind, _state(diff), absent=tuple(diff.absent))
        seen, found = self._collect(diff)
        self.verdicts.append(verdict)
        totals.failed += diff.failed
        if diff.is_new or diff.is_gone:
            (totals.added if diff.is_new else totals.removed).append(diff.name)
            return
        if diff.is_missing and not diff.failed:
            totals.missing[diff.kind] += 1
        totals.compared += not (diff.failed or diff.is_missing)
        totals.absent.update(diff.absent)
        totals.unmanaged.update(found.unmanaged)
        totals.negated.update(found.negated)
        totals.secrets += found.secrets
        totals.changes += found.changes
        verdict.changes = found.changes
        verdict.tier = self.tier_of(diff.name) if seen and diff.kind != "hosts" else ""
        for group, things in seen:
            group.things += len(things)
            group.members.append(verdict)
            verdict.groups.append(group)
        totals.different += bool(seen)

    def _collect(self, diff: DeviceDiff) -> tuple[list[tuple[ChangeGroup, set[str]]], Totals]:
        """The groups of a device with what they count on it, and its sums."""
        found = Totals(unmanaged=Counter(f"{path} (file)" for path in diff.foreign))
        seen: dict[int, tuple[ChangeGroup, set[str]]] = {}
        for file in diff.files:
            redaction = file.redaction(is_strict=self._is_strict)
            for part in file.parts:
                found.secrets += len(part.secrets)
                found.changes += len(part.changes)
                found.unmanaged.update(redaction.steps(steps[:1])[0] for steps in part.unmanaged)
                found.negated.update(" > ".join(redaction.steps(steps)) for steps in part.negated)
                for group, counted in self._grouped(diff, file, part, redaction):
                    file.counting.collect(counted, seen.setdefault(id(group), (group, set()))[1])
        return list(seen.values()), found

    def _grouped(
        self, diff: DeviceDiff, file: FileDiff, part: TreeComparison, redaction: Redaction
    ) -> list[tuple[ChangeGroup, Counted]]:
        """The groups of a part; worked out once for all devices that share it, unless details are kept."""
        known = self._known.get(id(part))
        if known is not None and not self._details:
            return known[1]
        groups: dict[int, tuple[ChangeGroup, list[Change]]] = {}
        for change in part.changes:
            group = self._group(diff, file, change, redaction)
            groups.setdefault(id(group), (group, []))[1].append(change)
        found = [(group, count(changes)) for group, changes in groups.values()]
        # The part is kept with its groups, so that no other one can take its place in memory.
        self._known[id(part)] = (part, found)
        return found

    def _group(self, diff: DeviceDiff, file: FileDiff, change: Change, redaction: Redaction) -> ChangeGroup:
        meaning = change.meaning
        action = "add" if change.before is ABSENT else "remove" if change.after is ABSENT else "change"
        steps = redaction.steps(change.steps)
        title = meaning.get("title") or _title(file, steps)
        before, after = show_pair(change, redaction)
        kind = (change.disruption, title, meaning.get("unit"), action, file.remedy)
        groups = self._kinds.setdefault(kind, {})
        group = groups.get((before, after))
        if group is None or self._details:
            instance = Instance(diff.name, diff.kind, file.path, steps, before, after, change, file, redaction)
            if group is None:
                group = ChangeGroup(*kind[:3], action, before, after, instance, self._words, noun=noun_of(change))
                groups[before, after] = group
            if self._details:
                group.details.append(instance)
        return group

    def groups(self) -> list[ChangeGroup]:
        """The groups, the most disruptive first; many values of one kind are one group."""
        found = [group for groups in self._kinds.values() for group in _merged(list(groups.values()))]
        found.sort(key=lambda group: (-DISRUPTIONS.index(group.disruption), group.title, group.action, group.before))
        return found

    def worst(self) -> str:
        """Return the greatest disruption of all; empty if there is no change."""
        words = [kind[0] for kind, groups in self._kinds.items() if groups]
        return max(words, key=DISRUPTIONS.index, default="")

    def waves(self) -> dict[str, list[DeviceSummary]]:
        """Return the devices that differ by their greatest disruption, the greatest first."""
        found: dict[str, list[DeviceSummary]] = {word: [] for word in reversed(DISRUPTIONS)}
        for verdict in self.verdicts:
            if verdict.groups:
                found[worst_of(verdict)].append(verdict)
        return {word: verdicts for word, verdicts in found.items() if verdicts}


def worst_of(verdict: DeviceSummary) -> str:
    """Return the greatest disruption of a device; empty if it has no change."""
    return max((group.disruption for group in verdict.groups), key=DISRUPTIONS.index, default="")


def _state(diff: DeviceDiff) -> DeviceState:
    if diff.is_missing:
        return DeviceState.missing
    if diff.failed:
        return DeviceState.unreadable
    if diff.is_new or diff.is_gone:
        return DeviceState.added if diff.is_new else DeviceState.removed
    return DeviceState.different if any(True for _ in diff.changes) else DeviceState.equal


def _merged(groups: list[ChangeGroup]) -> Iterator[ChangeGroup]:
    if len(groups) <= _PAIRS_MAX:
        yield from groups
        return
    first = groups[0]
    merged = ChangeGroup(
        first.disruption, first.title, first.unit, first.action, "", "", first.first, first.words, noun=first.noun
    )
    merged.values = len(groups)
    for group in groups:
        merged.things += group.things
        merged.details += group.details
    merged.members = list({id(member): member for group in groups for member in group.members}.values())
    yield merged


def _title(file: FileDiff, steps: Steps) -> str:
    """Return the name of a change that the semantics have none for."""
    name = file.path.rsplit("/", 1)[-1]
    if not steps:
        return f"file {file.path}"
    return f"{name}: {steps[0]}" if steps[0] != "lines" else f"file {file.path}"
