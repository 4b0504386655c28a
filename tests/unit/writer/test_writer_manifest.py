"""The manifest and the journal are read as if a stranger had written them."""

from __future__ import annotations

import hashlib
import json
import os
import string
from collections.abc import Callable
from pathlib import Path

import pytest
from faulty_disk import snapshot
from hypothesis import given
from hypothesis import strategies as st
from scenario import QuickFilesystem, messages, render

from fabricgen.diagnostics import Bag
from fabricgen.render.tree.access import load_manifest
from fabricgen.render.tree.journal import (
    CHMOD,
    DELETE,
    MAKE,
    PRUNE,
    REPLACE,
    JournalStep,
    decode_journal,
    encode_journal,
)
from fabricgen.render.tree.manifest import ManifestEntry, encode_manifest, read_manifest
from fabricgen.render.tree.stager import refuse_path

A = "switches/a/x"
FILES = {A: (b"a\n", 0o644), "hosts/b/y z": (b"b\n", 0o600)}
HEADER = "manifest/header.json"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    assert render(tmp_path / "out", FILES, Bag()) is not None
    return tmp_path / "out"


def edit_header(out: Path) -> None:
    (out / HEADER).write_text((out / HEADER).read_text().replace('"files": 2', '"files": 3'))


def edit_shard(out: Path) -> None:
    path = out / "manifest/switches.txt"
    path.write_text(path.read_text().replace(" 644 ", " 755 "))


def merge_header(out: Path) -> None:
    (out / HEADER).write_text("<<<<<<< HEAD\n" + (out / HEADER).read_text())


def lose_shard(out: Path) -> None:
    (out / "manifest/hosts.txt").unlink()


def cut_shard(out: Path) -> None:
    os.truncate(out / "manifest/hosts.txt", 10)


def come_from_the_future(out: Path) -> None:
    (out / HEADER).write_text((out / HEADER).read_text().replace('"format": 1', '"format": 2'))


def nest_deeply(out: Path) -> None:
    (out / HEADER).write_text("[" * 100_000)


DAMAGES = [edit_header, edit_shard, merge_header, lose_shard, cut_shard, come_from_the_future, nest_deeply]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_damaged_manifest_stops_and_force_writes_everything_again(out: Path, damage: Callable[[Path], None]) -> None:
    damage(out)
    before = snapshot(out)
    bag = Bag()
    assert render(out, FILES, bag) is None
    assert {item.code for item in bag} == {"FG-OUT-005"}
    assert "manifest/" in messages(bag)[0]
    assert load_manifest(out, Bag()) is None
    assert snapshot(out) == before
    bag = Bag()
    assert render(out, FILES, bag, force=True) is not None
    assert {item.code for item in bag} == {"FG-OUT-006"}
    render(out.parent / "clean", FILES, Bag())
    assert snapshot(out) == snapshot(out.parent / "clean")


def forge(out: Path, path: str) -> None:
    """A manifest whose digests all fit, written by somebody who wants a file deleted elsewhere."""
    shard = f"{hashlib.sha256(b'precious').hexdigest()} 8 644 {path}\n".encode()
    own: dict[str, object] = {
        "digest": "sha256", "format": 1, "shards": {"switches": hashlib.sha256(shard).hexdigest()}
    }  # fmt: skip
    document = {"tree": own}
    text = json.dumps(document, sort_keys=True, indent=1) + "\n"
    own["seal"] = hashlib.sha256(text.encode()).hexdigest()
    (out / "manifest/switches.txt").write_bytes(shard)
    (out / HEADER).write_text(json.dumps(document, sort_keys=True, indent=1) + "\n")


@pytest.mark.parametrize(("path", "is_read"), [("../precious", False), ("switches/precious", True)])
@pytest.mark.parametrize("force", [False, True])
def test_forged_manifest_reaches_nothing_outside_the_tree(out: Path, path: str, is_read: bool, force: bool) -> None:
    (out / "../precious").write_bytes(b"precious")
    forge(out, path)
    bag = Bag()
    render(out, {}, bag, force=force)
    assert (out / "../precious").read_bytes() == b"precious"
    assert ("FG-OUT-005" in {item.code for item in bag}) is (not is_read and not force)


def test_forged_journal_reaches_nothing_outside_the_tree(out: Path) -> None:
    (out / "../precious").write_bytes(b"precious")
    step = JournalStep(DELETE, "../precious", hashlib.sha256(b"precious").hexdigest(), "absent", 0)
    (out / "manifest/.journal").write_bytes(encode_journal(".staging.1", [step]))
    bag = Bag()
    assert render(out, FILES, bag) is None
    assert {item.code for item in bag} == {"FG-OUT-015"}
    assert render(out, FILES, Bag(), force=True) is not None
    assert (out / "../precious").read_bytes() == b"precious"


