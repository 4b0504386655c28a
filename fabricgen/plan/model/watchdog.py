"""The PFC watchdog of a fabric, and its pace on each tier."""

from __future__ import annotations

from typing import NamedTuple

from fabricgen.plan.model.contract import Watchdog


class WatchdogClock(NamedTuple):
    """The pace of the watchdog on the switches of a tier.

    Attributes:
        poll_ms: Its poll interval, in milliseconds, where none of its times asks for a shorter one.
        ports: Ports at the reserved maximum that one poll goes through; 0 where the platform's poll does not depend on
            them.
        detection_max_ms: Longest detection time that the platform counts; 0 where it takes any.
    """

    poll_ms: int = 200
    ports: int = 0
    detection_max_ms: int = 0


class WatchdogTimes(NamedTuple):
    """Times and action of the PFC watchdog, alike on every switch that no exception sets apart; milliseconds."""

    detection_ms: int
    restoration_ms: int
    action: str

    def on(self, clock: WatchdogClock) -> Watchdog:
        """Return the watchdog of a switch: its poll interval is never longer than one of the times.

        Source:
            sonic-net/sonic-buildimage sonic-pfcwd.yang: detection and restoration times are not below POLL_INTERVAL.
        """
        poll_ms = min(self.detection_ms, self.restoration_ms, clock.poll_ms)
        return Watchdog(self.detection_ms, self.restoration_ms, poll_ms, self.action)
