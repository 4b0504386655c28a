"""Switches that are another box than the others of their tier: model, platform or release, and what follows of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabricgen.api import Compiled
from fabricgen.api.explain import explain_file
from fabricgen.diagnostics import Bag
from fabricgen.render.engine import Renderer
from fabricgen.tables.qos import show_qos
from fabricgen.tables.tables import list_exceptions, list_links
from tests.acceptance.run import diagnose
from tests.unit.plan.own_fabrics import LINK, compile_own, switches

NVIDIA = {"model": "nvidia_sn5600", "platform": "sonic", "release": "202505"}
ARISTA = {"model": "arista_7060x6_64pe", "platform": "eos"}
TIERS = {"leaf": NVIDIA, "spine": {**NVIDIA, "per": "fabric", "count": 2}}


def compiled(folder: Path, own: dict[str, dict[str, Any]], **changes: Any) -> tuple[Compiled, list[str]]:
    """Return a fabric in which exceptions set leafs of some switches."""
    said = [{"device": name, "set": leafs, "reason": "test"} for name, leafs in own.items()]
    links = {"host-leaf": {"speed": "400G", "cable": {"media": "mmf", "length_m": 10}}, "leaf-spine": LINK}
    return compile_own(folder, **{"tiers": TIERS, "units": 2, "links": links, "exceptions": said, **changes})


def files(made: Compiled) -> dict[str, dict[str, bytes]]:
    renderer = Renderer(made.platforms, Bag())
    return {
        name: {file.path: file.data for file in renderer.render_switch(switch)}
        for name, switch in switches(made).items()
    }


def test_one_switch_at_another_release_is_the_only_one_that_changes(tmp_path: Path) -> None:
    before, after = (files(compiled(tmp_path, own)[0]) for own in ({}, {"spine-02": {"release": "202511"}}))
    changed = [name for name in before if before[name] != after[name]]
    assert changed == ["spine-02"]
    (old, new), *others = [
        (one, other)
        for path, data in before["spine-02"].items()
        for one, other in zip(data.splitlines(), after["spine-02"][path].splitlines(), strict=True)
        if one != other
    ]
    assert (b"version_202505_01" in old, b"version_202511_01" in new, others) == (True, True, [])


def test_a_switch_of_another_maker_has_its_own_ports_and_its_neighbours_name_them(tmp_path: Path) -> None:
    made, errors = compiled(tmp_path, {"leaf-u002-r0": ARISTA})
    assert errors == []
    found = switches(made)
    leaf, spine = found["leaf-u002-r0"], found["spine-01"]
    assert (leaf.cls.platform, leaf.cls.model, leaf.cls.release.name) == ("eos", "arista_7060x6_64pe", "")
    ends = {(row["a"], row["a_port"]): (row["b"], row["b_port"]) for row in list_links(made.plan)}
    for port in spine.ports:
        assert ends[port.peer, port.peer_port] == ("spine-01", port.shape.name)
    assert {port.peer_port.partition("/")[0] for port in spine.ports if port.peer == "leaf-u002-r0"} == {"Ethernet64"}
    names = [path for path in files(made)["leaf-u002-r0"] if path.endswith("startup-config")]
    assert len(names) == 1


def test_growth_and_unlike_switches_renumber_nothing(tmp_path: Path) -> None:
    own = {"leaf-u002-r0": ARISTA, "spine-02": {"release": "202511"}}
    regular, small = (switches(compiled(tmp_path, each)[0]) for each in ({}, own))
    large = switches(compiled(tmp_path, own, units=3)[0])
    for name, switch in small.items():
        for other in (regular[name], large[name]):
            for key in ("asn", "loopback", "management", "router_id", "aggregate"):
                assert getattr(other, key) == getattr(switch, key)
            numbers = {(port.peer, port.address, port.peer_address) for port in switch.ports}
            assert numbers <= {(port.peer, port.address, port.peer_address) for port in other.ports}


def test_a_feature_of_both_ends_follows_the_box_that_lacks_it(tmp_path: Path) -> None:
    """SONiC runs BFD on addresses of links with a control-plane ACL only, which FBOSS's agent never lacks or has."""
    made, _ = compiled(tmp_path, {"leaf-u002-r0": {"model": "meta_minipack3", "platform": "fboss"}})
    found = switches(made)
    assert {switch.cls.routing.bfd_upper for name, switch in found.items() if name.startswith("leaf")} == {False}
    assert not found["spine-01"].cls.routing.bfd_lower
    assert switches(compiled(tmp_path, {})[0])["spine-01"].cls.routing.bfd_lower


