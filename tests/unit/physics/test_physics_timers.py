"""Timers, traffic volumes and counting."""

from __future__ import annotations

import pytest

from fabricgen.physics.capacity import next_power_of_two, reduced
from fabricgen.physics.timers import detection_s, failover_s, retry_margin
from fabricgen.physics.traffic import (
    TrainingJob,
    decimal_unit,
    published_terms,
    ring_all_reduce_bytes,
    sharded_gather_bytes,
    tree_all_reduce_bytes,
)


def test_failover_adds_up() -> None:
    """RFC 5880: 3 x 300 ms; RFC 4271: the hold time; every switch on the way takes its time."""
    assert detection_s(True, 3, 300, 180) == pytest.approx(0.9)
    assert detection_s(False, 3, 300, 180) == 180
    assert failover_s(0.9, 2) == pytest.approx(0.9)
    assert failover_s(0.9, 4, advertisement_s=0.5, programming_s=0.1) == pytest.approx(3.3)


def test_a_retry_budget_that_bfd_keeps_and_the_hold_timer_breaks() -> None:
    assert retry_margin(18, 7, failover_s(0.9, 4, programming_s=0.1)) == pytest.approx(6.6076, abs=1e-4)
    assert retry_margin(20, 7, failover_s(180.0, 2)) < 1


@pytest.mark.parametrize(
    ("volume", "shown"),
    [
        (0.0, "0 B"),
        (999_999.0, "999999 B"),
        (1.5e6, "1.5000 MB"),
        (2**40, "1.0995 TB"),
        (1395.734375e15, "1.3957 EB"),
        (22_900.89984e15, "22.9009 EB"),
    ],
)
def test_volumes_are_shown_in_decimal_units(volume: float, shown: str) -> None:
    assert decimal_unit(volume) == shown


def test_one_gpu_sends_nothing() -> None:
    assert ring_all_reduce_bytes(1e9, 1) == tree_all_reduce_bytes(1e9, 1) == sharded_gather_bytes(1e9, 1) == 0
    alone = TrainingJob(1e9, 10, 1000, 2, batches=5, tokens=1000)
    assert {each.volume_bytes for each in published_terms(alone)} == {0.0}


def test_counting() -> None:
    assert [next_power_of_two(count) for count in (0, 1, 2, 3, 4, 5, 1024, 1025)] == [1, 1, 2, 4, 4, 8, 1024, 2048]
    assert reduced(192 * 400, 28 * 400) == (48, 7)
    assert reduced(0, 5) == (0, 1)
