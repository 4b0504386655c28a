"""Waves of a rollout as data: what the planner of waves decides, and what bundles and the lab read."""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction
from typing import Annotated, NamedTuple

from fabricgen.plan.model.rollout import RolloutLimits
from fabricgen.validation.forms import Form, record

Name = Annotated[str, Form(r"(?!\.{1,2}$)[^/\\\s\x00-\x1f\x7f]{1,255}", "a name without blanks and slashes")]
Line = Annotated[str, Form(r"[^\x00-\x1f\x7f]*", "a text of one line")]


class WaveKind(StrEnum):
    """The purpose of a wave, in the order in which waves of these kinds stand in a rollout.

    ``canary`` is the first wave of hitless changes; ``login`` cuts logins and nothing else; in a ``drain`` wave every
    device is out of service while it changes; ``hosts`` holds hosts alone.
    """

    canary = "canary"
    hitless = "hitless"
    login = "login"
    drain = "drain"
    hosts = "hosts"


class ChangedDevice(NamedTuple):
    """A device that a rollout changes, and the greatest of its steps by ``semantics.DISRUPTIONS``."""

    device: str
    disruption: str
    is_host: bool = False


class NMinusOne(NamedTuple):
    """State of a wave after one more failure, the one that leaves least.

    Attributes:
        share: Smallest part of its planned bandwidth that a pair of leafs in service keeps.
        switch: The switch that fails; empty where none costs more than the wave.
        kept: The two leafs of that pair; empty where no pair loses any.
    """

    share: Fraction = Fraction(1)
    switch: str = ""
    kept: tuple[str, ...] = ()


class Wave(NamedTuple):
    """Devices that change together; the next wave begins when all of them are back.

    Attributes:
        number: From 0.
        devices: Names, in the order in which they are changed.
        hosts: Hosts that have no way round a device of the wave; the scheduler takes their jobs off first.
        scope: What the wave is confined to, such as a plane, for people; empty if nothing.
        bandwidth: Smallest part of its planned bandwidth that a pair of leafs in service keeps meanwhile.
        kept: The two leafs of that pair; empty where no pair loses any.
        n_minus_1: The same after one more failure meanwhile.
    """

    number: int
    kind: WaveKind
    devices: tuple[str, ...]
    hosts: tuple[str, ...] = ()
    scope: str = ""
    bandwidth: Fraction = Fraction(1)
    kept: tuple[str, ...] = ()
    n_minus_1: NMinusOne = NMinusOne()


@record
class StrandedPrefixes(NamedTuple):
    """Prefixes that have no other path while ``device`` is out, and the ``user`` that goes on using it."""

    device: Name
    user: Line
    prefixes: tuple[Line, ...]


class WavePlan(NamedTuple):
    """The waves of a rollout, with the limits that they keep, and their pace."""

    waves: tuple[Wave, ...]
    limits: RolloutLimits
    stranded: tuple[StrandedPrefixes, ...] = ()
