"""Renders that are killed at random moments, by the hundred: `python -m tests.acceptance.kills COUNT SEED FOLDER`.

The inventories are compiled once; each render is a fork, killed with SIGKILL alone, so that its workers live on for a
moment as they do in real life. Every third time the command that settles the tree is killed as well, once or twice.
Prints one JSON object: how many were killed, where each of them left the tree, and every finding.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from fabricgen.api import compile_inventory
from fabricgen.api.render import RenderOptions, render_inventory
from fabricgen.diagnostics import Bag
from fabricgen.render.tree.access import open_tree
from tests.acceptance.run import INVENTORIES, copy_inventory, read_tree
from tests.acceptance.test_growth import GROWTH

JOURNAL = "manifest/.journal"


class Kills:
    """Kills renders of a grown fabric over the tree of the old one."""

    def __init__(self, folder: Path, seed: str) -> None:
        """Render both trees once."""
        self.dice = random.Random(seed)
        self.folder = folder
        bag = Bag()
        grown = copy_inventory("quickstart", folder / "grown", GROWTH["quickstart"])
        self.new = compile_inventory(grown, (), bag)
        old = compile_inventory(INVENTORIES / "quickstart", (), bag)
        assert old is not None
        assert self.new is not None
        assert render_inventory(old, folder / "old", RenderOptions(), bag) is not None, list(bag)
        shutil.copytree(folder / "old", folder / "new")
        self.took_s = {jobs: self._measure(jobs) for jobs in (1, 2)}
        self.trees = {"old": read_tree(folder / "old"), "new": read_tree(folder / "new")}
        self.left: Counter[str] = Counter()
        self.settling = 0
        self.findings: list[str] = []

    def _measure(self, jobs: int) -> float:
        shutil.rmtree(self.folder / "new")
        shutil.copytree(self.folder / "old", self.folder / "new")
        begin = time.monotonic()
        self._render(self.folder / "new", jobs)
        return time.monotonic() - begin

    def _render(self, out: Path, jobs: int) -> None:
        bag = Bag()
        assert self.new is not None
        if render_inventory(self.new, out, RenderOptions(jobs=jobs), bag) is None:
            raise SystemExit(1)

    def kill_one(self, number: int) -> bool:
        """Kill one render and judge the tree; whether it was killed."""
        out, jobs = self.folder / f"out{number}", 1 + number % 2
        shutil.copytree(self.folder / "old", out)
        begin, patience = time.monotonic(), self.dice.uniform(0, self.took_s[jobs])
        if self.dice.random() < 0.5:
            wait, moment = (out / JOURNAL).exists, "commit"
            after = self.dice.uniform(0, 0.004)
        else:
            wait, moment = (lambda: time.monotonic() - begin > patience), "any time"
            after = 0.0
        group, killed = _fork_and_kill(lambda: self._render(out, jobs), wait, after)
        if killed:
            state = "unfinished" if (out / JOURNAL).exists() else self._state(out)
            self.left[f"{moment}, jobs {jobs}: {state}"] += 1
        for _ in range(self.dice.choice((0, 0, 1, 2))):
            self.settling += self._kill_settling(out)
        self._judge(out, f"{number} ({moment}, jobs {jobs})")
        with suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)
        shutil.rmtree(out)
        return killed

    def _kill_settling(self, out: Path) -> bool:
        begin, patience = time.monotonic(), self.dice.uniform(0, 0.03)
        return _fork_and_kill(lambda: _settle(out), lambda: time.monotonic() - begin > patience, 0)[1]

    def _judge(self, out: Path, name: str) -> None:
        """Settle the tree as the next command does: it has to be one of the two then. Every fourth is rendered on."""
        settled = _settle(out)
        if settled:
            self.findings.append(f"{name}: {settled}")
        state = self._state(out)
        if state == "mixed":
            self.findings.append(f"{name}: the tree is neither the old one nor the new one")
        if self.dice.random() > 0.25:
            return
        bag = Bag()
        assert self.new is not None
        if render_inventory(self.new, out, RenderOptions(), bag) is None or self._state(out) != "new":
            self.findings.append(f"{name}: the next render: {[item.message for item in bag]}")

    def _state(self, out: Path) -> str:
        found = {path: data for path, data in read_tree(out).items() if not _is_temporary(path)}
        return next((name for name, tree in self.trees.items() if tree == found), "mixed")


def _is_temporary(path: str) -> bool:
    return path == "manifest/.lock" or path.startswith("manifest/.staging.")


def _settle(out: Path) -> str:
    """Open a tree and let it go; the errors."""
    bag = Bag()
    transaction = open_tree(out, bag)
    if transaction is not None:
        transaction.close()
    return "; ".join(item.message for item in bag) if bag.has_errors else ""


def _fork_and_kill(action: Callable[[], object], wait: Callable[[], bool], after_s: float) -> tuple[int, bool]:
    """Run something in a fork with a process group of its own, and kill that process alone; its id, whether it died."""
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        code = 70
        with suppress(SystemExit):
            action()
            code = 0
        os._exit(code)
    while not wait():
        if os.waitpid(child, os.WNOHANG)[0]:
            return child, False
        time.sleep(0.0002)
    time.sleep(after_s)
    os.kill(child, signal.SIGKILL)
    return child, os.WIFSIGNALED(os.waitpid(child, 0)[1])


def main() -> None:
    """Kill as many as asked, however many renders that takes."""
    count, seed, folder = int(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    kills, killed, number = Kills(folder, seed), 0, 0
    while killed < count:
        killed += kills.kill_one(number)
        number += 1
    found = {"killed": killed, "of": number, "settling": kills.settling, "left": kills.left, "findings": kills.findings}
    sys.stdout.write(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
