"""Rows that change only while their port is down, a few ports at a time.

The updater takes a port down by itself for each such row, one port after the other, and judges the whole configuration
three times for it; the time grows faster than the number of rows. Here a file takes a few ports down, the next changes
all their rows, a third brings them up: one flap a port, and a time that is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabricgen.platforms.patching.steps import Change
from fabricgen.platforms.reading.semantics import Meaning
from fabricgen.platforms.sonic.patch_files import Files

PORTS_MAX = 4
"""Ports that are down together."""


class PortWork:
    """Everything that takes ports of one switch down."""

    def __init__(self, files: Files, rows: Sequence[Change], root: Meaning) -> None:
        """Take over the rows to change."""
        self._files = files
        self._rows = rows
        self._root = root

    def seconds(self) -> float:
        """Return what the files will cost, about."""
        ports = len(set(map(_port, self._rows)))
        base = self._files.seconds([])
        each = self._files.seconds(list(_flips([""], "up", "down", self._root))) - base
        return 3 * base * -(-ports // PORTS_MAX) + each * (len(self._rows) + 2 * ports)

    def send(self) -> None:
        """Add the files."""
        up = set(self._up(list(dict.fromkeys(map(_port, self._rows)))))
        self._files.send_packed([[change for change in self._rows if _port(change) not in up]], "hitless")
        for ports, changes in self._groups([change for change in self._rows if _port(change) in up]):
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
        before, disruption, head = ("up", "port flap", "down") if word == "down" else ("down", "hitless", "up again")
        changes = list(_flips(ports, before, word, self._root))
        self._files.send(changes, disruption, f"{head}: {', '.join(ports)}")

    def _up(self, ports: Sequence[str]) -> list[str]:
        """Those of some ports that are up."""
        table = self._files.state.get("PORT", {})
        return [port for port in ports if table.get(port, {}).get("admin_status") == "up"]


def _flips(ports: Sequence[str], before: str, after: str, root: Meaning) -> Iterator[Change]:
    for port in ports:
        yield Change(("PORT", port, "admin_status"), before, after, root)


def _port(change: Change) -> str:
    return change.steps[1].split("|")[0]
