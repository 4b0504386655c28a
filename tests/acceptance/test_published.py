"""Published fabrics come out as published.

Source:
    "The Llama 3 Herd of Models", section 3.3.1, and Gangidi et al., SIGCOMM 2024, section 3: meta-llama3-24k; Qian et
    al., SIGCOMM 2024, sections 4 and 5: hpn7-pod.
"""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from functools import cache, reduce
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabricgen.catalog import Catalog
from fabricgen.device.lower import Lowering
from fabricgen.device.model import Switch
from fabricgen.diagnostics import Diagnostic, Severity
from fabricgen.plan.model.fabric import DeviceId, FabricPlan
from fabricgen.plan.model.identity import Coordinates
from tests.acceptance.run import diagnose
from tests.command_line import run_here
from tools.docs.published_page import Figure, list_facts

REPOSITORY = Path(__file__).parents[2]
PUBLISHED = {
    path.parent.name: yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    for path in sorted(REPOSITORY.glob("inventories/*/published.yaml"))
}
FIGURES = [(name, row) for name, told in PUBLISHED.items() for row in told["figures"]]
"""Inventories with every figure that a paper or guide prints of the fabric: what, key, published and source."""


def round_as(computed: Figure, published: Figure) -> Figure:
    if isinstance(computed, str) or isinstance(published, str):
        return computed
    digits = str(published).partition(".")[2]
    return round(computed, len(digits)) if digits else round(computed)


@cache
def compiled_under(inventory: str, *overlays: str) -> tuple[FabricPlan, Catalog | None, tuple[Diagnostic, ...]]:
    """The plan of an inventory that has no errors, the models that it names, and all that is said of it."""
    compiled, bag = diagnose(REPOSITORY / "inventories" / inventory, *overlays)
    assert [d.message for d in bag if d.severity is Severity.ERROR] == []
    return compiled.plan, compiled.catalog, tuple(bag)


def plan_of(inventory: str, *overlays: str) -> FabricPlan:
    return compiled_under(inventory, *overlays)[0]


@cache
def facts_of(inventory: str, *overlays: str) -> dict[str, Figure]:
    """Every figure of an inventory's plan, perhaps under overlays."""
    return list_facts(*compiled_under(inventory, *overlays)[:2])


def first_of(inventory: str, tier: int, *overlays: str) -> Switch:
    return Lowering(plan_of(inventory, *overlays)).lower_switch(DeviceId(tier, Coordinates()))


@pytest.mark.parametrize(("name", "row"), FIGURES, ids=[f"{name}: {row['what']}" for name, row in FIGURES])
def test_every_published_figure_comes_out_to_its_last_digit(name: str, row: dict[str, Any]) -> None:
    overlays = filter(None, (row.get("overlay"),))
    assert round_as(facts_of(name, *overlays)[row["key"]], row["published"]) == row["published"]
    assert row["source"].partition(":")[0] in PUBLISHED[name]["sources"]


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_remark_on_a_published_fabric_is_explained_and_no_warning_is_left(name: str) -> None:
    counted = [d for d in compiled_under(name)[2] if not d.waived]
    assert {d.code for d in counted} == PUBLISHED[name]["remarks"].keys()
    assert {d.severity for d in counted} <= {Severity.INFO}


FOLDERS = {name: REPOSITORY / "inventories" / name / "overlays" for name in PUBLISHED}
OVERLAYS = [(name, path.stem) for name, folder in FOLDERS.items() for path in sorted(folder.glob("*.yaml"))]
"""Published inventories with each of their overlays."""


@pytest.mark.parametrize(("name", "overlay"), OVERLAYS, ids=str)
def test_every_remark_that_an_overlay_adds_is_explained(name: str, overlay: str) -> None:
    told = PUBLISHED[name]
    counted = [found for found in compiled_under(name, overlay)[2] if not found.waived]
    added = {found.code for found in counted} - told["remarks"].keys()
    assert added == told.get("overlay_remarks", {}).get(overlay, {}).keys()
    assert {found.code for found in counted if found.severity is not Severity.INFO} <= added


SUMMARIES = [*((name, ()) for name in PUBLISHED), ("meta-ai-zone", ("zones",))]
"""Inventories whose summary has some of the published figures, with overlays."""


@pytest.mark.parametrize(("name", "overlays"), SUMMARIES, ids=str)
def test_the_summary_has_the_published_counts_and_ratios(name: str, overlays: tuple[str, ...]) -> None:
    words = [word for overlay in overlays for word in ("--overlay", overlay)]
    done = run_here("show", REPOSITORY / "inventories" / name, "summary", *words, "--format", "json")
    said = json.loads(done.stdout)
    rows = (row for row in PUBLISHED[name]["figures"] if row.get("overlay") == (overlays[0] if overlays else None))
    of_summary = [row for row in rows if row["key"].partition(".")[0] in said]
    assert of_summary
    for row in of_summary:
        found = reduce(lambda level, key: level[key], row["key"].split("."), said)
        assert round_as(found, row["published"]) == row["published"], row["what"]


