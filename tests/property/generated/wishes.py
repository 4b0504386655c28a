"""Random expectations, all of which the brute-force model meets, limits of a rollout, and the job of a fabric."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from .dice import Dice
from .hardware import SERVERS
from .kinds import lacking
from .model import Model
from .records import Data, number

SUBSETS_MAX = 400
LEAST_LEFT = 0.001
"""Part of the bandwidth that is left of fabrics as small as these, where no pair is cut off."""


def draw_wishes(dice: Dice, model: Model, data: Data) -> None:
    """Some of what comes out, and perhaps a workload."""
    found: Data = {}
    tier = dice.one_of(*model.tiers)
    rows = [*data.get("exceptions", []), *lacking(model)]
    gone = {said.get("host") for said in rows if said.get("state") == "absent"}
    if dice.once_in(4):
        found["gpus"] = sum(
            SERVERS[model.data["hosts"][host.group]["server"]].gpus
            for host in model.hosts.values()
            if not host.spare and host.name not in gone
        )
    ratio = model.ratio(tier)
    if ratio is not None and dice.once_in(3):
        exact = f"{ratio.numerator}:{ratio.denominator}"
        found["oversubscription"] = {tier: dice.one_of(exact, round(float(ratio), 3))}
    if tier != model.tiers[-1] and dice.once_in(4):
        found["paths"] = {tier: paths(model, tier)}
    failures = survived(model, tier) if dice.once_in(4) else None
    if failures is not None:
        found["failures"] = {tier: failures}
        if failures and dice.once_in(2):
            found["bandwidth"] = {"after_one": {tier: LEAST_LEFT}}
    if found:
        data["expect"] = found
    if dice.once_in(4):
        data["rollout"] = limits(dice, data)
    if dice.once_in(6) and _ranks_fit(model, gone):
        data["workload"] = "workloads/small.yaml"


def limits(dice: Dice, data: Data) -> Data:
    """Limits that every rollout can keep, however small the fabric: all of a group may be out, nothing is kept."""
    found: Data = {"floor": dice.one_of(0, 0.0, "0/1", "0%")} if dice.once_in(2) else {}
    scopes = [scope for scope in ("tier", "plane", "rail", "pod") if dice.once_in(2)]
    if scopes and dice.once_in(2):
        return {**found, "out_max": {scope: dice.one_of(1, 1.0, "1/1", "100%") for scope in scopes}}
    zones, pods = (number(data.get(key, 1)) for key in ("zones", "pods"))
    groups = ["unit", *(["pod"] if zones * pods > 1 else []), *(["zone"] if zones > 1 else [])]
    return {**found, "scheduler_group": dice.one_of(*groups)}


def _ranks_fit(model: Model, gone: set[str | None]) -> bool:
    """Return whether there are four GPUs for the job, drained and absent hosts apart."""
    hosts = [host for host in model.hosts.values() if host.group == "gpu" and not host.spare]
    return len(hosts) > 4 and not gone


def paths(model: Model, tier: str) -> int:
    up = Counter(cable.a for cable in model.cables)
    return max(up[switch.name] for switch in model.switches.values() if switch.tier == tier)


def survived(model: Model, tier: str) -> int | None:
    """Return how many switches of a tier may fail while every rail of a host reaches that of every other host.

    Routes never go down and up again: two leafs reach each other through a switch that both have above them. None
    where nothing depends on the tier, or where so many may fail that trying takes too long.
    """
    names = [switch.name for switch in model.switches.values() if switch.tier == tier]
    fabric = _Reach(model)
    if fabric.holds(frozenset(names)):
        return None
    tries = SUBSETS_MAX
    for size in range(1, len(names) + 1):
        for failed in combinations(names, size):
            tries -= 1
            if not tries:
                return None
            if not fabric.holds(frozenset(failed)):
                return size - 1
    return None


class _Reach:
    """Reachability of switches."""

    def __init__(self, model: Model) -> None:
        """Note what is above each switch, and at which leafs each rail of a host ends."""
        self._above: dict[str, set[str]] = {}
        rails: dict[tuple[str, int], set[str]] = {}
        for cable in model.cables:
            if cable.group:
                rails.setdefault((cable.a, cable.rail), set()).add(cable.b)
            else:
                self._above.setdefault(cable.a, set()).add(cable.b)
        ends: dict[int, set[frozenset[str]]] = {}
        for (_, rail), leafs in rails.items():
            ends.setdefault(rail, set()).add(frozenset(leafs))
        pairs = {frozenset(pair) for found in ends.values() for pair in combinations(found, 2)}
        alike = {frozenset({end}) for found in ends.values() for end in found}
        self._pairs = [pair for pair in pairs | alike if self._meet(pair, frozenset())]

    def holds(self, failed: frozenset[str]) -> bool:
        return all(self._meet(pair, failed) for pair in self._pairs)

    def _meet(self, pair: frozenset[frozenset[str]], failed: frozenset[str]) -> bool:
        reached = [self._reached(leafs - failed, failed) for leafs in pair]
        return bool(frozenset.intersection(*reached))

    def _reached(self, leafs: frozenset[str], failed: frozenset[str]) -> frozenset[str]:
        """These switches and all that are above them."""
        found, left = set(leafs), set(leafs)
        while left:
            left = {name for low in left for name in self._above.get(low, ())} - found - failed
            found |= left
        return frozenset(found)
