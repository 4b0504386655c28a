"""A rule on a platform names every tier that runs it, in one line."""

from __future__ import annotations

from typing import Any

import pytest

from fabricgen.compiler.compile import compile_document
from fabricgen.diagnostics import Bag, Diagnostic, IntentPath
from fabricgen.source import load_document
from tests.acceptance.run import INVENTORIES

OPERATIONS: IntentPath = ("operations",)
BOTH = [("tiers", "leaf", "platform"), ("tiers", "spine", "platform")]


def told(code: str, changes: dict[IntentPath, Any]) -> list[Diagnostic]:
    """Return what is said of the quickstart fabric under a code after some changes."""
    bag = Bag()
    document = load_document(INVENTORIES / "quickstart/fabric.yaml", bag)
    assert document is not None
    for path, value in changes.items():
        document = document.without(path) if value is None else document.replaced(path, value)
    compile_document(document, INVENTORIES / "quickstart", bag)
    return [diagnostic for diagnostic in bag if diagnostic.code == code]


@pytest.mark.parametrize(("code", "services"), [("FG-PLT-065", ["tacacs"]), ("FG-PLT-066", ["ntp", "syslog"])])
def test_missing_services_name_all_tiers(code: str, services: list[str]) -> None:
    found = told(code, {OPERATIONS: None})
    assert [each.path for each in found] == [("operations", service) for service in services]
    for each in found:
        assert "2 tiers, 'leaf' and 'spine', run sonic" in each.message
        assert [related.path for related in each.related] == BOTH


def test_tiers_of_several_platforms_stand_in_one_line() -> None:
    changes = {OPERATIONS: None, ("tiers", "leaf"): {"model": "arista_7060x6_64pe", "platform": "eos"}}
    (found,) = told("FG-PLT-065", changes)
    assert found.message.endswith("tier 'leaf' runs eos, and tier 'spine' runs sonic")
    assert found.path == ("operations", "tacacs"), "not every tier has local logins"


def test_pools_of_the_driver_name_all_tiers() -> None:
    (found,) = told("FG-PLT-061", {("tiers", tier, "platform"): "frr" for tier in ("leaf", "spine")})
    assert "2 tiers, 'leaf' and 'spine', run frr" in found.message
    assert [found.path, *(related.path for related in found.related)] == BOTH


def test_a_service_beneath_is_one_remark_with_all_tiers() -> None:
    (found,) = told("FG-PLT-901", {("tiers", tier, "platform"): "frr" for tier in ("leaf", "spine")})
    assert found.path == ("operations", "tacacs")
    assert [related.path for related in found.related] == BOTH


def test_the_remark_on_management_names_what_runs() -> None:
    (found,) = told("FG-PLT-055", {})
    assert found.message == "sonic accepts SSH from 192.168.0.0/16 only, the management pool"
