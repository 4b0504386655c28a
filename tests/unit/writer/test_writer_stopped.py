"""A commit that the system stops: the tree is the old one, or the message says exactly which steps are done."""

from __future__ import annotations

import errno
import os
import re
import shutil
from pathlib import Path

import pytest
from broken_disk import BrokenDisk, StubbornEntry, apply_steps, read_steps, without_temporary
from faulty_disk import FaultyDisk, run_until_death, snapshot
from scenario import NEW_FILES, Workshop, messages, render, touch

from fabricgen.diagnostics import Bag
from tests.sampling import FRESH, sampled

ERRORS = (errno.EPERM, errno.EBUSY, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EACCES, errno.ENOENT)
FULL = (errno.ENOSPC, errno.EDQUOT)
STEPS = ("rename ", "remove ", "make_folder ", "remove_folder ")
UNFINISHED = re.compile(
    r"FG-OUT-022 (?P<out>\S+) holds an unfinished commit: (?P<first>.+?), and then (?P<second>.+?); "
    r"(?:(?P<done>\d+) of (?P<of>\d+) steps are done, from .+ to .+; the next one is (?P<next>.+)"
    r"|(?P<all>all \d+ steps are done)|(?P<none>none of \d+ steps is done)); "
    r"(?P=out)/manifest/.journal lists them in order"
)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop.build(tmp_path_factory.mktemp("workshop"))


@pytest.fixture(scope="module")
def calls(workshop: Workshop) -> list[str]:
    """Every call of an undisturbed update."""
    disk = FaultyDisk()
    assert render(workshop.copy("calls"), NEW_FILES, Bag(), filesystem=disk) is not None
    disk.die()
    return disk.calls


def commit_of(calls: list[str]) -> tuple[int, int]:
    """Index of the first call behind which there is a journal, and of the journal's removal."""
    begin = next(at for at, call in enumerate(calls) if re.fullmatch(r"rename .*/manifest/\.journal", call))
    end = next(at for at, call in enumerate(calls) if re.fullmatch(r"remove .*/manifest/\.journal", call))
    return begin, end


def try_render(disk: FaultyDisk, out: Path) -> tuple[bool, list[str]]:
    bag = Bag()
    result = run_until_death(disk, lambda disk: render(out, NEW_FILES, bag, filesystem=disk))
    assert (result is None) == bag.has_errors
    (out / "manifest/.lock").unlink(missing_ok=True)
    return result is not None, messages(bag)


@pytest.mark.sampled(3, of="number")
@pytest.mark.parametrize("number", ERRORS, ids=lambda number: errno.errorcode[number])
def test_an_error_at_any_call_of_the_commit_leaves_the_old_tree(
    workshop: Workshop, calls: list[str], number: int
) -> None:
    begin, end = commit_of(calls)
    stopped = 0
    for at in range(begin, end):
        name = f"{errno.errorcode[number]}{at}"
        out = workshop.copy(name)
        disk = FaultyDisk(at, error=number)
        done, told = try_render(disk, out)
        if done:
            # What is gone already need not be deleted, and a folder in use may stay.
            assert disk.calls[at].startswith(("remove", "make_folder", "open", "sync", "close")), (disk.calls[at], told)
            assert number in (errno.ENOENT, errno.EBUSY)
            shutil.rmtree(out.parent)
            continue
        stopped += 1
        assert snapshot(out) == workshop.before, (name, told)
        if (number, disk.calls[at][:7]) != (errno.ENOENT, "remove "):
            check_message(told, disk, at, out, number)
        shutil.rmtree(out.parent)
    assert stopped > 15


def check_message(told: list[str], disk: FaultyDisk, at: int, out: Path, number: int) -> None:
    """The one message names the error, the path and how many steps were done."""
    begin, _ = commit_of([*disk.calls[: at + 1], f"rename {out}/manifest/.journal", f"remove {out}/manifest/.journal"])
    done = sum(call.startswith(STEPS) for call in disk.calls[begin + 1 : at])
    code = "FG-OUT-012" if number in FULL else "FG-OUT-013"
    text = f"{code} cannot commit {out}: {os.strerror(number)} ({errno.errorcode[number]})"
    assert len(told) == 1
    assert told[0].startswith(text), told
    path = disk.calls[at].partition(" ")[2]
    if path and at > begin:
        assert told[0].startswith(f"{text} at '{path}'"), told
    match = re.search(r"; (\d+) of (\d+) steps were done, and are undone$", told[0])
    changed_modes = sum(call == "chmod" for call in disk.calls[begin:at])
    assert int(match[1] if match else 0) == done + min(changed_modes, 1), (told, disk.calls[begin : at + 1])


