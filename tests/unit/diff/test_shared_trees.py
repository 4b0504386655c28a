"""A JSON file read member by member says what it says read whole, or is not read at all."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import FileKind, load_kinds
from fabricgen.diff.shared_trees import SharedTrees
from fabricgen.diff.sides import Unreadable, decode
from fabricgen.platforms.reading.reader import ReadFault, Tree

PATH = "etc/sonic/config_db.json"
EXPECTED = Path(__file__).parents[2] / "golden/expected"
DATA = next(iter(sorted(EXPECTED.glob(f"*/config/switches/*/{PATH}")))).read_bytes()
PIECES = (b"\n", b'"', b",", b"{", b"}", b":", b" ", b"\r\n", b"\0", b"\xff", b'\n"', b'},\n"', b"\\u0041", b"[]", b"1")
MUTATIONS = 300
SAVED = (json.dumps(json.loads(DATA), indent=4, sort_keys=True) + "\n").encode()
"""The same as a switch saves it."""
LAYOUTS = pytest.mark.parametrize("data", [DATA, SAVED], ids=["rendered", "saved"])


@pytest.fixture(scope="module")
def kind() -> FileKind:
    return load_kinds(None, Bag()).of_device("switches", [PATH, "etc/sonic/frr/frr.conf"])[PATH]


def read_whole(kind: FileKind, data: bytes) -> Tree | None:
    text = decode(data)
    try:
        return None if isinstance(text, Unreadable) else kind.read(text)
    except ReadFault:
        return None


@LAYOUTS
def test_files_have_the_very_parts_that_are_the_same_in_both(kind: FileKind, data: bytes) -> None:
    shared = SharedTrees()
    other = data.replace(b'"docker_routing_config_mode"', b'"another"')
    assert other != data
    trees = [shared.read(kind, each) for each in (data, data, other, data)]
    assert trees[0] == kind.read(DATA.decode())
    assert trees[2] == kind.read(other.decode())
    assert {name for name, rows in trees[2].items() if rows is not trees[3][name]} == {"DEVICE_METADATA"}


@LAYOUTS
def test_damaged_files_say_the_same_as_read_whole_or_are_left_to_that(kind: FileKind, data: bytes) -> None:
    lots = random.Random("damaged members")
    edge = data[data.index(b"\n") : data.index(b'"') + 1]
    outcomes = set()
    for _ in range(MUTATIONS):
        at, length = lots.randrange(len(data)), lots.choice((0, 0, 1, 2, 40))
        # Most faults that matter lie between members.
        at = data.find(edge, at) + lots.randrange(-3, 4) if lots.random() < 0.5 else at
        damaged = data[:at] + lots.choice(PIECES) * lots.choice((0, 1, 1, 2)) + data[at + length :]
        found, whole = SharedTrees().read(kind, damaged), read_whole(kind, damaged)
        assert found is None or found == whole, (at, damaged[at - 40 : at + 40])
        outcomes.add((found is None, whole is None))
    assert outcomes >= {(False, False), (True, True)}


UNFIT = {
    "no comma": DATA.replace(b'},\n"', b'}\n"', 1),
    "twice": DATA.replace(b"{\n", b'{\n"PORT": {},\n', 1),
    "twice, one escaped": DATA.replace(b"{\n", b'{\n"\\u0050ORT": {"Ethernet0": {}},\n', 1),
    "twice, one escaped and empty": DATA.replace(b"{\n", b'{\n"\\u0050ORT": {},\n', 1),
    "CR LF": DATA.replace(b"\n", b"\r\n"),
    "no name": DATA.replace(b'"hostname"', b'"name"'),
    "empty": b"",
    "no member": b"{}",
    "a list": b"[]",
}


@pytest.mark.parametrize("name", UNFIT)
def test_is_left_to_reading_it_whole(kind: FileKind, name: str) -> None:
    assert UNFIT[name] != DATA
    assert SharedTrees().read(kind, UNFIT[name]) is None
