"""Factors: the keys of an intent that a number is made of, smaller numbers that fit, and the limits of a fabric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from fabricgen.diagnostics import Bag, IntentPath, Related, format_path
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.types import Count, Intent
from fabricgen.plan.planner import plan_codes as codes

_SCOPES = ("zones", "pods", "units")
_WITHIN = {"pod": 2, "zone": 1, "fabric": 0, None: 0}
"""Number of the scopes above that lie outside one device of a tier that is built per pod, per zone or per fabric."""


class Factors(NamedTuple):
    """Finds the keys behind the numbers of a fabric.

    Attributes:
        tiers: Names of the tiers, from the leaf up.
        reserved: Of a count and its maximum take the maximum where it is written.
    """

    intent: FabricIntent
    tiers: Sequence[str]
    links: Sequence[str]
    reserved: bool = False

    def ports_down(self, number: int) -> list[IntentPath]:
        """Keys behind the number of ports a device has towards the hosts."""
        link: list[IntentPath] = [("links", self.links[number], key) for key in ("per_pair", "pattern")]
        if not number:
            return [*self._of_hosts("per_unit", "backup_per_unit"), *self._rails()]
        upper, lower = self.intent.tiers[self.tiers[number]], self.intent.tiers[self.tiers[number - 1]]
        outside = _WITHIN[upper.per]
        if number == 1:
            return [*(self._count(name) for name in _SCOPES[outside:]), *self._rails(), *link]
        scopes = _SCOPES[outside : _WITHIN[lower.per]]
        return [self._tier_count(number - 1), *(self._count(name) for name in scopes), *link]

    def ports_up(self, number: int) -> list[IntentPath]:
        """Keys behind the number of ports a device has away from the hosts; none on the top tier."""
        if number + 1 >= len(self.tiers):
            return []
        name = self.links[number + 1]
        striped = self.intent.links[name].pattern is not None if name in self.intent.links else False
        rails = self._rails() if striped else []
        link: list[IntentPath] = [("links", name, key) for key in ("per_pair", "pattern")]
        return [self._tier_count(number + 1), *link, *rails]

    def speeds(self, number: int) -> list[IntentPath]:
        """Keys of the speeds below and above a tier."""
        below = [name for name in self.intent.links if not number and name.partition("-")[0] not in self.intent.tiers]
        return [("links", name, "speed") for name in (*below, *self.links[max(number, 1) : number + 2])]

    def siblings(self, number: int) -> list[IntentPath]:
        """Keys behind the number of switches of a tier that stand in for each other."""
        if not number:
            return [self._count("planes"), *(path for path in self._rails() if path[-1] == "leafs_per_group")]
        return [self._tier_count(number), self._count("planes"), ("links", self.links[number], "pattern")]

    def devices(self, number: int) -> list[IntentPath]:
        """Keys behind the number of switches of a tier."""
        if not number:
            return [*(self._count(name) for name in (*_SCOPES, "planes")), *self._rails()]
        scopes = _SCOPES[: _WITHIN[self.intent.tiers[self.tiers[number]].per]]
        return [self._tier_count(number), *(self._count(name) for name in (*scopes, "planes"))]

    def all_devices(self) -> list[IntentPath]:
        """Keys behind the number of all switches."""
        return [path for number in range(len(self.tiers)) for path in self.devices(number)]

    def gpus(self) -> list[IntentPath]:
        """Keys behind the number of GPUs."""
        hosts = self._of_hosts("server", "per_unit", "units")
        return [*hosts, *(self._count(name) for name in _SCOPES)]

    def _rails(self) -> list[IntentPath]:
        """Keys behind the number of leafs that a host meets, and of its rails on each."""
        keys = ("group", "rails_per_leaf", "leafs_per_group")
        own = [("hosts", name, "attachment") for name, group in self.intent.hosts.items() if group.attachment]
        places: list[IntentPath] = [*own, *([("attachment",)] if len(own) < len(self.intent.hosts) else [])]
        return [*self._of_hosts("server"), *((*place, key) for place in places for key in keys)]

    def _of_hosts(self, *keys: str) -> list[IntentPath]:
        return [
            self._sized(("hosts", name, key), getattr(group, key))
            for name, group in sorted(self.intent.hosts.items())
            for key in keys
        ]

    def _count(self, name: str) -> IntentPath:
        return self._sized((name,), getattr(self.intent, name))

    def _tier_count(self, number: int) -> IntentPath:
        tier = self.tiers[number]
        return self._sized(("tiers", tier, "count"), self.intent.tiers[tier].count)

    def _sized(self, path: IntentPath, value: object) -> IntentPath:
        if not isinstance(value, Count):
            return path
        return (*path, "max" if self.reserved and value.max is not None else "count")


def takes_part(intent: FabricIntent, paths: Iterable[IntentPath]) -> tuple[Related, ...]:
    """Return a note for each of the keys that the intent writes, with its value; each only once."""
    found: dict[IntentPath, Related] = {}
    for path in paths:
        value = written_value(intent, path)
        if value is not None:
            key = path[:-1] if path[-2:] == ("count", "count") else path
            unit = "G" if path[-1] == "speed" else ""
            found.setdefault(path, Related(f"{format_path(key)} is {_shown(value)}{unit}", path))
    return tuple(found.values())


def written_value(intent: FabricIntent, path: IntentPath) -> object:
    """Return the value at a path, or None where the intent does not write it."""
    value: object = intent
    for segment in path:
        if isinstance(value, dict):
            value = value.get(segment)
        elif isinstance(value, Intent) and segment in value.model_fields_set:
            value = getattr(value, segment)
        else:
            return None
    return value


def _shown(value: object) -> str:
    if isinstance(value, Intent):
        return " ".join(f"{key}: {item}" for key, item in value)
    if isinstance(value, list):
        return ", ".join(f"{first}-{last}" for first, last in value)
    return f"{value:g}" if isinstance(value, float) else str(value).lower() if isinstance(value, bool) else str(value)


LIMITS = {"count": 1_000_000, "max": 16_777_216}
"""Switches and hosts together: a fabric of a million GPUs has less than a fifth of the first number; the second is what
the largest private pool, 10.0.0.0/8, has addresses for."""


def limit_size(intent: FabricIntent, bag: Bag) -> FabricIntent:
    """The intent, with counts that make the fabric too large reported and taken for 2, so that the rest is checked."""
    written = intent
    for key, limit in LIMITS.items():
        while (devices := _count_devices(intent, key)) > limit:
            path, count = max(_counts(intent), key=lambda item: _number(item[1], key))
            message = (
                f"{format_path(path)}.{key} is {_number(count, key)}, which makes {devices} switches and hosts; "
                f"the limit is {limit}"
            )
            related = takes_part(written, _others(intent, (*path, key)))
            bag.add(codes.TOO_LARGE, message, (*path, key), hint="lower it, or another of the counts", related=related)
            small = {"count": 2, "max": 2} if key == "count" else {"max": count.count}
            intent = _replaced(intent, path, count.model_copy(update=small))
    return intent


def _others(intent: FabricIntent, path: IntentPath) -> list[IntentPath]:
    """The same of every other count: what is multiplied."""
    paths = ((*other, path[-1] if path[-1] in count.model_fields_set else "count") for other, count in _counts(intent))
    return [other for other in paths if other != path]


def _number(count: Count, key: str) -> int:
    return count.max if key == "max" and count.max is not None else count.count


def _counts(intent: FabricIntent) -> Iterator[tuple[IntentPath, Count]]:
    """Every count of the intent with its path."""
    for name in ("zones", "pods", "units", "planes"):
        if getattr(intent, name) is not None:
            yield (name,), getattr(intent, name)
    for name, tier in sorted(intent.tiers.items()):
        if tier.count is not None:
            yield ("tiers", name, "count"), tier.count
    for name, group in sorted(intent.hosts.items()):
        yield ("hosts", name, "per_unit"), group.per_unit
        if group.backup_per_unit is not None:
            yield ("hosts", name, "backup_per_unit"), group.backup_per_unit


def _count_devices(intent: FabricIntent, key: str) -> int:
    """About how many devices the counts make: one leaf per unit and plane, and every upper tier in its scope."""
    found = {path: _number(count, key) for path, count in _counts(intent)}
    zones, planes = found.get(("zones",), 1), found.get(("planes",), 1)
    pods = zones * found.get(("pods",), 1)
    hosts = sum(number for path, number in found.items() if path[0] == "hosts")
    scopes = {"pod": pods, "zone": zones}
    uppers = sum(
        found.get(("tiers", name, "count"), 0) * scopes.get(tier.per or "fabric", 1)
        for name, tier in intent.tiers.items()
    )
    return pods * found[("units",)] * (hosts + planes) + uppers * planes


def _replaced(value: Any, path: IntentPath, new: Count) -> Any:
    """A copy of a model or mapping with another count at a path."""
    if not path:
        return new
    head, rest = path[0], path[1:]
    if isinstance(value, dict):
        return {**value, head: _replaced(value[head], rest, new)}
    return value.model_copy(update={head: _replaced(getattr(value, head), rest, new)})
