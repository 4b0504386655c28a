"""FBOSS: agent.conf and BGP++'s bgpcpp.conf, replaced whole; the public tree carries out no drain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.platforms.platform import Platform, Procedures

if TYPE_CHECKING:
    from fabricgen.platforms.platform import FileFormat, Readers, ViewModule


class Fboss(Platform):
    """A switch with the agent of FBOSS and BGP++."""

    def view(self) -> ViewModule:
        """Return the view of the device model."""
        from fabricgen.platforms.fboss import view

        return view

    def format_of(self, path: str) -> FileFormat:
        """Return the format of a file of the agent or of BGP++, checked against the fields of its Thrift structs."""
        from fabricgen.platforms.fboss.reader import locate, read, write
        from fabricgen.platforms.reading.file_format import FileFormat

        return FileFormat(read, write, names=("sw", "hostname"), locate=locate)

    def procedures(self) -> Procedures:
        """Frame files by copies of them, with notes where no public command exists."""
        from fabricgen.platforms.fboss.rollout import frame_patch

        return Procedures(frame_patch, reads_at_start=True)

    def state_readers(self) -> Readers:
        """Return the readers of what its command line serializes."""
        from fabricgen.platforms.fboss.state import READERS

        return READERS


PLATFORM = Fboss()
