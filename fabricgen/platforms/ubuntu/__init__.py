"""Ubuntu on hosts: netplan, sysctl, systemd and, for hosts that speak BGP, FRRouting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.platforms.families.vtysh import VtyshPlatform

if TYPE_CHECKING:
    from fabricgen.platforms.platform import FileFormat, Readers


class Ubuntu(VtyshPlatform):
    """A host with Ubuntu."""

    def format_of(self, path: str) -> FileFormat:
        """Return the format of a file of netplan, sysctl or systemd, or of frr.conf."""
        from fabricgen.platforms.reading.linux_files import NETPLAN, SETTINGS, UNIT

        known = {
            "etc/netplan/60-fabricgen.yaml": NETPLAN,
            "etc/sysctl.d/90-fabricgen.conf": SETTINGS,
            **{f"etc/systemd/system/fabricgen-{unit}.service": UNIT for unit in ("bond@", "ptp4l", "phc2sys")},
        }
        return known.get(path) or super().format_of(path)

    def state_readers(self) -> Readers:
        """Return the readers of the kernel's routes, links and parameters, of lldpd and netplan."""
        from fabricgen.platforms.observations import linux

        return {**linux.READERS, "sysctl": linux.read_sysctl, "netplan": linux.read_netplan}


PLATFORM = Ubuntu()
