"""Scale-up domains of a plan, counted host by host, and NVLink beside the NICs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from analysis_fabrics import Document, compiled, document

from fabricgen.diagnostics import Severity
from fabricgen.plan.model.fabric import FabricPlan, domain_hosts
from fabricgen.tables.scale_up import ScaleUp, find_scale_up
from tests.command_line import run_here

TWO_LEVELS = {"server": "dgx_h100_8_nvl256", "nvlink_domain": 4}
TRAYS = {"server": "gb200_tray_4", "per_unit": {"count": 18, "max": 18}, "nvlink_domain": 18}


def found(tmp_path: Path, hosts: dict[str, Any], absent: tuple[str, ...] = ()) -> tuple[FabricPlan, ScaleUp]:
    """The plan of a small fabric with other hosts, and its only host group's domains."""
    said: Document = document("dell_z9864f")
    said["hosts"] |= hosts
    gone = [{"host": name, "state": "absent", "reason": "not delivered"} for name in absent]
    made, bag = compiled(said | ({"exceptions": gone} if gone else {}), tmp_path)
    assert [d.message for d in bag if d.severity is Severity.ERROR] == []
    return made.plan, find_scale_up(made.plan, made.catalog)["gpu"]


@pytest.mark.parametrize(
    ("hosts", "absent"),
    [
        ({}, ()),
        ({}, ("gpu-u001-h01",)),
        ({"nvlink_domain": 2} | {"server": "gb200_tray_4"}, ("gpu-u002-h01",)),
        ({"nvlink_domain": 2} | {"server": "gb200_tray_4"}, ("gpu-u002-h03", "gpu-u002-h04")),
        (TWO_LEVELS, ()),
        (TRAYS, ()),
        ({"server": "gb200_tray_4", "per_unit": 16, "backup_per_unit": 2, "nvlink_domain": 9}, ()),
        ({"server": "gb200_tray_4", "per_unit": 8, "backup_per_unit": 4, "nvlink_domain": 4}, ()),
    ],
)
def test_domains_are_those_that_the_hosts_form(hosts: dict[str, Any], absent: tuple[str, ...], tmp_path: Path) -> None:
    plan, said = found(tmp_path, hosts, absent)
    regular = [host for host in plan.all_hosts() if host.host < plan.hosts[host.group].per_unit]
    domains = {frozenset(domain_hosts(plan, host)) & frozenset(regular) for host in regular}
    assert said.domains == len(domains)
    assert said.domain_gpus == max(map(len, domains)) * plan.hosts[0].gpus


@pytest.mark.parametrize(
    ("hosts", "generation", "links", "rates", "levels", "ratio"),
    [
        ({}, "NVLink 4", 18, (900, 900), 1, "9:1"),
        (TWO_LEVELS, "NVLink 4", 18, (900, 450), 2, "9:1"),
        (TRAYS, "NVLink 5", 18, (1800, 1800), 1, "18:1"),
        ({"server": "dgx_a100_8"}, "NVLink 3", 12, (600, 600), 1, "6:1"),
    ],
)
def test_a_gpu_has_as_much_nvlink_as_its_links_carry(
    hosts: dict[str, Any], generation: str, links: int, rates: tuple[int, int], levels: int, ratio: str, tmp_path: Path
) -> None:
    _, said = found(tmp_path, hosts)
    assert (said.generation, said.links, said.switch_levels) == (generation, links, levels)
    assert (said.gbytes_s, said.top_level_gbytes_s) == rates
    # A NIC of 400 Gb/s carries 50 GB/s each way.
    assert said.scale_out_gbytes_s == 100
    assert said.ratio == ratio


def test_the_summary_has_what_is_known_of_each_group() -> None:
    summary = json.loads(run_here("show", "inventories/hpn7-pod", "--format", "json").stdout)
    assert summary["scale_up"]["gpu"] == {
        "server": "alibaba_hpn_host",
        "generation": "NVLink 4",
        "links": 8,
        "gbytes_s": 400,
        "domain_gpus": 8,
        "domains": 1920,
        "switch_levels": None,
        "switches": None,
        "top_level_gbytes_s": 400,
        "scale_out_gbytes_s": 100.0,
        "ratio": "4:1",
    }
    assert "storage" not in json.loads(run_here("show", "inventories/irregular", "--format", "json").stdout)["scale_up"]
