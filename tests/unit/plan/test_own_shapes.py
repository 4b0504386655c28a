"""Fabrics of other shapes: host groups that differ, stripes over stripes, four tiers; their names and numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabricgen.api import Compiled
from fabricgen.diagnostics import Bag
from fabricgen.render.engine import Renderer
from fabricgen.tables.tables import list_devices, list_links
from tests.unit.plan.own_fabrics import BOX, GPU, LINK, SMALL, TOP, compile_own, switches


def compiled(folder: Path, **changes: Any) -> Compiled:
    made, errors = compile_own(folder, **changes)
    assert errors == []
    return made


def test_a_leaf_without_hosts_of_a_group_has_its_ports_down(tmp_path: Path) -> None:
    found = switches(compiled(tmp_path, hosts={"gpu": GPU, "small": SMALL}))
    ports = {name: {port.shape.name for port in switch.ports} for name, switch in found.items()}
    for name, switch in found.items():
        assert {shape.name for shape in switch.cls.ports if shape.used} == ports[name]
    assert len(ports["leaf-u001-r0"]) == len(ports["leaf-u001-r4"]) + 4


def test_no_device_is_called_with_an_underscore(tmp_path: Path) -> None:
    links = {"host-leaf_a": LINK, "leaf_a-spine_b": LINK}
    made = compiled(tmp_path, hosts={"gpu_b": GPU}, tiers={"leaf_a": BOX, "spine_b": TOP}, links=links)
    plan = made.plan
    names = {*switches(made), *map(plan.host_name, plan.all_hosts())}
    assert names >= {"gpu-b-u001-h01", "leaf-a-u001-r0", "spine-b-01"}


def test_leafs_are_named_by_the_hosts_with_the_most_rails(tmp_path: Path) -> None:
    own = {"rails_per_leaf": 2}
    made = compiled(tmp_path, hosts={"gpu": {**GPU, "attachment": own}, "small": {**SMALL, "attachment": own}})
    leafs = [name for name in switches(made) if name.startswith("leaf")]
    assert leafs == [f"leaf-u001-r{rail}" for rail in (0, 2, 4, 6)]


def test_rails_that_meet_above_the_spine_have_numbers_of_their_own(tmp_path: Path) -> None:
    tiers = {"leaf": BOX, "spine": {**BOX, "per": "pod", "count": 4}, "core": TOP}
    links = {"host-leaf": LINK, "leaf-spine": {**LINK, "pattern": {"stripe": "rail"}}, "spine-core": LINK}
    found = switches(compiled(tmp_path, pods=2, tiers=tiers, links=links))
    by_group = {name: switch.asn for name, switch in found.items() if name.startswith("spine")}
    assert [by_group[f"spine-p01-0{n}"] for n in (1, 2, 3, 4)] == [4200000001, 4200000001, 4200000002, 4200000002]
    assert len(set(by_group.values())) == 4


def test_a_fourth_tier_renders_on_sonic(tmp_path: Path) -> None:
    tiers = {"leaf": BOX, "spine": TOP, "core": TOP, "top": TOP}
    links = dict.fromkeys(("host-leaf", "leaf-spine", "spine-core", "core-top"), LINK)
    made = compiled(tmp_path, tiers=tiers, links=links)
    bag = Bag()
    files = {file.path: file.data for file in Renderer(made.platforms, bag).render_switch(switches(made)["top-01"])}
    assert not bag.has_errors
    assert b'"type": "SpineRouter"' in files["switches/top-01/etc/sonic/config_db.json"]


def striped(folder: Path, stripe: str, **changes: Any) -> tuple[Compiled, list[str]]:
    """Two pods with two rail groups of two spines each, and four core switches, striped in one way."""
    tiers = {
        "leaf": BOX,
        "spine": {**BOX, "per": "pod", "count": 4, "name": "spine-p{pod}-g{group}-{index}"},
        "core": {**BOX, "per": "fabric", "count": 4, "name": "core-g{group}-{index}"},
    }
    links = {
        "host-leaf": LINK,
        "leaf-spine": {**LINK, "pattern": {"stripe": "rail"}},
        "spine-core": {**LINK, "pattern": {"stripe": stripe}},
    }
    return compile_own(folder, pods=2, tiers=tiers, links=links, **changes)


def spines_below(made: Compiled) -> dict[str, list[str]]:
    """The spines that each core switch has links to."""
    found: dict[str, list[str]] = {}
    for link in list_links(made.plan):
        if link["link"] == "spine-core":
            found.setdefault(str(link["b"]), []).append(str(link["a"]))
    return found


@pytest.mark.parametrize(
    ("stripe", "spines_of"),
    [
        ("index", {"core-g0": {"g0-1", "g1-3"}, "core-g1": {"g0-2", "g1-4"}}),
        ("rail", {"core-g0": {"g0-1", "g0-2"}, "core-g1": {"g1-3", "g1-4"}}),
    ],
)
def test_a_stripe_over_rails_by_index_joins_them_and_one_by_rail_does_not(
    stripe: str, spines_of: dict[str, set[str]], tmp_path: Path
) -> None:
    made, errors = striped(tmp_path, stripe)
    assert errors == []
    met: dict[str, set[str]] = {}
    for core, spines in spines_below(made).items():
        met.setdefault(core[: len("core-g0")], set()).update(spine[len("spine-p1-") :] for spine in spines)
    assert met == spines_of


def test_spines_that_meet_in_the_core_have_numbers_of_their_own(tmp_path: Path) -> None:
    made, errors = striped(tmp_path, "index")
    assert errors == []
    asn = {str(row["name"]): row["asn"] for row in list_devices(made.plan) if row["tier"] == "spine"}
    below = spines_below(made)
    assert len(below) == 4
    for spines in below.values():
        assert len({asn[name] for name in spines}) == len(spines) == 4


@pytest.mark.parametrize(("stripe", "failures"), [("index", 3), ("rail", 1)])
def test_switches_striped_by_index_stand_in_for_each_other(stripe: str, failures: int, tmp_path: Path) -> None:
    assert striped(tmp_path, stripe, expect={"failures": {"core": failures}})[1] == []
    _, errors = striped(tmp_path, stripe, expect={"failures": {"core": failures + 1}})
    assert [error.partition(" ")[0] for error in errors] == ["FG-EXP-001"]
