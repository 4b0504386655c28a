"""A bundle read back: every file held against its digest, the plan against its schema."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.visible import show_line
from fabricgen.diagnostics.words import counted, name_few
from fabricgen.files import Refused, read_file
from fabricgen.rollout.ansible.files import FOLDER
from fabricgen.rollout.bundle import DEPLOYED, DEVICES, PATCHES, PLAN, PROCEDURES, SUMS, Digest, RolloutPlan
from fabricgen.rollout.digests import digest_bytes
from fabricgen.rollout.rollout_codes import BUNDLE_CHANGED, BUNDLE_MALFORMED, NOT_A_BUNDLE

SIZE_MAX_BYTES = 1 << 28
"""Most that is read of one file of a bundle."""
SIGNATURE = f"{SUMS}.sig"
_LINE = re.compile(r"([0-9a-f]{64})  ([^\x00-\x1f\x7f]+)")
_NAMED_MAX = 5
_READ = (PATCHES, PROCEDURES, DEVICES)
_LOADED = re.compile("tasks|group_vars|host_vars|library|module_utils|roles|collections|.*_plugins")
"""Folders beside a playbook that Ansible looks into; others may hold what was collected meanwhile."""


class Bundle(NamedTuple):
    """A bundle on disk, with digests of what it was planned on, by ``KIND/NAME`` and path, and of its own files."""

    folder: Path
    rollout: RolloutPlan
    deployed: dict[str, dict[str, Digest]]
    sums: dict[str, str]

    def read(self, path: str) -> bytes | None:
        """Return a file; None if it has changed since the bundle was opened."""
        found = _read(self.folder, path)
        return found if isinstance(found, bytes) and digest_bytes(found) == self.sums.get(path) else None


def open_bundle(folder: Path, bag: Bag) -> Bundle | None:
    """Read a bundle; None with diagnostics unless it is exactly what was written."""
    sums = _read_sums(folder, bag)
    if sums is None:
        return None
    files = _check(folder, sums, bag)
    if files is None:
        return None
    rollout, deployed = (_parse(folder / name, files[name], bag) for name in (PLAN, DEPLOYED))
    if rollout is None or deployed is None:
        return None
    plan, digests = _read_plan(folder / PLAN, rollout, bag), _read_deployed(folder / DEPLOYED, deployed, bag)
    if plan is None or digests is None or not _fits(folder, plan, sums, bag):
        return None
    return Bundle(folder, plan, digests, sums)


def _read(folder: Path, path: str) -> bytes | Refused:
    return read_file(folder / path, SIZE_MAX_BYTES, inside=folder)


def _read_sums(folder: Path, bag: Bag) -> dict[str, str] | None:
    """Return the digests that a bundle lists."""
    data = _read(folder, SUMS)
    if isinstance(data, Refused):
        bag.add(NOT_A_BUNDLE, f"{folder}/{SUMS} {data.reason}")
        return None
    lines = data.decode(errors="replace").splitlines()
    found = [_LINE.fullmatch(line) for line in lines]
    sums = {match[2]: match[1] for match in found if match}
    if not all(found) or PLAN not in sums or DEPLOYED not in sums:
        bag.add(NOT_A_BUNDLE, f"{folder}/{SUMS} is not the list of a bundle's digests")
        return None
    return sums


def _check(folder: Path, sums: dict[str, str], bag: Bag) -> dict[str, bytes] | None:
    """Return the files that are data; None with a diagnostic if any file is not what was written."""
    kept: dict[str, bytes] = {}
    faults: list[str] = []
    for path, digest in sums.items():
        data = _read(folder, path)
        if isinstance(data, Refused):
            faults.append(f"{path} {data.reason}")
        elif digest_bytes(data) != digest:
            faults.append(f"{path} has changed")
        elif path in (PLAN, DEPLOYED):
            kept[path] = data
    faults += [f"{path} was added" for path in _list_files(folder) if path not in sums]
    if not faults:
        return kept
    bag.add(BUNDLE_CHANGED, f"{folder}/{name_few(faults, _NAMED_MAX)}")
    return None


def _list_files(folder: Path) -> Iterator[str]:
    """Yield all that could be carried out and is no folder: what steps and programs read, what Ansible loads."""
    for above, folders, names in chain.from_iterable(os.walk(folder / each) for each in (*_READ, FOLDER)):
        if Path(above) == folder / FOLDER:
            folders[:] = [name for name in folders if _LOADED.fullmatch(name)]
        links = [name for name in folders if os.path.islink(os.path.join(above, name))]
        for name in sorted([*names, *links]):
            yield os.path.relpath(os.path.join(above, name), folder)


def _parse(path: Path, data: bytes, bag: Bag) -> Any:
    """Return the content of a JSON file; None with a diagnostic."""
    try:
        return json.loads(data.decode(), object_pairs_hook=_once, parse_constant=_refuse)
    except RecursionError:
        reason = "it is nested too deeply"
    except (ValueError, UnicodeDecodeError) as error:
        reason = getattr(error, "msg", "") or "it is not text in UTF-8, or has a key twice"
        reason = f"{reason} at line {error.lineno}" if isinstance(error, json.JSONDecodeError) else reason
    bag.add(BUNDLE_MALFORMED, f"{path}: {reason}")
    return None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError
    return found


def _refuse(word: str) -> Any:
    raise ValueError(word)


def _read_plan(path: Path, data: Any, bag: Bag) -> RolloutPlan | None:
    from pydantic import TypeAdapter, ValidationError

    try:
        found: RolloutPlan = TypeAdapter(RolloutPlan).validate_python(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the document"
        more = f" ({counted(error.error_count(), 'fault')} in all)" if error.error_count() > 1 else ""
        bag.add(BUNDLE_MALFORMED, f"{path}: {show_line(where)}: {first['msg']}{more}")
        return None
    return found


def _read_deployed(path: Path, data: Any, bag: Bag) -> dict[str, dict[str, Digest]] | None:
    from pydantic import TypeAdapter, ValidationError

    try:
        lists: dict[str, dict[str, list[str]]] = TypeAdapter(dict[str, dict[str, list[str]]]).validate_python(data)
        return {
            device: {
                name: Digest(digests[0], "".join(digests[1:2]), tuple(digests[2:])) for name, digests in files.items()
            }
            for device, files in lists.items()
        }
    except (ValidationError, IndexError):
        bag.add(BUNDLE_MALFORMED, f"{path}: it is not digests by device and path")
        return None


def _fits(folder: Path, rollout: RolloutPlan, sums: dict[str, str], bag: Bag) -> bool:
    """Return whether the plan fits itself and the files beside it."""
    parts = {each.name: (each.steps, each.rollback, each.undo) for each in rollout.procedures}
    faults = [
        f"{device.procedure} is missing, the procedure of {device.name}"
        for device in rollout.devices
        if device.procedure not in parts
    ]
    faults += [
        f"{PATCHES}/{device.patch}/{step.file} is missing, a file of a step of {device.name}"
        for device in ([] if faults else rollout.devices)
        for part in parts[device.procedure]
        for step in part
        if step.file and f"{PATCHES}/{device.patch}/{step.file}" not in sums
    ]
    faults += [f"wave {wave.number} is of phase {wave.phase}, which is not there" for wave in _astray(rollout)]
    if faults:
        bag.add(BUNDLE_MALFORMED, f"{folder / PLAN}: {faults[0]}")
    return not faults


def _astray(rollout: RolloutPlan) -> list[Any]:
    numbers = {phase.number for phase in rollout.phases}
    return [wave for wave in rollout.waves if wave.phase not in numbers]


def rollout_schema() -> dict[str, Any]:
    """Return the JSON Schema of ``plan.json``."""
    from pydantic import TypeAdapter

    from fabricgen.validation.schema import schema_of_file

    return schema_of_file(TypeAdapter(RolloutPlan).json_schema(), "rollout plan")
