"""The node list of each NVLink domain, from the intent to the files of its hosts."""

from __future__ import annotations

from pathlib import Path

import pytest
from host_fixture import NODES, compiled, error_codes, render_hosts

from fabricgen.plan.model.fabric import domain_shape


def nodes(tmp_path: Path, hosts: str, rest: str = "", assets: str = "") -> dict[str, list[str]]:
    """Every host's list, by host name, of quickstart with other hosts."""
    (tmp_path / "assets.csv").write_text(assets)
    made, bag = compiled(tmp_path, f"hosts: {{server: gb200_tray_4, nic: connectx7_400g, {hosts}}}\n{rest}")
    assert error_codes(bag) == []
    assert made.plan is not None
    return {made.plan.host_name(each): files.get(NODES, "").splitlines() for each, files in render_hosts(made)}


def domains(found: dict[str, list[str]]) -> set[tuple[str, ...]]:
    """The lists, each of which is that of exactly the hosts in it."""
    for name, listed in found.items():
        assert name in listed
        assert all(found[other] == listed for other in listed)
    return {tuple(listed) for listed in found.values()}


def test_every_host_lists_its_domain_and_itself(tmp_path: Path) -> None:
    lists = domains(nodes(tmp_path, "per_unit: 4, nvlink_domain: 2"))
    assert len(lists) == 4
    assert ("gpu-u001-h01", "gpu-u001-h02") in lists
    assert ("gpu-u002-h03", "gpu-u002-h04") in lists


def test_a_host_that_is_absent_is_in_no_list(tmp_path: Path) -> None:
    rest = 'exceptions:\n  - {host: gpu-u001-h02, state: absent, reason: "arrives in March"}\n'
    lists = domains(nodes(tmp_path, "per_unit: 4, nvlink_domain: 4", rest))
    assert ("gpu-u001-h01", "gpu-u001-h03", "gpu-u001-h04") in lists


def test_spares_of_a_rack_are_in_its_domain_and_racks_of_spares_are_their_own(tmp_path: Path) -> None:
    shared = "per_unit: {count: 6, max: 12}, backup_per_unit: {count: 2, max: 4}, nvlink_domain: 4"
    lists = domains(nodes(tmp_path, shared))
    assert ("gpu-u001-h01", "gpu-u001-h02", "gpu-u001-h03", "gpu-u001-h13") in lists
    apart = "per_unit: {count: 4, max: 12}, backup_per_unit: {count: 4, max: 4}, nvlink_domain: 4"
    lists = domains(nodes(tmp_path, apart))
    assert ("gpu-u001-h13", "gpu-u001-h14", "gpu-u001-h15", "gpu-u001-h16") in lists


@pytest.mark.parametrize(
    ("now", "later"),
    [
        ("per_unit: {count: 4, max: 12}", "per_unit: {count: 8, max: 12}"),
        (
            "per_unit: {count: 3, max: 12}, backup_per_unit: {count: 1, max: 4}",
            "per_unit: {count: 9, max: 12}, backup_per_unit: {count: 3, max: 4}",
        ),
    ],
)
def test_growth_by_whole_domains_changes_no_list(now: str, later: str, tmp_path: Path) -> None:
    before = nodes(tmp_path, f"{now}, nvlink_domain: 4")
    after = nodes(tmp_path, f"{later}, nvlink_domain: 4")
    assert len(after) > len(before)
    assert {name: after[name] for name in before} == before
    domains(after)


def test_a_node_is_its_management_address_where_that_is_known(tmp_path: Path) -> None:
    found = nodes(
        tmp_path,
        "per_unit: 2, nvlink_domain: 2",
        "assets: assets.csv\n",
        "hostname,management_ip,rail,mac\ngpu-u001-h01,192.168.9.1,,\ngpu-u001-h01,,0,02:00:00:00:00:01\n",
    )
    assert found["gpu-u001-h02"] == found["gpu-u001-h01"] == ["192.168.9.1", "gpu-u001-h02"]


@pytest.mark.parametrize("hosts", ["per_unit: 4", "per_unit: 4, nvlink_domain: 1"])
def test_hosts_without_a_domain_have_no_list(hosts: str, tmp_path: Path) -> None:
    assert set(map(tuple, nodes(tmp_path, hosts).values())) == {()}


@pytest.mark.parametrize(
    ("per_unit", "spares", "size"), [(4, 0, 3), (4, 1, 4), (5, 1, 4), (7, 1, 4), (2, 0, 4), (3, 5, 4)]
)
def test_what_does_not_fill_a_unit_has_no_shape(per_unit: int, spares: int, size: int) -> None:
    assert domain_shape(per_unit, spares, size) is None
