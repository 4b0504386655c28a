"""Cumulus Linux by NVUE: one startup.yaml, which NVUE replaces and takes back unless that is confirmed in time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.platforms.platform import Patcher, Platform, Procedures

if TYPE_CHECKING:
    from fabricgen.platforms.found import FoundSwitch, Trees
    from fabricgen.platforms.platform import FileFormat, Readers, ViewModule


class CumulusNvue(Platform):
    """A switch with Cumulus Linux, which is configured by NVUE alone."""

    def view(self) -> ViewModule:
        """Return the view of the device model."""
        from fabricgen.platforms.cumulus_nvue import view

        return view

    def format_of(self, path: str) -> FileFormat:
        """Return the format of startup.yaml, whatever spelling of ranges and groups it has."""
        from fabricgen.platforms.cumulus_nvue.reader import locate, read, write
        from fabricgen.platforms.reading.file_format import FileFormat

        return FileFormat(read, write, names=("system", "hostname"), locate=locate)

    def find_switch(self, name: str, trees: Trees) -> FoundSwitch | None:
        """Return a switch as its files describe it."""
        from fabricgen.platforms.cumulus_nvue.found import find_switch

        return find_switch(name, trees)

    def patcher(self, path: str) -> Patcher:
        """Return the plan of a whole file, which NVUE compares itself."""
        from fabricgen.platforms.cumulus_nvue.rollout import plan_patch

        return Patcher(plan_patch)

    def procedures(self) -> Procedures:
        """Frame the file by a replacement that is taken back unless it is confirmed; drain by graceful shutdown."""
        from fabricgen.platforms.cumulus_nvue.rollout import end_drain, frame_patch
        from fabricgen.platforms.families.vtysh.rollout import show_drained

        return Procedures(frame_patch, end_drain, show_drained)

    def state_readers(self) -> Readers:
        """Return the readers of answers of FRR, the kernel and lldpd, or of NVUE's REST API."""
        from fabricgen.platforms.cumulus_nvue.state import READERS

        return READERS


PLATFORM = CumulusNvue()
