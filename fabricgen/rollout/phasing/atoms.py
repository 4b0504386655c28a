"""Parts of a change, and what each of them depends on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from fabricgen.platforms.patching.steps import ABSENT, Change
from fabricgen.rollout.phasing.directions import find_stage
from fabricgen.rollout.phasing.kinds import CONTRACT, KINDS, RolloutStage


class Atom(NamedTuple):
    """A part of a change that is carried out at once.

    Attributes:
        kind: Its kind, if it has a stage by itself.
        stage: None if it goes with whatever else its file has.
        removes: It only takes away, so that it goes last where it has no stage.
    """

    kind: str
    stage: RolloutStage | None
    removes: bool


Done = Callable[[Atom], bool]


class ChangePart(NamedTuple):
    """A change, and its value once some of its atoms are carried out.

    Attributes:
        refused: The kind of a change of which no state between both values is possible; empty if there is one.
        reason: Why not, for people; empty for what holds of every such change.
        advice: What to do then; empty for what holds of every such change.
        renumbers: The AS number that a router gives up, and the one that it takes; empty for any other change.
    """

    change: Change
    atoms: tuple[Atom, ...]
    build: Callable[[Done], Any]
    refused: str = ""
    reason: str = ""
    advice: str = ""
    renumbers: tuple[str, ...] = ()


class Context(NamedTuple):
    """Properties of a device that the stage of a change depends on.

    Attributes:
        is_host: It is a host.
        contract: Stage of changes of code points, PFC, ECN, marks and MTU; None where these need none.
        doubles: Sessions come and others go in one of its files.
        loses: Sessions go in one of its files.
    """

    is_host: bool
    contract: RolloutStage | None = None
    doubles: bool = False
    loses: bool = False

    def atom(self, kind: str, before: Any, after: Any) -> Atom:
        """Return the atom of one value."""
        if kind in CONTRACT:
            stage = self.contract
        else:
            stage = find_stage(kind, before, after, is_host=self.is_host) if kind in KINDS else None
        return Atom(kind if stage else "", stage, after is ABSENT)


def between(gain: Atom, loss: Atom, value: Any, done: Done) -> Any:
    """Return a value that is there in between alone: once something has come, until something else has gone."""
    return value if done(gain) and not done(loss) else ABSENT
