"""Runs of the command line over hostile input: what each may come to, and what may never be lost."""

from __future__ import annotations

import json
import random
import re
import resource
import shutil
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import pytest

from fabricgen.compiler.compile import Compiled
from fabricgen.diagnostics import Bag
from fabricgen.diff.groups import BOTH_ENDS
from fabricgen.diff.kinds import load_kinds
from tests.command_line import run_here
from tests.property.deployed_sites import LAYOUTS, PLATFORMS, Deployed, Site, make_site

CASES = 4000
"""Mutations of deployed files in a whole run."""
CPU_MAX_S = 10.0
MEMORY_MAX_KIB = 1024 * 1024
FORMATS = ("json", "json", "json", "text", "text", "markdown", "sarif", "junit")
_ERROR = re.compile(r"^error\[", re.MULTILINE)


class TooSlow(BaseException):
    """A run takes longer than it may; no handler of exceptions keeps it."""


class Ran(NamedTuple):
    """Result of a run: exit code, output, CPU seconds, and the most memory of the process meanwhile."""

    code: int
    out: str
    err: str
    cpu_s: float
    peak_kib: int


def run(words: list[str], where: Path, given: bytes = b"") -> Ran:
    """Run the command line in this process, and stop it where it takes too long."""
    started = _cpu_s()
    _forget_peak()
    # A worker keeps what other tests have planned: only what the run adds to it is the run's.
    resting_kib = _peak_kib()
    previous = signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, 3 * CPU_MAX_S)
    try:
        done = run_here(*words, cwd=where, given=given)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)
    return Ran(*done, _cpu_s() - started, _peak_kib() - resting_kib)


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise TooSlow


def _cpu_s() -> float:
    return time.process_time() + resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def _forget_peak() -> None:
    """Let the kernel count the peak of memory anew."""
    Path("/proc/self/clear_refs").write_text("5")


def _peak_kib() -> int:
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1])  # type: ignore[index]


@dataclass
class Bench:
    """Sites, and what their neighbours come to where nothing is wrong."""

    folder: Path
    sites: dict[str, Site] = field(default_factory=dict)
    known: dict[tuple[str, ...], Ran] = field(default_factory=dict)
    patches: dict[tuple[str, ...], dict[str, bytes]] = field(default_factory=dict)
    compiled: Compiled | None = None

    def find_inventory(self, *_: object) -> Compiled | None:
        """The inventory that a tree was rendered from, if causes are to be looked up."""
        return self.compiled

    def site(self, platform: str) -> Site:
        if platform not in self.sites:
            self.sites[platform] = make_site(platform, self.folder / platform)
        return self.sites[platform]

    def judge(self, seed: int) -> str:
        """Mutate a deployed file, compare, and say what is wrong with how that went; empty if nothing is."""
        rng = random.Random(seed)
        site, layout = self.site(PLATFORMS[seed % len(PLATFORMS)]), LAYOUTS[seed // len(PLATFORMS) % len(LAYOUTS)]
        options = _draw_options(rng)
        swapped = rng.random() < 0.15 and layout not in ("flat", "folders")
        self.compiled = site.compiled if rng.random() < 0.05 else None
        key = (site.platform, layout, str(swapped), *options)
        if key not in self.known:
            deployed = site.deploy(layout, {}, "")
            self.known[key] = self._compare(site, deployed, options, swapped=swapped)
            self.patches[key] = self._patch_files(site)
        deployed = site.mutate(layout, rng)
        told = f"seed {seed}, {layout}, {deployed.name}, {' '.join(options)}{', intended' if swapped else ''}"
        try:
            ran = self._compare(site, deployed, options, swapped=swapped)
        except TooSlow:
            return f"{told}: more than {CPU_MAX_S} s"
        fault = judge_run(ran) or judge_neighbours(self.known[key], ran, site.victim, options[1])
        if not fault and self._patch_files(site) != self.patches[key]:
            fault = "patches of neighbours differ"
        return f"{told}: {fault}\n{ran.err[-3000:]}" if fault else ""

    def _compare(self, site: Site, deployed: Deployed, options: tuple[str, ...], *, swapped: bool) -> Ran:
        patches = self.folder / "patches"
        shutil.rmtree(patches, ignore_errors=True)
        sides = [str(site.out), deployed.side][:: -1 if swapped else 1]
        words = [str(patches) if word == "PATCHES" else word for word in options]
        return run(["diff", *sides, *words], deployed.where)

    def _patch_files(self, site: Site) -> dict[str, bytes]:
        folder = self.folder / "patches"
        found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
        return {name: path.read_bytes() for name, path in found.items() if not name.startswith(f"{site.victim}/")}


def _draw_options(rng: random.Random) -> tuple[str, ...]:
    form = rng.choice(FORMATS)
    options = ["--format", form]
    if form in ("json", "text"):
        options.append("--details")
    if rng.random() < 0.5:
        options += ["--patch", "PATCHES"]
    if rng.random() < 0.3:
        options.append("--unmanaged")
    return tuple(options)


def judge_run(ran: Ran) -> str:
    """Return what no input may cause; empty if it did not."""
    if ran.code not in (0, 1, 3):
        return f"exit code {ran.code}"
    if "Traceback" in ran.err or "internal error" in ran.err:
        return "a traceback"
    if ran.cpu_s > CPU_MAX_S:
        return f"{ran.cpu_s:.1f} s of CPU"
    if ran.peak_kib > MEMORY_MAX_KIB:
        return f"{ran.peak_kib // 1024} MiB of memory"
    return ""


def judge_neighbours(known: Ran, ran: Ran, victim: str, form: str) -> str:
    """Losses of devices whose files are as they were, and exit codes that do not fit what was found."""
    if form not in ("json", "text"):
        return "" if ran.code in (1, 3) else f"exit code {ran.code} with neighbours that differ"
    read = _read_json if form == "json" else _read_text
    before, after = read(known, victim), read(ran, victim)
    if before[0] != after[0]:
        return f"neighbours differ: {before[0] ^ after[0]}"
    if not before[0]:
        return "no neighbour differs even without mutation"
    wanted = 1 if after[1] else 3
    return "" if ran.code == wanted else f"exit code {ran.code} instead of {wanted}"


def _read_json(ran: Ran, victim: str) -> tuple[frozenset[str], bool]:
    """Return what differs on neighbours, and whether anything could not be compared."""
    if not ran.out:
        return frozenset(), bool(_ERROR.search(ran.err))
    data: dict[str, Any] = json.loads(ran.out)
    places = [json.dumps(item) for group in data["groups"] for item in group["details"] if item["device"] != victim]
    told = [f"{item['code']} {item['message']}" for item in data["diagnostics"] if victim not in item["message"]]
    return frozenset(places + told), any(item["severity"] == "error" for item in data["diagnostics"])


def _read_text(ran: Ran, victim: str) -> tuple[frozenset[str], bool]:
    lines = [line.strip().partition(": ")[0] for line in ran.out.splitlines() if line.startswith("    ")]
    kept = [line for line in lines if not line.startswith((victim, "decided by", BOTH_ENDS.partition(": ")[0]))]
    return frozenset(kept), bool(_ERROR.search(ran.err))


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Sites of one test process; the inventory of a tree is compiled once."""
    made = Bench(tmp_path_factory.mktemp("bench"))
    kinds = load_kinds(None, Bag())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fabricgen.api.diff.load_kinds", lambda *_: kinds)
        patch.setattr("fabricgen.api.diff.find_inventory", made.find_inventory)
        yield made
