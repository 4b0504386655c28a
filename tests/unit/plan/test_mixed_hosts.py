"""Host groups that differ: what their leafs look like, what devices are called, which AS numbers rails get."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fabricgen.api import Compiled, compile_inventory
from fabricgen.device.lower import Lowering
from fabricgen.device.model import Switch
from fabricgen.diagnostics import Bag, Severity
from fabricgen.render.engine import Renderer

LINK = {"speed": "400G", "cable": {"media": "smf", "length_m": 30}}
GPU = {"server": "dgx_h100_8", "nic": "connectx7_400g", "per_unit": 1}
SMALL = {"server": "gb200_tray_4", "nic": "connectx7_400g", "per_unit": 1}
BOX = {"model": "dell_z9864f", "platform": "sonic"}


def compiled(folder: Path, **changes: Any) -> Compiled:
    data: dict[str, Any] = {
        "fabric": "mixed",
        "operations": {"tacacs": {"servers": ["192.168.0.12"], "key": {"secret": "env:TACACS_KEY"}}},
        "hosts": {"gpu": GPU},
        "units": 1,
        "attachment": {"rails_per_leaf": 4},
        "tiers": {"leaf": BOX, "spine": {**BOX, "per": "fabric", "count": 2}},
        "links": {"host-leaf": LINK, "leaf-spine": LINK},
    }
    (folder / "fabric.yaml").write_text(json.dumps({**data, **changes}), encoding="utf-8")
    bag = Bag()
    made = compile_inventory(folder, (), bag)
    assert [d.message for d in bag if d.severity is Severity.ERROR] == []
    assert made is not None
    return made


def switches(made: Compiled) -> dict[str, Switch]:
    assert made.plan is not None
    lowering = Lowering(made.plan)
    return {switch.hostname: switch for switch in map(lowering.lower_switch, made.plan.switches())}


def test_a_leaf_without_hosts_of_a_group_has_its_ports_down(tmp_path: Path) -> None:
    found = switches(compiled(tmp_path, hosts={"gpu": GPU, "small": SMALL}))
    ports = {name: {port.shape.name for port in switch.ports} for name, switch in found.items()}
    for name, switch in found.items():
        assert {shape.name for shape in switch.cls.ports if shape.used} == ports[name]
    assert len(ports["leaf-u001-r0"]) == len(ports["leaf-u001-r4"]) + 4


def test_no_device_is_called_with_an_underscore(tmp_path: Path) -> None:
    tiers = {"leaf_a": BOX, "spine_b": {**BOX, "per": "fabric", "count": 2}}
    links = {"host-leaf_a": LINK, "leaf_a-spine_b": LINK}
    made = compiled(tmp_path, hosts={"gpu_b": GPU}, tiers=tiers, links=links)
    assert made.plan is not None
    names = [*switches(made), *(made.plan.host_name(host) for host in made.plan.all_hosts())]
    assert "gpu-b-u001-h01" in names
    assert "leaf-a-u001-r0" in names
    assert "spine-b-01" in names


def test_leafs_are_named_by_the_hosts_with_the_most_rails(tmp_path: Path) -> None:
    own = {"rails_per_leaf": 2}
    made = compiled(tmp_path, hosts={"gpu": {**GPU, "attachment": own}, "small": {**SMALL, "attachment": own}})
    assert [name for name in switches(made) if name.startswith("leaf")] == [
        f"leaf-u001-r{rail}" for rail in (0, 2, 4, 6)
    ]


def test_rails_that_meet_above_the_spine_have_numbers_of_their_own(tmp_path: Path) -> None:
    tiers = {"leaf": BOX, "spine": {**BOX, "per": "pod", "count": 4}, "core": {**BOX, "per": "fabric", "count": 2}}
    striped = {**LINK, "pattern": {"stripe": "rail"}}
    links = {"host-leaf": LINK, "leaf-spine": striped, "spine-core": LINK}
    found = switches(compiled(tmp_path, pods=2, tiers=tiers, links=links))
    by_group = {name: switch.asn for name, switch in found.items() if name.startswith("spine")}
    assert [by_group[f"spine-p01-0{n}"] for n in (1, 2, 3, 4)] == [4200000001, 4200000001, 4200000002, 4200000002]
    assert len(set(by_group.values())) == 4


def test_a_fourth_tier_renders_on_sonic(tmp_path: Path) -> None:
    upper = {**BOX, "per": "fabric", "count": 2}
    tiers = {"leaf": BOX, "spine": upper, "core": upper, "top": upper}
    made = compiled(
        tmp_path, tiers=tiers, links=dict.fromkeys(("host-leaf", "leaf-spine", "spine-core", "core-top"), LINK)
    )
    assert made.platforms is not None
    bag = Bag()
    top = switches(made)["top-01"]
    files = {file.path: file.data for file in Renderer(made.platforms, bag).render_switch(top)}
    assert not bag.has_errors
    assert b'"type": "SpineRouter"' in files["switches/top-01/etc/sonic/config_db.json"]
