"""Rows that change only while their port is down, a few ports at a time, and the buffer profiles that they name.

The updater takes a port down by itself for each such row, one port after the other, and judges the whole configuration
three times for it; the time grows faster than the number of rows. Here a file takes a few ports down, the next changes
all their rows, a third brings them up: one flap a port, and a time that is known.

From 202511 whole rows of BUFFER_PROFILE may be added and removed, so where the updater refuses to change one, a profile
with the wanted content is added under another name, everything that refers to the old one is set to it, and the old one
is replaced and gets its references back. Where few ports refer to it, they lose their rows while the profile is
exchanged, and go down only once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fabricgen.platforms.patching.steps import ABSENT, Change
from fabricgen.platforms.reading.reader import Tree
from fabricgen.platforms.reading.semantics import Meaning
from fabricgen.platforms.sonic.patch_files import Files
from fabricgen.platforms.sonic.updater import PORT_TABLES, ROW

_TABLE = "BUFFER_PROFILE"
_REFERENCES = ("profile", "profile_list")
_NEXT = "next_{}"
PORTS_MAX = 4
"""Ports that are down together."""


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


class PortWork:
    """Everything that takes ports of one switch down."""

    def __init__(
        self, files: Files, rows: Sequence[Change], renewed: Sequence[Change], target: Tree, root: Meaning
    ) -> None:
        """Take over the rows to change and the profiles to renew."""
        self._files = files
        self._rows = list(rows)
        self._target = target
        self._root = root
        self._profiles = list(dict.fromkeys(change.steps[1] for change in renewed))
        self._references = references_to(self._profiles, files.state)
        self._used = list(dict.fromkeys(reference.port for reference in self._references))

    def worse_than_reload(self) -> str:
        """Return why a reload disturbs less; empty if it does not."""
        up = sum(row.get("admin_status") == "up" for row in self._files.state.get("PORT", {}).values())
        flaps = 2 * len(self._up(self._used))
        if len(self._up(self._used)) <= PORTS_MAX:
            return ""
        held = held_by_buffermgrd(self._profiles, self._files.state)
        if held:
            return f"buffermgrd sets groups back to {held} whenever a port changes, so they cannot name another profile"
        if flaps <= up:
            return ""
        return f"another profile under the same name takes {flaps} flaps, a reload one of each of {up} ports"

    def seconds(self) -> float:
        """Return what the files will cost, about."""
        rows = len(self._rows) + 2 * len(self._references)
        ports = len(set(self._used)) + len({_port(change) for change in self._rows} | set(self._used))
        base = self._files.seconds([])
        each = self._files.seconds(list(_flips([""], "up", "down", self._root))) - base
        return 3 * base * -(-ports // PORTS_MAX) + each * (rows + 2 * ports)

    def send(self) -> None:
        """Add the files."""
        if self._profiles:
            if len(self._up(self._used)) <= PORTS_MAX:
                self._exchange()
            else:
                self._use_placeholder()
        self._send_rows(self._rows)

    def _exchange(self) -> None:
        """Exchange profiles while the few ports that use them are down and have no rows that refer to them."""
        files, state = self._files, self._files.state
        keys = list(dict.fromkeys(reference.steps[:2] for reference in self._references))
        gone = [Change(key, state[key[0]][key[1]], ABSENT, self._root) for key in keys]
        back = [change._replace(before=ABSENT, after=change.before) for change in gone]
        up = self._up(self._used)
        old, new = replaced_rows(self._profiles, state, self._target, self._root)
        own = [change for change in self._rows if _port(change) in up]
        self._rows = [change for change in self._rows if change not in own]
        self._flap(up, "down")
        files.send([*gone, *old], "hitless")
        files.send([*new, *back], "hitless")
        files.send_packed([own], "hitless")
        self._flap(up, "up")

    def _use_placeholder(self) -> None:
        """Let references name profiles of other names while the profiles are exchanged."""
        files, target, root = self._files, self._target, self._root
        names = next_names(self._profiles, files.state)
        back = {new: old for old, new in names.items()}
        files.send(added_rows(names, target, root), "hitless")
        self._send_rows(list(redirect(self._references, names, root)))
        old, new = replaced_rows(self._profiles, files.state, target, root)
        files.send(old, "hitless")
        files.send(new, "hitless")
        moved = references_to(list(back), files.state)
        returned = list(redirect(moved, back, root))
        final = {change.steps for change in self._rows}
        kept = [change for change in returned if not {change.steps, change.steps[:ROW]} & final]
        self._send_rows([*self._rows, *kept])
        self._rows = []
        files.send(removed_rows(names, target, root), "hitless")

    def _send_rows(self, rows: Sequence[Change]) -> None:
        up = set(self._up(list(dict.fromkeys(_port(change) for change in rows))))
        self._files.send_packed([[change for change in rows if _port(change) not in up]], "hitless")
        for ports, changes in self._groups([change for change in rows if _port(change) in up]):
            self._flap(ports, "down")
            self._files.send_packed([changes], "hitless")
            self._flap(ports, "up")

    def _groups(self, rows: Sequence[Change]) -> Iterator[tuple[list[str], list[Change]]]:
        """Yield a few ports with their rows, as many as one file may hold."""
        by_port: dict[str, list[Change]] = {}
        for change in rows:
            by_port.setdefault(_port(change), []).append(change)
        ports: list[str] = []
        held: list[Change] = []
        for port, changes in by_port.items():
            if ports and (len(ports) == PORTS_MAX or not self._files.fits([*held, *changes])):
                yield ports, held
                ports, held = [], []
            ports.append(port)
            held = [*held, *changes]
        if ports:
            yield ports, held

    def _flap(self, ports: Sequence[str], word: str) -> None:
        if not ports:
            return
        other = "down" if word == "up" else "up"
        shown = ", ".join(ports)
        if word == "down":
            self._files.send(list(_flips(ports, "up", "down", self._root)), "port flap", f"down: {shown}")
        else:
            self._files.send(list(_flips(ports, other, word, self._root)), "hitless", f"up again: {shown}")

    def _up(self, ports: Sequence[str]) -> list[str]:
        """Those of some ports that are up."""
        table = self._files.state.get("PORT", {})
        return [port for port in ports if table.get(port, {}).get("admin_status") == "up"]


def _flips(ports: Sequence[str], before: str, after: str, root: Meaning) -> Iterator[Change]:
    for port in ports:
        yield Change(("PORT", port, "admin_status"), before, after, root)


def _port(change: Change) -> str:
    return change.steps[1].split("|")[0]
