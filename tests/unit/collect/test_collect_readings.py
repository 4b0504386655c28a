"""Places of a collection, and the record of a device: written and read back, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.collect.folder import collect_folder
from fabricgen.collect.readings import RECORD, Answer, Record, device_folder, read_record, state_folder, write_record

ANSWERS = {
    "etc/frr/frr.conf": Answer("etc/frr/frr.conf", "cat", 0, "switches/spine-01/etc/frr/frr.conf", 4),
    "lldp": Answer("lldp", "lldpcli", 127),
    "bfd": Answer("bfd", "vtysh", None),
}
WRITTEN = Record("spine-01", "switches", ("frr",), "192.0.2.1:22", "2026-01-01T00:00:00Z", False, ANSWERS)


def put(root: Path, record: Record) -> Path:
    folder = state_folder(root, record.kind, record.name)
    folder.mkdir(parents=True)
    (folder / RECORD).write_bytes(write_record(record))
    return folder / RECORD


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    put(tmp_path, WRITTEN)
    assert read_record(tmp_path, "switches", "spine-01") == WRITTEN


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": 2}', "null", '{"format": 1, "answers": [1]}', "[" * 100_000]
)
def test_what_is_no_record_is_none(tmp_path: Path, text: str) -> None:
    put(tmp_path, WRITTEN).write_text(text)
    assert read_record(tmp_path, "switches", "spine-01") is None


def test_state_is_no_file_of_a_device(tmp_path: Path) -> None:
    put(tmp_path, WRITTEN)
    file = device_folder(tmp_path, "switches", "spine-01") / "etc/frr/frr.conf"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"end\n")
    (device,) = collect_folder(tmp_path, ()).values()
    assert (device.kind, device.name, list(device.files)) == ("switches", "spine-01", ["etc/frr/frr.conf"])
