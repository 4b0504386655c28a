"""`analyze failures` against a simulation of every flow over the rendered files."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.run import INVENTORIES
from tests.command_line import run_here
from tests.flows.network import Network
from tests.flows.simulation import Outcome, Simulation
from tests.sampling import FRESH, sampled

SENT, ROUTED, LOST = "sent by the port", "on its way over it", "lost "
HOSTS_MAX = 128
"""Hosts of a unit that are no spares: those of the published fabric."""

Row = dict[str, Any]


def element_of(network: Network, example: str) -> object:
    """Return what a row names: a switch, a link between two, or a port of a NIC."""
    words = example.split()
    if len(words) == 1:
        return words[0]
    if "rail" in words:
        host, rail, port = words[0], words[words.index("rail") + 1], words[words.index("port") + 1]
        return host, f"rail{rail}p{port}"
    return network.cable(words[0], words[2])


def agree(rows: list[Row], network: Network, found: Outcome) -> None:
    parts = {row["flows"].split("at")[0].split("where")[0].strip(): Fraction(row["exact"]) for row in rows}
    expected = {SENT: found.sent, ROUTED: found.routed, LOST.strip(): found.lost}
    assert parts == {name: part for name, part in expected.items() if part}
    assert found.hit == found.sent + found.routed + found.lost
    for row in rows:
        assert (row["pairs"], row["pairs_with_a_path"]) == (found.pairs, found.with_a_path)
        assert row["flows_hit_pct"] == pytest.approx(float(found.hit * 100), rel=0.01)
        silent = {SENT: lacp_ms(network), ROUTED: lacp_ms(network) if "rail" in row["example"] else bfd_ms(network)}
        assert row["silent_moved_ms"] == silent.get(row["flows"])
        of_bond = row["flows"] == SENT or "rail" in row["example"]
        assert row["moved_ms"] == (None if row["flows"].startswith(LOST) else 100 * of_bond)


def lacp_ms(network: Network) -> int:
    (found,) = {nic.bond.lacp_ms for nics in network.nics.values() for nic in nics}
    return found


def bfd_ms(network: Network) -> int:
    (found,) = {switch.bfd_ms for switch in network.switches.values()}
    return found


def judge(name: str, overlays: tuple[str, ...], folder: Path, *, alike: bool) -> set[str]:
    """Hold single failures, two of each class, of a rendered inventory against the flows; return what loses some."""
    chosen = (str(INVENTORIES / name), *(word for each in overlays for word in ("--overlay", each)))
    run_here("render", *chosen, "-o", str(folder / "out")).exits(0)
    shown = json.loads(run_here("analyze", chosen[0], "failures", *chosen[1:], "--format", "json").stdout)
    simulation = Simulation(Network(folder / "out", HOSTS_MAX), alike=alike)
    kinds = simulation.network.kinds()
    for failure in shown["failures"]:
        rows = [row for row in shown["reachability"] if row["class"] == failure["class"]]
        example = element_of(simulation.network, failure["example"])
        (kind,) = (each for each in kinds if example in each)
        assert failure["count"] == len(kind)
        for element in (example, random.Random(FRESH).choice(kind)):
            agree(rows, simulation.network, simulation.fail(element))
    return {row["fails"] for row in shown["reachability"] if row["flows"].startswith(LOST)}


@pytest.mark.parametrize("name", ["hpn7-pod", "hpn7-cluster"])
def test_samples_lose_what_their_flows_lose(name: str, tmp_path: Path) -> None:
    assert judge(name, ("sample",), tmp_path, alike=False) == {"host-leaf", "leaf"}


def test_leafs_that_meet_above_their_hosts_lose_nothing(tmp_path: Path) -> None:
    assert judge("dual-tor", (), tmp_path, alike=False) == set()


def test_flows_that_are_counted_together_sum_up_to_those_sent_by_themselves(tmp_path: Path) -> None:
    """Two units of four hosts: any switch, link and port that may fail, not one of each class."""
    run_here("render", str(INVENTORIES / "dual-tor"), "-o", str(tmp_path / "out")).exits(0)
    network = Network(tmp_path / "out", HOSTS_MAX)
    together, alone = Simulation(network, alike=True), Simulation(network, alike=False)
    for element in sampled([*chain.from_iterable(network.kinds())], 20, f"{FRESH} alone"):
        assert together.fail(element) == alone.fail(element), element


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["hpn7-pod", "hpn7-cluster"])
def test_whole_fabrics_lose_what_their_flows_lose(name: str, tmp_path: Path) -> None:
    assert judge(name, (), tmp_path, alike=True) == {"host-leaf", "leaf"}
