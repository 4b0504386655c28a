"""Places of what was collected: the one contract between ``fabricgen collect`` and what judges a collection.

A collection is a folder::

    DIR/collection.json                        says that it is one, and in which form
    DIR/switches/NAME/etc/sonic/config_db.json outputs of a device, under the paths they have there, as diff reads them
    DIR/hosts/NAME/etc/netplan/…
    DIR/state/switches/NAME/sessions.json      state readings, one file each, as the device answered
    DIR/state/switches/NAME/saved/etc/…        outputs as the next reboot loads them
    DIR/state/switches/NAME/record.json        of each answer: command, exit status, file, size; and when and from where

The names of state readings are those of ``fabricgen/platforms/manifest/readings.py``. What a device did not answer has
no file; its record says why.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from fabricgen.files import Refused, read_file

COLLECTION = "collection.json"
STATE = "state"
RECORD = "record.json"
FORMAT = 1
_RECORD_MAX_BYTES = 1024 * 1024
_MARK_MAX_BYTES = 4096


class Answer(NamedTuple):
    """Outcome of one command.

    Attributes:
        name: Name of the state reading, or path of the output; with ``saved/`` before it, as the next reboot loads it.
        status: Exit status, error of eAPI or status of HTTP; 0 for an answer, None if the device sent none.
        file: Path of the answer below the collection; empty if nothing was taken.
        sha256: Digest of that file, in hex; empty in a record of an earlier release.
    """

    name: str
    command: str
    status: int | None
    file: str = ""
    size_bytes: int = 0
    sha256: str = ""

    def keep(self, file: Path, data: bytes) -> Answer:
        """Return the answer with the file that it is in."""
        return self._replace(file=str(file), size_bytes=len(data), sha256=sha256(data).hexdigest())


class Record(NamedTuple):
    """Origin and answers of a collected device.

    Attributes:
        kind: ``switches`` or ``hosts``.
        platform: Platforms of its readings, the operating system first.
        collected: Date and time of the answers, UTC, ISO 8601.
        redacted: Secrets in the files were replaced.
        answers: Answers by name: of state readings, and of outputs under their paths.
        via: How it was reached: ``ssh``, ``eapi``, ``nvue`` or ``lab``.
    """

    name: str
    kind: str
    platform: tuple[str, ...]
    address: str
    collected: str
    redacted: bool
    answers: Mapping[str, Answer]
    via: str = "ssh"


def find_alteration(answer: Answer, data: bytes) -> str:
    """Return how a file differs from what was collected, as a sentence without an end; empty if it does not."""
    if len(data) != answer.size_bytes:
        return f"it has {len(data):,} bytes, collected were {answer.size_bytes:,}"
    same = answer.sha256 in ("", sha256(data).hexdigest())
    return "" if same else "it is not the file that was collected"


def is_collection(root: Path) -> bool:
    """Return whether a folder says that it is a collection of this form."""
    data = read_file(root / COLLECTION, _MARK_MAX_BYTES, inside=root)
    try:
        return not isinstance(data, Refused) and json.loads(data) == {"format": FORMAT}
    except (ValueError, RecursionError):
        return False


def device_folder(root: Path, kind: str, name: str) -> Path:
    """Return the folder of a device's outputs."""
    return root / kind / name


def state_folder(root: Path, kind: str, name: str) -> Path:
    """Return the folder of a device's state readings and of its record."""
    return root / STATE / kind / name


def read_record(root: Path, kind: str, name: str) -> Record | None:
    """Return how a device was collected; None if there is no record that can be read."""
    data = read_file(state_folder(root, kind, name) / RECORD, _RECORD_MAX_BYTES, inside=root)
    if isinstance(data, Refused):
        return None
    try:
        record = _parse(json.loads(data))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return record if record is not None and (record.kind, record.name) == (kind, name) else None


def write_record(record: Record) -> bytes:
    """Return a record as its file has it."""
    data = record._asdict() | {"answers": [answer._asdict() for answer in record.answers.values()]}
    return (json.dumps({"format": FORMAT, **data}, indent=1) + "\n").encode()


def _parse(data: Mapping[str, Any]) -> Record | None:
    if data["format"] != FORMAT:
        return None
    answers = [_parse_answer(**item) for item in data["answers"]]
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


def _parse_answer(
    name: str, command: str, status: int | None, file: str = "", size_bytes: int = 0, sha256: str = ""
) -> Answer:
    """Return an answer; raises ValueError or TypeError unless each part is of its type."""
    exit_status = None if status is None else int(status)
    return Answer(str(name), str(command), exit_status, str(file), int(size_bytes), str(sha256))
