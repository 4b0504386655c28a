"""Switches with a policy for drained neighbours put into what they run: routes as before, and a drain moves traffic.

The simulation takes every route of the fabric through every import policy as the cross-device reader has it, and lets
the highest local preference decide. Nothing of the product takes part in it.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabricgen.api.sides import Where, open_side
from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import load_kinds
from fabricgen.diff.patches import plan_device
from fabricgen.diff.run import diff_sides
from fabricgen.rollout.deaf import is_deaf, prepare_device
from tests.command_line import succeed

from .crossread import graph_links, read_tree
from .crossread.facts import Session
from .crossread.policy import Marks, Prefix
from .edited_trees import edited
from .fresh_files import refused_files
from .half_states import HalfStates, agreed, violations

REPOSITORY = Path(__file__).resolve().parents[2]
QUICKSTART = "inventories/quickstart"
FABRICS: dict[str, tuple[str, tuple[str, ...], dict[str, Any]]] = {
    "eos": (QUICKSTART, ("eos",), {}),
    "nvue": (QUICKSTART, ("nvue",), {}),
    "frr": (QUICKSTART, ("frr",), {}),
    "mixed": (
        "tests/fabrics/conformance",
        (),
        {
            "operations": {"sflow": None},
            "tiers": {"leaf": {"platform": "eos"}, "spine": {"platform": "cumulus_nvue"}},
        },
    ),
}
"""Inventory, its overlays, and one more."""
EOS, NVUE, FRR = "mnt/flash/startup-config", "etc/nvue.d/startup.yaml", "etc/frr/frr.conf"
EDITS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "an older release": (
        (EOS, r"^ip community-list DRAINED .*\n", ""),
        (EOS, r"^(route-map \S+ permit) \d+\n(?:   .*\n)*?   match community DRAINED\n(?:   .*\n)*!\n", ""),
        (NVUE, r"^ +drained: \{rule: .*\n", ""),
        (NVUE, r"^ +'\d+': \{match: \{.*community-list: drained\}.*\n", ""),
        (FRR, r"^( set community 64512:1) additive$", r"\1"),
    ),
    "lists of its own": (
        (EOS, r"^ip community-list DRAINED .*\n", ""),
        (EOS, r"^(route-map \S+ permit) \d+\n(?:   .*\n)*?   match community DRAINED\n(?:   .*\n)*!\n", ""),
        (EOS, r"^(route-map \S+_IN6? permit \d+\n   match ip(?:v6)? address prefix-list) FABRIC", r"\1 LEGACY"),
        (EOS, r"^(ip(?:v6)? prefix-list) FABRIC\n((?:   .*\n)+)", r"\g<0>!\n\1 LEGACY\n\2"),
        (NVUE, r"^ +drained: \{rule: .*\n", ""),
        (NVUE, r"^ +'\d+': \{match: \{.*community-list: drained\}.*\n", ""),
        (NVUE, r"^(          \S+-in6?:\n            rule:\n(?:.*deny.*\n)?.*ip-prefix-list: fabric)", r"\1-legacy"),
        (NVUE, r"^(          fabric)(6?:\n(?:            .*\n)+)", r"\g<0>\1-legacy\2"),
        (FRR, r"^( set community 64512:1) additive$", r"\1"),
        (FRR, r"^(route-map \S+_IN6? permit \d+\n match ip(?:v6)? address prefix-list) FABRIC", r"\1 LEGACY"),
        (FRR, r"^(ip(?:v6)? prefix-list) FABRIC (seq .*\n)", r"\g<0>\1 LEGACY \2"),
    ),
}
"""Texts of an older or foreign deployment, by file."""
RESTART = (
    (EOS, r"^service routing protocols model .*\n", ""),
    (NVUE, r"multipaths: \{ebgp: \d+\}", "multipaths: {ebgp: 2}"),
)
"""Changes that no switch takes while it carries traffic."""
SHUTDOWN = frozenset(("GSHUT", "65535:0", "graceful-shutdown"))
"""The community of drained routes, as each platform spells it."""
FROM_ABOVE = frozenset(("64512:1",))


@pytest.fixture(scope="module")
def rendering(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Trees of fabrics, each rendered once it is asked for."""
    known: dict[str, Path] = {}

    class Trees(dict[str, Path]):
        def __missing__(self, fabric: str) -> Path:
            inventory, overlays, more = FABRICS[fabric]
            folder = tmp_path_factory.mktemp(fabric)
            shutil.copytree(REPOSITORY / inventory, folder / "inventory")
            (folder / "inventory/overlays/more.yaml").write_text(yaml.safe_dump(more))
            words = [word for name in (*overlays, *(("more",) if more else ())) for word in ("--overlay", name)]
            succeed("render", str(folder / "inventory"), *words, "-o", str(folder / "tree"))
            self[fabric] = folder / "tree"
            return self[fabric]

    return Trees(known)


