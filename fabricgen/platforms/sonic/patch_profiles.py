"""Buffer profiles that get another content where the updater refuses to change the row.

From 202511 whole rows of BUFFER_PROFILE may be added and removed, so a profile with the wanted content is added under
another name, everything that refers to the old one is set to it, and the old one is replaced and gets its references
back. Where few ports refer to it, they lose their rows while the profile is exchanged, and go down only once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fabricgen.platforms.patching.steps import ABSENT, Change
from fabricgen.platforms.reading.reader import Tree
from fabricgen.platforms.reading.semantics import Meaning
from fabricgen.platforms.sonic.updater import PORT_TABLES

_TABLE = "BUFFER_PROFILE"
_REFERENCES = ("profile", "profile_list")
_NEXT = "next_{}"


class Reference(NamedTuple):
    """A field of a port's row that names profiles."""

    steps: tuple[str, str, str]
    value: str

    @property
    def port(self) -> str:
        """The port of the row."""
        return self.steps[1].split("|")[0]

    @property
    def names(self) -> list[str]:
        """The profiles."""
        return self.value.split(",")


def references_to(profiles: Sequence[str], tree: Tree) -> list[Reference]:
    """Every field that names one of some profiles."""
    wanted = set(profiles)
    return [
        Reference((table, key, field), str(row[field]))
        for table in sorted(PORT_TABLES & tree.keys())
        for key, row in tree[table].items()
        for field in _REFERENCES
        if field in row and wanted & set(str(row[field]).split(","))
    ]


def replaced_rows(
    profiles: Sequence[str], state: Tree, after: Tree, root: Meaning
) -> tuple[list[Change], list[Change]]:
    """The removals of profiles, and their additions with the wanted content."""
    gone = [Change((_TABLE, name), state[_TABLE][name], ABSENT, root) for name in profiles]
    new = [Change((_TABLE, name), ABSENT, after[_TABLE][name], root) for name in profiles]
    return gone, new


def held_by_buffermgrd(profiles: Sequence[str], state: Tree) -> str:
    """The first of some profiles that buffermgrd gives lossless groups by itself; empty if none is.

    Source:
        sonic-net/sonic-swss 029506c5, cfgmgr/buffermgr.cpp ``doSpeedUpdateTask``: in the traditional model every change
        of a port's row sets its lossless groups to ``pg_lossless_<speed>_<length>_profile``.
    """
    if state.get("DEVICE_METADATA", {}).get("localhost", {}).get("buffer_model") == "dynamic":
        return ""
    return next((name for name in profiles if name.startswith("pg_lossless_")), "")


def next_names(profiles: Sequence[str], state: Tree) -> dict[str, str]:
    """Names that are free, by the profile they stand in for."""
    taken = state.get(_TABLE, {})
    free = (name for number in range(len(taken) + len(profiles) + 1) if (name := _NEXT.format(number)) not in taken)
    return dict(zip(profiles, free, strict=False))


def added_rows(names: dict[str, str], after: Tree, root: Meaning) -> list[Change]:
    """The stand-ins, with the wanted content."""
    return [Change((_TABLE, new), ABSENT, after[_TABLE][old], root) for old, new in names.items()]


def removed_rows(names: dict[str, str], after: Tree, root: Meaning) -> list[Change]:
    """The removal of the stand-ins."""
    return [Change((_TABLE, new), after[_TABLE][old], ABSENT, root) for old, new in names.items()]


def redirect(found: Sequence[Reference], names: dict[str, str], root: Meaning) -> Iterator[Change]:
    """Yield the changes that let references name other profiles."""
    for reference in found:
        text = ",".join(names.get(name, name) for name in reference.names)
        if text != reference.value:
            yield Change(reference.steps, reference.value, text, root)
