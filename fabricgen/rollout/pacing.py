"""Waves of one kind cut to size: first a canary of everything that is changed alike, then step by step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from fabricgen.plan.model.identity import DeviceId
from fabricgen.plan.model.rollout import RolloutLimits
from fabricgen.rollout.kinds import Device


class Portion(NamedTuple):
    """Devices of one wave.

    Attributes:
        most: How many devices the wave may hold in all; 0 of a canary, which holds those that ``Pace.probe`` lets in.
        word: A word for people; empty if the wave is no canary, or all there is.
    """

    devices: list[Device]
    most: int = 0
    word: str = ""


class Pace:
    """The pace of the waves of one kind: of one tier or host group, so one platform, and one disruption."""

    def __init__(self, limits: RolloutLimits, disruptions: Mapping[Device, str], total: int) -> None:
        """Start before the first wave; ``total`` is the number of devices of the kind."""
        self._canary, self._disruptions, self._total = limits.canary, disruptions, total
        self._sizes = [each if isinstance(each, int) else max(1, int(each * total)) for each in limits.steps]
        self._tried: Counter[tuple[bool, int, str]] = Counter()

    def probe(self, devices: Iterable[Device], admits: Callable[[Device], bool] = lambda _: True) -> list[Device]:
        """Return the devices of which too few alike were tried before, and count them as tried.

        Args:
            devices: In the order of preference.
            admits: Returns whether a device may go with those that were taken before.
        """
        found = []
        for device in devices:
            alike = self._alike(device)
            if self._tried[alike] < self._canary and admits(device):
                self._tried[alike] += 1
                found.append(device)
        return found

    def has_tried(self, device: Device) -> bool:
        """Return whether one that is alike was probed."""
        return self._tried[self._alike(device)] > 0

    def _alike(self, device: Device) -> tuple[bool, int, str]:
        place = (True, device.tier) if isinstance(device, DeviceId) else (False, device.group)
        return *place, self._disruptions[device]

    def divide(
        self, parts: Sequence[Sequence[Device]], admits: Callable[[Device], bool] = lambda _: True
    ) -> Iterator[Portion]:
        """Yield a canary of all parts, then each without it, step by step; ``admits`` is that of ``probe``."""
        canary = self.probe((device for part in parts for device in part), admits)
        if canary:
            yield Portion(canary, word="canary" if len(canary) < self._total else "")
        tried = set(canary)
        for part in parts:
            rest = [device for device in part if device not in tried]
            while rest:
                most = self._sizes.pop(0) if len(self._sizes) > 1 else self._sizes[0]
                yield Portion(rest[:most], most)
                rest = rest[most:]
