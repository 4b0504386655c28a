"""Replacing a device: the asset list with its new serial number and MAC addresses, and all that follows from them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from fabricgen.api.diff import DiffOptions
from fabricgen.api.rollout import plan_between
from fabricgen.api.sides import open_compiled, render_devices
from fabricgen.compiler.compile import Compiled, compile_document
from fabricgen.diagnostics import Bag, IntentPath, Severity
from fabricgen.intent.assets import AssetRow, AssetValue, load_assets, with_values
from fabricgen.plan.model.fabric import Asset, FabricPlan
from fabricgen.plan.model.identity import DeviceId, HostId
from fabricgen.plan.planner.assets import CONTRADICTION, UNKNOWN_DEVICE, build_assets, check_assets
from fabricgen.plan.planner.exceptions.links import find_names
from fabricgen.render.tree.durability import replace_file
from fabricgen.render.tree.filesystem import Filesystem, read_file, report_os_error
from fabricgen.rollout.model import ChangedDevice, WavePlan
from fabricgen.rollout.waves import plan_waves
from fabricgen.source import edit_csv

ASSETS_FILE = "assets.csv"
"""Asset list that is made where the intent names none."""

_COLUMNS = ("serial", "mac", "management_mac")


class Replacement(NamedTuple):
    """Outcome of a replacement; ``changes`` of the list have the row, the column and the value before.

    ``blocked`` are limits that no wave with the device keeps, ``drained`` is the path of the exception that drains it.
    """

    device: str
    is_switch: bool
    assets: Path
    changes: list[tuple[AssetRow, str, str]]
    files: list[str]
    waves: WavePlan | None
    blocked: list[str]
    drained: IntentPath
    bundles: list[Path]


def replace_device(
    compiled: Compiled, device: str, values: Sequence[AssetValue], options: DiffOptions, bag: Bag, *, out: Path | None,
    writes: bool,
) -> Replacement | None:  # fmt: skip
    """Write the values of a new device into the asset list, and bundles into ``out``; None with diagnostics.

    Nothing is written if anything is wrong, nor unless it ``writes``.
    """
    plan, intent = compiled.plan, compiled.intent
    if plan is None or intent is None:
        return None
    path = compiled.folder / (intent.assets or ASSETS_FILE)
    rows = load_assets(path, bag, inside=compiled.folder) if os.path.lexists(path) else []
    after = with_values(rows, device, values, path)
    assets, is_switch = _judge(plan, after, device, bag)
    if bag.has_errors:
        return None
    renewed = compiled._replace(plan=plan._replace(assets=assets))
    pairs = list(zip_longest(rows, after))
    changes = [(new, name, getattr(old, name, "")) for old, new in pairs for name in _differing(old, new)]
    files, found = _list_files(compiled, renewed, device, bag), Bag()
    waves = plan_waves(plan, [ChangedDevice(device, "drain", not is_switch)], found)
    drains = {each.item.device: each.path for each in intent.placed_exceptions if each.item.state == "drained"}
    blocked = [item.message for item in found]
    made = Replacement(device, is_switch, path, changes, files, waves, blocked, drains.get(device, ()), [])
    if writes:
        made.bundles.extend(_write_bundles(compiled, renewed, made, out, options, bag))
        _write_list(path, pairs if changes else (), bag)
    return None if bag.has_errors else made


def _differing(old: AssetRow | None, new: AssetRow) -> list[str]:
    return [name for name in _COLUMNS if getattr(new, name) != getattr(old, name, "")]


def _write_list(path: Path, pairs: Sequence[tuple[AssetRow | None, AssetRow]], bag: Bag) -> None:
    """Write the changed cells of an asset list, of which pairs have the rows before and after."""
    fs, real = Filesystem(), os.path.realpath(path)
    if not pairs or bag.has_errors:
        return
    try:
        data = read_file(fs, real) if os.path.exists(real) else b"hostname\n"
        for old, new in pairs:
            values = {name: getattr(new, name) for name in _differing(old, new)}
            if old is None:
                numbers = {"rail": new.rail, "port": new.port or None}
                words = {name: str(number) for name, number in numbers.items() if number is not None}
                values = {"hostname": new.hostname, **words, **values}
            if values and new.place:
                data = edit_csv(data, new.place.line if old else 0, values)
        replace_file(fs, real, data)
    except OSError as error:
        report_os_error(bag, error, f"cannot write {path}")


def _judge(plan: FabricPlan, rows: Sequence[AssetRow], device: str, bag: Bag) -> tuple[dict[str, Asset], bool]:
    """Fold the rows, and return whether the device is a switch; report what is wrong with its rows."""
    found, own = Bag(), [row for row in rows if row.hostname == device]
    assets, identity = build_assets(rows, found), find_names(plan, {device}).get(device)
    check_assets(plan, own, found)
    loose = [row for row in own if row.mac and row.rail is None and isinstance(identity, HostId)]
    for row in loose:
        message = f"{device} is a host, whose MAC addresses are those of rails"
        found.add(CONTRADICTION, message, place=row.place, hint="give the rail of the NIC: --mac 0=MAC")
    faults = [item for item in found if item.code in (CONTRADICTION.id, UNKNOWN_DEVICE.id)]
    bag.extend([replace(item, severity=Severity.ERROR) for item in faults])
    return assets, isinstance(identity, DeviceId)


def _list_files(before: Compiled, after: Compiled, device: str, bag: Bag) -> list[str]:
    """Return the paths of a device's files that two plans render otherwise."""
    old, new = (
        {f"{each.kind}/{each.name}/{path}": file.load() for each in render_devices(side, (device,), bag)
         for path, file in each.files.items()}
        for side in (before, after)
    )  # fmt: skip
    return sorted(path for path in {**old, **new} if old.get(path) != new.get(path))


def _write_bundles(
    before: Compiled, after: Compiled, made: Replacement, out: Path | None, options: DiffOptions, bag: Bag
) -> Iterator[Path]:
    """Write what leads a switch out, from the plan as it was, and back; of a host, what changes its files."""
    if out is None:
        return
    pairs = {"change": (after, before)}
    if made.drained:
        pairs = {"return": (_turn(after, made, options.catalogs), after)}
    elif made.is_switch:
        old, new = (_turn(each, made, options.catalogs) for each in (before, after))
        pairs = {"1-drain": (old, before), "2-return": (after, new)}
    options = replace(options, only=(made.device,))
    for name, sides in pairs.items():
        wanted, have = (open_compiled(str(after.folder), each, options.only, bag) for each in sides)
        planned = plan_between(wanted, have, out / name, options, bag)
        if planned is not None and planned.files:
            yield out / name


def _turn(compiled: Compiled, made: Replacement, catalogs: Sequence[Path]) -> Compiled:
    """Return the fabric in which a switch is drained, or is not any more."""
    if made.drained:
        document = compiled.document.without(made.drained)
    else:
        drain = {"device": made.device, "state": "drained", "reason": "replacement"}
        document = compiled.document.replaced(("exceptions", f"[{made.device} state]"), drain)
    other = compile_document(document, compiled.folder, Bag(), catalogs)
    assets = compiled.plan.assets if compiled.plan else {}
    return other._replace(plan=other.plan and other.plan._replace(assets=assets))
