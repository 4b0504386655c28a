"""Every difference between what was predicted of a failure and what was measured, as findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from fabricgen.lab.failures.matrix import Share
from fabricgen.lab.failures.names import End
from fabricgen.lab.failures.prediction import Pair, Predicted
from fabricgen.lab.failures.trial import Measured
from fabricgen.lab.model.blueprint import Blueprint
from fabricgen.lab.verify.findings import Finding
from fabricgen.lab.verify.observe import Routes
from fabricgen.lab.verify.sessions import name_link

ALLOWANCE_S = 2.0
"""Time that kernels and daemons may take beyond the predicted time on a machine that is busy with other things."""


class Figure(NamedTuple):
    """A figure of ``analyze failures`` beside what was measured."""

    name: str
    predicted: str | int
    measured: str | int


def compare_routes(predicted: Mapping[str, Routes], measured: Mapping[str, Routes]) -> tuple[int, list[Finding]]:
    """Return how many routes to hosts were compared, and those whose next hops differ."""
    findings, examined = [], 0
    prefixes = {prefix for routes in predicted.values() for prefix in routes}
    for name, routes in measured.items():
        for prefix in sorted(prefixes & (routes.keys() | predicted[name].keys())):
            examined += 1
            wanted, found = predicted[name].get(prefix, frozenset()), routes.get(prefix, frozenset())
            if wanted != found:
                other = ", ".join(sorted(wanted ^ found)[:3])
                reason = f"{len(found)} next hops in the kernel, predicted are {len(wanted)}; they differ in {other}"
                findings.append(Finding(name, prefix, reason))
    return examined, findings


def compare_pairs(predicted: Predicted, arrived: Mapping[Pair, bool]) -> Iterator[Finding]:
    """Yield pairs of which packets arrive and should not, or the other way round."""
    for pair, found in arrived.items():
        if found != predicted.arrives(pair):
            a, b = (each.nic.place for each in pair)
            yield Finding(a.device, f"{a.interface} to {b}", "arrives" if found else "does not arrive")


def compare_shares(blueprint: Blueprint, shares: Mapping[End, Share], refused: int) -> Iterator[Finding]:
    """Yield links that get another number of flows than chance explains."""
    if refused:
        yield Finding("", "", f"{refused} flows were refused by the kernel of their sender")
    for (device, interface), share in shares.items():
        if share.off > 1:
            node = blueprint.node(device)
            reason = (
                f"{share.counted:.0f} flows, predicted are {share.expected:.0f} with a margin of {share.margin:.0f}"
            )
            yield Finding(device, name_link(node, node.interface(interface)), reason)


def compare_figures(name: str, figures: tuple[Figure, ...]) -> Iterator[Finding]:
    """Yield figures of ``analyze failures`` that differ."""
    for figure in figures:
        if figure.predicted != figure.measured:
            reason = f"{figure.name}: measured {figure.measured or 'none'}, predicted {figure.predicted or 'none'}"
            yield Finding(name, "", reason)


def compare_time(name: str, moves_s: float, measured: Measured) -> Iterator[Finding]:
    """Yield probes that were lost when none should be, and a fabric that does not become whole again."""
    if measured.before.lost:
        yield Finding(name, "", f"{measured.before.lost} of {measured.before.sent} probes were lost before it")
    if measured.loss.last_s > moves_s + ALLOWANCE_S:
        last, most = measured.loss.last_s, moves_s + ALLOWANCE_S
        yield Finding(name, "", f"probes were lost for {last:.2f} s, predicted are {most:.2f} s at most")
    if not measured.healed:
        yield Finding(name, "", "not every kernel forwards as planned after it was undone")
