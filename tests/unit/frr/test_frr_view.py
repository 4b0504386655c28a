"""Ports of a plain Linux router: bands as tc-ets(8) orders them, cages as devlink-port(8) splits them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabricgen.device.lower import Lowering
from fabricgen.device.model import Contract, SwitchClass
from fabricgen.platforms.frr.view import class_view
from tests.golden.test_stages import compiled


def leaf_class() -> SwitchClass:
    plan = compiled("conformance").plan
    return Lowering(plan).lower_switch(next(plan.switches())).cls


def with_strict(contract: Contract, *priorities: int) -> Contract:
    return replace(contract, classes=tuple(replace(c, strict=c.priority in priorities) for c in contract.classes))


@pytest.mark.parametrize(("strict", "bands"), [((6, 7), (7, 6, 5, 4, 3, 2, 1, 0)), ((4,), (7, 6, 5, 4, 0, 3, 2, 1))])
def test_strict_bands_come_first_and_the_higher_priority_before(
    strict: tuple[int, ...], bands: tuple[int, ...]
) -> None:
    cls = leaf_class()
    view = class_view(replace(cls, contract=with_strict(cls.contract, *strict)))
    assert (view.strict, view.band_by_priority) == (len(strict), bands)


def test_every_priority_has_a_band_and_every_band_behind_the_strict_ones_a_quantum() -> None:
    view = class_view(leaf_class())
    assert sorted(view.band_by_priority) == list(range(8))
    assert [band.number for band in view.bands if not band.quantum] == list(range(1, view.strict + 1))


def test_lossless_bands_mark_unless_nothing_does() -> None:
    cls = leaf_class()
    marked = [band.number - 1 for band in class_view(cls).bands if band.marked]
    assert marked == [class_view(cls).band_by_priority[p] for p in sorted(cls.contract.lossless, reverse=True)]
    alone = class_view(replace(cls, contract=replace(cls.contract, mode="pfc_only")))
    assert not any(band.marked for band in alone.bands)
    assert {row.kmax_bytes for row in alone.rows} == {0}


def test_a_cage_is_split_into_all_its_ports_once_one_has_a_link() -> None:
    cls = leaf_class()
    ports = tuple(
        replace(port, name=f"swp{port.cage}s{port.subport - 1}", used=port.cage == 1 and port.subport == 1)
        for port in cls.ports
    )
    splits = class_view(replace(cls, ports=ports)).splits
    assert [(split.port, split.count) for split in splits] == [("swp1", 2)]


def test_headroom_counts_what_arrives_after_xoff() -> None:
    cls = leaf_class()
    row = next(shape.headroom for shape in cls.ports if shape.headroom)
    assert (row.size_bytes, row.xon_bytes, row.xoff_bytes) == (9144, 9144, 424434)
    assert {port.headroom_bytes for port in class_view(cls).rows} == {9144 + 424434}
