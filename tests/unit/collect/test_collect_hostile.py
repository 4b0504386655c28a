"""Answers that grow, or have no end, over SSH and HTTPS, kept and judged: one line each, no pass, little memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.run import INVENTORIES, REPOSITORY
from tests.emulated.https_fleet import serve_api
from tests.emulated.https_switch import Answer
from tests.emulated_devices import Emulated, Reply, serve_fleet
from tests.unit.collect.test_collect_https import APPLIED, CONFIG, Site
from tests.unit.lab.fabrics import plan_of
from tests.unit.rollout.test_rollout_judge import LEAF
from tests.unit.rollout.test_rollout_judge import Site as Judged
from tests.unit.state.collected import all_benches, platforms_of, write_collection

pytestmark = pytest.mark.nightly
PEAK_MIB = 300
DEEP = b"[" * 245_000 + b"]" * 245_000
WIDE = b"[" + b"[]," * 5_000_000 + b"[]]"
REFUSED = {
    "deep": (Answer(b'{"result": [{}, {"x": %s}]}' % DEEP, raw=True), "FG-COL-023"),
    "wide": (Answer(b'{"result": [{}, {"x": %s}]}' % WIDE, raw=True), "FG-COL-023"),
    "redirecting": (Answer(b"", 302, (("Location", "https://127.0.0.1:1/"),)), "FG-COL-018"),
}
ENDLESS = {
    "slow": (Answer(b"{", hangs=True, raw=True), "FG-COL-014"),
    "endless": (Answer(b"x", flood_bytes=1 << 30, raw=True), "FG-COL-014 or FG-COL-023"),
    "growing": (Answer(b"a\n" * 5_000_000 + b"end\n"), "FG-COL-014 or FG-COL-023"),
}
"""The machine decides whether these meet the bound of time or that of size first."""
COMMAND = "sudo -n sonic-cfggen -d --print-data"
BY_SSH = {
    "sshdeep": (Reply(DEEP), "FG-COL-023"),
    "sshwide": (Reply(WIDE), "FG-COL-023"),
    "sshcut": (Reply(b'{"PORT": {', None), "FG-COL-015"),
    "sshslow": (Reply(b"{", hangs=True), "FG-COL-014"),
    "sshendless": (Reply(b"{", flood_bytes=1 << 30), "FG-COL-014 or FG-COL-023"),
    "sshgrowing": (Reply(b"a\n" * 5_000_000), "FG-COL-014 or FG-COL-023"),
}


Kinds = Mapping[str, tuple[Answer | Reply, str]]


def collect(site: Site, kinds: Kinds, count: int, seconds: float) -> dict[str, Any]:
    """Collect so many switches of each kind, by SSH or half of them by eAPI and half by NVUE."""
    by_ssh = []
    for kind, (answer, _) in kinds.items():
        for number in range(count):
            if isinstance(answer, Reply):
                by_ssh.append(Emulated(f"{kind}-{number}", {COMMAND: answer}))
                continue
            api = "nvue" if number % 2 and kind != "growing" else "eapi"
            site.add(f"{kind}-{number}", api).answers[CONFIG if api == "eapi" else APPLIED] = answer
    with serve_api([*site.switches.values()], site.folder) as fleet, serve_fleet(by_ssh, site.folder) as others:
        switches = [(each.name, each.api, each.port) for each in fleet.switches.values()]
        switches += [(each.name, "ssh", each.port) for each in by_ssh]
        asked = {"switches": switches, "pins": str(fleet.pins), "out": str(site.folder / "out"), "seconds": seconds}
        asked |= {"known_hosts": [str(others.known_hosts)], "keys": [str(others.key)]}
        words = [sys.executable, "-m", "tests.emulated.collect_peak", json.dumps(asked)]
        done = subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def judge(found: dict[str, Any], kinds: Kinds, count: int) -> None:
    assert len(found["codes"]) == count * len(kinds)
    for name, code in found["codes"].items():
        assert code, name
        assert code in kinds[name.partition("-")[0]][1], (name, code)
    assert found["lines"] <= len(found["codes"])
    assert found["peak_mib"] <= PEAK_MIB, found["peak_mib"]


def test_72_hostile_switches_are_one_line_each_in_little_memory(tmp_path: Path) -> None:
    """Nothing of an answer stays in memory once its device is done."""
    kinds = {**REFUSED, **ENDLESS, **BY_SSH}
    judge(collect(Site(tmp_path), kinds, 6, 60), kinds, 6)


RUN = (
    "import re, sys; from pathlib import Path; from fabricgen.cli.app import main; code = main(); "
    "status = Path('/proc/self/status').read_text(); "
    "print(code, int(re.search(r'VmHWM:\\s+(\\d+)', status)[1]) // 1024, file=sys.stderr)"
)
"""The peak of this program alone: ``getrusage`` has that of the process before it too, which holds the answers."""
FORMS = (DEEP, WIDE, b"a\n" * 5_000_000, b'{"x": ' + b"9" * 5_000_000 + b"}", b'"' + b"x" * 15_000_000)


def measure(*words: str | Path, given: bytes = b"") -> tuple[int, int, str]:
    """Run a command in a process of its own; return its exit status, peak of memory in MiB, and what it printed."""
    command = [sys.executable, "-c", RUN, *map(str, words)]
    done = subprocess.run(command, cwd=REPOSITORY, input=given, capture_output=True, check=True)
    *rest, last = done.stderr.decode().splitlines()
    code, peak = map(int, last.split())
    return code, peak, "\n".join((done.stdout.decode(), *rest))


def test_check_of_hostile_answers_passes_nothing_in_little_memory(tmp_path: Path) -> None:
    plan = plan_of("quickstart")
    root = write_collection(tmp_path / "now", all_benches(plan), platforms_of(plan))
    for record in sorted(root.glob("state/*/*/record.json")):
        data = json.loads(record.read_text())
        for number, answer in enumerate(data["answers"]):
            form = FORMS[number % len(FORMS)]
            (root / answer["file"]).write_bytes(form)
            answer["size_bytes"] = len(form)
        record.write_text(json.dumps(data))
    code, peak, told = measure("check", INVENTORIES / "quickstart", root, "--only", "leaf-u001-*")
    assert (code, "Traceback" in told) == (1, False)
    assert peak <= PEAK_MIB


@pytest.mark.parametrize("form", FORMS, ids=["deep", "wide", "long", "number", "open"])
def test_judging_hostile_answers_passes_nothing_in_little_memory(form: bytes, tmp_path: Path) -> None:
    site = Judged(tmp_path)
    states = [*site.answers]
    text = b"".join(b"#fabricgen %s\n%s\n#fabricgen 0\n" % (state.encode(), form) for state in states)
    code, peak, told = measure("rollout", "judge", site.bundle, LEAF, "-o", tmp_path / "out", given=text[: 64 << 20])
    assert (code, "Traceback" in told) == (1, False)
    assert peak <= PEAK_MIB
