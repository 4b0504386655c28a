"""Links of one device with the names of its ports, exceptions included."""

from __future__ import annotations

from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId
from fabricgen.plan.model.links import FabricLink, HostLink
from fabricgen.plan.model.numbering import Coordinates
from fabricgen.plan.model.topology import HostGroup


class Wiring:
    """Links and names of one plan; keeps the names it has already worked out."""

    def __init__(self, plan: FabricPlan) -> None:
        """Prepare for one plan."""
        self.plan = plan
        self._names: dict[tuple[int, Coordinates], str] = {}
        self._down_names = [[tier.slots[at].name for at in tier.down.slots] for tier in plan.tiers]
        self._up_names = [[tier.slots[at].name for at in tier.up.slots] if tier.up else [] for tier in plan.tiers]

    def is_irregular(self, device: DeviceId) -> bool:
        """Return whether a switch differs from its class because it, or a neighbour, is an exception."""
        return device in self.plan.exceptions.touched

    def name(self, tier: int, where: Coordinates) -> str:
        """Host name of a switch, remembered."""
        key = (tier, where)
        name = self._names.get(key)
        if name is None:
            name = self._names[key] = self.plan.tiers[tier].device_name(where)
        return name

    def names_down(self, tier: int, where: Coordinates | None = None) -> list[str]:
        """Names of the ports of a switch by downlink position; without coordinates, of the tier's regular switches."""
        box = self.plan.tier_of(DeviceId(tier, where)) if where else self.plan.tiers[tier]
        if box is self.plan.tiers[tier]:
            return self._down_names[tier]
        return [box.slots[at].name for at in box.down.slots]

    def names_up(self, tier: int, where: Coordinates | None = None) -> list[str]:
        """Names of the ports of a switch by uplink position, as in ``names_down``."""
        box = self.plan.tier_of(DeviceId(tier, where)) if where else self.plan.tiers[tier]
        if box is self.plan.tiers[tier] or box.up is None:
            return self._up_names[tier]
        return [box.slots[at].name for at in box.up.slots]

    def is_drained(self, link: FabricLink) -> bool:
        """Return whether an exception drains a link."""
        found = self.plan.exceptions.links.get(link.id)
        return found is not None and found.state == "drained"


def host_port(group: HostGroup, link: HostLink) -> str:
    """The host's interface at a link, as a neighbour sees it."""
    return f"rail{link.rail}" if group.spread or group.nic_ports == 1 else f"rail{link.rail}p{link.port}"
