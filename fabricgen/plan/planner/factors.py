"""Factors: the keys of an intent that a number of switches, ports or GPUs is made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fabricgen.diagnostics import IntentPath, Related, format_path
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.types import Count, Intent

_SCOPES = ("zones", "pods", "units")
_WITHIN = {"pod": 2, "zone": 1, "fabric": 0, None: 0}
"""Number of the scopes above that lie outside one device of a tier that is built per pod, per zone or per fabric."""


class Factors(NamedTuple):
    """Finds the keys behind the numbers of a fabric.

    Attributes:
        tiers: Names of the tiers, from the leaf up.
        links: Names of the links below each tier.
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
