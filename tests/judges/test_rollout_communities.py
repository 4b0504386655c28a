"""Rollouts that change communities: in every half state routes are treated as both sides treat them.

The deployed side is the rendered one with another community, and with what rests on neighbours that honour it: cores
alone turn routes from above back, or a drained link is known by a community of the site.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.command_line import succeed

from .crossread import graph_links, read_tree
from .edited_trees import Edit, edited
from .fresh_files import refused_files
from .half_states import HalfStates, violations
from .phase_trees import plan_phases, same_files, states
from .route_marks import Marking, Remark

REPOSITORY = Path(__file__).resolve().parents[2]
QUICKSTART, CONFORMANCE = "inventories/quickstart", "tests/fabrics/conformance"
FRR, EOS, NVUE, FBOSS = (
    "etc/**/frr.conf", "mnt/flash/startup-config", "etc/nvue.d/startup.yaml", "etc/coop/bgpcpp.conf",
)  # fmt: skip

NEITHER_TURNS_UP: tuple[Edit, ...] = (
    (FRR, r"^route-map UPPER_OUT6? deny 10\n match community \S+\nexit\n", ""),
    (EOS, r"^route-map UPPER_OUT6? deny 10\n   match community \S+\n!\n", ""),
    (NVUE, r"^(          upper-out6?:\n            rule:\n) .*deny.*\n", r"\1"),
)
"""Spines announce upwards what came from above; the cores turn it back."""
ANOTHER_MARK: tuple[Edit, ...] = tuple((path, r"64512:1\b", "64512:7") for path in (FRR, EOS, NVUE, FBOSS))
ANOTHER_LIST: tuple[Edit, ...] = (
    (FRR, r"\bDESCENDED\b", "ABOVE"),
    (EOS, r"\bDESCENDED\b", "ABOVE"),
    (NVUE, r"\bdescended\b", "above"),
)
OWN_SHUTDOWN: tuple[Edit, ...] = ((EOS, r"\bGSHUT\b", "64512:9"),)
"""The site has a community of its own for drained links."""


class Case(NamedTuple):
    """A change of communities.

    Attributes:
        inventory: Of both sides.
        edits: What the deployed side has otherwise.
        changes: Overlay of both sides.
        platforms: Overlays of the inventory that it is tried on; the empty one is SONiC.
        remark: Communities of both sides that mean the same.
    """

    inventory: str
    edits: tuple[Edit, ...]
    changes: dict[str, Any]
    platforms: tuple[str, ...]
    remark: Remark


DRAINED_LINK = {
    "exceptions": [{"link": ["leaf-u001-r0", "spine-01"], "n": 1, "state": "drained", "reason": "bit errors"}]
}
ABOVE = Remark("64512:7", "64512:1")
EVERYWHERE = ("", "frr", "eos", "cumulus_nvue", "fboss")
CASES = {
    "another mark": Case(CONFORMANCE, (*NEITHER_TURNS_UP, *ANOTHER_MARK), {}, EVERYWHERE, ABOVE),
    "another list": Case(CONFORMANCE, (*NEITHER_TURNS_UP, *ANOTHER_MARK, *ANOTHER_LIST), {}, EVERYWHERE[:-1], ABOVE),
    "drained link": Case(QUICKSTART, OWN_SHUTDOWN, DRAINED_LINK, ("eos",), Remark("64512:9", "GSHUT")),
}
REFUSED = {("another mark", "fboss"): "FG-ROL-060"}
"""Changes that a platform cannot make in phases."""


def rendered(inventory: str, platform: str, changes: dict[str, Any], folder: Path) -> Path:
    """The tree of an inventory under overlays."""
    shutil.copytree(REPOSITORY / inventory, folder / "inventory")
    (folder / "inventory/overlays/change.yaml").write_text(yaml.safe_dump(changes))
    words = [word for name in filter(None, (platform, "change")) for word in ("--overlay", name)]
    succeed("render", str(folder / "inventory"), *words, "-o", str(folder / "tree"))
    return folder / "tree"


@pytest.mark.nightly
@pytest.mark.nightly
@pytest.mark.parametrize("forth", [True, False], ids=["forth", "back"])
@pytest.mark.parametrize(
    ("case", "platform"), [(name, platform) for name, each in CASES.items() for platform in each.platforms]
)
def test_no_half_state_treats_a_route_otherwise(case: str, platform: str, forth: bool, tmp_path: Path) -> None:
    inventory, edits, changes, _, remark = CASES[case]
    new = rendered(inventory, platform, changes, tmp_path)
    old = edited(new, tmp_path / "deployed", *edits)
    if not forth:
        old, new, remark = new, old, Remark(remark.new, remark.old)
    phases, bag = plan_phases(old, new)
    if bag.has_errors:
        assert {fault.code for fault in bag} == {REFUSED[case, platform]}
        return
    before, ends = read_tree(old), (read_tree(old), read_tree(new))
    links = graph_links(before)
    tree = old
    for tree in states(old, phases, tmp_path, shown=True):
        after = read_tree(tree)
        assert not [line for device in after.devices.values() for line in device.problems], tree.name
        half = HalfStates.between(before, after, links)
        assert violations(half) == [], tree.name
        assert Marking(half, *ends, remark).violations() == [], tree.name
        assert not forth or refused_files(tree, (old, new)) == [], tree.name
        before = after
    assert same_files(tree, new)
    at_once = Marking(HalfStates.between(*ends, links), *ends, remark)
    assert at_once.violations(), "at once the change breaks nothing"
