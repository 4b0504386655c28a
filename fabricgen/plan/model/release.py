"""A release of a switch's software, as far as the files written for it follow it."""

from __future__ import annotations

from typing import NamedTuple


class Release(NamedTuple):
    """A release, or an empty name for a platform whose files are the same for every one.

    Attributes:
        schema: Version of the configuration's schema, as the image itself writes it.
        routing: Version of the routing daemons in the image.
        released: Images of it are published; false for a development branch, which is used only where it is named.
        lacks: Tables and fields written for later releases that this one refuses, as the manifest's ``since`` names
            them: ``TABLE`` or ``TABLE > field``.
    """

    name: str = ""
    schema: str = ""
    routing: str = ""
    released: bool = True
    lacks: tuple[str, ...] = ()

    def knows(self, path: str) -> bool:
        """Return whether the release takes a table, or a field of one."""
        table = path.split(" > ", 1)[0]
        return path not in self.lacks and table not in self.lacks


ANY_RELEASE = Release()
"""Release of a platform whose files follow none."""
