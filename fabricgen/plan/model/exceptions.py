"""Irregularity as sparse maps over the regular plan; nothing here grows with the regular part."""

from __future__ import annotations

from typing import NamedTuple

from fabricgen.plan.model.contract import Services
from fabricgen.plan.model.identity import DeviceId, HostId, LinkId
from fabricgen.plan.model.numbering import Coordinates
from fabricgen.plan.model.topology import Tier
from fabricgen.plan.model.watchdog import WatchdogTimes


class LinkException(NamedTuple):
    """Deviations of one link; an empty field is as in its group.

    Attributes:
        state: ``drained`` or ``absent``.
        end: The upper device or leaf at which the cable really ends; None where it ends as planned.
        end_position: Downlink position it has there.
        length_m: Length of its cable; 0 for the group's.
        media: Medium of its cable.
        mtu_bytes: MTU at both ends; 0 for the group's.
        reason: Why.
    """

    state: str = ""
    end: Coordinates | None = None
    end_position: int = -1
    length_m: float = 0
    media: str = ""
    mtu_bytes: int = 0
    reason: str = ""


class RawSnippet(NamedTuple):
    """Text that is laid over one file of one switch.

    Attributes:
        file: Where it was read from, as the inventory names it.
        output: Path of the file on the device.
        text: What it says.
        overrides: Paths of managed values that it is meant to change, their steps joined by `` > ``.
        named_at: Intent path at which it is named.
        owner: Owner of the risk of its overrides; empty if there is none.
        expires: Last day on which that may stand.
    """

    file: str
    output: str
    text: str
    overrides: tuple[str, ...]
    named_at: tuple[str, ...]
    owner: str = ""
    expires: str = ""

    @property
    def is_json(self) -> bool:
        """Return whether it is merged; otherwise its lines are appended."""
        return self.file.endswith(".json")


class DeviceException(NamedTuple):
    """Deviations of one switch or host.

    Attributes:
        state: ``drained`` or ``absent``.
        reason: Why, of everything that is said about it.
        tier: Its tier with ports, headroom, thresholds and routing of its own; None where they are the tier's.
        services: Its management services; None where they are the fabric's.
        watchdog: Its PFC watchdog; None where it is the fabric's.
        raw: Snippets that are laid over its files.
    """

    state: str = ""
    reason: str = ""
    tier: Tier | None = None
    services: Services | None = None
    watchdog: WatchdogTimes | None = None
    raw: tuple[RawSnippet, ...] = ()


class Exceptions(NamedTuple):
    """All exceptions of a fabric by identity.

    Attributes:
        switches: What is different about a switch itself.
        hosts: The same of hosts.
        links: What is different about links.
        arrivals: Links that end at a switch though the regular plan has them elsewhere, by that switch.
        touched: Switches that differ from their class: excepted ones, and ends and neighbours of what is excepted.
        touched_hosts: Hosts that differ from their class.
        recabled: Those of ``touched`` at which a cable or a neighbour is missing, or a cable differs; not drained ones.
        resized: Those of ``recabled`` at which a cable of another length or MTU ends, or would by the plan.
    """

    switches: dict[DeviceId, DeviceException]
    hosts: dict[HostId, DeviceException]
    links: dict[LinkId, LinkException]
    arrivals: dict[DeviceId, tuple[LinkId, ...]]
    touched: frozenset[DeviceId]
    touched_hosts: frozenset[HostId]
    recabled: frozenset[DeviceId]
    resized: frozenset[DeviceId]

    def is_absent(self, device: DeviceId | HostId) -> bool:
        """Return whether the intent says that a switch or host is not there."""
        found = self.of(device)
        return found is not None and found.state == "absent"

    def of(self, device: DeviceId | HostId) -> DeviceException | None:
        """Return what is different about a switch or host itself, or None."""
        if isinstance(device, DeviceId):
            return self.switches.get(device) if self.switches else None
        return self.hosts.get(device) if self.hosts else None


NO_EXCEPTIONS = Exceptions({}, {}, {}, {}, frozenset(), frozenset(), frozenset(), frozenset())
"""Of a fabric in which everything is regular."""
