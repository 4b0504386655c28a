"""The whole fabric as a plan: tiers, link groups, hosts, and the sparse exceptions on top."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.plan.model.contract import Collectives, Contract, Services, Watchdog
from fabricgen.plan.model.exceptions import Exceptions
from fabricgen.plan.model.identity import DeviceId, HostId
from fabricgen.plan.model.numbering import Coordinates
from fabricgen.plan.model.topology import HostGroup, LinkGroup, Tier


class Addressing(NamedTuple):
    """Pools as (first address, prefix length) and the management gateway; IPv4 numbers."""

    loopbacks: tuple[int, int]
    fabric_links: tuple[int, int]
    host_links: tuple[int, int]
    management: tuple[int, int]
    management_gateway: int
    host_block_len: int
    """Prefix length of the one aggregate a leaf advertises for its host links."""
    host_subnet: bool = False
    """The hosts of a rail group share one subnet, on all the leafs they bond to."""


class Asset(NamedTuple):
    """What the asset list says of a device; empty strings where it says nothing.

    ``rail_macs`` and ``rail_bdfs`` hold (rail, NIC port, address).
    """

    serial: str = ""
    mac: str = ""
    rail_macs: tuple[tuple[int, int, str], ...] = ()
    rail_bdfs: tuple[tuple[int, int, str], ...] = ()


class FabricPlan(NamedTuple):
    """Everything that is decided about a fabric.

    ``links[0]`` joins hosts and leafs, ``links[n]`` tier n-1 and tier n.
    """

    name: str
    unit_name: str
    pod_name: str
    zone_name: str
    tiers: tuple[Tier, ...]
    links: tuple[LinkGroup, ...]
    hosts: tuple[HostGroup, ...]
    addressing: Addressing
    contract: Contract
    watchdog: Watchdog
    services: Services
    collectives: Collectives
    rails: int
    exceptions: Exceptions
    assets: dict[str, Asset]

    def device_name(self, device: DeviceId) -> str:
        """Host name of a switch."""
        return self.tiers[device.tier].device_name(device.where)

    def host_name(self, host: HostId) -> str:
        """Host name of a host."""
        return self.hosts[host.group].host_name(host.where, host.host)

    def switches(self) -> Iterator[DeviceId]:
        """Every switch that exists, tier by tier."""
        for tier in self.tiers:
            for where in tier.coordinates():
                device = DeviceId(tier.number, where)
                if not self.exceptions.is_absent(device):
                    yield device

    def units(self) -> Iterator[Coordinates]:
        """Coordinates of every unit (zone, pod, unit set; the rest 0)."""
        counts = self.tiers[0].counts
        for zone in range(counts.zone):
            for pod in range(counts.pod):
                for unit in range(counts.unit):
                    yield Coordinates(zone, pod, unit)

    def hosts_of_unit(self, unit: Coordinates) -> Iterator[HostId]:
        """Every host of a unit that exists, group by group."""
        for number, group in enumerate(self.hosts):
            if not group.in_unit(unit.unit):
                continue
            for host in group_hosts(group):
                found = HostId(number, unit, host)
                if not self.exceptions.is_absent(found):
                    yield found

    def all_hosts(self) -> Iterator[HostId]:
        """Every host that exists, unit by unit."""
        for unit in self.units():
            yield from self.hosts_of_unit(unit)


def group_hosts(group: HostGroup) -> Iterator[int]:
    """Numbers of a group's hosts in one unit: regular ones, then backups behind the reserved range."""
    yield from range(group.per_unit)
    yield from range(group.per_unit_reserved, group.per_unit_reserved + group.backup_per_unit)
