"""Fabrics for tests of the lab that boot nothing."""

from __future__ import annotations

from functools import cache

from fabricgen.api import Compiled, compile_inventory
from fabricgen.diagnostics import Bag
from fabricgen.lab.model.blueprint import Blueprint
from fabricgen.lab.model.planned import Drafter
from fabricgen.plan.model.fabric import FabricPlan
from tests.acceptance.run import INVENTORIES


@cache
def compiled(name: str, *overlays: str) -> Compiled:
    """An inventory of this repository, compiled."""
    return compile_inventory(INVENTORIES / name, overlays, Bag())


def plan_of(name: str, *overlays: str) -> FabricPlan:
    """The plan of an inventory of this repository."""
    return compiled(name, *overlays).plan


def draft(plan: FabricPlan, name: str) -> Blueprint:
    """The blueprint of a plan that is a part of that inventory."""
    bag = Bag()
    blueprint = Drafter(plan, compiled(name).platforms or {}, bag).draft("test")
    assert not bag.has_errors, list(bag)
    return blueprint


@cache
def lab_of(name: str) -> Blueprint:
    """The blueprint of an inventory of this repository."""
    return draft(plan_of(name), name)
