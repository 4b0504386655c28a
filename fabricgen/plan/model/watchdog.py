"""What is said of the PFC watchdog, and what a tier makes of it."""

from __future__ import annotations

from typing import NamedTuple

from fabricgen.plan.model.contract import Watchdog


class WatchdogDefault(NamedTuple):
    """The timers of a tier where the intent states none, in milliseconds.

    Attributes:
        ports: Ports at the reserved maximum that one poll goes through; 0 where the platform's poll does not depend on
            them.
    """

    detection_ms: int = 200
    restoration_ms: int = 400
    poll_ms: int = 200
    ports: int = 0


class WatchdogChoice(NamedTuple):
    """Timers of the PFC watchdog as the intent has them, in milliseconds; 0 for one that follows the switch."""

    detection_ms: int
    restoration_ms: int
    action: str

    def on(self, default: WatchdogDefault) -> Watchdog:
        """The timers on a switch: the poll interval is never longer than a time that the intent states.

        Source:
            sonic-net/sonic-buildimage sonic-pfcwd.yang: detection and restoration times are not below POLL_INTERVAL.
        """
        detection_ms = self.detection_ms or default.detection_ms
        restoration_ms = self.restoration_ms or default.restoration_ms
        return Watchdog(detection_ms, restoration_ms, min(detection_ms, restoration_ms, default.poll_ms), self.action)
