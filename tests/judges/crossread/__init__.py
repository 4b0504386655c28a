"""The cross-device reader: proves from rendered text alone that the devices of a fabric fit together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .facts import Fabric, Link
from .graph import graph_links
from .proofs import PROOFS, Case, Expectation, Proof
from .proofs.rails import count_rails
from .tree import read_tree

__all__ = [
    "PROOFS", "Case", "Expectation", "Fabric", "Link", "findings", "graph_links", "judge", "prove", "read_tree",
    "summarize",
]  # fmt: skip


def prove(fabric: Fabric, expected: Expectation | None = None, proofs: Sequence[Proof] = PROOFS) -> list[str]:
    """Every finding about a fabric, those of reading it first."""
    return findings(Case.of(fabric, expected or Expectation()), proofs)


def findings(case: Case, proofs: Sequence[Proof] = PROOFS) -> list[str]:
    found = list(case.fabric.problems)
    for device in case.fabric.devices.values():
        found += device.problems
    return found + [line for proof in proofs for line in proof(case)]


def summarize(fabric: Fabric) -> str:
    """Return what was looked at, so that nobody takes an empty tree for a proof."""
    case = Case.of(fabric, Expectation())
    devices = f"{len(fabric.switches())} switches, {len(fabric.hosts())} hosts"
    return f"{devices}, {len(case.graph.links())} links; {count_rails(case)}"


def judge(out: Path, expected: Expectation | None = None) -> list[str]:
    """Read a rendered tree and prove it."""
    return prove(read_tree(out), expected)
