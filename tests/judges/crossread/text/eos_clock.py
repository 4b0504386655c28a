"""PTP in a startup-config: the boundary clock, and what its ports may be."""

from __future__ import annotations

from ..facts import GRANDMASTER, Device
from .indented import Block

_BOUNDARY = {"ptp mode": "boundary", "ptp priority1": "200", "ptp priority2": "200"}
_RATES = ("ptp announce interval", "ptp sync-message interval", "ptp delay-req interval")


class Clocks:
    """Commands that begin with ``ptp``."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.said: dict[str, str] = {}

    def top(self, block: Block) -> bool:
        """Take a global command, and of an interface its commands of PTP, which is left to others."""
        key, _, value = block.line.removesuffix(" default").rpartition(" ")
        own = [child.line.rpartition(" ")[::2] for child in block.below if child.words[0] == "ptp"]
        if own and block.words[0] == "interface":
            clock, port = self.device.clock, dict(own)
            clock.ports[value] = "source" if port.get("ptp role") == "master" else "any"
            clock.rates.add(tuple(int(port.get(rate, "99")) for rate in _RATES))
            if f"description {GRANDMASTER}" in [child.line for child in block.below]:
                clock.outside.add(value)
        elif block.words[0] == "ptp":
            self.said[key] = value
        return block.words[0] == "ptp"

    def finish(self, device: Device) -> None:
        device.clock.domain = int(self.said.pop("ptp domain", "0"))
        codes = {self.said.pop(f"ptp message-type {kind} dscp", "-1") for kind in ("event", "general")}
        device.clock.dscp = int(min(codes))
        if device.clock.ports and (self.said != _BOUNDARY or len(codes) > 1):
            device.say(f"is no boundary clock, or has several code points: {self.said}")
