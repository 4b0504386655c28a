"""SONiC: config_db.json, changed by JSON patches or a reload, and a frr.conf of its own for the container bgp."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from fabricgen.platforms.families.vtysh import VtyshPlatform
from fabricgen.platforms.platform import Patcher, Procedures

if TYPE_CHECKING:
    from fabricgen.platforms.found import FoundSwitch, Trees
    from fabricgen.platforms.platform import FileFormat, Readers, ViewModule


class Sonic(VtyshPlatform):
    """A switch with community SONiC, whose routing is FRR's; one MAC: sonic-net/sonic-buildimage issue 12042."""

    one_mac: ClassVar[bool] = True
    routing: ClassVar[str] = "etc/sonic/frr/frr.conf"

    def view(self) -> ViewModule:
        """Return the view of the device model."""
        from fabricgen.platforms.sonic import view

        return view

    def format_of(self, path: str) -> FileFormat:
        """Return the format of config_db.json, also within a dump, or of frr.conf."""
        if path == self.routing:
            return super().format_of(path)
        from fabricgen.platforms.reading.file_format import FileFormat
        from fabricgen.platforms.reading.reader import locate_in_json
        from fabricgen.platforms.sonic.patch import write
        from fabricgen.platforms.sonic.reader import read, read_part, unpack

        names = ("DEVICE_METADATA", "localhost", "hostname")
        return FileFormat(read, write, read_part, names, unpack, locate_in_json)

    def find_switch(self, name: str, trees: Trees) -> FoundSwitch | None:
        """Return a switch as its files describe it."""
        from fabricgen.platforms.sonic.found import find_switch

        return find_switch(name, trees, self.routing)

    def patcher(self, path: str) -> Patcher:
        """Return the plan of patches as the generic updater takes them, and rows that the YANG models refuse."""
        if path == self.routing:
            return super().patcher(path)
        from fabricgen.platforms.sonic.patch import find_refused, plan_patch

        return Patcher(plan_patch, find_refused)

    def procedures(self) -> Procedures:
        """Frame files by checkpoints, dry runs and a timer on the switch that restores both of them."""
        from fabricgen.platforms.sonic.rollout import frame_patch

        return super().procedures()._replace(frame_patch=frame_patch)

    def state_readers(self) -> Readers:
        """Return the readers of its own commands, and of vtysh and lldpcli in its containers."""
        from fabricgen.platforms.sonic.state import READERS

        return READERS

    def packet_filter(self, files: Mapping[str, bytes]) -> str:
        """Return the rules that caclmgrd makes of control-plane ACLs."""
        from fabricgen.platforms.sonic.emulation import packet_filter

        return packet_filter(files)

    def container_files(self, files: Mapping[str, bytes], interfaces: Mapping[str, str]) -> dict[str, bytes]:
        """Return lanemap.ini and port_config.ini of the virtual switch."""
        from fabricgen.platforms.sonic.emulation import container_files

        return container_files(files, interfaces)


PLATFORM = Sonic()
