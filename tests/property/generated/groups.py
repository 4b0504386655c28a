"""Random host groups: servers, NICs, planes, and how they attach."""

from __future__ import annotations

from .dice import Dice
from .hardware import BOXES, NICS, SERVERS, SYSTEMS
from .records import Data, number

LEAFS_MAX = 12
UNIT_NAMES = ("unit", "rack", "segment", "scalable_unit", "block")


def draw_hosts(dice: Dice, data: Data, leaf: Data) -> None:
    """Planes, units, host groups and their attachment."""
    found = _Groups(dice, data, leaf)
    found.planes()
    found.attachment()
    found.units()
    data["hosts"] = {"gpu": found.first()}
    if dice.once_in(4):
        data["hosts"]["gpu_b"] = found.second(data["hosts"]["gpu"])
    if dice.once_in(3):
        data["hosts"][dice.one_of("archive", "storage")] = found.storage()


class _Groups:
    """Draws the host groups of one fabric."""

    def __init__(self, dice: Dice, data: Data, leaf: Data) -> None:
        self._dice = dice
        self._data = data
        self._speeds = set(BOXES[leaf["model"]].ports)
        self._form = self._dice.one_of(*SYSTEMS[leaf["platform"]].bonds.split(" "))

    def planes(self) -> None:
        """Draw the number of NIC ports and their attachment: planes, leafs of a pair, or both."""
        ways = [ways for ways in (1, 2, 4, 8) if self._nics(ways)]
        self._ways = self._dice.one_of(*ways[:1] * 5, *ways[1:2] * (9 if self._form else 4), *ways[2:])
        self._members = self._dice.one_of(*(each for each in (1, 2) if self._ways % each == 0))
        self._planes = self._ways // self._members
        self._bonds = bool(self._form) and self._ways > 1 and not self._dice.once_in(4)
        if self._bonds and self._planes > 1:
            self._data["planes"] = {"count": self._planes, "host": "bond"}
        elif self._planes > 1 or self._dice.once_in(5):
            more = {"count": self._planes, "max": min(8, self._planes * 2)}
            self._data["planes"] = self._dice.one_of(self._planes, {"count": self._planes, "host": "separate"}, more)

    def _nics(self, ports: int) -> list[str]:
        """NICs with so many ports that run a speed of the leafs."""
        return [name for name, nic in NICS.items() if nic.ports == ports and self._speeds & set(nic.speeds)]

    def attachment(self) -> None:
        """Draw the attachment of hosts, unless the groups have their own."""
        self._server = self._dice.one_of("dgx_h100_8", "dgx_h100_8", "gb200_tray_4", "mi300x_8", "own_server")
        room_for = max(1, LEAFS_MAX // self._ways)
        rails = SERVERS[self._server].rails
        fitting = [each for each in (1, 2, 4, 8) if rails % each == 0 and rails // each <= room_for]
        found: Data = {"leafs_per_group": self._members} if self._members > 1 or self._dice.once_in(3) else {}
        if fitting and not self._dice.once_in(4):
            found |= {"rails_per_leaf": self._dice.one_of(*fitting)} | (
                {"group": "rail"} if self._dice.once_in(3) else {}
            )
        else:
            found["group"] = "host"
        if self._bonds:
            found["bond"] = self._form
        elif self._dice.once_in(5):
            found["bond"] = "none"
        self._attachment = self._data["attachment"] = found
        self._leafs = rails // found.get("rails_per_leaf", rails)

    def units(self) -> None:
        scopes = number(self._data.get("zones", 1)) * number(self._data.get("pods", 1))
        count = self._dice.up_to(min(3, LEAFS_MAX // (self._ways * self._leafs * scopes)))
        units = self._dice.count(count, 4)
        if self._dice.once_in(3):
            units = {**(units if isinstance(units, dict) else {"count": count}), "name": self._dice.one_of(*UNIT_NAMES)}
        self._data["units"] = units

    def first(self) -> Data:
        """The hosts that every unit has."""
        dice = self._dice
        nics = self._nics(self._ways)
        if self._attachment.get("group") == "host" and not self._bonds and dice.once_in(3):
            nics = self._nics(2 * self._ways) or nics
        found = {"server": self._server, "nic": dice.one_of(*nics), "per_unit": dice.count(dice.up_to(3), 4)}
        if dice.once_in(4):
            found["backup_per_unit"] = dice.count(dice.up_to(2), 3)
        if dice.once_in(6):
            found["os"] = "ubuntu"
        if dice.once_in(6):
            found["firmware"] = "28.43.2026"
        if SERVERS[self._server].domain_max > 1 and dice.once_in(2):
            found["nvlink_domain"] = self._domain(found)
        return found

    def _domain(self, group: Data) -> int:
        """A size that fills units: it divides hosts and spares, or both together with as many spares in each."""
        regular, spares = number(group["per_unit"]), number(group.get("backup_per_unit", 0))
        longest = SERVERS[self._server].domain_max
        sizes = [size for size in range(1, regular + 1) if not regular % size and not spares % size]
        for domains in (each for each in range(1, spares + 1) if not regular % each and not spares % each):
            sizes += [(regular + spares) // domains] * 2
        return int(self._dice.one_of(*(size for size in sizes if size <= longest)))

    def _some_units(self) -> Data:
        units = number(self._data["units"])
        if self._dice.once_in(2):
            return {}
        first = self._dice.up_to(units)
        return {"units": self._dice.one_of(first, f"{first}-{units}", f"{first}", f"1,{units}" if units > 1 else "1")}

    def second(self, group: Data) -> Data:
        """More hosts with GPUs, in some units, perhaps with another NIC or other rails per leaf."""
        # With more rails than the others its leafs would have no hosts in units without it, and nobody could tell them.
        most = SERVERS[group["server"]].rails
        servers = [name for name, each in SERVERS.items() if each.gpus and each.rails <= most]
        server = self._dice.one_of(*servers)
        found = {"server": server, "nic": group["nic"], "per_unit": self._dice.count(self._dice.up_to(2), 4)}
        found |= self._some_units()
        rails = SERVERS[server].rails
        if self._dice.once_in(3) or rails % self._attachment.get("rails_per_leaf", 1):
            found["attachment"] = {**self._attachment}
        if "attachment" in found and "rails_per_leaf" in self._attachment:
            fitting = [each for each in (1, 2, 4, 8) if rails % each == 0 and rails // each <= self._leafs]
            found["attachment"]["rails_per_leaf"] = self._dice.one_of(*fitting)
        return found

    def storage(self) -> Data:
        """Hosts without GPUs, attached whole; where others bond, they do, or have a single port."""
        members = self._members if self._bonds else self._dice.one_of(*{1, self._members})
        meets = self._planes * members
        nics = [name for ports in (1, 2, 4, 8) if ports % meets == 0 for name in self._nics(ports)]
        if self._bonds:
            nics = self._nics(meets)
        attachment = {"group": "host"} | ({"leafs_per_group": members} if members > 1 else {})
        found = {"server": "storage_2x200", "nic": self._dice.one_of(*nics)}
        found |= {"per_unit": self._dice.count(self._dice.up_to(2), 2)}
        found["attachment"] = attachment | ({"bond": self._form} if self._bonds else {})
        return found | self._some_units()
