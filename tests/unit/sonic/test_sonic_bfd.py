"""BFD over the links of SONiC switches: only where something lets it in, and nothing that rests on it without."""

from __future__ import annotations

from pathlib import Path

import pytest
import sonic_render
from sonic_fabric import Change, compiled, leaf

from fabricgen.tables.timers import list_timers
from tests.unit.judged import findings

ACL_OFF = ("operations", "access"), {"acl": False}
UNNUMBERED = ("addressing", "fabric_links"), "unnumbered"
HOSTS = ("routing", "hosts"), "bgp"


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
def test_bfd_runs_where_it_is_let_in(changes: tuple[Change, ...], upper: bool, lower: bool) -> None:
    device = leaf(*changes)
    assert (device.cls.routing.bfd_upper, device.cls.routing.bfd_lower) == (upper, lower)
    metadata = sonic_render.config_db(device)["DEVICE_METADATA"]["localhost"]
    assert metadata["frr_mgmt_framework_config"] == str(upper or lower).lower()
    lines = sonic_render.frr_lines(device)
    assert ("bgp graceful-restart" in lines) == upper
    assert ("neighbor UPPER bfd profile FABRIC" in lines) == upper


def test_frr_takes_what_is_left_without_bfd(tmp_path: Path) -> None:
    assert findings(sonic_render.render(leaf(ACL_OFF)), tmp_path, "frr", "vtysh") == []


def test_timers_without_acl_are_those_of_the_hold_time() -> None:
    rows = list_timers(compiled(ACL_OFF).plan, {})
    found = {row["timer"]: row["milliseconds"] for row in rows if row["scope"] in ("leaf-spine", "fabric")}
    assert found["silent neighbour noticed"] == 9000
    assert found["worst failover"] == 9000
    assert not [row for row in rows if row["layer"] == "BFD"]
