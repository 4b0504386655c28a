"""Judge of ``analyze deadlock``: checks the order of the buffers against every cable. Stands alone, imports no product.

python -m tests.judges.deadlock_certificate DEADLOCK.json LINKS.json DEVICES.json    (analyze and show, --format json)

The order proves freedom from deadlock if each turn leads upwards in it, and every turn that a cable allows is in it or
refused. Down and up again is refused where the ways to a prefix lead over switches of one AS number in each tier.
"""

from __future__ import annotations

import json
import sys
from ipaddress import ip_network
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

Rows = list[dict[str, Any]]


def faults(said: dict[str, Rows], links: Rows, devices: Rows) -> list[str]:
    """Return everything that is wrong with a certificate; an empty list accepts it."""
    verdict, switches = said["verdict"][0], {row["name"]: row for row in devices if row["kind"] == "switch"}
    places = {row["buffer"]: row["place"] for row in said["order"]}
    keys: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for row in said["order"]:
        for name in row["links"]:
            keys.setdefault((name, row["direction"]), []).append((row["priority"], row["buffer"]))
    turns = {(row["tier"], row["from"], row["to"]) for row in said["turns"]}
    demoted = {(row["tier"], row["from"]) for row in said["turns"] if row["to"] is None}
    levels = [row for row in said["turns"] if row["to"] and places[row["from"]] >= places[row["to"]]]
    found = [f"a turn does not rise: {row}" for row in levels]
    up: dict[str, set[str]] = {}
    sides: dict[str, set[tuple[bool, str]]] = {}
    for row in links:
        up.setdefault(row["a"], set()).add(row["b"])
        sides.setdefault(row["a"], set()).add((True, row["link"]))
        sides.setdefault(row["b"], set()).add((False, row["link"]))
    bounces = _bouncing(links, switches, up)
    for tier, ways in {(switches[name]["tier"], frozenset(sides.get(name, ()))) for name in switches}:
        for came_down, inward in ways:
            for goes_up, outward in ways:
                for priority, before in keys[inward, "down" if came_down else "up"]:
                    after = dict(keys[outward, "up" if goes_up else "down"])[priority]
                    bounce = came_down and goes_up
                    if bounce and tier not in bounces:
                        continue
                    if (tier, before, after) not in turns and (tier, before) not in (demoted if bounce else ()):
                        found.append(f"{tier} turns from {before} to {after}, which the certificate leaves out")
    if bool(said["cycles"]) != (verdict["verdict"] == "a cycle can close"):
        found.append("the verdict and the cycles disagree")
    if demoted and not said["cycles"]:
        found.append("packets are demoted, but the verdict is that no cycle closes")
    return found + [fault for row in said["cycles"] for fault in _cycle_faults(row, up)]


def _bouncing(links: Rows, switches: dict[str, dict[str, Any]], up: dict[str, set[str]]) -> set[str]:
    """Return the tiers in which switches of unlike AS numbers, with a switch above both, lead to one prefix."""
    leafs: dict[str, set[str]] = {}
    for row in links:
        family = "" if row["a_address"] else "6"
        if row["a"] not in switches:
            network = ip_network(f"{row['a_address' + family]}/{row['length' + family]}", strict=False)
            leafs.setdefault(str(network), set()).add(row["b"])
    found = set()
    for owners in {frozenset(found) for found in leafs.values()}:
        level = set(owners)
        while level:
            for one, other in combinations(sorted(level), 2):
                if switches[one]["asn"] != switches[other]["asn"] and _above(one, up) & _above(other, up):
                    found.add(switches[one]["tier"])
            level = {upper for name in level for upper in up.get(name, ())}
    return found


def _above(name: str, up: dict[str, set[str]]) -> set[str]:
    found = set(up.get(name, ()))
    return found.union(*(_above(upper, up) for upper in found))


def _cycle_faults(row: dict[str, Any], up: dict[str, set[str]]) -> list[str]:
    """Return what is wrong with a cycle: it is closed, each step is a cable, and it comes down and goes up again."""
    names = row["cycle"].split(" > ")
    steps = list(pairwise(names))
    broken = [f"{a} and {b} have no cable" for a, b in steps if b not in up.get(a, ()) and a not in up.get(b, ())]
    climbs = [b in up.get(a, ()) for a, b in steps]
    bounces = any(not one and other for one, other in zip(climbs, climbs[1:] + climbs[:1], strict=True))
    return broken if names[0] == names[-1] and bounces else [*broken, f"no cycle: {row['cycle']}"]


if __name__ == "__main__":
    wrong = faults(*(json.loads(Path(name).read_text(encoding="utf-8")) for name in sys.argv[1:4]))
    sys.exit(bool(wrong))
