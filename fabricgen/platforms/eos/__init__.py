"""Arista EOS: one startup-config, changed in configuration sessions and drained by maintenance mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.platforms.platform import Patcher, Platform, Procedures

if TYPE_CHECKING:
    from fabricgen.platforms.found import FoundSwitch, Trees
    from fabricgen.platforms.platform import FileFormat, Readers, ViewModule


class Eos(Platform):
    """A switch with EOS."""

    def view(self) -> ViewModule:
        """Return the view of the device model."""
        from fabricgen.platforms.eos import view

        return view

    def format_of(self, path: str) -> FileFormat:
        """Return the format of startup-config, which is that of running-config."""
        from fabricgen.platforms.eos.reader import read, write
        from fabricgen.platforms.reading.file_format import FileFormat

        return FileFormat(read, write, names=("hostname",))

    def find_switch(self, name: str, trees: Trees) -> FoundSwitch | None:
        """Return a switch as its files describe it."""
        from fabricgen.platforms.eos.found import find_switch

        return find_switch(name, trees)

    def patcher(self, path: str) -> Patcher:
        """Return the plan of commands that hier_config finds."""
        from fabricgen.platforms.patching.hierarchy import plan_patch

        return Patcher(plan_patch)

    def procedures(self) -> Procedures:
        """Frame commands by a configuration session with a commit timer; drain by maintenance mode."""
        from fabricgen.platforms.eos.rollout import end_drain, frame_patch, show_drained

        return Procedures(frame_patch, end_drain, show_drained)

    def state_readers(self) -> Readers:
        """Return the readers of its commands in JSON."""
        from fabricgen.platforms.eos.state import READERS

        return READERS


PLATFORM = Eos()
