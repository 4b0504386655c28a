"""Load balancing of EOS: DLB and resilient hashing, each alone, as Arista's own generator and manual write them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabricgen.device.model import SwitchClass
from fabricgen.platforms.eos.view import TABLE_MAX, build_resilience
from tests.judges.avd.__main__ import findings
from tests.unit.conformance_files import startup_configs
from tests.unit.sonic.sonic_fabric import leaf

BALANCING = ("routing", "ecmp", "load_balancing")
DLB = "ip hardware fib load-balance distribution dynamic"
UNSET = (("tiers", "leaf", "ecmp", "load_balancing"),)


def test_flowlets_are_one_line_that_avd_writes_too() -> None:
    for text in startup_configs({BALANCING: "flowlet"}, without=UNSET).values():
        assert DLB in text.splitlines()
        assert "ecmp resilience" not in text
        assert findings(text) == []


def resilient(width: int) -> SwitchClass:
    """A class that hashes resiliently over so many next hops."""
    cls = leaf().cls
    return replace(cls, routing=replace(cls.routing, resilient=True, max_paths=width))


@pytest.mark.parametrize("width", [1, 8, 64, 256, 600])
def test_a_resilient_table_has_room_for_every_next_hop_and_fits_the_box(width: int) -> None:
    tables = build_resilience(resilient(width))
    assert {table.prefix for table in tables} == {resilient(width).prefixes.host_links}
    assert all(table.capacity == width and table.capacity * table.redundancy <= TABLE_MAX for table in tables)
    assert all(table.redundancy > 1 for table in tables)
