"""The PFC watchdog of SONiC: one process polls all ports, so its times follow how many there may be."""

from __future__ import annotations

from typing import Any

import pytest
from sonic_fabric import compiled, leaf
from sonic_render import config_db

from fabricgen.intent.lossless import Lossless
from fabricgen.physics.pause import noticed_within_ms
from fabricgen.plan.model.contract import Watchdog, WatchdogTimes
from fabricgen.plan.planner.lossless import build_clock, build_watchdog
from fabricgen.tables.timers import list_timers

DOG, DOG_OF_LEAFS = ("lossless",), ("PFC watchdog", "leaf")


def rendered(**stated: int) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """GLOBAL and a port of PFC_WD and the timers of the leafs, with times that the intent states."""
    changes = [(DOG, {"watchdog": stated})] if stated else []
    db = config_db(leaf(*changes))
    port = next(row for name, row in db["PFC_WD"].items() if name != "GLOBAL")
    rows = list_timers(compiled(*changes).plan, {})
    timers = {row["timer"]: row["milliseconds"] for row in rows if (row["layer"], row["scope"]) == DOG_OF_LEAFS}
    return db["PFC_WD"]["GLOBAL"], port, timers


def test_times_follow_the_switch_with_the_most_ports_and_the_poll_its_own() -> None:
    """The spines have 130 ports, which take 1000 ms."""
    poll, port, timers = rendered()
    assert poll == {"POLL_INTERVAL": "600"}
    assert (port["detection_time"], port["restoration_time"]) == ("1000", "2000")
    assert (timers["poll"], timers["detection"], timers["storm noticed at the latest"]) == (600, 1000, 1800)


def test_stated_times_stay_and_the_poll_is_never_longer() -> None:
    poll, port, timers = rendered(detection_ms=300)
    assert poll == {"POLL_INTERVAL": "300"}
    assert (port["detection_time"], port["restoration_time"]) == ("300", "2000")
    assert timers["storm noticed at the latest"] == 600
    assert rendered(detection_ms=1000)[2]["storm noticed at the latest"] == 1800


@pytest.mark.parametrize(("detection", "poll", "latest"), [(200, 200, 400), (600, 400, 1200), (1000, 1000, 2000)])
def test_a_storm_is_noticed_one_interval_after_its_polls(detection: int, poll: int, latest: int) -> None:
    assert noticed_within_ms(detection, poll) == latest


def test_without_ports_to_poll_the_times_are_those_of_one_step() -> None:
    clock = build_clock(0, 0)
    assert build_watchdog(Lossless(), [clock]).on(clock) == Watchdog(200, 400, 200, "drop")


def test_times_that_the_intent_leaves_out_are_within_what_every_platform_counts() -> None:
    clocks = [build_clock(258, 0), build_clock(0, 1500)]
    assert build_watchdog(Lossless(), clocks[:1]) == WatchdogTimes(1800, 3600, "drop")
    assert build_watchdog(Lossless(), clocks) == WatchdogTimes(1500, 3600, "drop")
