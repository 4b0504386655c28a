"""Manifests and journals with anything in them: a sentence, never a traceback, never a hang, never a lost file."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from faulty_disk import snapshot
from scenario import (
    CHANGED,
    NEW_FILES,
    OLD_FILES,
    QuickFilesystem,
    Workshop,
    die_in_commit,
    messages,
    render,
    small_tree,
)

from fabricgen.diagnostics import Bag
from fabricgen.render.tree.access import compare_tree, load_manifest
from fabricgen.render.tree.journal import JOURNAL_PATH, describe_damage, encode_journal
from tests.sampling import EVERYTHING, FRESH

COUNT = 200 if EVERYTHING else 40
HANG_CPU_S = 10.0
FOREIGN = (".git/config", "switches/a/notes.txt")


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop.build(tmp_path_factory.mktemp("workshop"))


def flip(raw: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(raw))
    return raw[:at] + bytes([raw[at] ^ (1 << dice.randrange(8))]) + raw[at + 1 :]


def cut(raw: bytes, dice: random.Random) -> bytes:
    return raw[: dice.randrange(len(raw))]


def swap_lines(raw: bytes, dice: random.Random) -> bytes:
    lines = raw.splitlines(keepends=True)
    dice.shuffle(lines)
    return b"".join(lines)


def repeat_line(raw: bytes, dice: random.Random) -> bytes:
    lines = raw.splitlines(keepends=True)
    return b"".join([*lines, dice.choice(lines)])


def garbage(raw: bytes, dice: random.Random) -> bytes:
    return dice.randbytes(dice.randrange(3 * len(raw)))


def seal_again(raw: bytes, dice: random.Random) -> bytes:
    """A journal whose lines were changed by somebody who knows how it is sealed."""
    body = raw.splitlines(keepends=True)[:-1] or [b"\n"]
    body = (flip if dice.random() < 0.5 else swap_lines)(b"".join(body), dice).splitlines(keepends=True)
    scratch = b"".join(body)
    empty = encode_journal("", []).decode()
    assert empty.count("end ") == 1
    import hashlib

    return scratch + f"end {hashlib.sha256(scratch).hexdigest()}\n".encode()


MUTATIONS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    flip,
    cut,
    swap_lines,
    repeat_line,
    garbage,
    seal_again,
)


@pytest.mark.parametrize("seed", ["20261122", str(FRESH)], ids=["seeded", "fresh"])
def test_mutated_manifests_and_journals(workshop: Workshop, seed: str) -> None:
    dice = random.Random(seed)
    for number in range(COUNT // 2):
        out = workshop.copy(f"mutated{seed}-{number}")
        committing = dice.random() < 0.6
        if committing:
            die_in_commit(out, NEW_FILES)
        names = (
            [JOURNAL_PATH] if committing else ["manifest/header.json", "manifest/switches.txt", "manifest/hosts.txt"]
        )
        path = out / dice.choice(names)
        mutation = dice.choice(MUTATIONS)
        path.write_bytes(mutation(path.read_bytes(), dice))
        name = f"FABRICGEN_SEED={seed} {number} {mutation.__name__} {path.name}"
        before = every_content(out)
        begin = time.process_time()
        compare_tree(out, Bag())
        load_manifest(out, Bag())
        bag = Bag()
        result = render(out, OLD_FILES, bag)
        # A journal that was sealed again and still fits is a commit like any other: it takes old files away, also where
        # one of its steps then fails.
        taken = {"FG-OUT-023", *(("FG-OUT-022",) if mutation is seal_again else ())}
        if not taken & {item.code for item in bag}:
            check_nothing_is_lost(out, before, result is not None, f"{name} {messages(bag)}")
        assert result is not None or bag.has_errors, name
        forced = Bag()
        render(out, NEW_FILES, forced, force=True)
        assert time.process_time() - begin < HANG_CPU_S, name
        for path in map(out.joinpath, FOREIGN):
            assert path.exists(), f"{name} {messages(forced)}"


def every_content(out: Path) -> set[bytes]:
    """The bytes of every file, those that wait or are kept in a staging folder included."""
    return {
        what[2] for path, what in snapshot(out).items() if what[0] == "file" and not path.startswith("manifest/.lock")
    }


def check_nothing_is_lost(out: Path, before: set[bytes], done: bool, name: str) -> None:
    """A render that went through wrote what it was asked to; any other one left every content where it was."""
    if not done:
        known = {data for files in (OLD_FILES, NEW_FILES) for data, _ in files.values()}
        assert before & known <= every_content(out), name
        return
    for path, (data, mode) in OLD_FILES.items():
        assert (out / path).read_bytes() == data, name
        assert (out / path).stat().st_mode & 0o777 == mode, name


def test_a_journal_of_a_newer_version_is_told_as_that(tmp_path: Path) -> None:
    out = small_tree(tmp_path / "out")
    die_in_commit(out, CHANGED)
    journal = out / JOURNAL_PATH
    journal.write_bytes(journal.read_bytes().replace(b"fabricgen-journal 2", b"fabricgen-journal 3", 1))
    before, bag = snapshot(out), Bag()
    assert render(out, CHANGED, bag) is None
    assert messages(bag) == [f"FG-OUT-015 {journal} has format 3; this version reads format 2"]
    assert snapshot(out) == before
    assert describe_damage(b"\xff\xfe") == "is damaged"


def test_a_journal_of_another_fabric_reaches_no_file_of_this_one(tmp_path: Path) -> None:
    """Its digests fit nothing here, and the files it would put in place are not here."""
    other = small_tree(tmp_path / "other")
    die_in_commit(other, CHANGED)
    out = tmp_path / "out"
    assert render(out, OLD_FILES, Bag()) is not None
    (out / JOURNAL_PATH).write_bytes((other / JOURNAL_PATH).read_bytes())
    before, bag = snapshot(out), Bag()
    assert render(out, NEW_FILES, bag) is None
    assert {item.code for item in bag} <= {"FG-OUT-014", "FG-OUT-015"}
    assert snapshot(out) == before


def test_a_tree_that_is_moved_with_its_journal_is_undone_where_it_is(tmp_path: Path) -> None:
    out = small_tree(tmp_path / "out")
    die_in_commit(out, CHANGED)
    out.rename(tmp_path / "moved")
    bag = Bag()
    assert render(tmp_path / "moved", CHANGED, bag) is not None
    (told,) = messages(bag)
    assert told == f"FG-OUT-023 {tmp_path}/moved: undid the commit of a command that died (2 of 7 steps were done)"
    assert (tmp_path / "moved/hosts/new").read_bytes() == b"new\n"


class Happening(QuickFilesystem):
    """Lets something happen to the tree just before one of its renames."""

    def __init__(self, at: int, event: Callable[[], object]) -> None:
        self.renames = 0
        self._at = at
        self._event = event

    def rename(self, source: str, target: str) -> None:
        if self.renames == self._at:
            self._event()
        self.renames += 1
        super().rename(source, target)


@pytest.mark.parametrize("at", range(6))
def test_a_tree_moved_and_replaced_by_a_link_in_the_commit_harms_no_other(tmp_path: Path, at: int) -> None:
    out = small_tree(tmp_path / "out")
    other = tmp_path / "other"
    assert render(other, NEW_FILES, Bag()) is not None
    precious = snapshot(other)

    def swap() -> None:
        out.rename(tmp_path / "moved")
        out.symlink_to(other)

    bag = Bag()
    assert render(out, CHANGED, bag, filesystem=Happening(at, swap)) is None
    assert bag.has_errors
    assert snapshot(other) == precious, messages(bag)
    # The tree that was moved is whole after the next command.
    assert render(tmp_path / "moved", CHANGED, bag := Bag()) is not None, messages(bag)
    assert (tmp_path / "moved/hosts/new").read_bytes() == b"new\n"


@pytest.mark.parametrize("at", range(6))
def test_a_tree_deleted_in_the_commit_does_not_come_back_in_parts(tmp_path: Path, at: int) -> None:
    import shutil

    out = small_tree(tmp_path / "out")
    bag = Bag()
    assert render(out, CHANGED, bag, filesystem=Happening(at, lambda: shutil.rmtree(out))) is None
    assert bag.has_errors
    assert not out.exists(), messages(bag)
