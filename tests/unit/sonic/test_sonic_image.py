"""A switch as it runs: the image's init_cfg.json below our file, in the forms that SONiC prints.

The rows are those of tables that are written, read in files/build_templates/init_cfg.json.j2 of
sonic-net/sonic-buildimage: 202405 cfc766e1, 202411 566f5575, 202505 ff3c0c9f, 202511 fde92d26, 202605 10ae4708.
"""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest
import sonic_fabric as fabric
from sonic_render import config_db

from fabricgen.diff.tree_changes import TreeComparison, compare_trees
from fabricgen.platforms.patching.steps import Situation
from fabricgen.platforms.reading.reader import ReadFault
from fabricgen.platforms.sonic.patch import plan_patch
from fabricgen.platforms.sonic.reader import read
from fabricgen.rollout.digests import Meanings, list_kept
from tests.unit.sonic.patched_switch import PATH, semantics

Config = dict[str, Any]
_ON = {"FLEX_COUNTER_STATUS": "enable"}
_ACL = {**_ON, "POLL_INTERVAL": "10000"}
_GROUPS = dict.fromkeys(("PORT", "RIF", "QUEUE", "PFCWD", "PG_WATERMARK", "PG_DROP", "QUEUE_WATERMARK"), _ON)
_GROUPS |= dict.fromkeys(("BUFFER_POOL_WATERMARK", "PORT_BUFFER_DROP"), _ON)
_NTP = {"authentication": "disabled", "dhcp": "enabled", "server_role": "disabled", "src_intf": "eth0"}
_ALL: Config = {
    "DEVICE_METADATA": {"localhost": {"buffer_model": "traditional", "default_bgp_status": "up", "timezone": "UTC"}},
    "SYSLOG_CONFIG": {"GLOBAL": {"rate_limit_interval": "0", "rate_limit_burst": "0"}},
    "NTP": {"global": {**_NTP, "admin_state": "enabled", "vrf": "default"}},
    "BANNER_MESSAGE": {"global": {"state": "disabled", "login": "Debian GNU/Linux 11", "motd": "You", "logout": ""}},
}
_COUNTERS: Config = {
    "202405": {"ACL": {**_ACL, "FLEX_COUNTER_DELAY_STATUS": "true"}},
    "202411": {**_GROUPS, "ACL": _ACL},
    **{release: {**_GROUPS, "ACL": _ACL, "PORT_PHY_ATTR": _ON} for release in ("202505", "202511", "202605")},
}
IMAGES: dict[str, Config] = {release: {**_ALL, "FLEX_COUNTER_TABLE": rows} for release, rows in _COUNTERS.items()}


def running(release: str, config: Config) -> Config:
    """The configuration of a switch after ``config reload``."""
    found = deepcopy(IMAGES[release])
    for table, rows in config.items():
        for key, row in rows.items():
            found.setdefault(table, {}).setdefault(key, {}).update(row)
    return found


def compared(before: Config, after: Config) -> TreeComparison:
    return compare_trees(read(json.dumps(before)), read(json.dumps(after)), semantics())


def differences(before: Config, after: Config) -> list[str]:
    return [" > ".join(change.steps) for change in compared(before, after).changes]


@pytest.mark.parametrize("release", IMAGES)
@pytest.mark.parametrize("left_out", [(), ("NTP", "SYSLOG_CONFIG")])
def test_an_untouched_switch_does_not_differ(release: str, left_out: tuple[str, ...]) -> None:
    config = {table: rows for table, rows in config_db(fabric.leaf(fabric.SERVICES)).items() if table not in left_out}
    assert differences(running(release, config), config) == []


def test_other_values_than_the_image_has_are_seen() -> None:
    config = config_db(fabric.leaf(fabric.SERVICES))
    have = running("202605", config)
    have["SYSLOG_CONFIG"]["GLOBAL"]["rate_limit_burst"] = "5"
    have["FLEX_COUNTER_TABLE"] |= {"ACL": {**_ON, "POLL_INTERVAL": "5000"}, "TUNNEL": _ON}
    del have["FLEX_COUNTER_TABLE"]["PFCWD"]
    assert differences(have, config) == ["FLEX_COUNTER_TABLE > PFCWD", "SYSLOG_CONFIG > GLOBAL > rate_limit_burst"]
    assert compared(have, config).unmanaged == [("FLEX_COUNTER_TABLE", name) for name in ("ACL", "TUNNEL")]


@pytest.mark.parametrize("rows", ['"1"', "[]", '{"a": "b"}', '{"GLOBAL": 1}'])
def test_what_is_no_table_is_a_path_of_its_own(rows: str) -> None:
    tree = read(f'{{"PORT": {{"Ethernet0": {{}}}}, "OF_OLD": {rows}, "PFC_WD": null}}')
    comparison = compare_trees(tree, {"PORT": {"Ethernet0": {}}}, semantics())
    assert (comparison.changes, comparison.unmanaged) == ([], [("OF_OLD",)])
    with pytest.raises(ReadFault, match="PFC_WD is not a table of rows"):
        read(f'{{"PORT": {{"Ethernet0": {{}}}}, "PFC_WD": {rows}}}')


def test_a_patch_keeps_away_from_what_is_no_table() -> None:
    have = {**config_db(fabric.leaf(fabric.SERVICES)), "OF_OLD": {"value": 1.5}}
    wanted = deepcopy(have) | {"SYSLOG_SERVER": {"192.0.2.1": {}}}
    trees = read(json.dumps(have)), read(json.dumps(wanted))
    changes = compare_trees(*trees, semantics()).changes
    steps = plan_patch(Situation(PATH, tuple(changes), *trees, "", "", semantics(), 0o640))
    assert "SYSLOG_SERVER" in "".join(step.content for step in steps)
    assert "OF_OLD" not in "".join(step.content for step in steps)


def test_rows_outside_of_tables_are_refused() -> None:
    with pytest.raises(ReadFault, match="rows outside of tables"):
        read('{"PORT": {"Ethernet0": {}}, "PORT|Ethernet0": {"mtu": "9100"}}')


@pytest.mark.parametrize("release", IMAGES)
def test_rollouts_know_an_untouched_switch_again(release: str) -> None:
    """Values without a difference have no part in the digest by which a rollout tells that a switch is as planned."""
    config = config_db(fabric.leaf(fabric.SERVICES))
    wanted = read(json.dumps(config))
    kept = list_kept(wanted, semantics())
    other = running(release, config)
    other["SYSLOG_CONFIG"]["GLOBAL"]["rate_limit_interval"] = "7"
    digests = [
        Meanings().digest(read(json.dumps(each)), semantics(), kept=kept)
        for each in (config, running(release, config), other)
    ]
    assert digests[0] == digests[1] != digests[2]
