"""Contract of a platform: the words of its manifest and the shape of its view module."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.platforms.observations.records import Readers

MANIFEST = "platform.yaml"
KINDS = ("switch", "host", "nic")

Origins = Mapping[str, Mapping[str, tuple[str, ...]]]
"""View class and field to the device model's fields it derives from; the first decides it most directly. They stand in
the annotation of the field: ``speed_mbps: Annotated[int, "PortShape.speed_gbps"]``.

``render.trace`` finds the model object behind a view object by the fields both have, so the finest class is the best
answer: ``TrafficClass.dscp`` rather than ``SwitchClass.contract``. A view object that holds its model object
(``shape: PortShape``) is found at once. An item of a field that lists something per priority is found by its number;
of any other list a number in brackets names it, ``Contract.priority_by_dscp[26]``.
"""

OWN_ORIGINS = "origins"
"""Field of a view class whose objects differ in where they come from, such as a row of a name and a value: a tuple that
takes the place of what the annotations of the other fields say, or a map that does so for single ones."""


class View(Protocol):
    """A view module: the device model in the form that the templates of one platform require.

    Both functions return slots dataclasses, which their annotations name. The first sees a SwitchClass or HostClass
    only, never identity; the second gets a Switch or Host and what the first one returned for its class.
    """

    def class_view(self, cls: Any, /) -> Any:
        """Return what class-scope templates see as ``cls``."""

    def device_view(self, device: Any, class_view: Any, /) -> Any:
        """Return what device-scope templates see as ``device``."""


class ViewError(Exception):
    """A view module that cannot be imported or is incomplete; the text says why."""


def find_view(spec: PlatformSpec) -> None:
    """Make sure that a platform's view module exists, without paying for its import; rendering imports it.

    Args:
        spec: The platform.

    Raises:
        ViewError: There is no such module.
    """
    try:
        found = not spec.view or find_spec(spec.view) is not None
    except Exception as error:
        raise ViewError(f"the view {spec.view} cannot be imported: {type(error).__name__}: {error}") from error
    if not found:
        raise ViewError(f"the view {spec.view} cannot be imported: there is no such module")


def load_view(spec: PlatformSpec) -> View | None:
    """Import a platform's view module.

    Args:
        spec: The platform.

    Returns:
        The module; None if the platform has none, because the device model suffices.

    Raises:
        ViewError: The module cannot be used.
    """
    if not spec.view:
        return None
    try:
        module: Any = import_module(spec.view)
    except Exception as error:
        raise ViewError(f"the view {spec.view} cannot be imported: {type(error).__name__}: {error}") from error
    missing = [name for name in ("class_view", "device_view") if not hasattr(module, name)]
    if missing:
        raise ViewError(f"the view {spec.view} lacks {', '.join(missing)}")
    if hasattr(module, "ORIGINS"):
        raise ViewError(f"the view {spec.view} has a table ORIGINS, which is not read: annotate its fields instead")
    view: View = module
    return view


def load_state_readers(spec: PlatformSpec) -> Readers:
    """Return the readers of a platform's answers about its state, by state reading; none where it has no module.

    Args:
        spec: The platform.

    Raises:
        ViewError: The module cannot be used.
    """
    if not spec.state:
        return {}
    try:
        found: Readers = import_module(spec.state).READERS
    except Exception as error:
        raise ViewError(f"{spec.state} cannot be used: {type(error).__name__}: {error}") from error
    return found


def load_packet_filter(spec: PlatformSpec) -> Callable[[Mapping[str, bytes]], str] | None:
    """Return what makes a switch's packet filter of its rendered files, as ``nft -f`` takes it; None without one.

    Args:
        spec: The platform.

    Raises:
        ViewError: The module cannot be used.
    """
    if not spec.packet_filter:
        return None
    try:
        found: Callable[[Mapping[str, bytes]], str] = import_module(spec.packet_filter).packet_filter
    except Exception as error:
        raise ViewError(f"{spec.packet_filter} cannot be used: {type(error).__name__}: {error}") from error
    return found
