"""Content of an intent, with its defaults, read from the words of docs/intent.md."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from .hardware import NICS, SERVERS
from .records import Data, Place, number, room


class Wording:
    """An intent, read."""

    def __init__(self, data: Data) -> None:
        hosts = data["hosts"]
        self.data = {**data, "hosts": {"gpu": hosts}} if "server" in hosts else data
        self.zones, self.pods, self.planes = (data.get(key, 1) for key in ("zones", "pods", "planes"))
        self.units = data["units"]
        self.outermost = "zones" if "zones" in data else "pods" if "pods" in data else "units"
        self.tiers = self._order()
        self.host_links = f"host-{self.tiers[0]}"
        self.groups = max(-(-self.rails(name) // self.rails_per_leaf(name)) for name in self.data["hosts"])
        self.members = max(self.attachment(name).get("leafs_per_group", 1) for name in self.data["hosts"])

    def _order(self) -> list[str]:
        above = {name.partition("-")[0]: name.partition("-")[2] for name in self.data["links"]}
        found = [above["host"]]
        while found[-1] in above:
            found.append(above[found[-1]])
        return found

    # Hosts.

    def attachment(self, group: str) -> Data:
        own: Data = self.data["hosts"][group].get("attachment") or self.data.get("attachment", {})
        return own

    def rails(self, group: str) -> int:
        return SERVERS[self.data["hosts"][group]["server"]].rails

    def has_gpus(self, group: str) -> bool:
        return SERVERS[self.data["hosts"][group]["server"]].gpus > 0

    def rails_per_leaf(self, group: str) -> int:
        attachment = self.attachment(group)
        return self.rails(group) if attachment.get("group") == "host" else int(attachment.get("rails_per_leaf", 1))

    def widest(self) -> str:
        """The hosts with GPUs that have the most rails, which name the leafs."""
        return max((name for name in sorted(self.data["hosts"]) if self.has_gpus(name)), key=self.rails)

    def lands_apart(self, group: str) -> bool:
        """Return whether the rails of a group meet other leafs than those of the widest group."""
        return self.rails_per_leaf(group) != self.rails_per_leaf(self.widest())

    def nic_ports(self, group: str) -> int:
        return NICS[self.data["hosts"][group]["nic"]][0]

    def ports_per_leaf(self, group: str) -> int:
        """Ports of one NIC that meet the same leaf."""
        return self.nic_ports(group) // (number(self.planes) * int(self.attachment(group).get("leafs_per_group", 1)))

    def slots(self, group: str) -> int:
        """Ports that a host of a group takes on a leaf."""
        return min(self.rails(group), self.rails_per_leaf(group)) * self.ports_per_leaf(group)

    def host_room(self, group: str) -> int:
        """Hosts of a group that a unit has room for, spares with it."""
        said = self.data["hosts"][group]
        spares = room(said["backup_per_unit"]) if "backup_per_unit" in said else 0
        return room(said["per_unit"]) + spares

    def links_of(self, group: str) -> tuple[str, Data]:
        """The links of a host group: its own, or those of all hosts."""
        own = f"{group}-{self.tiers[0]}"
        name = own if own in self.data["links"] else self.host_links
        return name, self.data["links"][name]

    def in_unit(self, group: str, unit: int) -> bool:
        """Return whether a unit, counted from 0, has a group."""
        said = self.data["hosts"][group].get("units")
        if said is None:
            return True
        parts = [part.partition("-") for part in str(said).split(",")]
        return any(int(first) <= unit + 1 <= int(last or first) for first, _, last in parts)

    # Tiers.

    def scope(self, per: str, counter: Any = number) -> Iterator[tuple[int, int]]:
        """(zone, pod) of every place a tier is built in."""
        zones, pods = (
            counter(count, outermost=self.outermost == key) if counter is room else counter(count)
            for key, count in (("zones", self.zones), ("pods", self.pods))
        )
        return product(range(zones if per != "fabric" else 1), range(pods if per in ("pod", "unit") else 1))

    def per(self, tier: str) -> str:
        """Scope a tier is built in."""
        return "unit" if tier == self.tiers[0] else str(self.data["tiers"][tier].get("per", "fabric"))

    def below(self, tier: str) -> str:
        return self.tiers[self.tiers.index(tier) - 1]

    def link_below(self, tier: str) -> Data:
        found: Data = self.data["links"][f"{self.below(tier)}-{tier}"]
        return found

    def stripe(self, tier: str) -> str:
        """Stripe of the links below an upper tier, or empty."""
        pattern = self.link_below(tier).get("pattern", "mesh")
        return "" if pattern == "mesh" else str(pattern["stripe"])

    def stripes(self, tier: str, counter: Any = number) -> int:
        lower, stripe = self.below(tier), self.stripe(tier)
        if not stripe:
            return 1
        if lower == self.tiers[0]:
            return self.groups if stripe == "rail" else self.members
        if stripe == "rail":
            return self.stripes(lower, counter)
        return self.width(lower, counter)

    def width(self, tier: str, counter: Any = number) -> int:
        """Switches of an upper tier in one scope, plane and stripe group."""
        count = self.data["tiers"][tier]["count"]
        if counter is room and not (isinstance(count, dict) and "max" in count):
            return room(self.width(tier))
        now = number(count) // self.stripes(tier)
        return now if counter is number else max(now, room(count) // self.stripes(tier, room))

    def may_grow(self, tier: str) -> bool:
        """Return whether the outermost dimension, which has no maximum, adds devices below a tier's switches."""
        count = {"zones": self.zones, "pods": self.pods, "units": self.units}[self.outermost]
        if isinstance(count, dict) and "max" in count:
            return False
        lower, here = self.per(self.below(tier)), self.per(tier)
        if self.outermost == "units":
            return lower == "unit"
        if self.outermost == "pods":
            return lower in ("pod", "unit") and here != "pod"
        return lower != "fabric" and here == "fabric"

    def lowers(self, tier: str, upper: Place, counter: Any) -> Iterator[Place]:
        """Every lower switch that an upper one meets, with its plane; the outermost dimension is the slowest."""
        lower, stripe, per = self.below(tier), self.stripe(tier), self.per(tier)
        leaf = lower == self.tiers[0]
        units = range(
            (room(self.units, outermost=self.outermost == "units") if counter is room else number(self.units))
            if leaf
            else 1
        )
        groups = self.groups if leaf else self.stripes(lower, counter)
        members = self.members if leaf else self.width(lower, counter)
        for (zone, pod), unit, group, member in product(
            self.scope(self.per(lower), counter), units, range(groups), range(members)
        ):
            if (per != "fabric" and zone != upper.zone) or (per == "pod" and pod != upper.pod):
                continue
            if (stripe == "rail" and group != upper.group) or (stripe == "index" and member != upper.group):
                continue
            yield Place(zone, pod, unit, upper.plane, group, member)