def prepared(old: Path, new: Path, folder: Path) -> Path:
    """The tree in which every switch has the policy; its patch is hitless, and the rest leads to the intended side."""
    tree, bag = Path(shutil.copytree(old, folder)), Bag()
    kinds = load_kinds(None, bag)
    where = Where(old.parent, lambda: b"", lambda: old.parent / "scratch", names=kinds.names)
    sides = [open_side(str(side), where, bag) for side in (new, old)]
    assert sides[0]
    assert sides[1]
    for device in diff_sides(sides[0].side, sides[1].side, kinds, bag, whole=True):
        if not is_deaf(device):
            continue
        policy, rest = prepare_device(device)
        patch = plan_device(policy, bag)
        assert patch is not None
        assert patch.disruption == "hitless"
        assert plan_device(rest, bag) is not None or not any(rest.changes)
        for file in policy.files:
            (tree / device.kind / device.name / file.path).write_bytes(file.intended)
        for file in rest.files:
            assert file.intended == (new / device.kind / device.name / file.path).read_bytes()
    assert not list(bag)
    return tree


class Routing:
    """Import policies of a tree, and what they make of routes."""

    def __init__(self, tree: Path) -> None:
        """Read a tree."""
        self.fabric = read_tree(tree)
        self.native = {
            file.relative_to(tree).parts[1] for name in ("startup.yaml", "frr.conf") for file in tree.rglob(name)
        }
        """Switches on FRR, which demotes a route that still carries the community behind all policies."""
        self.links = graph_links(self.fabric)

    def sessions(self, name: str) -> list[Session]:
        """Sessions of a device that exchange routes."""
        bgp = self.fabric.devices[name].bgp
        return [each for each in bgp.sessions if each.active and not each.shutdown] if bgp else []

    def take(self, name: str, session: Session, route: Prefix, marks: Marks) -> tuple[Marks, bool] | None:
        """Marks of a route behind the import policies, and whether it is a last resort; None where it is not taken."""
        last = False
        for policy in session.import_policies:
            rule = next((rule for rule in policy.rules if rule.matches(route, marks)), None)
            after = policy.apply(route, marks)
            if rule is None or after is None:
                return None
            marks, last = after, last or rule.last
        return marks, last or (name in self.native and bool(marks & SHUTDOWN))

    def ways(self, name: str, route: Prefix, drained: str) -> set[str]:
        """Neighbors over which a switch sends to a prefix while one of them is drained."""
        found: dict[bool, set[str]] = {True: set(), False: set()}
        for link in self.links:
            (end, back) = sorted(link, key=lambda end: end[0] != name)
            near, far = self.fabric.devices[end[0]], self.fabric.devices[back[0]]
            for mine, theirs in agreed(end, near, back, far) if end[0] == name and far.kind == "switch" else ():
                sent: Marks | None = SHUTDOWN if far.name == drained else frozenset()
                for policy in theirs.export_policies:
                    sent = None if sent is None else policy.apply(route, sent)
                heard = None if sent is None else self.take(name, mine, route, sent)
                if heard is not None:
                    found[heard[1]].add(far.name)
        return found[False] or found[True]


@pytest.mark.sampled(1, of="fabric,deployed")
@pytest.mark.parametrize("deployed", EDITS)
@pytest.mark.parametrize("fabric", FABRICS)
def test_prepared_switch_takes_what_it_took_and_leaves_a_drained_neighbor(
    fabric: str, deployed: str, rendering: dict[str, Path], tmp_path: Path
) -> None:
    new = rendering[fabric]
    old = edited(new, tmp_path / "old", *EDITS[deployed], *RESTART)
    tree = prepared(old, new, tmp_path / "prepared")
    before, after = Routing(old), Routing(tree)
    assert not [line for device in after.fabric.devices.values() for line in device.problems]
    assert violations(HalfStates.between(before.fabric, after.fabric, before.links)) == []
    assert refused_files(tree, (old, new)) == []
    routes = {network for device in before.fabric.devices.values() if device.bgp for network in device.bgp.networks}
    ignored = 0
    for name in before.fabric.devices:
        for mine, theirs in zip(before.sessions(name), after.sessions(name), strict=True):
            for route in (each for each in routes if each.bits == mine.bits):
                for marks in (frozenset[str](), FROM_ABOVE):
                    assert before.take(name, mine, route, marks) == after.take(name, theirs, route, marks)
                    sides = [
                        side.take(name, each, route, marks | SHUTDOWN)
                        for side, each in ((before, mine), (after, theirs))
                    ]
                    assert (sides[0] is None) == (sides[1] is None)
                    assert sides[1] is None or sides[1][1], (name, mine.peer)
                    ignored += sides[0] is not None and not sides[0][1]
    assert ignored


@pytest.mark.parametrize("fabric", ["eos", "nvue", "frr"])
def test_drain_moves_traffic_once_leafs_are_prepared(fabric: str, rendering: dict[str, Path], tmp_path: Path) -> None:
    new = rendering[fabric]
    old = edited(new, tmp_path / "old", *EDITS["an older release"], *RESTART)
    before, after = Routing(old), Routing(prepared(old, new, tmp_path / "prepared"))
    leafs, spines = (
        sorted(name for name in before.fabric.devices if name.startswith(tier)) for tier in ("leaf", "spine")
    )
    behind = before.fabric.devices[leafs[-1]].bgp
    assert behind is not None
    for leaf, route in ((leaf, route) for leaf in leafs[:-1] for route in behind.networks):
        assert before.ways(leaf, route, spines[0]) == {*spines}
        assert after.ways(leaf, route, spines[0]) == {*spines[1:]}
        assert after.ways(leaf, route, "") == {*spines}
