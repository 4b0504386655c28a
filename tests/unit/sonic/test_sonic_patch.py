"""Patches for SONiC: each row of what the updaters of the releases refuse, and what is done instead."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import pytest
from patched_switch import PG, SKUS, Config, Edit, add_row, carried_out, drop_row, kinds, mark, plan, set_field, switch

from fabricgen.platforms.patching.steps import Change
from fabricgen.platforms.sonic.patch import find_refused
from fabricgen.platforms.sonic.patch_files import FILE_MAX_S, Files

ALL = ("202405", "202411", "202505", "202511", "202605")
OLD, NEW = ALL[:3], ALL[3:]
RELOAD = "reload"
LOSSY = "ingress_lossy_profile"


@pytest.mark.parametrize("sku", SKUS)
@pytest.mark.parametrize("release", ALL[2:])
@pytest.mark.parametrize(
    ("edit", "old_listed", "old_unlisted", "new_listed", "new_unlisted"),
    [
        (set_field("PORT", "Ethernet0", "mtu", "9000"), "apply-patch", "apply-patch", "apply-patch", "apply-patch"),
        (set_field("BUFFER_PROFILE", PG, "dynamic_th", "1"), "apply-patch", RELOAD, "apply-patch", RELOAD),
        (set_field("BUFFER_PROFILE", LOSSY, "dynamic_th", "1"), RELOAD, RELOAD, "apply-patch", RELOAD),
        (set_field("BUFFER_PROFILE", PG, "xon", "19"), *4 * [RELOAD]),
        (drop_row("BUFFER_PROFILE", LOSSY), RELOAD, RELOAD, "apply-patch", "apply-patch"),
        (set_field("BUFFER_POOL", "ingress_lossless_pool", "xoff", "8"), "apply-patch", RELOAD, RELOAD, RELOAD),
        (mark("green_max_threshold"), "apply-patch", "ecnconfig", "apply-patch", "apply-patch"),
        (mark("red_max_threshold"), "ecnconfig", "ecnconfig", "apply-patch", "apply-patch"),
        (set_field("WRED_PROFILE", "roce_400g", "ecn", "ecn_none"), RELOAD, RELOAD, "apply-patch", "apply-patch"),
        (set_field("PFC_WD", "Ethernet0", "action", "alert"), "apply-patch", "pfcwd", "apply-patch", "pfcwd"),
        (drop_row("PFC_WD", "Ethernet0"), "apply-patch", "pfcwd", "apply-patch", "pfcwd"),
        (lambda config: config.pop("PFC_WD"), "apply-patch", "pfcwd reload", "apply-patch", "pfcwd reload"),
        (lambda config: config["NTP_SERVER"].clear(), *4 * ["apply-patch"]),
        (set_field("PORT", "Ethernet0", "lanes", "99"), *4 * [RELOAD]),
        (drop_row("LOOPBACK_INTERFACE", "Loopback0"), *4 * [RELOAD]),
    ],
)  # fmt: skip
def test_the_way_of_each_change(
    release: str, sku: str, edit: Edit, old_listed: str, old_unlisted: str, new_listed: str, new_unlisted: str
) -> None:
    steps, model = carried_out(switch(release, sku, ports=4), edit)
    way = {
        (True, True): old_listed, (True, False): old_unlisted, (False, True): new_listed, (False, False): new_unlisted,
    }[release in OLD, sku == SKUS[0]]  # fmt: skip
    assert kinds(steps) == way.split()
    assert not model.downs
    assert all(step.reason for step in steps if way == RELOAD)


@pytest.mark.parametrize(("mode", "looks"), [("split-unified", 1), ("separated", 0), ("", 0)])
def test_after_a_reload_one_looks_at_the_routing_mode(mode: str, looks: int) -> None:
    before = switch("202511")
    before["DEVICE_METADATA"]["localhost"] |= {"docker_routing_config_mode": mode} if mode else {}
    steps, _ = carried_out(before, set_field("PORT", "Ethernet0", "lanes", "99"))
    command = 'sonic-db-cli CONFIG_DB hget "DEVICE_METADATA|localhost" docker_routing_config_mode'
    assert [step.command for step in steps[1:]] == looks * [command]
    assert all("split-unified" in step.reason for step in steps[1:])
    hitless, _ = carried_out(before, set_field("PORT", "Ethernet0", "mtu", "9000"))
    assert "hget" not in str(hitless), "no reload, no look"


def test_only_what_must_be_is_a_reload() -> None:
    def edit(config: Config) -> None:
        config["BUFFER_POOL"]["ingress_lossless_pool"]["size"] = "80"
        config["PORT"]["Ethernet0"]["mtu"] = "9000"
        config["QUEUE"]["Ethernet0|3"]["scheduler"] = "scheduler.b"

    steps, model = carried_out(switch("202511"), edit)
    assert kinds(steps) == ["apply-patch", RELOAD]
    assert steps[0].disruption == "hitless"
    assert "/PORT/Ethernet0/mtu" in steps[0].content
    assert "QUEUE" not in steps[0].content, "a reload takes the port down anyway"
    assert steps[1].disruption == "drain"
    assert not model.downs


@pytest.mark.parametrize("table", ["QUEUE", "BUFFER_PG", "PORT_QOS_MAP"])
def test_rows_of_ports_are_flaps_of_few_ports_at_a_time(table: str) -> None:
    def edit(config: Config) -> None:
        for key, row in config[table].items():
            field, value = next(iter(row.items()))
            row[field] = {"scheduler": "scheduler.b", "profile": "ingress_lossy_profile"}.get(field, value + ",4")
            assert key

    before = switch("202511")
    before["PORT"]["Ethernet56"]["admin_status"] = "down"
    steps, model = carried_out(before, edit)
    assert [step.disruption for step in steps] == ["hitless", *2 * ["port flap", "hitless", "hitless"]]
    assert model.downs == {f"Ethernet{8 * number}": 1 for number in range(7)}, "a port that is down does not flap"


def test_files_keep_their_budget_and_steps_their_time() -> None:
    before = switch("202511", ports=256)
    _, steps, _ = plan(before, lambda config: [row.update(mtu="9000") for row in config["PORT"].values()])
    files = [step for step in steps if step.content]
    assert len(files) > 1
    assert all(0 < step.seconds <= FILE_MAX_S for step in files)
    assert sum(len(json.loads(step.content)) for step in files) == 256
    (grouped, _) = plan(switch("202605", ports=256), lambda c: [r.update(mtu="9000") for r in c["PORT"].values()])[1]
    assert grouped.seconds < sum(step.seconds for step in files) / 2, "202605 works like changes off together"


def test_patches_that_take_longer_than_a_reload_are_one() -> None:
    before = switch("202511", ports=256)
    rows = {f"Ethernet{8 * port}|{queue}": {"scheduler": "scheduler.a"} for port in range(256) for queue in range(3)}
    before["QUEUE"].update(rows)
    _, steps, _ = plan(before, lambda config: [row.update(scheduler="scheduler.b") for row in config["QUEUE"].values()])
    assert [step.command for step in steps] == ["config reload -y {file}", "config save -y"]
    assert re.fullmatch(r"patches would take about [\d,]+ s, a reload less", steps[0].reason)


def test_changes_that_take_no_port_down_but_too_long_are_a_reload_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    packed: list[int] = []
    send = Files.send_packed

    def count(self: Files, bundles: Sequence[Sequence[Change]], disruption: str = "") -> None:
        packed.append(len(bundles))
        send(self, bundles, disruption)

    monkeypatch.setattr(Files, "send_packed", count)

    def ways(rows: int) -> tuple[list[str], str]:
        packed.clear()
        servers: Config = {f"10.0.{at >> 8}.{at & 255}": {} for at in range(rows)}
        steps, _ = carried_out(switch("202511", ports=2), lambda config: config.update(NTP_SERVER=servers))
        return kinds(steps), steps[-1].reason

    ways_of_few, reason = ways(200)
    assert (set(ways_of_few), reason) == ({"apply-patch"}, "")
    assert packed
    ways_of_many, reason = ways(2400)
    assert ways_of_many == [RELOAD]
    assert re.fullmatch(r"patches would take about [\d,]+ s, a reload less", reason)
    assert not packed, "patches are made that nobody gets"


def test_additions_never_meet_equal_removals_in_one_file() -> None:
    """The difference of both would be a move, which the updater does not know."""

    def edit(config: Config) -> None:
        config["PFC_WD"]["Ethernet8"] = config["PFC_WD"].pop("Ethernet0")
        config["BUFFER_PROFILE"]["other_1"] = config["BUFFER_PROFILE"].pop("ingress_lossy_profile")

    before = switch("202511")
    del before["PFC_WD"]["Ethernet8"]
    steps, _ = carried_out(before, edit)
    assert kinds(steps) == ["apply-patch"] * 2


def test_a_field_the_release_does_not_know_is_deleted_before_anything_is_sent() -> None:
    before = switch("202511")
    before["GNMI"] = {"gnmi": {"port": "8080", "vrf": "mgmt"}}

    def edit(config: Config) -> None:
        del config["GNMI"]["gnmi"]["vrf"]
        config["PORT"]["Ethernet0"]["mtu"] = "9000"

    steps, _ = carried_out(before, edit)
    assert steps[0].command == "sonic-db-cli CONFIG_DB hdel 'GNMI|gnmi' vrf"
    assert "every patch is refused" in steps[0].reason
    assert kinds(steps) == ["sonic-db-cli", "apply-patch"]


@pytest.mark.parametrize("sku", SKUS)
@pytest.mark.parametrize("release", ALL)
def test_a_value_that_the_release_refuses_is_set_before_anything_is_sent(release: str, sku: str) -> None:
    before = switch(release, sku)
    before["PFC_WD"]["GLOBAL"]["POLL_INTERVAL"] = "300"
    before["PFC_WD"]["Ethernet0"]["detection_time"] = "250"
    before["SCHEDULER"]["scheduler.a"]["weight"] = "0"

    def edit(config: Config) -> None:
        config["PFC_WD"]["GLOBAL"]["POLL_INTERVAL"] = "200"
        config["PFC_WD"]["Ethernet0"]["detection_time"] = "220"
        config["SCHEDULER"]["scheduler.a"]["weight"] = "40"
        config["PORT"]["Ethernet0"]["mtu"] = "9000"

    steps, _ = carried_out(before, edit)
    assert {step.command for step in steps if step.command.startswith("sonic-db-cli")} == {
        "sonic-db-cli CONFIG_DB hset 'SCHEDULER|scheduler.a' weight 40",
        "sonic-db-cli CONFIG_DB hset 'PFC_WD|Ethernet0' detection_time 220",
        "sonic-db-cli CONFIG_DB hset 'PFC_WD|GLOBAL' POLL_INTERVAL 200",
    }
    assert kinds(steps) == [*3 * ["sonic-db-cli"], "apply-patch"]
    assert any("with 250, which" in step.reason and "below a POLL_INTERVAL of 300" in step.reason for step in steps)


def test_what_an_undo_brings_back_comes_last_where_the_release_refuses_it() -> None:
    def edit(config: Config) -> None:
        config["PFC_WD"]["Ethernet0"]["detection_time"] = "150"
        config["PFC_WD"]["GLOBAL"]["POLL_INTERVAL"] = "200"
        config["PORT"]["Ethernet0"]["mtu"] = "9000"

    steps, _ = carried_out(switch("202511"), edit)
    assert kinds(steps)[0] == "apply-patch"
    assert all(step.command.startswith(("sonic-db-cli", "config save")) for step in steps[1:])
    assert "from here on every patch is refused" in steps[1].reason


@pytest.mark.parametrize(
    ("release", "edit", "field"),
    [
        ("202511", add_row("GNMI", "gnmi", {"vrf": "mgmt"}), "GNMI|gnmi has the field vrf"),
        ("202505", set_field("PFC_WD", "Ethernet0", "pfc_stat_history", "enable"), "PFC_WD|Ethernet0 has the field"),
        ("202405", set_field("DEVICE_METADATA", "localhost", "suppress-fib-pending", "enabled"), "DEVICE_METADATA"),
    ],
)
def test_what_the_release_refuses_is_known(release: str, edit: Edit, field: str) -> None:
    _, _, situation = plan(switch(release), edit)
    (found,) = find_refused(situation)
    assert found.startswith(field)
    assert found.endswith(f"which the YANG models of {release} do not have")
    assert find_refused(plan(switch("202605"), set_field("PORT", "Ethernet0", "mtu", "9000"))[2]) == []


def test_fields_of_master_are_taken_though_it_names_an_older_release() -> None:
    edit = set_field("PORT", "Ethernet0", "mtu", "9000")
    for release, refused in (("202605", False), ("202511", True)):
        before = switch(release)
        before["PORTCHANNEL"] = {"PortChannel1": {"admin_status": "up", "system_mac": "02:00:00:00:00:01"}}
        assert bool(find_refused(plan(before, edit)[2])) is refused


def test_no_secret_is_shown_and_no_reference_to_one_is_judged() -> None:
    """A TACACS+ key has at most 65 characters; a reference may be longer, and a clear one is not repeated."""
    before = switch("202511")
    before["TACPLUS"] = {"global": {"passkey": f"@fabricgen-secret:vault:{'long/' * 20}key@"}}
    edit = set_field("PORT", "Ethernet0", "mtu", "9000")
    assert find_refused(plan(before, edit)[2]) == []
    before["TACPLUS"] = {"global": {"passkey": "hunter2 " * 12}}
    (found,) = find_refused(plan(before, edit)[2])
    assert found == "TACPLUS|global has the field passkey, whose value the YANG models of 202511 reject"


def test_the_release_is_that_of_the_switch() -> None:
    def edit(config: Config) -> None:
        config["VERSIONS"]["DATABASE"]["VERSION"] = "version_202511_01"
        config["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"] = "8"

    _, steps, _ = plan(switch("202505"), edit)
    assert steps[0].command.startswith("config apply-patch")
