"""Random exceptions that take switches, hosts and cables out of service or move them, whatever that cuts off."""

from __future__ import annotations

from collections import Counter

from .hardware import SYSTEMS
from .irregular import Irregular, Item
from .records import Cable


class Outages(Irregular):
    """Draws exceptions that change routes."""

    def exceptions(self) -> list[Item]:
        kinds = (self._device, self._device, self._link, self._link, self._link, self._move, self._move_host)
        drawn = (self._one_of(*kinds)() for _ in range(self._dice.between(1, 5)))
        return [{**said, "reason": "drawn"} for said in drawn if said is not None]

    def _may_go(self, name: str) -> bool:
        """Return whether a switch of any tier may be missing: its tier has another one."""
        tier = self._model.switches[name].tier
        left = [each for each, switch in self._model.switches.items() if switch.tier == tier and each != name]
        return bool(left) and self._alone(name)

    def _cable(self, *, hosts: bool) -> Cable | None:
        free = [
            cable for cable in self._model.cables if not {cable.a, cable.b} & self._named and (hosts or not cable.group)
        ]
        found = self._one_of(*free) if free else None
        if found is not None:
            self._take(found.a, found.b)
        return found

    def _link(self) -> Item | None:
        """A cable, or all that are parallel to it, absent or drained."""
        cable = self._cable(hosts=self._dice.once_in(2))
        if cable is None:
            return None
        ends = [SYSTEMS[self._model.platform(name)] for name in (cable.a, cable.b) if name in self._model.switches]
        states = ["absent"] + ["drained"] * (not cable.group and all(system.drains_links for system in ends))
        below = Counter(other.b for other in self._model.cables if other.group)
        if cable.group and below[cable.b] == 1:
            return None
        subject = {"link": [cable.a, cable.b]} if self._dice.once_in(2) else self._subject(cable)
        return {**subject, "state": self._one_of(*states)}
