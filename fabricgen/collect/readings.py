"""Places of what was collected: the one contract between ``fabricgen collect`` and what judges a collection.

A collection is a folder::

    DIR/collection.json                        says that it is one, and in which form
    DIR/switches/NAME/etc/sonic/config_db.json outputs of a device, under the paths they have there, as diff reads them
    DIR/hosts/NAME/etc/netplan/…
    DIR/state/switches/NAME/sessions.json      state readings, one file each, as the device answered
    DIR/state/switches/NAME/record.json        of each answer: command, exit status, file, size; and when and from where

The names of state readings are those of ``fabricgen/platforms/manifest/readings.py``. What a device did not answer has
no file; its record says why.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from fabricgen.files import Refused, read_file

COLLECTION = "collection.json"
STATE = "state"
RECORD = "record.json"
FORMAT = 1
_RECORD_MAX_BYTES = 1024 * 1024


class Answer(NamedTuple):
    """Outcome of one command.

    Attributes:
        name: Name of the state reading, or path of the output.
        command: Command as it was run.
        status: Exit status, error of eAPI or status of HTTP; 0 for an answer, None if the device sent none.
        file: Path of the answer below the collection; empty if nothing was taken.
        size_bytes: Size of that file.
    """

    name: str
    command: str
    status: int | None
    file: str = ""
    size_bytes: int = 0


class Record(NamedTuple):
    """Origin and answers of a collected device.

    Attributes:
        name: Name of the device.
        kind: ``switches`` or ``hosts``.
        platform: Platforms of its readings, the operating system first.
        address: Host and port it was reached at.
        collected: Date and time of the answers, UTC, ISO 8601.
        redacted: Secrets in the files were replaced.
        answers: Answers by name: of state readings, and of outputs under their paths.
        via: How it was reached: ``ssh``, ``eapi`` or ``nvue``.
    """

    name: str
    kind: str
    platform: tuple[str, ...]
    address: str
    collected: str
    redacted: bool
    answers: Mapping[str, Answer]
    via: str = "ssh"


def device_folder(root: Path, kind: str, name: str) -> Path:
    """Return the folder of a device's outputs.

    Args:
        root: The collection.
        kind: ``switches`` or ``hosts``.
        name: The device.
    """
    return root / kind / name


def state_folder(root: Path, kind: str, name: str) -> Path:
    """Return the folder of a device's state readings and of its record.

    Args:
        root: The collection.
        kind: ``switches`` or ``hosts``.
        name: The device.
    """
    return root / STATE / kind / name


def read_record(root: Path, kind: str, name: str) -> Record | None:
    """Return how a device was collected; None if there is no record that can be read.

    Args:
        root: The collection.
        kind: ``switches`` or ``hosts``.
        name: The device.
    """
    data = read_file(state_folder(root, kind, name) / RECORD, _RECORD_MAX_BYTES, inside=root)
    if isinstance(data, Refused):
        return None
    try:
        return _parse(json.loads(data))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def write_record(record: Record) -> bytes:
    """Return a record as its file has it.

    Args:
        record: The record.
    """
    data = record._asdict() | {"answers": [answer._asdict() for answer in record.answers.values()]}
    return (json.dumps({"format": FORMAT, **data}, indent=1) + "\n").encode()


def _parse(data: Mapping[str, Any]) -> Record | None:
    if data["format"] != FORMAT:
        return None
    answers = [Answer(**item) for item in data["answers"]]
    return Record(
        str(data["name"]),
        str(data["kind"]),
        tuple(map(str, data["platform"])),
        str(data["address"]),
        str(data["collected"]),
        bool(data["redacted"]),
        {answer.name: answer for answer in answers},
        str(data.get("via", "ssh")),
    )
