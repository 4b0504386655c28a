"""Labs for tests: real daemons on this machine, taken away whatever happens."""

from __future__ import annotations

import fcntl
import json
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.acceptance.run import INVENTORIES, run
from tests.command_line import Done
from tests.emulated.machine import OUTSIDE
from tests.waiting import PATIENCE_S

SKIP = "FABRICGEN_SKIP_LAB"
"""Set where network namespaces are impossible; otherwise that is a failure."""


def skip_if_told() -> None:
    """Skip a test of real labs if the environment says so."""
    if os.environ.get(SKIP, "").lower() not in ("", "0", "false"):
        pytest.skip(f"real labs are left out: {SKIP} is set")


@pytest.fixture(autouse=True)
def real() -> None:
    """Leave tests of a module that imports this to machines that can run them."""
    skip_if_told()


@contextmanager
def machine_to_oneself() -> Iterator[None]:
    """Keep other processes of a test run from booting labs: what all labs share is compared before and after."""
    with (Path(tempfile.gettempdir()) / "fabricgen-lab-tests.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    """Give each test of a module that imports this the machine to itself."""
    skip_if_told()
    with machine_to_oneself():
        yield


Found = dict[str, list[dict[str, str]]]
"""Findings of ``lab test`` by check."""


class Judgement(NamedTuple):
    """Result of ``lab test``."""

    code: int
    found: Found
    messages: str

    def exits(self, code: int) -> Found:
        """Return the findings by check; a failure to exit with this code shows them by device and check."""
        __tracebackhide__ = True
        found = [
            f"{item['device']} {item['link']}: {check}: {item['reason']}"
            for check, items in self.found.items() for item in items
        ]  # fmt: skip
        shown = "\n".join([*sorted(found), self.messages])
        assert self.code == code, f"lab test: exit code {self.code}, not {code}; {len(found)} findings\n{shown}"
        return self.found


@dataclass(frozen=True)
class Lab:
    """A lab that runs."""

    inventory: Path
    name: str

    def ask(self, verb: str, *words: str, patience_s: int = PATIENCE_S) -> Done:
        return run("lab", verb, str(self.inventory), "--name", self.name, *words, patience_s=patience_s)

    def on(self, device: str, *command: str) -> str:
        done = run("lab", "shell", str(self.inventory), device, "--name", self.name, "--", *command)
        return done.exits(0).stdout

    def show(self, device: str, what: str) -> Any:
        return json.loads(self.on(device, "vtysh", "-c", f"show {what} json"))

    def bgp(self, device: str) -> Any:
        return self.show(device, "bgp summary")["ipv4Unicast"]

    def states(self, device: str) -> set[str]:
        return {peer["state"] for peer in self.bgp(device)["peers"].values()}

    def configure(self, device: str, *lines: str) -> None:
        """Change the running configuration of a device's daemons."""
        words = [word for line in ("configure terminal", *lines) for word in ("-c", line)]
        self.on(device, "vtysh", *words)

    def judge(self) -> Judgement:
        """Run ``lab test`` and return what it found."""
        done = self.ask("test", "--format", "json")
        found = {item["check"]: item["findings"] for item in json.loads(done.stdout or "[]")}
        return Judgement(done.returncode, found, done.stderr)

    def namespaces(self) -> list[str]:
        return [name for name in list_folder(Path("/run/netns")) if name.startswith(f"fglab.{self.name}.")]


@contextmanager
def running(inventory: Path, name: str, *words: str) -> Iterator[Lab]:
    """A lab, for as long as the block lasts."""
    lab = Lab(inventory, f"{name}{os.getpid()}")
    try:
        lab.ask("up", *words).exits(0)
        yield lab
    finally:
        run("lab", "down", "--name", lab.name)


def small_inventory(folder: Path, *, addressing: str = "", **changes: str) -> Path:
    """The quickstart fabric with one host per unit and one link per pair, changed by key; lines replace addressing."""
    text = (INVENTORIES / "quickstart" / "fabric.yaml").read_text(encoding="utf-8")
    text = re.sub(r"^expect:.*\n", "", text, flags=re.MULTILINE)
    for key, value in {"per_unit": "1", "per_pair": "1", **changes}.items():
        text, count = re.subn(rf"\b{key}: [^,}}\n]+", f"{key}: {value}", text)
        assert count, key
    if addressing:
        text = re.sub(r"^addressing:.*\n", "", text, flags=re.MULTILINE) + addressing
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "fabric.yaml").write_text(text, encoding="utf-8")
    return folder


def list_folder(folder: Path) -> Sequence[str]:
    """Names in a folder; none if there is no such folder."""
    return sorted(os.listdir(folder)) if folder.is_dir() else []


def machine_state() -> dict[str, str]:
    """Return what a lab must leave as it was: links of the machine's own namespace and the settings it raises."""
    links = [name for name in list_folder(Path("/sys/class/net")) if not name.startswith(OUTSIDE)]
    state = {"links": "\n".join(links)}
    for family in ("ipv4", "ipv6"):
        for name in ("gc_thresh1", "gc_thresh2", "gc_thresh3"):
            path = Path("/proc/sys/net", family, "neigh/default", name)
            state[str(path)] = path.read_text() if path.exists() else ""
    for path in (Path("/proc/sys/net/ipv4/ip_forward"), Path("/proc/sys/net/ipv4/fib_multipath_hash_policy")):
        state[str(path)] = path.read_text()
    return state


def processes_of(name: str) -> list[str]:
    """Command lines that name a lab's folder."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            text = Path("/proc", entry, "cmdline").read_text().replace("\0", " ") if entry.isdigit() else ""
        except OSError:
            continue
        if f"/run/fabricgen/{name}/" in text:
            found.append(text)
    return found
