"""What a platform's manifest says, as frozen picklable records; workers carry these instead of YAML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeVar

from fabricgen.device.model import Release
from fabricgen.platforms.manifest.capabilities import (
    Capabilities,
    HostCapabilities,
    NicCapabilities,
    SpeakerCapabilities,
    SwitchCapabilities,
)

R = TypeVar("R", bound=SpeakerCapabilities | NicCapabilities)


class Part(NamedTuple):
    """A template and what it may see: ``class`` (shared text, rendered once per class) or ``device``.

    ``template`` is its path below the template root.
    """

    template: str
    scope: str


class Output(NamedTuple):
    """One file on the device: where it lies, how it is put together from parts.

    Attributes:
        path: Absolute path on the device without the leading slash.
        format: ``json`` (parts are the members of one object), ``text`` (parts follow each other), or ``json-text``
            (parts follow each other and together are one JSON object).
        mode: Permission bits.
        semantics: File that says what a difference in this one means, relative to the template root; empty if the
            file is compared by its ending alone.
    """

    path: str
    format: str
    mode: int
    parts: tuple[Part, ...]
    semantics: str = ""


class Parameter(NamedTuple):
    """A parameter of a NIC: the value it ships with and what it takes.

    ``per_25gbps``: the value to write for each 25 Gb/s of the port; 0 where the shipped value holds at every rate.
    """

    name: str
    default: int
    minimum: int
    maximum: int
    per_25gbps: int = 0


class PlatformSpec(NamedTuple):
    """One platform: its folder, what it can do, what it writes.

    Attributes:
        kind: ``switch``, ``host`` or ``nic``.
        folder: Template folder relative to the template root, ``switch/sonic``.
        parameters: NIC parameters the platform pins, with the values they ship with.
        root: Template root the folder lies in; empty for the one that comes with fabricgen.
        target: Oldest release of the target the output is written for.
        view: Importable module with ``class_view`` and ``device_view``; empty where the device model suffices.
        port_pattern: Name of a port from ``{cage}``, ``{lane}``, ``{subport}``; empty if the catalog names the ports.
        subport_pattern: Name of one of several ports of a cage; empty if ``port_pattern`` names it, too.
        sfp_pattern: Name of the port of an SFP cage; empty if ``port_pattern`` names it, too.
        capabilities: What it can do, of the record of its kind; ``switch``, ``host`` and ``nic`` are the same, typed.
        lacks: Capability name to the reason why the platform does not have it, half a sentence.
        container: How containerlab runs the vendor's image: kind, image, interface names, files; empty if it cannot.
        packet_filter: Importable module with ``packet_filter``; empty where rendered files decide of no filter in the
            switch's own system.
        rollout: Importable module with ``frame_patch``, see ``patching.rollout``; empty where copies of the
            files that a patch replaces are enough.
        releases: Releases of the target the output can be written for, oldest first; empty where it does not depend
            on them.
        hash_algorithms: ECMP hash algorithm per hash rank, most preferred first; empty if there is no choice.
        hash_seeds: ECMP hash seed per hash rank; empty if none is written.
        hash_type_seeds: Seed that the target takes from a switch's place in the Clos, from the leaf up; the last one
            holds above. One that ends in ``?`` may not be kept by the ASIC.
        next_steps: What to do with rendered files, a line each; ``{folder}`` stands for the folder of a device.
    """

    name: str
    kind: str
    folder: str
    target: str
    view: str
    port_pattern: str
    outputs: tuple[Output, ...]
    capabilities: Capabilities
    lacks: dict[str, str] = {}  # noqa: RUF012 - nobody writes into a spec
    hash_algorithms: tuple[str, ...] = ()
    root: str = ""
    parameters: tuple[Parameter, ...] = ()
    subport_pattern: str = ""
    container: dict[str, bool | int | str] = {}  # noqa: RUF012 - nobody writes into a spec
    releases: tuple[Release, ...] = ()
    sfp_pattern: str = ""
    packet_filter: str = ""
    rollout: str = ""
    hash_seeds: tuple[str, ...] = ()
    hash_type_seeds: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()

    def because(self, capability: str) -> str:
        """Return why it lacks a capability, to follow a sentence that says so; empty where the manifest has no reason.

        Args:
            capability: A field of its record.
        """
        reason = self.lacks.get(capability, "")
        return f": {reason}" if reason else ""

    @property
    def switch(self) -> SwitchCapabilities:
        """What the platform of a switch can do; asking any other one is a programming error."""
        return _typed(self.capabilities, SwitchCapabilities)

    @property
    def host(self) -> HostCapabilities:
        """What a host's operating system can do; asking any other platform is a programming error."""
        return _typed(self.capabilities, HostCapabilities)

    @property
    def nic(self) -> NicCapabilities:
        """What a NIC family can do; asking any other platform is a programming error."""
        return _typed(self.capabilities, NicCapabilities)

    @property
    def speaker(self) -> SpeakerCapabilities:
        """What a switch platform or a host's operating system can do; asking a NIC family is a programming error."""
        return _typed(self.capabilities, SpeakerCapabilities)


def _typed(capabilities: Capabilities, record: type[R]) -> R:
    if isinstance(capabilities, record):
        return capabilities
    raise TypeError(f"{type(capabilities).__name__} is no {record.__name__}")


def find_platform(platforms: Mapping[str, PlatformSpec], name: str, *kinds: str) -> PlatformSpec | None:
    """Return a platform of the kind that is meant; None if there is none, which is reported where it is loaded.

    Args:
        platforms: Every platform by name.
        name: Its name.
        kinds: ``switch``, ``host`` or ``nic``; a name may be that of another kind of platform by mistake.
    """
    spec = platforms.get(name)
    return spec if spec is not None and spec.kind in kinds else None
