"""Waves of shipped fabrics, by what follows from their counts."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fabricgen.diagnostics import Bag, Severity
from fabricgen.plan.model.fabric import DeviceException, FabricPlan
from fabricgen.plan.model.rollout import RolloutLimits, Step
from fabricgen.rollout.members import WaveLimits
from fabricgen.rollout.model import ChangedDevice, Wave, WaveKind, WavePlan
from fabricgen.rollout.one_more_failure import warn_of_failures
from fabricgen.rollout.stranded import find_stranded
from fabricgen.rollout.waves import plan_waves
from fabricgen.tables.tables import list_addresses
from tests.unit.lab.fabrics import plan_of


def limited(name: str, floor: Fraction, **shares: Fraction) -> FabricPlan:
    return plan_of(name)._replace(rollout=RolloutLimits(tuple(shares.items()), floor))


def paced(plan: FabricPlan, *steps: Step, canary: int = 1) -> FabricPlan:
    return plan._replace(rollout=plan.rollout._replace(steps=steps, canary=canary))


def everything(plan: FabricPlan, disruption: str = "drain") -> list[ChangedDevice]:
    return [ChangedDevice(plan.device_name(device), disruption) for device in plan.switches()]


def waves_of(plan: FabricPlan, changes: list[ChangedDevice] | None = None) -> WavePlan:
    bag = Bag()
    found = plan_waves(plan, everything(plan) if changes is None else changes, bag)
    assert found is not None, [each.message for each in bag]
    assert len(bag) == 0
    return found


def of_tier(waves: WavePlan, start: str) -> list[int]:
    return [sum(name.startswith(start) for name in wave.devices) for wave in waves.waves]


def test_a_quarter_of_the_spines_and_a_unit_of_leafs_at_a_time() -> None:
    found = waves_of(plan_of("rail-1k"))
    assert of_tier(found, "spine") == [1, 3, 4, 4, 4]
    assert of_tier(found, "leaf") == [1, 7, 8, 8, 8]
    assert [wave.bandwidth for wave in found.waves] == [Fraction(left, 16) for left in (15, 13, 12, 12, 12)]
    first, second = ({*wave.devices} for wave in found.waves[:2])
    assert {name for name in first | second if "leaf" in name} == {f"leaf-u001-r{rail}" for rail in range(8)}
    assert {wave.hosts for wave in found.waves[:2]} == {tuple(f"gpu-u001-h{number:02}" for number in range(1, 33))}


def test_spines_of_a_rail_fabric_are_spread_over_as_few_waves_as_the_floor_allows() -> None:
    spines = [change for change in everything(plan_of("mi300x-1k")) if change.device.startswith("spine")]
    found = waves_of(plan_of("mi300x-1k"), spines)
    assert sorted(of_tier(found, "spine")) == [1, 7, 7, 7, 7, 8]
    assert min(wave.bandwidth for wave in found.waves) == Fraction(29, 37)


def test_planes_go_one_after_another_unless_a_share_of_planes_is_stated() -> None:
    found = waves_of(plan_of("hpn7-pod"))
    assert [wave.scope for wave in found.waves] == ["canary, plane a"] + ["plane a"] * 4 + ["plane b"] * 4
    assert not any(wave.hosts for wave in found.waves)
    assert len(waves_of(limited("hpn7-pod", Fraction(3, 4), plane=Fraction(1, 2))).waves) == 5


def test_meshed_tiers_share_what_the_floor_lets_out() -> None:
    found = waves_of(plan_of("hpn7-cluster"))
    assert len(found.waves) == 17
    assert min(wave.bandwidth for wave in found.waves) >= Fraction(3, 4)


def test_of_a_pair_one_leaf_is_out() -> None:
    found = waves_of(paced(limited("dual-tor", Fraction(1, 2)), Fraction(1)))
    assert of_tier(found, "leaf") == [1, 3, 4]
    for wave in found.waves:
        leafs = [name.rsplit("-", 1)[0] for name in wave.devices if name.startswith("leaf")]
        assert len(leafs) == len(set(leafs))
        assert wave.hosts == ()
    assert found.stranded == ()


def test_a_share_takes_the_place_of_one_unit_at_a_time() -> None:
    found = waves_of(limited("rail-8k", Fraction(3, 4), tier=Fraction(1, 4)))
    assert len(found.waves) == 5
    assert all(
        len({name.split("-")[1] for name in wave.devices if name.startswith("leaf")}) == 4 for wave in found.waves[1:]
    )


@pytest.mark.parametrize(
    ("name", "left", "switch"),
    [("dual-plane", "0.5", "spine-a01"), ("irregular", "0.6", "spine-03"), ("quickstart", "0.5", "spine-01")],
)
def test_a_floor_that_no_rollout_keeps_names_the_device_and_the_highest_that_holds(
    name: str, left: str, switch: str
) -> None:
    plan, bag = plan_of(name), Bag()
    assert plan_waves(plan, everything(plan), bag) is None
    (found,) = bag
    assert found.code == "FG-ROL-010"
    assert found.message.startswith(
        f"at a floor of 0.75 no switch of tier 'spine' can leave: without {switch} the leafs "
    )
    assert f"set rollout.floor to {left}" in found.hint
    assert waves_of(plan._replace(rollout=RolloutLimits(floor=Fraction(left)))).waves


def test_the_floor_holds_in_pods_that_no_exception_singles_out() -> None:
    plan, bag = limited("megascale", Fraction(99, 100)), Bag()
    spines = [device for device in plan.switches() if device.tier == 1]
    drained = {spines[0]: DeviceException(state="drained")}
    other = next(plan.device_name(device) for device in spines if device.where.pod == 1)
    one_drained = plan._replace(exceptions=plan.exceptions._replace(switches=drained))
    assert plan_waves(one_drained, [ChangedDevice(other, "drain")], bag) is None
    (found,) = bag
    assert (found.code, f"without {other} the leafs" in found.message) == ("FG-ROL-010", True)


def test_leafs_alone_need_no_floor() -> None:
    plan = plan_of("quickstart")
    leafs = [change for change in everything(plan) if change.device.startswith("leaf")]
    assert [wave.scope for wave in waves_of(plan, leafs).waves] == ["canary, unit 1", "unit 1", "unit 2"]


def test_a_share_below_one_switch_is_reported() -> None:
    plan, bag = limited("rail-1k", Fraction(3, 4), rail=Fraction(1, 5)), Bag()
    assert plan_waves(plan, everything(plan), bag) is None
    assert {each.message for each in bag} == {
        f"less than one of the 4 switches of rail {rail} may be out" for rail in range(8)
    }


def kinds(waves: WavePlan) -> list[tuple[WaveKind, int]]:
    return [(wave.kind, len(wave.devices)) for wave in waves.waves]


def test_hitless_changes_go_to_a_canary_of_each_tier_then_step_by_step() -> None:
    plan = plan_of("rail-1k")
    changes = everything(plan, "hitless")
    found = waves_of(plan, changes)
    sizes = [(WaveKind.canary, 2), (WaveKind.hitless, 12), (WaveKind.hitless, 24), (WaveKind.hitless, 10)]
    assert kinds(found) == sizes
    assert found.waves[0].devices == ("leaf-u001-r0", "spine-01")
    assert [size for _, size in kinds(waves_of(paced(plan, 1, Fraction(1, 10), Fraction(1, 2)), changes))] == [
        2, 1, 4, 24, 17
    ]  # fmt: skip
    assert [size for _, size in kinds(waves_of(paced(plan, 20, canary=3), changes))] == [6, 20, 20, 2]


def test_every_kind_of_wave_begins_with_a_canary_of_each_tier_and_disruption() -> None:
    """Reboots too; a disruption that only turns up in the next plane has a canary of its own there."""
    plan = plan_of("rail-1k")
    changes = [ChangedDevice(f"spine-{number:02}", "reboot" if number > 8 else "drain") for number in range(1, 17)]
    changes += [ChangedDevice(plan.host_name(host), "port flap", is_host=True) for host in plan.all_hosts()]
    changes += [ChangedDevice(f"leaf-u001-r{rail}", "login") for rail in range(8)]
    found = waves_of(plan, changes)
    firsts = {kind: next(wave for wave in found.waves if wave.kind is kind) for kind in {w.kind for w in found.waves}}
    assert {kind: wave.devices for kind, wave in firsts.items()} == {
        WaveKind.login: ("leaf-u001-r0",),
        WaveKind.drain: ("spine-01", "spine-09"),
        WaveKind.hosts: ("gpu-u001-h01",),
    }
    assert {wave.scope.partition(",")[0] for wave in firsts.values()} == {"canary"}
    planes = plan_of("hpn7-pod")
    apart = [
        ChangedDevice(planes.device_name(device), "reboot" if device.where.plane else "drain")
        for device in planes.switches()
        if device.tier
    ]
    scopes = [wave.scope for wave in waves_of(planes, apart).waves]
    assert [scope for scope in scopes if scope.startswith("canary")] == ["canary, plane a", "canary, plane b"]


def test_units_leave_in_groups_of_so_many() -> None:
    plan = plan_of("rail-1k")
    plan = plan._replace(rollout=RolloutLimits(group_units=2, steps=(Fraction(1),)))
    hosts = [ChangedDevice(plan.host_name(host), "drain", is_host=True) for host in plan.all_hosts()]
    assert [(len(wave.devices), wave.scope) for wave in waves_of(plan, hosts).waves] == [
        (1, "canary, scalable_unit 1"),
        (63, "scalable_unit 1 to 2"),
        (64, "scalable_unit 3 to 4"),
    ]


def test_switches_that_go_first_share_no_wave_with_the_tier_above_or_the_others() -> None:
    plan = plan_of("rail-1k")
    leafs = {f"leaf-u00{unit}-r0" for unit in (1, 2)}
    found = plan_waves(plan, everything(plan), Bag(), first={*leafs, "spine-01"})
    assert [set(wave.devices) & {*leafs, "spine-01"} for wave in found.waves[:3]] == [
        {"leaf-u001-r0"},
        {"leaf-u002-r0"},
        {"spine-01"},
    ]
    assert [len([name for name in wave.devices if "gpu" not in name]) for wave in found.waves[:3]] == [1, 1, 1]
    assert sum(len(wave.devices) for wave in found.waves) == len(everything(plan))


def test_changed_hosts_leave_with_their_leafs_and_the_others_by_unit() -> None:
    changes = [ChangedDevice("leaf-u002-r0", "reboot")]
    changes += [
        ChangedDevice(f"gpu-u00{unit}-h0{host}", "port flap", is_host=True) for unit in (1, 2, 3) for host in (1, 2)
    ]
    found = waves_of(plan_of("rail-1k"), changes)
    assert [(wave.kind, wave.devices, wave.scope) for wave in found.waves] == [
        (WaveKind.drain, ("leaf-u002-r0", "gpu-u002-h01"), "canary, scalable_unit 2"),
        (WaveKind.hosts, ("gpu-u001-h01",), "canary, scalable_unit 1"),
        (WaveKind.hosts, ("gpu-u001-h02",), "scalable_unit 1"),
        (WaveKind.hosts, ("gpu-u002-h02",), "scalable_unit 2"),
        (WaveKind.hosts, ("gpu-u003-h01", "gpu-u003-h02"), "scalable_unit 3"),
    ]
    assert len(found.waves[0].hosts) == 32


def test_prefixes_without_another_path_are_named() -> None:
    found = waves_of(
        plan_of("rail-1k"), [ChangedDevice("leaf-u001-r1", "session reset"), ChangedDevice("spine-01", "drain")]
    )
    (stranded,) = found.stranded
    assert (stranded.device, stranded.user) == ("leaf-u001-r1", "hosts behind leaf-u001-r1")
    assert stranded.prefixes == ("172.16.0.64/26",)


def test_the_pair_that_keeps_least_is_in_service() -> None:
    def in_service(wave: Wave) -> bool:
        return len(wave.kept) == 2 and not set(wave.kept) & set(wave.devices)

    assert all(in_service(wave) for wave in waves_of(plan_of("rail-1k")).waves)


def test_one_more_failure_costs_what_one_more_spine_does() -> None:
    found = waves_of(plan_of("rail-1k"))
    bag = Bag()
    warn_of_failures([found], bag)
    (told,) = bag
    assert [wave.n_minus_1.share for wave in found.waves] == [Fraction(left, 16) for left in (14, 12, 11, 11, 11)]
    assert (told.code, told.severity) == ("FG-ROL-012", Severity.INFO)
    assert told.message.startswith("if spine-01 fails during wave 2, ")
    assert told.message.endswith(
        "keep 68.8% of their bandwidth, less than the floor of 75.0%; the like in 3 of 5 waves"
    )


def test_two_leafs_are_cut_off_where_the_last_spine_fails() -> None:
    found = waves_of(limited("quickstart", Fraction(1, 2)))
    bag = Bag()
    warn_of_failures([found], bag)
    (warning,) = bag
    assert (warning.code, warning.severity) == ("FG-ROL-011", Severity.WARNING)
    assert "are cut off from each other" in warning.message


def test_nothing_is_said_of_waves_with_room_for_a_failure() -> None:
    plan, bag = limited("rail-1k", Fraction(3, 4), tier=Fraction(3, 16)), Bag()
    found = waves_of(plan)
    warn_of_failures([found], bag)
    assert min(wave.n_minus_1.share for wave in found.waves) == Fraction(3, 4)
    assert not bag


@pytest.mark.nightly
def test_hosts_of_a_pod_leave_together_where_pods_are_the_groups_of_the_scheduler() -> None:
    plan = plan_of("meta-llama3-24k")
    names = {plan.device_name(device) for device in plan.switches() if not device.tier}
    leafs = [change for change in everything(plan) if change.device in names]
    found = waves_of(plan._replace(rollout=RolloutLimits(scheduler_group="pod")), leafs)
    assert len(found.waves) == plan.tiers[0].counts.pod + 1
    assert [wave.scope for wave in found.waves][1:] == [f"pod {number}" for number in range(1, 9)]


@pytest.mark.parametrize("name", ["rail-1k", "hpn7-cluster", "two-halls"])
def test_nothing_hangs_behind_one_of_several_spines(name: str) -> None:
    plan = plan_of(name)
    limits = WaveLimits(plan)
    assert not list(find_stranded(limits, [device for device in plan.switches() if device.tier]))


def test_what_hangs_behind_the_only_working_spine_is_named() -> None:
    plan = plan_of("quickstart")
    one, other = (device for device in plan.switches() if device.tier)
    drained = {one: DeviceException(state="drained")}
    alone = plan._replace(exceptions=plan.exceptions._replace(switches=drained))
    found = list(find_stranded(WaveLimits(alone), [other]))
    leafs = [plan.device_name(device) for device in plan.switches() if not device.tier]
    assert [each.user for each in found] == [f"{leaf}, which has no other way up" for leaf in leafs]
    assert {each.device for each in found} == {plan.device_name(other)}
    loopbacks = [f"{row['address']}/32" for row in list_addresses(plan) if row["purpose"] == "loopback"]
    for leaf, each in zip(leafs, found, strict=True):
        assert each.prefixes[0] in loopbacks, leaf
        assert each.prefixes[1].startswith("172.16.")