def test_the_aggregation_tier_is_full_and_uses_every_switch_of_a_pod() -> None:
    access, spine, core = (first_of("meta-llama3-24k", tier) for tier in range(3))
    assert len(core.ports) == 128
    assert core.cls.routing.max_paths == 16
    assert {port.shape.fec for port in (*core.ports, *spine.ports, *access.ports)} == {"rs"}


def test_planes_of_hpn_meet_at_the_hosts_only() -> None:
    hpn = plan_of("hpn7-pod")
    lowering, tier = Lowering(hpn), hpn.tiers[1]
    above = {where.plane: lowering.lower_switch(DeviceId(1, where)) for where in tier.coordinates() if not where.index}
    assert [sum(where.plane == plane for where in tier.coordinates()) for plane in (0, 1)] == [60, 60]
    below = {plane: {port.peer for port in switch.ports} for plane, switch in above.items()}
    assert [len(below[0]), len(below[1])] == [120, 120]
    assert not below[0] & below[1]
    host = lowering.lower_host(next(hpn.all_hosts()))
    assert all({link.peer[-1] for link in rail.links} == {"a", "b"} for rail in host.rails)


def test_both_leafs_of_a_bond_of_hpn_answer_as_one() -> None:
    lowering = Lowering(plan_of("hpn7-pod", "lacp"))
    pair = [lowering.lower_switch(DeviceId(0, Coordinates(plane=plane))) for plane in (0, 1)]
    subnets = [leaf.host_subnet for leaf in pair if leaf.host_subnet]
    assert len({(s.lacp_system_id, s.gateway, s.gateway_mac, s.prefix, s.vlan) for s in subnets}) == 1
    assert subnets[0].lacp_system_id == "00:00:5e:00:01:01"
    assert [(s.lacp_first_port_id, s.lacp_last_port_id) for s in subnets] == [(1, 300), (301, 600)]
    assert len({leaf.asn for leaf in pair}) == 2


@pytest.mark.parametrize("overlays", [(), ("400g",), ("200g",)], ids=str)
def test_a_rack_of_an_ai_zone_has_an_eighth_of_its_uplinks_to_spare(overlays: tuple[str, ...]) -> None:
    rack = first_of("meta-ai-zone", 0, *overlays)
    shapes = [port.shape for port in rack.ports]
    up, down = (sum(each.speed_gbps for each in shapes if each.side == side) for side in ("up", "down"))
    assert Fraction(up, down) == Fraction(9, 8)
    assert rack.cls.routing.max_paths >= sum(each.side == "up" for each in shapes)


def test_every_nic_of_the_star_meets_the_one_switch_there_is() -> None:
    star = plan_of("meta-star")
    assert [tier.size for tier in star.tiers] == [1]
    center = first_of("meta-star", 0)
    assert {port.shape.side for port in center.ports} == {"down"}
    hosts = [Lowering(star).lower_host(host) for host in star.all_hosts()]
    assert sum(len(host.rails) for host in hosts) == len(center.ports) == 64
    assert {rail.peer for host in hosts for rail in host.rails} == {center.hostname}


@pytest.mark.parametrize(
    ("name", "old", "new", "at"),
    [
        ("meta-ai-zone", "per: pod, count: 18}", "per: pod, count: 16}", ["8:9", "1.0}"]),
        ("meta-ai-zone", "count: 192}", "count: 191}", ["3072"]),
        ("meta-star", "units: {count: 1, max: 1}", "units: {count: 2, max: 2}", ["64}"]),
    ],
)
def test_a_missed_figure_is_an_error_at_it(name: str, old: str, new: str, at: list[str], tmp_path: Path) -> None:
    shutil.copytree(REPOSITORY / "inventories" / name, tmp_path / name)
    file = tmp_path / name / "fabric.yaml"
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")
    done = run_here("validate", tmp_path / name, "--format", "json").exits(1)
    found = [row for row in json.loads(done.stdout)["diagnostics"] if row["code"] == "FG-EXP-001"]
    lines = text.replace(old, new).splitlines()
    for row, figure in zip(found, at, strict=True):
        place = row["place"]
        assert (row["severity"], place["file"]) == ("error", str(file))
        assert lines[place["line"] - 1][place["column"] - 1 :].lstrip('"').startswith(figure)
