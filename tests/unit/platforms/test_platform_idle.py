"""The wait for a drained device, run by a shell with programs that answer as the real ones do."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from fabricgen.platforms.patching.timer import LINUX, TIMES, wait_idle
from fabricgen.platforms.sonic.rollout import SENT
from tests.waiting import PATIENCE_S

COUNTERS = """#!/bin/sh
case $* in *speed*) printf '400000\\n100000\\n-1\\n'; exit;; esac
line() { sed -n "$(($1 < $2 ? $1 : $2))p" "$HERE/sent"; }
n=$(($(wc -l < "$HERE/asked") + 1)); echo >> "$HERE/asked"
line $n "$(wc -l < "$HERE/sent")"
echo 7
"""
SHOW = """#!/bin/sh
echo >> "$HERE/asked"
echo 'The rates are calculated within 10 seconds period'
cat "$HERE/ports"
"""

VIRTUAL = """#!/bin/sh
case $* in *speed*) printf 'SPEEDS'; exit 1;; esac
echo >> "$HERE/asked"; echo 7
"""
UNTOLD = "no port that is up tells its speed: not known how much is still sent"


def measure(folder: Path, command: str, **programs: str) -> tuple[str, int]:
    """Run a wait; returns what it printed and how often counters were asked for."""
    for name, text in {"sleep": "#!/bin/sh\n", **programs}.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    (folder / "asked").touch()
    env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "HERE": str(folder)}
    words = ["sh", "-c", command]
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    return done.stdout.strip(), len((folder / "asked").read_text().splitlines())


GBPS_10S = 125_000_000 * 10
"""Bytes that are sent in ten seconds at one Gb/s."""


@pytest.mark.parametrize(
    ("sent", "printed", "asked"),
    [
        ([10**18, 10**18 + 4 * GBPS_10S], "0 %", 2),
        ([0, 200 * GBPS_10S, 200 * GBPS_10S, 201 * GBPS_10S], "0 %", 4),
        ([number * 200 * GBPS_10S for number in range(2 * TIMES)], "40 %", 2 * TIMES),
    ],
    ids=["idle", "later", "never"],
)
def test_linux_waits_until_less_than_a_hundredth_is_sent(
    tmp_path: Path, sent: list[int], printed: str, asked: int
) -> None:
    """Capacity is 500 Gb/s: the port that is down has none."""
    (tmp_path / "sent").write_text("".join(f"{number}\n" for number in sent))
    assert measure(tmp_path, wait_idle(LINUX).command, cat=COUNTERS) == (f"{printed} of the capacity", asked)


@pytest.mark.parametrize(("shares", "printed", "asked"), [((0.3, 1.1), "0 %", 1), ((30.0, 50.9), "40 %", TIMES)])
def test_sonic_counts_ports_that_are_up(tmp_path: Path, shares: tuple[float, ...], printed: str, asked: int) -> None:
    rows = {f"Ethernet{at}": {"STATE": "U", "TX_UTIL": f"{share:.2f}%"} for at, share in enumerate(shares)}
    rows |= {"Ethernet98": {"STATE": "D", "TX_UTIL": "0.00%"}, "Ethernet99": {"STATE": "U", "TX_UTIL": "N/A"}}
    (tmp_path / "ports").write_text(json.dumps(rows, indent=4))
    assert measure(tmp_path, wait_idle(SENT).command, show=SHOW) == (f"{printed} of the capacity", asked)


@pytest.mark.parametrize("speeds", ["", "-1\\n-1\\n"], ids=["unreadable", "unknown"])
def test_linux_does_not_wait_where_no_port_tells_its_speed(tmp_path: Path, speeds: str) -> None:
    program = VIRTUAL.replace("SPEEDS", speeds)
    assert measure(tmp_path, wait_idle(LINUX).command, cat=program) == (UNTOLD, 0)


@pytest.mark.nightly
def test_sonic_does_not_wait_where_no_port_is_up_and_asks_again_where_the_command_fails(tmp_path: Path) -> None:
    (tmp_path / "ports").write_text(json.dumps({"Ethernet0": {"STATE": "D", "TX_UTIL": "0.00%"}}, indent=4))
    assert measure(tmp_path, wait_idle(SENT).command, show=SHOW) == (UNTOLD, 1)
    (tmp_path / "ports").write_text("{")
    assert measure(tmp_path, wait_idle(SENT).command, show=SHOW) == ("? % of the capacity", 1 + TIMES)
