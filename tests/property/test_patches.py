"""Random changes of an intent: the patch gives the intended side, the way back the old one."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fabricgen.compiler.compile import compile_document
from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Bag
from fabricgen.diff.device import DeviceComparer
from fabricgen.diff.kinds import load_kinds
from fabricgen.diff.patches import plan_device
from fabricgen.diff.sides import File, SideDevice
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.patching.steps import PatchStep
from fabricgen.platforms.sonic.patch_files import FILE_MAX_S
from fabricgen.render.engine import Renderer
from fabricgen.render.environment import TemplateEnvironment
from fabricgen.source import Document, load_document
from tests import tally
from tests.acceptance.run import INVENTORIES
from tests.property.generated.services import GNMI
from tests.property.switch_model import SwitchModel
from tests.property.updater_rules import RefusedError
from tests.sampling import EVERYTHING

PARTS, EACH = 6, 100 if EVERYTHING else 5
CONFIG_DB = "etc/sonic/config_db.json"
MODELS = ("arista_7060x6_64pe", "dell_z9664f")
"""The updater knows the first one's HwSKU, not the second one's."""
RELEASES = ("202505", "202511", "202605")
RELOADS = re.compile(
    r"BREAKOUT_CFG takes effect only by a reload"
    r"|lanes cannot be changed on a row that exists"
    r"|rows of PORT come and go with a breakout, which takes a reload"
    r"|the updater of 20\d{4} refuses BUFFER_POOL"
    r"|the updater of 20\d{4} refuses this change of a (BUFFER|WRED)_PROFILE"
    r"|the updater of 202505 neither adds nor removes a BUFFER_PROFILE"
    r"|the updater keeps the GLOBAL row of PFC_WD"
    r"|PFC_WD may not be added as a whole"
    r"|the updater of 20\d{4} does not know the ASIC of HwSKU '[^']+'"
    r"|patches would take about [\d,]+ s, a reload less"
    r"|config_db\.json holds references to secrets|put the secrets in their places before you apply it"
)
"""Every reason for which nothing but a reload is left."""
LOOK = 'sonic-db-cli CONFIG_DB hget "DEVICE_METADATA|localhost" docker_routing_config_mode'
CHOICES: dict[str, tuple[Any, ...]] = {
    "links/host-leaf/cable/length_m": (1, 2, 3), "links/leaf-spine/cable/length_m": (10, 30, 60, 100),
    "links/host-leaf/speed": ("400G", "200G"), "links/leaf-spine/per_pair": (8, 4),
    "links/leaf-spine/mtu": (9100, 9200, 9216), "links/host-leaf/mtu": (4200, 9100),
    "units": ({"count": 1, "max": 8}, {"count": 2, "max": 8}, {"count": 3, "max": 8}), "lossless/mode": ("dcqcn",),
    "lossless/ecn": ("computed", {"kmin_bytes": 100000, "kmax_bytes": 400000, "pmax_pct": 5},
        {"kmin_bytes": 150000, "kmax_bytes": 500000, "pmax_pct": 10}),
    "lossless/watchdog": ({"detection_ms": 200, "restoration_ms": 400, "action": "drop"},
        {"detection_ms": 400, "restoration_ms": 600, "action": "drop"},
        {"detection_ms": 200, "restoration_ms": 400, "action": "forward"}),
    "lossless/classes": tuple(
        {"roce": {"dscp": dscp, "priority": priority, "lossless": True, "weight_pct": 100 - weight},
            "cnp": {"dscp": cnp, "priority": 6, "strict": True},
            "default": {"priority": 0, "weight_pct": weight}}
        for dscp, priority, cnp, weight in (
            (26, 3, 48, 5), (24, 3, 48, 5), (26, 4, 48, 5), (26, 3, 46, 10), (28, 3, 48, 20))),
    "routing/bfd": ("auto", "off"), "routing/timers": ({}, {"hold_s": 6}, {"connect_retry_s": 5, "advertisement_s": 2}),
    "routing/security/ttl": ("auto", "off"),
    "routing/asn": ({"base": 4200000000}, {"base": 4210000000}),
    "routing/ecmp/hash": (["five_tuple"], ["five_tuple", "ingress_port"]),
    "operations/ntp": (["192.168.0.10"], ["192.168.0.10", "192.168.0.11"], []),
    "operations/syslog": (["192.168.0.12"], [], ["192.168.0.13", "192.168.0.14"]),
    "operations/dns": ([], ["192.168.0.15"]), "operations/timezone": ("UTC", "Europe/Berlin"),
    "operations/gnmi": (None, {"port": 8080, **GNMI}, {"port": 50051, **GNMI}),
    "addressing/host_links": ("172.16.0.0/12", "11.0.0.0/12"), "tiers/leaf/ecmp/max_paths": (16, 24, 32),
    "exceptions": ([], [{"device": "spine-02", "state": "drained", "reason": "optics"}],
        [{"host": "gpu-u001-h02", "state": "absent", "reason": "late"}],
        [{"link": ["leaf-u001-r0", "spine-01"], "state": "drained", "reason": "dirty"}]),
}  # fmt: skip


def base_document() -> Document:
    return load_document(INVENTORIES / "quickstart/fabric.yaml", Bag()).without(("expect",))


@cache
def comparer_of() -> tuple[DeviceComparer, Bag]:
    bag = Bag()
    return DeviceComparer(load_kinds(None, bag), frozenset(), bag, whole=True), bag


@cache
def templates() -> TemplateEnvironment:
    """The templates, compiled once for all fabrics."""
    return TemplateEnvironment([template_root()])


def render(document: Document, name: str) -> SideDevice | None:
    """One switch of an intent, or None if the intent is not legal."""
    bag = Bag()
    compiled = compile_document(document, Path(), bag)
    if bag.has_errors or compiled.plan is None or compiled.platforms is None:
        return None
    lowering = Lowering(compiled.plan)
    renderer = Renderer(compiled.platforms, bag)
    renderer.environment = templates()
    for device in compiled.plan.switches():
        if compiled.plan.device_name(device) == name:
            files = renderer.render_switch(lowering.lower_switch(device))
            held = {file.path.split("/", 2)[2]: file.data for file in files}
            return SideDevice(
                name, "switches", {path: File(lambda data=data: data, path) for path, data in held.items()}
            )
    return None


def walk(seed: int) -> Iterator[tuple[SideDevice, SideDevice]]:
    """Two sides of one switch after the other; each intended side is the next one's present side."""
    rng = random.Random(seed)
    document = base_document()
    model = MODELS[seed % len(MODELS)]
    for tier in ("leaf", "spine"):
        document = document.replaced(("tiers", tier, "model"), model)
        document = document.replaced(("tiers", tier, "release"), RELEASES[seed // len(MODELS) % len(RELEASES)])
    document = document.replaced(("links", "leaf-spine", "per_pair"), 4)
    names = ("leaf-u001-r0", "leaf-u001-r4", "spine-01", "spine-02")
    name = rng.choice(names)
    before = render(document, name)
    while True:
        changed = document
        for path in rng.sample(sorted(CHOICES), rng.choice((1, 1, 1, 2, 3))):
            changed = changed.replaced(tuple(path.split("/")), rng.choice(CHOICES[path]))
        after = render(changed, name) if changed.data != document.data else None
        if after is None:
            continue
        yield before, after
        document, before = changed, after
        if rng.random() < 0.1:
            name = rng.choice(names)
            moved = render(document, name)
            if moved is not None:
                before = moved


def config_of(device: SideDevice) -> dict[str, Any]:
    data = device.files[CONFIG_DB].load()
    found: dict[str, Any] = json.loads(data)
    return found


def flatten(config: dict[str, Any]) -> dict[tuple[str, ...], Any]:
    """Every leaf by its path; a row without fields is one."""
    leaves: dict[tuple[str, ...], Any] = {}
    for table, rows in config.items():
        for key, row in rows.items():
            leaves.update({(table, key, field): value for field, value in row.items()} or {(table, key): None})
    return leaves


def count_changed(one: dict[str, Any], other: dict[str, Any]) -> int:
    left, right = flatten(one), flatten(other)
    return sum(
        path not in left or path not in right or left[path] != right[path] for path in left.keys() | right.keys()
    )


def with_foreign_rows(device: SideDevice, rng: random.Random) -> SideDevice:
    """The same switch with what it and its operators add."""
    config = config_of(device)
    config["FEATURE"] = {"bgp": {"state": "enabled"}}
    config["DEVICE_METADATA"]["localhost"]["mac"] = "c0:ff:ee:00:00:01"
    if rng.random() < 0.5:
        config["VLAN"] = {"Vlan7": {"vlanid": "7"}}
    data = json.dumps(config, indent=4).encode()
    return SideDevice(device.name, device.kind, {**device.files, CONFIG_DB: File(lambda: data, CONFIG_DB)})


def expected(intended: dict[str, Any], present: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(json.dumps(intended))
    for table in ("FEATURE", "VLAN"):
        if table in present:
            result[table] = present[table]
    if "mac" in present["DEVICE_METADATA"]["localhost"]:
        result["DEVICE_METADATA"]["localhost"]["mac"] = present["DEVICE_METADATA"]["localhost"]["mac"]
    return result


@pytest.mark.nightly
@pytest.mark.sampled(1, of="part")
@pytest.mark.parametrize("part", range(PARTS))
def test_patches_carry_out_and_take_back_random_changes(part: int) -> None:
    rng, seen = random.Random(part + 100), Counter[str]()
    comparer, bag = comparer_of()
    sides = walk(part)
    while seen["changes"] < EACH:
        present, intended = next(sides)
        if part % 2:
            present = with_foreign_rows(present, rng)
        old, new = config_of(present), expected(config_of(intended), config_of(present))
        changed = count_changed(old, new)
        seen["changes"] += bool(changed)
        diff = comparer.compare(intended, present)
        patch = plan_device(diff, bag)
        assert not list(bag)
        if not changed:
            assert patch is None or switch_steps(patch.apply) == []
            continue
        switch = SwitchModel(old)
        for way, steps in (("apply", switch_steps(patch.apply)), ("undo", switch_steps(patch.undo))):
            seen.update(f"{way} {reason}" for step in steps if "reload" in step.command for reason in [step.reason])
            target = new if way == "apply" else old
            play(switch, steps, target)
            assert_same(switch.config, target)
    assert seen["changes"] > sum(number for what, number in seen.items() if what.startswith("apply ")), seen


def switch_steps(steps: Sequence[PatchStep]) -> list[PatchStep]:
    """The steps that are not of routing, nor of the timer that restores both."""
    routing = ("frr.conf", "vtysh", "show interfaces", "/etc/fabricgen/rollback", "fabricgen-rollback.timer")
    return [step for step in steps if step.command and not any(word in step.command for word in routing)]


def play(switch: SwitchModel, steps: Sequence[PatchStep], target: dict[str, Any]) -> None:
    """Carry steps out, and look at each."""
    assert [step.command for step in steps].count("config save -y") <= 1, "one save, when everything is there"
    for step in steps:
        before, downs = switch.config, sum(switch.downs.values())
        switch.run(step.command, step.content)
        if "apply-patch" in step.command and "--dry-run" not in step.command:
            check_file(step, before, switch.config)
            tally.count("updater", step.content, refused=False, release=switch.release)
            assert step.disruption != "hitless" or sum(switch.downs.values()) == downs, step
        elif "reload" in step.command:
            left = [each.command for each in steps[steps.index(step) + 1 :]]
            assert left == [LOOK, "config save -y"]
            assert all(RELOADS.fullmatch(reason) for reason in step.reason.split("; ")), step.reason
    for port, row in switch.config["PORT"].items():
        assert row.get("admin_status") == target["PORT"][port].get("admin_status"), f"{port} is left as it was"


def assert_same(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Equal to the last leaf; told by the leaves that are not."""
    left, right = flatten(found), flatten(wanted)
    paths = (path for path in left.keys() | right.keys() if left.get(path, ()) != right.get(path, ()))
    assert [(path, left.get(path), right.get(path)) for path in paths] == []
    assert found == wanted


def check_file(step: PatchStep, old: dict[str, Any], new: dict[str, Any]) -> None:
    """Within the time of a file; whole tables only where one appears or disappears."""
    assert 0 < step.seconds <= FILE_MAX_S
    for operation in json.loads(step.content):
        steps = operation["path"].split("/")[1:]
        assert steps != [""]
        assert len(steps) > 1 or (steps[0] in old) != (steps[0] in new), operation


def test_the_model_refuses_what_the_updater_refuses() -> None:
    config = config_of(render(base_document(), "leaf-u001-r0"))
    refused = [
        {"op": "replace", "path": "", "value": config},
        {"op": "replace", "path": "/BUFFER_POOL/ingress_lossless_pool/size", "value": "1"},
        {"op": "remove", "path": "/PFC_WD/GLOBAL"},
        {"op": "replace", "path": "/PFC_WD/Ethernet0/action", "value": "forward"},
        {"op": "remove", "path": "/LOOPBACK_INTERFACE/Loopback0"},
        {"op": "replace", "path": "/PORT/Ethernet0/lanes", "value": "1"},
        {"op": "add", "path": "/VLAN/Vlan1", "value": {}},
        {"op": "replace", "path": "/PORT/Ethernet0/mtu", "value": 9000},
        {"op": "add", "path": "/GNMI", "value": {"gnmi": {"port": "8080", "vrf": "mgmt"}}},
        {"op": "remove", "path": "/SCHEDULER/scheduler.roce"},
    ]
    for operation in refused:
        with pytest.raises(RefusedError):
            SwitchModel(config).apply_patch([operation])
    switch = SwitchModel(config)
    switch.apply_patch([{"op": "replace", "path": "/PORT/Ethernet0/mtu", "value": "9000"}])
    assert switch.config["PORT"]["Ethernet0"]["mtu"] == "9000"
    assert not switch.downs
    switch.apply_patch([{"op": "remove", "path": "/QUEUE/Ethernet0|3"}])
    assert switch.downs == {"Ethernet0": 1}
