"""A plain Linux router with FRRouting: frr.conf beside files of netplan, sysctl, udev, systemd and chrony."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.platforms.families.vtysh import VtyshPlatform

if TYPE_CHECKING:
    from fabricgen.platforms.found import FoundSwitch, Trees
    from fabricgen.platforms.platform import FileFormat, Patcher, Readers, ViewModule


class Frr(VtyshPlatform):
    """A switch that is Linux with FRR."""

    def view(self) -> ViewModule:
        """Return the view of the device model."""
        from fabricgen.platforms.frr import view

        return view

    def format_of(self, path: str) -> FileFormat:
        """Return the format of a file of netplan, sysctl or systemd, of the script of the ports, or of frr.conf."""
        from fabricgen.platforms.frr.port_script import PATH, PORT_SCRIPT
        from fabricgen.platforms.reading.linux_files import NETPLAN, SETTINGS, UNIT

        known = {
            "etc/netplan/60-fabricgen.yaml": NETPLAN,
            "etc/sysctl.d/90-fabricgen.conf": SETTINGS,
            "etc/systemd/system/fabricgen-port@.service": UNIT,
            "etc/systemd/resolved.conf.d/60-fabricgen.conf": UNIT,
            PATH: PORT_SCRIPT,
        }
        return known.get(path) or super().format_of(path)

    def find_switch(self, name: str, trees: Trees) -> FoundSwitch | None:
        """Return a switch as its files describe it."""
        from fabricgen.platforms.frr.found import find_switch

        return find_switch(name, trees, self.routing)

    def patcher(self, path: str) -> Patcher:
        """Return how the script of the ports is changed, or another file."""
        from fabricgen.platforms.frr.port_script import PATH, plan_patch
        from fabricgen.platforms.platform import Patcher

        return Patcher(plan_patch) if path == PATH else super().patcher(path)

    def state_readers(self) -> Readers:
        """Return the readers of answers of vtysh, the kernel and lldpd."""
        from fabricgen.platforms.observations import linux, vtysh

        return {
            **linux.READERS,
            "sessions": vtysh.read_sessions,
            "bfd": vtysh.read_bfd,
            "fec_modes": linux.read_fec_modes,
            "system": vtysh.read_system,
        }


PLATFORM = Frr()
