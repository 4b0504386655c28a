"""Both sides, device by device; the intended side decides the order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from glob import escape

from fabricgen.device.globs import WILDCARDS, Globs, find_unmatched, is_chosen, name_close
from fabricgen.diagnostics import Bag, Place
from fabricgen.diagnostics.words import counted, name_few
from fabricgen.diff.device import DeviceComparer, DeviceDiff
from fabricgen.diff.diff_codes import FAILED, FOREIGN, NO_CONFIG, NO_LAYOUT, NO_NAME, NOT_OURS, NOTHING_TO_COMPARE
from fabricgen.diff.failures import tell_failure
from fabricgen.diff.file_diff import SecretFree
from fabricgen.diff.kinds import FileKinds, describe, recognise
from fabricgen.diff.sides import Side, SideDevice, Unreadable, decode

_NAMED_MAX = 5


def diff_sides(
    intended: Side,
    deployed: Side,
    kinds: FileKinds,
    bag: Bag,
    *,
    only: Globs = (),
    chosen: frozenset[str] | None = None,
    whole: bool = False,
    unmanaged: bool = False,
) -> Iterator[DeviceDiff]:
    """Yield every device: compared, not collected, and present on the deployed side alone.

    ``only`` are globs of which each has to match a device of either side, ``chosen`` the names of the devices to
    compare; all if left out. With ``whole`` files are read whole and kept, for patches; with ``unmanaged``, what is not
    ours is a change: it is to go. ``bag`` takes what keeps devices from being compared.
    """
    have = _list_devices(deployed, kinds, only, bag)
    if intended.one_file:
        intended = replace(intended, devices=_list_devices(intended, kinds, only, bag).values)
    if deployed.one_file:
        if not have:
            return
        only = only or (escape(next(iter(have))[1]),)
    names = frozenset(name for _, name in have)
    secret_free = SecretFree(intended.is_ours and not intended.has_secrets, deployed.is_rendered)
    comparer = DeviceComparer(kinds, names, bag, whole=whole, secret_free=secret_free, unmanaged=unmanaged)

    def takes(name: str) -> bool:
        return is_chosen(name, only) and (chosen is None or name in chosen)

    seen = _Seen([name for _, name in have])
    yield from _compare_each(intended, have, deployed, seen, partial(_compared, comparer, bag=bag), takes)
    _tell_missing(seen, list(have.values()), deployed, bag)
    yield from seen.missing
    left = [device for (_, name), device in have.items() if takes(name)]
    if seen.any_chosen or (left and intended.is_ours and deployed.is_ours):
        yield from _gone(left, deployed, kinds, bag)
        _tell_unmatched(intended, find_unmatched(only, seen.names), seen.names, bag)
    else:
        _tell_unmatched(intended, list(only) or ["at all"], seen.names, bag)


@dataclass(slots=True)
class _Seen:
    """The devices of the intended side: names of both sides, missing ones, and how many are found by kind."""

    names: list[str]
    found: Counter[str] = field(default_factory=Counter)
    missing: list[DeviceDiff] = field(default_factory=list)

    @property
    def any_chosen(self) -> bool:
        """Return whether any device of the intended side was chosen."""
        return bool(self.found or self.missing)


def _compare_each(
    intended: Side,
    have: dict[tuple[str, str], SideDevice],
    deployed: Side,
    seen: _Seen,
    compare: Callable[[SideDevice, SideDevice | None], DeviceDiff],
    takes: Callable[[str], bool],
) -> Iterator[DeviceDiff]:
    """Yield the intended devices that can be compared, and take them from the deployed ones."""
    for device in intended.devices():
        seen.names.append(device.name)
        if not takes(device.name):
            continue
        other = have.pop((device.kind, device.name), None) or have.pop(("", device.name), None)
        if other is None and not deployed.is_ours:
            seen.missing.append(DeviceDiff(device.name, device.kind, is_missing=True))
        else:
            seen.found[device.kind] += 1
            yield compare(device, other)


def _list_devices(side: Side, kinds: FileKinds, only: Globs, bag: Bag) -> dict[tuple[str, str], SideDevice]:
    """Return the devices of a side by kind and name; a single file is of the device that its content names."""
    have = {(device.kind, device.name): device for device in side.devices()}
    return _named_by_content(have, kinds, only, bag) if side.one_file else have


def _tell_unmatched(intended: Side, globs: list[str], names: list[str], bag: Bag) -> None:
    """Report each glob of ``--only`` that chooses nothing."""
    for glob in globs:
        near = ", ".join(name_close(glob, names))
        hint = f"use for example {near}" if near else ""
        bag.add(NOTHING_TO_COMPARE, f"{intended.shown} has no device {glob}", hint=hint)


def _compared(comparer: DeviceComparer, intended: SideDevice, deployed: SideDevice | None, bag: Bag) -> DeviceDiff:
    """Compare one device; a failure of fabricgen costs that device alone."""
    if deployed is None:
        return DeviceDiff(intended.name, intended.kind, is_new=True)
    try:
        return comparer.compare(intended, deployed)
    except Exception as error:
        files = [*deployed.files.values(), *deployed.flat]
        place = Place(files[0].shown, 1, 1) if files else None
        message = f"{intended.name}: {tell_failure(error)}"
        bag.add(FAILED, message, place=place, device=intended.name)
        return DeviceDiff(intended.name, intended.kind, failed=True)


def _tell_missing(seen: _Seen, have: list[SideDevice], deployed: Side, bag: Bag) -> None:
    """Report devices that were not collected, or the whole side if it holds none of the fabric.

    A kind of which nothing was collected, such as hosts, is left to the summary: it was left out on purpose.
    """
    place, missing, found = Place(deployed.shown, 1, 1), seen.missing, seen.found
    if missing and have and not found and not deployed.one_file:
        listed = name_few([device.name for device in have], _NAMED_MAX)
        message = f"{deployed.shown} has none of {len(missing)} devices; its folders and files read as {listed}"
        bag.add(NO_LAYOUT, message, place=place)
        for device in missing:
            device.failed = True
        return
    for device in missing:
        if found[device.kind] or not found:
            device.failed = True
            message = f"{device.name}: {deployed.shown} has no configuration of it"
            bag.add(NO_CONFIG, message, place=place, device=device.name)


def _gone(left: list[SideDevice], deployed: Side, kinds: FileKinds, bag: Bag) -> Iterator[DeviceDiff]:
    """Yield devices that only the deployed side has: removed if fabricgen made it, else unknown to the intent."""
    if deployed.is_ours:
        yield from (DeviceDiff(device.name, device.kind, is_gone=True) for device in left)
        return
    ours = [device.name for device in left if _is_known(device, kinds)]
    if ours:
        listed = name_few(ours, _NAMED_MAX)
        bag.add(NOT_OURS, f"{deployed.shown} has {counted(len(ours), 'device')} outside the fabric: {listed}")
        yield from (DeviceDiff(name, "", is_gone=True) for name in ours)


def _is_known(device: SideDevice, kinds: FileKinds) -> bool:
    """Return whether a file of a device that is not ours is one a platform of ours would read."""
    if any(path.rsplit("/", 1)[-1] in kinds.names for path in device.files):
        return True
    for file in device.flat:
        data = file.load()
        text = data if isinstance(data, Unreadable) else decode(data)
        if not isinstance(text, Unreadable) and recognise(text, kinds.all()):
            return True
    return False


def _named_by_content(
    have: dict[tuple[str, str], SideDevice], kinds: FileKinds, only: Globs, bag: Bag
) -> dict[tuple[str, str], SideDevice]:
    """A single file under the name that its content, or else the user, gives its device."""
    for device in have.values():
        file = device.flat[0]
        data = file.load()
        text = data if isinstance(data, Unreadable) else decode(data)
        place = Place(file.shown, 1, 1)
        if isinstance(text, Unreadable):
            bag.add(text.code, f"{file.shown}: {text.message}", place=Place(file.shown, text.line, 1))
            return {}
        name = only[0] if len(only) == 1 and not set(only[0]) & WILDCARDS else ""
        # Whose file it is decides which readers are asked.
        parts = {} if name else recognise(text, kinds.all())
        name = name or kinds.hostname_of(parts)
        if not name and not parts:
            bag.add(FOREIGN, f"{file.shown}: {describe(text, kinds.all())}", place=place)
            return {}
        if not name:
            bag.add(NO_NAME, f"{file.shown} does not name its device", place=place)
            return {}
        return {("", name): SideDevice(name, "", {}, device.flat)}
    return {}
