"""A platform: everything that it does beside its manifest and its templates, as one class with defaults.

The Python folder of a platform has its subclass in ``__init__.py``, and an instance of it, ``PLATFORM``. A method
imports what it needs when it is called, so that a command loads only what it uses: workers that render load no readers,
a comparison no views.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

if TYPE_CHECKING:
    from fabricgen.platforms.found import FoundSwitch, Trees
    from fabricgen.platforms.observations.records import Readers as Readers
    from fabricgen.platforms.patching.rollout import Core, DrainProof, Procedure
    from fabricgen.platforms.patching.steps import PatchStep, Situation
    from fabricgen.platforms.reading.file_format import FileFormat as FileFormat
    from fabricgen.platforms.reading.reader import Tree

Steps = tuple[str, ...]


class ViewModule(Protocol):
    """A view module: the device model in the form that the templates of one platform require.

    Both functions return slots dataclasses, which their annotations name. The first sees a SwitchClass or HostClass
    only, never identity; the second gets a Switch or Host and what the first one returned for its class.
    """

    def class_view(self, cls: Any, /) -> Any:
        """Return what class-scope templates see as ``cls``."""

    def device_view(self, device: Any, class_view: Any, /) -> Any:
        """Return what device-scope templates see as ``device``."""


class Patcher(NamedTuple):
    """Changes of a file while the device runs: which the target takes, in which words and order, what that disturbs.

    Attributes:
        plan: Returns what to do, in this order, so that the device has a file as it should be; may raise PatchFault.
            Rolling back is the same question with both sides exchanged, so it answers both.
        find_refused: Returns what the device would refuse of a file, whatever is sent, as messages; given what shows a
            path without its secrets.
        find_untaken: Returns paths of what a file says and the device has not taken, which no command removes.
    """

    plan: Callable[[Situation], Sequence[PatchStep]]
    find_refused: Callable[[Situation, Callable[[Steps], Steps]], Sequence[str]] | None = None
    find_untaken: Callable[[Situation], Sequence[Steps]] | None = None


class Procedures(NamedTuple):
    """Work on a whole device around a change of its files.

    Attributes:
        frame_patch: Returns the procedure around a patch: backup, drain, dry run, checks, save, rollback; None where
            copies of the files that a patch replaces are enough.
        end_drain: Returns the configuration of a drained device as it is after the drain; None for one not drained.
        show_drained: Returns what shows on a device that a neighbor of it is drained, or no longer, by what it calls
            the neighbor and the address family of its routes; None where nothing does.
        reads_at_start: Routing reads the numbers and addresses of its neighbors only when it starts.
    """

    frame_patch: Callable[[Core], Procedure] | None = None
    end_drain: Callable[[Tree], Tree | None] | None = None
    show_drained: Callable[[str, str], DrainProof | None] | None = None
    reads_at_start: bool = False


@dataclass(frozen=True)
class Platform:
    """Abilities of a platform of which nothing but its manifest and templates is known."""

    one_mac: ClassVar[bool] = False
    """All ports of a switch have its own MAC address, hence one link-local address."""

    def view(self) -> ViewModule | None:
        """Return the module with ``class_view`` and ``device_view``; None where the device model suffices."""
        return None

    def format_of(self, path: str) -> FileFormat:
        """Return how the file of an output, by its path on the device, is read and written."""
        from fabricgen.platforms.reading.file_format import generic_format

        return generic_format(path)

    def find_switch(self, name: str, trees: Trees) -> FoundSwitch | None:
        """Return a switch as the trees of its files describe it, for an import; None where imports read no such files.

        Files that were not collected are not among the trees.
        """
        return None

    def patcher(self, path: str) -> Patcher:
        """Return how the file of an output, by its path on the device, is changed."""
        from fabricgen.platforms.patching.steps import replace_file

        return Patcher(replace_file)

    def procedures(self) -> Procedures:
        """Return what is done around a change of a device, and how it is drained."""
        return Procedures()

    def state_readers(self) -> Readers:
        """Return the readers of answers about the state of a device, by state reading.

        A reader raises MisreadError where an answer is not of its form, LackingError where it says that the device does
        not have what is read. Those of a NIC family are read beside those of the host's system.
        """
        return {}

    def packet_filter(self, files: Mapping[str, bytes]) -> str:
        """Return what a switch's own system makes of its files, by path, for its kernel, as ``nft -f`` takes it."""
        return ""

    def container_files(self, files: Mapping[str, bytes], interfaces: Mapping[str, str]) -> dict[str, bytes]:
        """Return the files that only the vendor's image needs, given those of the device and a name for each port."""
        return {}
