"""A small SONiC switch whose CONFIG_DB is edited, and the steps of the patch for it, carried out on a model."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from typing import Any

from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import load_kinds
from fabricgen.diff.tree_changes import compare_trees
from fabricgen.platforms.patching.steps import PatchStep, Situation
from fabricgen.platforms.reading.semantics import Semantics
from fabricgen.platforms.sonic.patch import plan_patch
from tests.property.switch_model import SwitchModel

Config = dict[str, Any]
Edit = Callable[[Config], Any]
PATH = "etc/sonic/config_db.json"
SKUS = LISTED, UNLISTED = "Arista-7060X6-64PE-O128S2", "DellEMC-Z9664f-O64"
PG = "pg_lossless_400000_40m_profile"


@cache
def semantics() -> Semantics:
    return load_kinds(None, Bag()).of_device("switches", [PATH, "etc/sonic/frr/frr.conf"])[PATH].semantics


def switch(release: str, sku: str = LISTED, ports: int = 8) -> Config:
    """A small CONFIG_DB that every release takes."""
    names = [f"Ethernet{8 * number}" for number in range(ports)]
    watch = {"action": "drop", "detection_time": "200", "restoration_time": "400"}
    marking = {f"{color}_{end}_threshold": "1000" for color in ("green", "yellow", "red") for end in ("min", "max")}
    return {
        "VERSIONS": {"DATABASE": {"VERSION": f"version_{release}_01"}},
        "DEVICE_METADATA": {"localhost": {"hostname": "leaf-1", "hwsku": sku, "type": "ToRRouter"}},
        "PORT": {name: {"lanes": name[8:] or "0", "admin_status": "up", "mtu": "9100"} for name in names},
        "LOOPBACK_INTERFACE": {"Loopback0": {}},
        "SCHEDULER": {"scheduler.a": {"type": "DWRR", "weight": "10"}, "scheduler.b": {"type": "STRICT"}},
        "WRED_PROFILE": {"roce_400g": {**marking, "ecn": "ecn_all"}},
        "QUEUE": {f"{name}|3": {"scheduler": "scheduler.a", "wred_profile": "roce_400g"} for name in names},
        "PORT_QOS_MAP": {name: {"pfc_enable": "3"} for name in names},
        "BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "90", "xoff": "9"}},
        "BUFFER_PROFILE": {
            PG: {"pool": "ingress_lossless_pool", "xon": "18", "xoff": "400", "size": "18", "dynamic_th": "0"},
            "ingress_lossy_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"},
        },
        "BUFFER_PG": {f"{name}|3": {"profile": PG} for name in names},
        "PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "200"}, **{name: dict(watch) for name in names}},
        "NTP_SERVER": {"192.0.2.1": {}},
    }


def plan(before: Config, edit: Edit) -> tuple[Config, tuple[PatchStep, ...], Situation]:
    """The intended side, the steps to it, and what they were planned from."""
    after = copy.deepcopy(before)
    edit(after)
    after = {table: rows for table, rows in after.items() if rows}
    changes = tuple(compare_trees(before, after, semantics()).changes)
    situation = Situation(PATH, changes, before, after, json.dumps(before), json.dumps(after), semantics(), 0o640)
    return after, plan_patch(situation), situation


def carried_out(before: Config, edit: Edit) -> tuple[list[PatchStep], SwitchModel]:
    """The steps but the save, carried out both ways on a model of the switch."""
    after, steps, situation = plan(before, edit)
    model = SwitchModel(before)
    for step in steps:
        model.run(step.command, step.content)
    assert model.config == after
    back = SwitchModel(after, model.release)
    for step in plan_patch(situation.reversed()):
        back.run(step.command, step.content)
    assert back.config == before
    return [step for step in steps if step.command != "config save -y"], model


def kinds(steps: list[PatchStep]) -> list[str]:
    return [step.command.split()[0 if step.command[0] in "pes" else 1] for step in steps]


def set_field(table: str, key: str, field: str, value: str) -> Edit:
    return lambda config: config[table][key].update({field: value})


def mark(field: str) -> Edit:
    return set_field("WRED_PROFILE", "roce_400g", field, "2000")


def drop_row(table: str, key: str) -> Edit:
    return lambda config: config[table].pop(key)


def add_row(table: str, key: str, row: Config) -> Edit:
    return lambda config: config.setdefault(table, {}).update({key: row})
