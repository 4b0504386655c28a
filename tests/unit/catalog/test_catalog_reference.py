"""Completeness: every ASIC, switch and host that outside tables of facts name is in the catalog, with its figures."""

from __future__ import annotations

from typing import Any

import yaml
from shipped_records import everything

from fabricgen.catalog import known_models
from fabricgen.catalog.loader import load_named
from fabricgen.diagnostics import Bag
from tests.reference_files import find_reference

RENAMED = {
    "nokia_h5_64o": "nokia_ixr7220_h5_64o",
    "nokia_h6_64": "nokia_ixr7220_h6_64",
    "nokia_h6_128": "nokia_ixr7220_h6_128",
    "gb200_nvl72": "gb200_tray_4",
}
"""Names of the table that are not ours."""
ASIC_FIGURES = {
    "buffer_unit": "cell_bytes",
    "ecmp.max_groups": "ecmp_groups_max",
    "ecmp.max_members": "ecmp_members_max",
}


def facts(name: str) -> dict[str, Any]:
    """One of the tables; the test is skipped where they are not."""
    found: dict[str, Any] = yaml.safe_load(find_reference(f"reference/catalog/{name}").read_text(encoding="utf-8"))
    return found


def sourced(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Entries of a table that have a source; what has none is in no catalog."""
    return [entry for entry in entries if not entry["source"].startswith("none found")]


def test_every_asic_is_known_with_its_figures() -> None:
    known = load_named("asics", known_models("asics"), Bag())
    for entry in sourced(facts("asic_facts.yaml")["asics"]):
        record = known[entry["id"]]
        assert record.vendor == entry["vendor"]
        for path, field in ASIC_FIGURES.items():
            outer, _, inner = path.partition(".")
            figure = entry.get(outer, {}).get(inner) if inner else entry.get(outer)
            if figure is not None:
                assert getattr(record, field) == figure, (record.id, field)


def test_every_switch_model_is_known_with_its_asic() -> None:
    switches = everything()[0].switches
    for entry in sourced(facts("asic_facts.yaml")["models"]):
        name = RENAMED.get(entry["id"], entry["id"])
        assert name in switches, name
        if "asic" in entry:
            assert switches[name].asic.id == entry["asic"], name


def test_native_ports_are_those_of_the_table() -> None:
    """Compare the ports that the table counts at one native speed; 25G and slower are service ports."""
    switches, checked = everything()[0].switches, 0
    for entry in sourced(facts("asic_facts.yaml")["models"]):
        ports = entry.get("ports")
        speeds = {key: count for key, count in ports.items() if key.endswith("00G")} if isinstance(ports, dict) else {}
        cages = [cage for cage in switches[RENAMED.get(entry["id"], entry["id"])].cages if not cage.service]
        if len(speeds) == 1 and set(ports) - set(speeds) <= {"10G", "25G", "100G", "mgmt"}:
            ((speed, count),) = speeds.items()
            assert len(cages) == count, entry["id"]
            assert {cage.native_gbps for cage in cages} == {int(speed[:-1])}, entry["id"]
            checked += 1
    assert checked >= 15


def test_every_host_is_known_with_its_nics_and_scale_up() -> None:
    servers = everything()[0].servers
    assert sorted(servers) == known_models("servers")
    for entry in facts("host_facts.yaml")["hosts"]:
        server = servers[RENAMED.get(entry["id"], entry["id"])]
        assert server.gpus == entry.get("gpus_per_tray", entry["gpus"]), server.id
        assert len(server.rails) == entry.get("nics_per_tray", entry.get("backend_nics")), server.id
        if "nvlink_gb_s" in entry:
            assert server.nvlink_gbytes_s == entry["nvlink_gb_s"], server.id
        if "pcie_gen" in entry:
            assert server.pcie_gen == entry["pcie_gen"], server.id


def test_every_generation_of_nvlink_is_known_with_its_links_and_rate() -> None:
    known = load_named("nvlink", known_models("nvlink"), Bag())
    for entry in facts("host_facts.yaml")["nvlink"]:
        record = known[f"nvlink{entry['gen']}"]
        assert {entry["gpu"]} if isinstance(entry["gpu"], str) else {*entry["gpu"]} <= {*record.gpus}
        if "links" in entry:
            assert (record.links, record.link_gbytes_s) == (entry["links"], entry["gb_s_per_link_bidir"])
            assert record.links * record.link_gbytes_s == entry["gb_s_total"]


def test_nvlink_switches_are_those_of_the_table() -> None:
    servers = everything()[0].servers
    (node, rack) = facts("host_facts.yaml")["nvswitch"]
    lower, upper = servers["dgx_h100_8_nvl256"].nvlink_levels
    assert (lower.switches, 8 * (upper.links or 0)) == (node["switches"], node["spare_nvlink4"])
    (level,) = servers["gb200_tray_4"].nvlink_levels
    assert (level.gpus, level.switches) == (rack["gpus_in_domain"], 2 * rack["switch_trays"])


def test_every_nic_of_the_field_is_known() -> None:
    assert {nic.family for nic in everything()[0].nics.values()} == {"mlx5", "thor2", "pollara"}