def test_tables_and_explanations_name_the_box(tmp_path: Path) -> None:
    made, _ = compiled(tmp_path, {"leaf-u002-r0": ARISTA})
    assert [row["what"] for row in list_exceptions(made.plan)] == ["arista_7060x6_64pe eos"]
    tiers = [row["tier"] for row in show_qos(made.plan, made.platforms, ()).sections["hashing"]]
    assert tiers == ["leaf", "spine", "leaf: arista_7060x6_64pe eos"]
    lines = explain_file(made, "switches/leaf-u002-r0/mnt/flash/startup-config", Bag())
    places = {cause.path[-2:] for line in lines for cause in line.texts if cause.path[0] == "exceptions"}
    assert ("set", "model") in places
    assert not [cause for line in lines for cause in line.texts if cause.path == ("tiers", "leaf", "model")]


@pytest.mark.parametrize(
    ("own", "code", "path"),
    [
        ({"release": "202411x"}, "FG-PLT-095", ("set", "release")),
        ({"model": "dell_z9864f"}, "FG-PLT-045", ("set", "model")),
        ({"model": "nvidia_sn3700"}, "FG-TOP-009", ("set", "model")),
        ({"model": "nvidia_sn3700"}, "FG-TOP-010", ("set", "model")),
        ({"platform": "eos"}, "FG-TOP-013", ("set", "platform")),
        ({"model": "no_such"}, "FG-CAT-001", ("set", "model")),
        ({"platform": "no_such"}, "FG-PLT-001", ("set", "platform")),
        ({"release": 202511.5}, "FG-EXC-016", ("set", "release")),
        ({"tiers.leaf.release": "202511"}, "FG-EXC-015", ("set", "tiers.leaf.release")),
    ],
)
def test_a_box_that_cannot_be_had_is_told_where_it_is_set(
    own: dict[str, Any], code: str, path: tuple[str, ...], tmp_path: Path
) -> None:
    compiled(tmp_path, {"leaf-u002-r0": own})
    _, bag = diagnose(tmp_path)
    assert (code, path) in {(found.code, found.path[-2:]) for found in bag}


def test_unlike_thresholds_of_two_spines_are_reported(tmp_path: Path) -> None:
    """They are parallel paths: a flow over the one is slowed down at a third of the other's fill."""
    compiled(tmp_path, {"spine-02": ARISTA})
    _, bag = diagnose(tmp_path)
    (found,) = [found for found in bag if found.code == "FG-QOS-157"]
    assert found.path[:1] == ("exceptions",)


def test_a_cable_of_an_unlike_switch_sizes_that_switch(tmp_path: Path) -> None:
    own = {"device": "spine-02", "set": {"model": "dell_z9864f", "release": "202605"}, "reason": "test"}
    cable = {"link": ["leaf-u001-r0", "spine-02"], "cable": {"length_m": 60}, "reason": "test"}
    made, errors = compiled(tmp_path, {}, exceptions=[own, cable])
    assert errors == []
    spine = switches(made)["spine-02"]
    found = {(port.peer, port.shape.length_m, port.shape.headroom.row_m) for port in spine.ports}
    assert found == {("leaf-u001-r0", 60, 300), *((f"leaf-u00{name}", 30, 40) for name in ("1-r4", "2-r0", "2-r4"))}
    assert spine.cls.model == "dell_z9864f"
