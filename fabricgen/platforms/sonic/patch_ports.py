"""Rows that change only while their port is down, a few ports at a time.

The updater takes a port down by itself for each such row, one port after the other, and judges the whole configuration
three times for it; the time grows faster than the number of rows. Here a file takes a few ports down, the next changes
all their rows, a third brings them up: one flap a port, and a time that is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabricgen.platforms.patching.steps import ABSENT, Change
from fabricgen.platforms.reading.reader import Tree
from fabricgen.platforms.reading.semantics import Meaning
from fabricgen.platforms.sonic import patch_profiles as profiles
from fabricgen.platforms.sonic.patch_files import Files
from fabricgen.platforms.sonic.updater import ROW

PORTS_MAX = 4
"""Ports that are down together."""


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
        self._references = profiles.references_to(self._profiles, files.state)
        self._used = list(dict.fromkeys(reference.port for reference in self._references))

    def worse_than_reload(self) -> str:
        """Return why a reload disturbs less; empty if it does not."""
        up = sum(row.get("admin_status") == "up" for row in self._files.state.get("PORT", {}).values())
        flaps = 2 * len(self._up(self._used))
        if len(self._up(self._used)) <= PORTS_MAX:
            return ""
        held = profiles.held_by_buffermgrd(self._profiles, self._files.state)
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
        old, new = profiles.replaced_rows(self._profiles, state, self._target, self._root)
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
        names = profiles.next_names(self._profiles, files.state)
        back = {new: old for old, new in names.items()}
        files.send(profiles.added_rows(names, target, root), "hitless")
        self._send_rows(list(profiles.redirect(self._references, names, root)))
        old, new = profiles.replaced_rows(self._profiles, files.state, target, root)
        files.send(old, "hitless")
        files.send(new, "hitless")
        moved = profiles.references_to(list(back), files.state)
        returned = list(profiles.redirect(moved, back, root))
        final = {change.steps for change in self._rows}
        kept = [change for change in returned if not {change.steps, change.steps[:ROW]} & final]
        self._send_rows([*self._rows, *kept])
        self._rows = []
        files.send(profiles.removed_rows(names, target, root), "hitless")

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