@pytest.mark.parametrize("number", [errno.EROFS, errno.EIO], ids=lambda number: errno.errorcode[number])
def test_a_disk_that_refuses_everything_from_a_call_on(workshop: Workshop, calls: list[str], number: int) -> None:
    """Nothing can be undone then: the message says what is done, byte for byte, and the next render is whole again."""
    begin, end = commit_of(calls)
    unfinished = set()
    # Nine calls in ten come before the journal, so a sample of all of them may leave out what is behind it.
    for at in [*sampled(range(begin + 1), 6, f"{FRESH} {number}"), *range(begin + 1, end + 1)]:
        name = f"broken{number}-{at}"
        out = workshop.copy(name)
        done, told = try_render(BrokenDisk(at, number), out)
        assert not done
        found = without_temporary(snapshot(out))
        if at <= begin:
            assert found == workshop.before, (name, told)
            assert not (out / "manifest/.journal").exists(), name
        else:
            unfinished.add(check_claim(workshop, out, told, found))
        touch(out)
        assert snapshot(out) == workshop.before, name
        assert render(out, NEW_FILES, Bag()) is not None
        assert snapshot(out) == workshop.after, name
        shutil.rmtree(out.parent)
    assert len(unfinished) > 8


def check_claim(workshop: Workshop, out: Path, told: list[str], found: dict[str, tuple[str, int, bytes]]) -> int:
    """Hold a tree against what the message says of it; how many steps that is."""
    stopped = [text for text in told if text.startswith("FG-OUT-022")]
    assert len(stopped) == 1, told
    match = UNFINISHED.fullmatch(stopped[0]) or re.fullmatch(
        r"FG-OUT-022 \S+ holds an unfinished commit: .*; (?P<all>all \d+ steps are done); \S+ lists them in order",
        stopped[0],
    )
    assert match is not None, stopped
    steps = read_steps(out)
    groups = match.groupdict()
    count = len(steps) if groups["all"] else int(groups.get("done") or 0)
    assert found == apply_steps(workshop.before, workshop.after, steps[:count]), stopped
    if groups.get("next"):
        assert groups["next"] == f"{steps[count][0]} {steps[count][5]}"
        assert int(groups["of"]) == len(steps)
    return count


def paths_of_steps(workshop: Workshop, name: str) -> list[str]:
    """The path of every step of the update, in order, from the journal of one that was killed."""
    out = workshop.copy(name)
    disk = FaultyDisk()
    render(workshop.copy(f"{name}-whole"), NEW_FILES, Bag(), filesystem=disk)
    disk.die()
    run_until_death(
        FaultyDisk(commit_of(disk.calls)[0] + 1), lambda disk: render(out, NEW_FILES, Bag(), filesystem=disk)
    )
    return [step[5] for step in read_steps(out)]


@pytest.mark.parametrize("number", [errno.EPERM, errno.EBUSY], ids=lambda number: errno.errorcode[number])
def test_a_path_that_never_gives_way_is_named_and_the_rest_undone(workshop: Workshop, number: int) -> None:
    stopped = 0
    paths = paths_of_steps(workshop, f"stubborn{number}")
    for path in dict.fromkeys(paths):
        at = paths.index(path)
        out = workshop.copy(f"stubborn{number}-{at}")
        done, told = try_render(StubbornEntry(out / path, number), out)
        if not done:
            stopped += 1
            assert snapshot(out) == workshop.before, (path, told)
            undone = f"; {at} of {len(paths)} steps were done, and are undone"
            text = f"cannot commit {out}: {os.strerror(number)} ({errno.errorcode[number]}) at '{out / path}'"
            assert told == [f"FG-OUT-013 {text}{undone if at else ''}"]
            assert render(out, NEW_FILES, Bag()) is not None
            assert snapshot(out) == workshop.after
        shutil.rmtree(out.parent)
    assert stopped > 5


def test_a_path_that_gives_way_only_once_leaves_what_the_message_says(workshop: Workshop) -> None:
    paths = paths_of_steps(workshop, "once")
    for path in dict.fromkeys(paths[:-1]):
        at = paths.index(path)
        out = workshop.copy(f"once{at}")
        disk = TwoStubborn(out / path, out / paths[-1])
        done, told = try_render(disk, out)
        assert not done
        found = without_temporary(snapshot(out))
        if not told[0].startswith("FG-OUT-022"):
            assert found == workshop.before, (path, told)
            continue
        assert check_claim(workshop, out, told, found) == at + 1
        bag = Bag()
        transaction = render(out, NEW_FILES, bag)
        assert transaction is not None, messages(bag)
        assert messages(bag)[0].startswith("FG-OUT-023")
        assert snapshot(out) == workshop.after


class TwoStubborn(StubbornEntry):
    """One path can be changed once only, another one not at all."""

    def __init__(self, once: Path, never: Path) -> None:
        super().__init__(once, errno.EPERM, passes=1)
        self._never = str(never)

    def _tick(self, name: str) -> None:
        super()._tick(name)
        if name == f"rename {self._never}":
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))


def test_control_c_in_the_commit_is_undone(workshop: Workshop, calls: list[str]) -> None:
    begin, end = commit_of(calls)
    for at in range(begin + 1, end, 4):
        out = workshop.copy(f"interrupted{at}")
        bag = Bag()
        with pytest.raises(KeyboardInterrupt):
            render(out, NEW_FILES, bag, filesystem=Interrupting(at))
        assert snapshot(out) == workshop.before, messages(bag)


class Interrupting(FaultyDisk):
    """A disk during one call of which the user presses Control-C."""

    def _tick(self, name: str) -> None:
        super()._tick(name)
        if len(self.calls) - 1 == self._stop:
            raise KeyboardInterrupt

    def __init__(self, stop: int) -> None:
        super().__init__()
        self._stop = stop
