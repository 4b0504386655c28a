"""Switches that go on using a drained neighbour because their policy for it comes with their own change.

The policy alone can be put into what such a switch runs: its change is then two changes, with a state between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from fabricgen.diff.device import DeviceDiff
from fabricgen.diff.file_diff import FileDiff
from fabricgen.platforms.patching.demotion import CannotPrepare
from fabricgen.platforms.patching.steps import Situation
from fabricgen.platforms.reading.reader import Tree, load_module, optional
from fabricgen.rollout.phasing.between import NotWritten, first_state, step_between, write_state


class Prepared(NamedTuple):
    """A device from what it runs to its policy for drained neighbours, and from there to what is intended."""

    policy: DeviceDiff
    rest: DeviceDiff


def is_deaf(device: DeviceDiff) -> bool:
    """Return whether a device gets the policy by which it honours graceful shutdown (RFC 8326) only by its change.

    Platforms that honour it by themselves need no policy; neither does a device of which no routing changes.
    """
    return any(_deaf_files(device))


def is_mute(device: DeviceDiff) -> bool:
    """Return whether a device sends some neighbor no communities before its change, so that none of a drain either."""
    for file in device.files:
        announces: Callable[[Tree], bool] | None = _of_platform(file, "announces_shutdown")
        if announces and file.situation is not None and not announces(file.situation.before):
            return True
    return False


def prepare_device(device: DeviceDiff) -> Prepared:
    """Return the change of a deaf device in two parts, of which the first has the policy alone.

    Args:
        device: Its files were read whole.

    Raises:
        CannotPrepare: The policy cannot be put into what the device runs.
    """
    policy: list[FileDiff] = []
    rest = {file.path: file for file in device.files}
    for file, situation in _deaf_files(device):
        put: Callable[[Tree, Tree], Tree] | None = _of_platform(file, "prepare_shutdown")
        if put is None:
            raise CannotPrepare("its platform does not put a policy into what runs")
        state = put(first_state(situation, file.parts), situation.after)
        try:
            text = write_state(file, state)
        except NotWritten as fault:
            raise CannotPrepare(
                str(fault), "remove from the switch what fabricgen does not write into that file"
            ) from fault
        policy.append(step_between(file, situation._replace(after=state, after_text=text), text.encode()))
        rest[file.path] = step_between(file, situation._replace(before=state, before_text=text), file.intended)
    alone = {file.path for file in policy}
    resting = [file.situation.before for path, file in rest.items() if file.situation and path not in alone]
    first = replace(device, files=policy, resting=[*device.resting, *resting])
    return Prepared(first, replace(device, files=list(rest.values())))


def _deaf_files(device: DeviceDiff) -> Iterator[tuple[FileDiff, Situation]]:
    """Yield the files that bring the policy."""
    for file in device.files:
        honours: Callable[[Tree], bool] | None = _of_platform(file, "honours_shutdown")
        situation = file.situation
        if honours and situation is not None and honours(situation.after) and not honours(situation.before):
            yield file, situation


def _of_platform(file: FileDiff, name: str) -> Callable[..., Any] | None:
    """Return a function that the platform of a file may have."""
    return optional(load_module(file.kind.rollout), name) if file.kind.rollout else None
