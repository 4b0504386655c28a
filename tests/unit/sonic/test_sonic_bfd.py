"""BFD over the links of SONiC switches: only where something lets it in, and nothing that rests on it without."""

from __future__ import annotations

import json
from functools import cache

import pytest

from fabricgen.compiler.compile import compile_document
from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Bag
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.render.engine import Renderer
from fabricgen.source import Document, load_document
from fabricgen.tables.timers import list_timers
from tests.acceptance.run import INVENTORIES

FOLDER = INVENTORIES / "quickstart"
ACL_OFF = ("operations", "access"), {"acl": False}
UNNUMBERED = ("addressing", "fabric_links"), "unnumbered"
HOSTS = ("routing", "hosts"), "bgp"


@cache
def files(*changes: tuple[tuple[str, str], str]) -> tuple[FabricPlan, dict[str, str]]:
    """The plan and the files of the first leaf of quickstart; values of changes are JSON."""
    document: Document | None = load_document(FOLDER / "fabric.yaml", Bag())
    assert document is not None
    for path, value in changes:
        base = document if document.has(path[:1]) else document.replaced(path[:1], {})
        document = base.replaced(path, json.loads(value))
    bag = Bag()
    compiled = compile_document(document, FOLDER, bag)
    assert compiled.plan is not None
    assert compiled.platforms is not None
    assert not bag.has_errors, list(bag)
    leaf = Lowering(compiled.plan).lower_switch(next(compiled.plan.switches()))
    rendered = Renderer(compiled.platforms, bag).render_switch(leaf)
    return compiled.plan, {file.path.rpartition("/")[2]: file.data.decode() for file in rendered}


def changed(*changes: tuple[tuple[str, ...], object]) -> tuple[FabricPlan, dict[str, str]]:
    """The same with values as they are."""
    return files(*((path, json.dumps(value)) for path, value in changes))


@pytest.mark.parametrize(
    ("changes", "upper", "lower"),
    [
        ((), True, False),
        ((ACL_OFF,), False, False),
        ((UNNUMBERED,), True, False),
        ((ACL_OFF, UNNUMBERED), True, False),
        ((HOSTS,), True, True),
        ((HOSTS, ACL_OFF, UNNUMBERED), True, False),
    ],
)
def test_bfd_runs_where_it_is_let_in(
    changes: tuple[tuple[tuple[str, ...], object], ...], upper: bool, lower: bool
) -> None:
    plan, made = changed(*changes)
    routing = plan.tiers[0].routing
    assert (routing.bfd_upper, routing.bfd_lower) == (upper, lower)
    wanted = str(upper or lower).lower()
    assert json.loads(made["config_db.json"])["DEVICE_METADATA"]["localhost"]["frr_mgmt_framework_config"] == wanted
    assert ("bgp graceful-restart" in made["frr.conf"]) == upper
    assert ("neighbor UPPER bfd" in made["frr.conf"]) == upper


def test_timers_without_acl_are_those_of_the_hold_time() -> None:
    plan, _ = changed(ACL_OFF)
    found = {
        row["timer"]: row["milliseconds"]
        for row in list_timers(plan, graceful=False)
        if row["scope"] in ("leaf-spine", "fabric")
    }
    assert found["silent neighbour noticed"] == 9000
    assert found["worst failover"] == 9000
    assert not [row for row in list_timers(plan, graceful=False) if row["layer"] == "BFD"]