def test_lost_files_are_named_and_force_renders_them_again(out: Path) -> None:
    """One step is done and its old file lost."""
    digests = [hashlib.sha256(data).hexdigest() for data, _ in FILES.values()]
    steps = [
        JournalStep(REPLACE, path, *sums, 0o644)
        for path, sums in zip(FILES, [("0" * 64, digests[0]), (digests[1], "0" * 64)], strict=True)
    ]
    (out / "manifest/.journal").write_bytes(encode_journal(".staging.1", steps))
    before, bag = snapshot(out), Bag()
    assert render(out, FILES, bag) is None
    assert messages(bag) == [f"FG-OUT-015 the kept file for {out}/{A} is gone or damaged"]
    assert snapshot(out) == before
    assert render(out, FILES, Bag(), force=True) is not None
    assert not (out / "manifest/.journal").exists()


def test_manifest_of_a_tree_reads_back(out: Path) -> None:
    bag = Bag()
    manifest = load_manifest(out, bag)
    assert not messages(bag)
    assert manifest.header == {"files": 2}
    assert manifest.entries["hosts/b/y z"] == ManifestEntry("hosts", hashlib.sha256(b"b\n").hexdigest(), 2, 0o600)
    assert set(manifest.own) == {HEADER, "manifest/hosts.txt", "manifest/switches.txt"}


def test_absent_tree_has_an_empty_manifest(tmp_path: Path) -> None:
    manifest = load_manifest(tmp_path / "absent", Bag())
    assert not manifest.header
    assert not manifest.entries
    assert os.listdir(tmp_path) == []


def test_header_key_of_the_writer_is_refused() -> None:
    with pytest.raises(ValueError, match="tree"):
        encode_manifest({"tree": 1}, {})


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(string.printable),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.integers(0, 99) | st.text("abc", max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
paths = st.lists(names, min_size=1, max_size=4).map("/".join).filter(lambda path: refuse_path(path) is None)
digests = st.binary(min_size=32, max_size=32).map(bytes.hex)
entries = st.builds(
    ManifestEntry, st.sampled_from(["u001", "u002.spine"]), digests, st.integers(0, 10**12), st.integers(0, 0o777)
)


@given(
    header=st.dictionaries(st.text("abc", min_size=1), json_values, max_size=3),
    listed=st.dictionaries(paths, entries, max_size=6),
)
def test_any_manifest_reads_back(header: dict[str, object], listed: dict[str, ManifestEntry]) -> None:
    files = encode_manifest(header, listed)

    class Memory(QuickFilesystem):
        """Serves the manifest's files from memory."""

        def open(self, path: str, flags: int, mode: int = 0o666) -> int:
            self.rest = files[path.removeprefix("/tree/")]
            return 0

        def read(self, fd: int, size: int) -> bytes:
            piece, self.rest = self.rest, b""
            return piece

        def status_of(self, fd: int) -> os.stat_result:
            return os.stat(__file__)

        def close(self, fd: int) -> None:
            pass

    bag = Bag()
    manifest = read_manifest(Memory(), "/tree", bag, force=False)
    assert manifest is not None, messages(bag)
    assert manifest.entries == listed
    assert encode_manifest(manifest.header, manifest.entries) == files


states = digests | st.sampled_from(["absent", "symlink", "folder", "large"])
actions = st.sampled_from([REPLACE, DELETE, CHMOD, MAKE, PRUNE])
places = paths | st.just(HEADER)
modes = st.integers(0, 0o7777)
steps = st.builds(JournalStep, actions, places, states, states, modes, modes)


@given(listed=st.lists(steps, max_size=6), data=st.data())
def test_any_journal_reads_back_and_none_that_was_damaged(listed: list[JournalStep], data: st.DataObject) -> None:
    raw = encode_journal(".staging.7", listed)
    assert decode_journal(raw) == (".staging.7", listed)
    at = data.draw(st.integers(0, len(raw) - 2))
    damaged = raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :]
    assert decode_journal(damaged) is None
    assert decode_journal(raw[:at]) is None


@given(
    path=st.text(max_size=30)
    | st.lists(st.sampled_from(["..", ".", "a", "", "~", ".git", "b c"]), max_size=5).map("/".join)
)
def test_accepted_path_stays_below_the_tree(path: str) -> None:
    if refuse_path(path) is None:
        assert os.path.normpath(f"/tree/{path}") == f"/tree/{path}"
