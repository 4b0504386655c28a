"""Devices that FRRouting routes: a frr.conf, changed in vtysh or by a reload, drained by graceful shutdown of BGP."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from fabricgen.platforms.platform import Patcher, Platform, Procedures

if TYPE_CHECKING:
    from fabricgen.platforms.platform import FileFormat


class VtyshPlatform(Platform):
    """A Linux device with FRRouting; ``routing`` is the path of its frr.conf."""

    routing: ClassVar[str] = "etc/frr/frr.conf"

    def format_of(self, path: str) -> FileFormat:
        """Return the format of frr.conf, whose lines ``vtysh -C`` judges where it is installed, or of another file."""
        if path != self.routing:
            return super().format_of(path)
        from fabricgen.platforms.families.vtysh.commands import find_refused_lines
        from fabricgen.platforms.families.vtysh.patch import write
        from fabricgen.platforms.families.vtysh.reader import locate, read
        from fabricgen.platforms.reading.file_format import FileFormat

        return FileFormat(read, write, names=("hostname",), locate=locate, find_refused_lines=find_refused_lines)

    def patcher(self, path: str) -> Patcher:
        """Return the plan of commands of vtysh for frr.conf, and its lines that no mode of vtysh knows."""
        if path != self.routing:
            return super().patcher(path)
        from fabricgen.platforms.families.vtysh.patch import find_untaken, plan_patch

        return Patcher(plan_patch, find_untaken=find_untaken)

    def procedures(self) -> Procedures:
        """Frame files by copies, frr-reload.py and a timer for addresses; drain by graceful shutdown of BGP."""
        from fabricgen.platforms.families.vtysh.rollout import end_drain, frame_patch, show_drained

        return Procedures(frame_patch, end_drain, show_drained)
