"""Files of a bundle: the plan, what its steps and programs read, a runbook, and digests of all of it."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Mapping, Sequence
from io import StringIO
from typing import Any, NamedTuple

from fabricgen.rollout.ansible import list_actions, write_files
from fabricgen.rollout.assemble import list_files
from fabricgen.rollout.bundle import (
    DEPLOYED,
    DEVICES,
    PATCHES,
    PLAN,
    PROCEDURES,
    RUNBOOK,
    SUMS,
    TABLE,
    PlannedDevice,
    RolloutPlan,
)
from fabricgen.rollout.deployed import Deployed
from fabricgen.rollout.digests import digest_bytes
from fabricgen.rollout.expectation import DEVICE_FORMAT
from fabricgen.rollout.json_text import write_json
from fabricgen.rollout.phases import DeviceChange, RolloutPhase
from fabricgen.rollout.runbook import write_runbook
from fabricgen.state.expected import Expected

_KEYS = ("wave", "device", "address", "kind", "tier", "plane", "platform", "disruption", "procedure", "patch", "login")
"""Columns of every device; behind them are those of the values in procedures."""


def lay_out(
    rollout: RolloutPlan,
    phases: Sequence[RolloutPhase],
    deployed: Deployed,
    tasks: Mapping[str, bytes],
    states: Iterable[tuple[str, bytes]],
) -> dict[str, bytes]:
    """Return the files of a bundle by their path in it.

    ``phases`` are the changes by phase, ``tasks`` the files for Ansible that are the same in every bundle, ``states``
    the intents that the rollout leads over.
    """
    files = dict(states)
    changes: dict[str, list[_Changed]] = {}
    for wave in rollout.waves:
        for device in wave.devices:
            change = phases[wave.phase].changes[device.name]
            changes.setdefault(device.name, []).append(_Changed(device, change))
            for name, content in list_files(change.patch).items():
                files[f"{PATCHES}/{device.patch}/{name}"] = content
    platforms = {platform.name: platform for platform in rollout.platforms}
    for name, each in changes.items():
        files[f"{DEVICES}/{name}.json"] = write_json(_describe(each, platforms))
    for procedure in rollout.procedures:
        files[f"{PROCEDURES}/{procedure.name}.json"] = write_json(list_actions(procedure, platforms))
    return complete(rollout, files, deployed.to_data(), tasks)


class _Changed(NamedTuple):
    """A device of a wave with its change."""

    device: PlannedDevice
    change: DeviceChange


def _describe(changed: Sequence[_Changed], platforms: Collection[str]) -> dict[str, Any]:
    """Return what programs have to know of a device: its part in each wave, its states, neighbors to ask about it."""
    waves: dict[int, dict[str, Any]] = {}
    states: list[Expected | None] = []
    asked: list[dict[str, list[dict[str, Any]]]] = []
    for device, change in changed:
        waves[device.wave] = {
            "procedure": device.procedure,
            "patch": device.patch,
            "moves_to": device.moves_to,
            "values": device.all_values,
            "expected": _index(states, change.judged.expected if change.judged is not None else None),
            "neighbors": _index(asked, _list_asked(change, platforms)),
        }
    return {"format": DEVICE_FORMAT, "waves": waves, "neighbors": asked, "expected": states}


def _index(known: list[Any], value: Any) -> int:
    """Return the place of a value among those that a device has; one that is new goes to the end."""
    if value not in known:
        known.append(value)
    return known.index(value)


def _list_asked(change: DeviceChange, platforms: Collection[str]) -> dict[str, list[dict[str, Any]]]:
    """Return the neighbors that are asked about a device, by command; those that prove its drain where it has one."""
    found: dict[str, list[dict[str, Any]]] = {}
    for check in change.checks:
        if check.at and (check.planned.when == "drained" or check.planned.command not in found):
            found[check.planned.command] = [
                {"device": place.device, "neighbor": place.neighbor, **({"stays": True} if place.stays else {})}
                for place in check.at
                if place.platform in platforms
            ]
    return found


def complete(
    rollout: RolloutPlan, files: dict[str, bytes], deployed: Mapping[str, Any], tasks: Mapping[str, bytes]
) -> dict[str, bytes]:
    """Return the files of devices and procedures with those of the whole bundle."""
    files = {
        **files,
        **write_files(rollout, tasks),
        PLAN: write_json(rollout),
        DEPLOYED: write_json(deployed),
        TABLE: _list_devices(rollout).encode(),
        RUNBOOK: write_runbook(rollout).encode(),
    }
    return {**files, SUMS: write_sums(files)}


def _list_devices(rollout: RolloutPlan) -> str:
    """Return the devices by wave as CSV, with the values that they have in their procedures."""
    names = dict.fromkeys(name for device in rollout.devices for name in device.values)
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*_KEYS, *names])
    for device in rollout.devices:
        values = [device.values.get(name, "") for name in names]
        writer.writerow([*(getattr(device, "name" if key == "device" else key) for key in _KEYS), *values])
    return out.getvalue()


def write_sums(files: Mapping[str, bytes]) -> bytes:
    """Return the digests of files, as ``sha256sum --check`` reads them."""
    return "".join(f"{digest_bytes(data)}  {path}\n" for path, data in sorted(files.items())).encode()
