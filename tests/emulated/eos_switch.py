"""An EOS switch between two commands: configurations, sessions, checkpoints, and a commit that may be taken back.

Sessions are as the Arista EOS User Manual has them
(Configure Session): a session is a copy of running-config at its opening, its commit replaces running-config, and a
commit with a timer is taken back at the end of its time unless the session is committed again.
"""

from __future__ import annotations

import pickle
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Tree = dict[str, Any]
_SINGLE = ("random-detect ecn minimum-threshold", "mtu", "description", "bandwidth percent", "ip address", "speed")
"""Settings of which a new value replaces the old one, as far as tests change them."""


class RefusedError(Exception):
    """Answer to a command that the switch does not take."""


@dataclass
class Session:
    """A configuration session: what running-config was at its opening, and the lines since."""

    base: str
    lines: list[str] = field(default_factory=list)
    clean: bool = False

    @property
    def result(self) -> str:
        """Return the configuration that its commit gives."""
        config = _parse("" if self.clean else self.base)
        _merge(config, _parse("\n".join(self.lines)))
        return _text(config)


@dataclass
class Pending:
    """A commit that is taken back at ``until``, in seconds since the epoch."""

    session: str
    before: str
    until: float


@dataclass
class Switch:
    """The switch."""

    hostname: str
    running: str
    startup: str = ""
    sessions: dict[str, Session] = field(default_factory=dict)
    checkpoints: dict[str, str] = field(default_factory=dict)
    pending: Pending | None = None
    maintenance: bool = False
    log: list[str] = field(default_factory=list)
    start: str = ""
    timer_s: float | None = None
    """Time of every commit timer in place of the one that is asked for."""
    boots: int = 1

    def __post_init__(self) -> None:
        self.start = self.running

    def tick(self) -> None:
        """Take back the commit whose time is over."""
        if self.pending is not None and time.time() > self.pending.until:
            self.running, self.pending = self.pending.before, None

    def commit(self, name: str, seconds: float = 0.0) -> None:
        """Commit a session, or confirm the commit that waits."""
        if self.pending is not None and self.pending.session == name:
            self.pending = None
            return
        session = self.sessions.pop(name, None)
        if session is None:
            raise RefusedError(f"% Session {name} does not exist")
        if seconds:
            self.pending = Pending(name, self.running, time.time() + (self.timer_s or seconds))
        self.running = session.result

    def abort(self, name: str) -> None:
        """Drop a session, or take its commit back while the timer runs."""
        if self.pending is not None and self.pending.session == name:
            self.running, self.pending = self.pending.before, None
        elif self.sessions.pop(name, None) is None:
            raise RefusedError(f"% Session {name} does not exist")

    def reload(self) -> None:
        self.running = self.startup
        self.sessions, self.pending = {}, None
        self.boots += 1

    @property
    def neighbors(self) -> list[str]:
        words = [line.split() for line in self.running.splitlines()]
        return sorted({word[1] for word in words if word[:1] == ["neighbor"] and ("." in word[1] or ":" in word[1])})


def save(state: Path, switch: Switch) -> None:
    state.write_bytes(pickle.dumps(switch))


def load(state: Path) -> Switch:
    found = pickle.loads(state.read_bytes())
    found.tick()
    return found


def _parse(text: str) -> Tree:
    """Read lines by their indentation; a section that comes again goes on."""
    top: Tree = {}
    open_: list[tuple[int, Tree]] = [(-1, top)]
    for line in text.splitlines():
        words, depth = line.strip(), len(line) - len(line.lstrip())
        if not words or words.startswith("!"):
            continue
        while depth <= open_[-1][0]:
            open_.pop()
        open_.append((depth, open_[-1][1].setdefault(words, {})))
    return top


def _merge(config: Tree, lines: Tree) -> None:
    for line, below in lines.items():
        if line.startswith(("no ", "default ")):
            gone = line.partition(" ")[2]
            for known in [each for each in config if each == gone or each.startswith(f"{gone} ")]:
                del config[known]
        elif line not in ("exit", "end"):
            for known in [each for each in config if each != line and _head(each) == _head(line) != ""]:
                del config[known]
            _merge(config.setdefault(line, {}), below)


def _head(line: str) -> str:
    """Return the words of a setting that has one value at a time; empty for others."""
    return next((head for head in _SINGLE if line.startswith(f"{head} ")), "")


def _text(config: Tree, depth: int = 0) -> str:
    return "".join(f"{'   ' * depth}{line}\n{_text(below, depth + 1)}" for line, below in config.items())
