"""Fill at which PFC starts and at which ingress drops, by headroom profile and by what other priority groups hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.analysis.port_groups import SwitchKind
from fabricgen.analysis.shared_space import SharedSpace, own_bytes
from fabricgen.physics.headroom import drop_bytes, groups_with_headroom, headroom_at_once_bytes, headroom_in_turn_bytes
from fabricgen.physics.memory import left_bytes, pause_bytes
from fabricgen.plan.model.buffers import PgProfile

TURNS = (2, 4, 8, 16)
"""Priority groups filled one after the other that are shown; after 16 at alpha 1 nothing is left to share."""


class PausePoint(NamedTuple):
    """Fill of one lossless priority group, bytes.

    Attributes:
        links: Link groups whose ports have the profile.
        state: What the other lossless priority groups of its memory hold.
        starts_bytes: Fill from which PFC pauses the sender.
        headroom_bytes: Headroom that the group finds.
        drops_bytes: Fill above which ingress drops.
        ends_bytes: Fill at which PFC ends; None where no profile says so.
        derivation: ``starts_bytes`` with its numbers.
    """

    profile: str
    links: list[str]
    state: str
    starts_bytes: int
    headroom_bytes: int
    drops_bytes: int
    ends_bytes: int | None
    derivation: str


def list_pause_points(kind: SwitchKind, space: SharedSpace) -> Iterator[PausePoint]:
    """Yield where the lossless priority groups of switches pause and drop, profile by profile.

    Args:
        kind: The switches.
        space: What ``find_shared_space`` returns for them.
    """
    links: dict[str, list[str]] = {}
    profiles: dict[str, PgProfile] = {}
    for group in kind.ports:
        if group.profile is not None:
            profiles[group.profile.name] = group.profile
            if group.link not in (named := links.setdefault(group.profile.name, [])):
                named.append(group.link)
    for name, profile in profiles.items():
        point = _Points(links[name], profile, own_bytes(kind.tier.buffers, profile), space)
        yield point.at_once("alone", 1)
        yield from (point.in_turn(turn) for turn in sorted({*TURNS, point.first_without}) if 1 < turn <= space.groups)
        yield point.at_once(f"all {space.groups} of the memory", space.groups)


class _Points(NamedTuple):
    """Figures from which the fill of the groups of one profile follows."""

    links: list[str]
    profile: PgProfile
    own_bytes: int
    space: SharedSpace

    @property
    def first_without(self) -> int:
        """The first group, filled in turn, that does not find all of its headroom; 0 where headroom is its own."""
        pool = self.space.headroom_bytes
        return groups_with_headroom(self.profile.xoff_bytes, pool) + 1 if pool else 0

    def at_once(self, state: str, groups: int) -> PausePoint:
        """Some groups that fill alike."""
        alpha, shared = 2.0**self.profile.dynamic_th, self.space.shared_bytes
        headroom = headroom_at_once_bytes(self.profile.xoff_bytes, self.space.headroom_bytes, groups)
        divisor = f"(1 + {alpha:g} x {groups})" if groups > 1 else f"(1 + {alpha:g})"
        arithmetic = f"{self.own_bytes} + {alpha:g} x {shared} / {divisor}"
        return self._point(state, pause_bytes(alpha, shared, self.own_bytes, groups), headroom, arithmetic)

    def in_turn(self, turn: int) -> PausePoint:
        """Return one of several groups, of which all that came before are full and stay so."""
        alpha, shared = 2.0**self.profile.dynamic_th, self.space.shared_bytes
        headroom = headroom_in_turn_bytes(self.profile.xoff_bytes, self.space.headroom_bytes, turn - 1)
        pauses = pause_bytes(alpha, left_bytes(alpha, shared, turn - 1), self.own_bytes)
        arithmetic = f"{self.own_bytes} + {alpha:g} x {shared} / (1 + {alpha:g})^{turn}"
        return self._point(f"number {turn} in turn", pauses, headroom, arithmetic)

    def _point(self, state: str, pauses: int, headroom: int, arithmetic: str) -> PausePoint:
        offset = self.profile.xon_offset_bytes
        released = None if offset is None else max(0, pauses - offset)
        drops = drop_bytes(pauses, headroom)
        return PausePoint(self.profile.name, self.links, state, pauses, headroom, drops, released, arithmetic)
