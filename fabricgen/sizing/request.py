"""Everything that a fabric is sized from."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from fabricgen.catalog.host_records import NicModel, ServerModel
from fabricgen.catalog.records import SwitchModel


class CableLength(NamedTuple):
    """Medium and longest length of a group of links."""

    media: str
    length_m: float


HOST_LINK, SPINE_LINK, CORE_LINK = LINKS = ("host-leaf", "leaf-spine", "spine-core")

DEFAULT_CABLES = {
    HOST_LINK: CableLength("mmf", 30),
    SPINE_LINK: CableLength("smf", 50),
    CORE_LINK: CableLength("smf", 300),
}
"""Assumed where nothing is given: leafs in the row of their servers, spines in the hall, cores in the building."""
RACK_CABLE = CableLength("dac", 3)
"""Of hosts whose leaf stands in their rack."""


class SwitchModels(NamedTuple):
    """The switch of each tier and the network operating system that all of them run."""

    leaf: SwitchModel
    spine: SwitchModel
    core: SwitchModel
    platform: str

    @property
    def names(self) -> tuple[str, str, str]:
        """Catalog names of the three, from the leaf up."""
        return self.leaf.id, self.spine.id, self.core.id


class SizingRequest(NamedTuple):
    """Parameters of a sizing.

    Attributes:
        speed_gbps: Of a link between NIC and leaf; ``uplink_gbps`` of one between switches.
        ratio: Most oversubscription of a leaf, downlink over uplink bandwidth.
        pod_ratio: The same of a spine below a core.
        planes: How many times everything above the hosts exists.
        leafs_per_group: 2 makes pairs of leafs over which NICs bond.
        whole_hosts: All NICs of a host on the leaf of its rack; else one leaf per rail.
        per_unit: Hosts of a unit, 0 to fill it.
        pod_gpus: GPUs of a pod, 0 to fill it.
        cables: By the name of the links; ``DEFAULT_CABLES`` where there is none.
    """

    gpus: int
    server: ServerModel
    nic: NicModel
    speed_gbps: int
    uplink_gbps: int
    ratio: Fraction = Fraction(1)
    pod_ratio: Fraction = Fraction(1)
    planes: int = 1
    leafs_per_group: int = 1
    whole_hosts: bool = False
    per_unit: int = 0
    pod_gpus: int = 0
    cables: dict[str, CableLength] = {}  # noqa: RUF012 - never written to

    @property
    def hosts(self) -> int:
        """Return how many servers hold the GPUs."""
        return -(-self.gpus // self.server.gpus)

    @property
    def domain(self) -> int:
        """Hosts of one NVLink domain that spans servers; 1 where NVLink ends at the server."""
        return min(self.server.nvlink_hosts, self.hosts)

    @property
    def rails(self) -> int:
        """Back-end NICs of a server."""
        return len(self.server.rails)

    def cable(self, link: str) -> CableLength:
        """Return the cable of a group of links."""
        default = RACK_CABLE if link == HOST_LINK and self.whole_hosts else DEFAULT_CABLES[link]
        return self.cables.get(link, default)


class Unfit(NamedTuple):
    """Reason why a fabric of this size cannot be built, and a size that can; ``remedy`` is empty if none is known."""

    why: str
    remedy: str = ""
