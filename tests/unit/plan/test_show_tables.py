"""Tables of addresses and links where hosts bond, and where a family is missing; assemblies to plug."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from fabricgen.catalog import load_catalog
from fabricgen.diagnostics import Bag
from fabricgen.tables.tables import GATEWAY_OF, Row, list_addresses, list_cabling, list_links
from tests.acceptance.run import INVENTORIES, copy_inventory, plan_of
from tests.command_line import run_here


@pytest.mark.parametrize("overlays", [(), ("routed",)])
def test_every_gateway_of_bonded_hosts_is_listed_at_both_leafs(overlays: tuple[str, ...]) -> None:
    plan = plan_of(INVENTORIES / "dual-tor", *overlays)
    listed = [row for row in list_addresses(plan) if str(row["purpose"]).startswith(GATEWAY_OF)]
    used = {row["b_address"] for row in list_links(plan) if row["link"] == "host-leaf"}
    assert Counter(row["address"] for row in listed) == dict.fromkeys(used, 2)
    assert len({(row["device"], row["interface"]) for row in listed}) == len(listed) == 2 * len(used)


@pytest.mark.parametrize(("link", "length6"), [("host-leaf", 127), ("leaf-spine", "")])
def test_a_family_that_is_not_there_has_no_prefix_length(link: str, length6: int | str) -> None:
    rows = [row for row in list_links(plan_of(INVENTORIES / "dual-plane")) if row["link"] == link]
    assert {(row["a_address"], row["length"], row["length6"]) for row in rows} == {("", "", length6)}


def ends_of(row: Row) -> list[tuple[tuple[str, str, str], tuple[str, str, str]]]:
    """Return the device, port and cage at both ends of every link of an assembly; a cell may hold for all of them."""
    cells = {key: str(row[key]).split() or [""] for key in ("a", "a_port", "a_cage", "b", "b_port", "b_cage")}
    links = max(map(len, cells.values()))
    full = {key: values * (links if len(values) == 1 else 1) for key, values in cells.items()}
    sides = [zip(*(full[key] for key in full if key[0] == side), strict=True) for side in "ab"]
    return list(zip(*sides, strict=True))


@pytest.mark.parametrize("name", ["quickstart", "irregular", "dual-plane", "dual-tor", "two-halls"])
def test_every_link_is_in_one_assembly_and_every_cage_has_one_transceiver(name: str) -> None:
    plan = plan_of(INVENTORIES / name)
    rows, cages = list(list_cabling(plan)), set()
    listed = [(a[:2], b[:2]) for row in rows for a, b in ends_of(row)]
    assert sorted(listed) == sorted(((r["a"], r["a_port"]), (r["b"], r["b_port"])) for r in list_links(plan))
    assert "; ".join(f"{a}:{p} -- {b}:{q}" for (a, p), (b, q) in listed) == "; ".join(str(r["label"]) for r in rows)
    for row in rows:
        found = {(end[0], end[2].partition("/")[0] or end[1]) for link in ends_of(row) for end in link}
        is_fibre = row["media"] in ("mmf", "smf")
        assert row["transceivers"] == (len(found - cages) if is_fibre else 0)
        assert (row["assembly"] in ("cable", "breakout")) is not is_fibre
        cages |= found if is_fibre else set()


def test_a_scalable_unit_of_256_gpus_has_the_published_parts(tmp_path: Path) -> None:
    """32 servers with a NIC per OSFP: 256 transceivers for NICs, 128 twin-port ones for leafs, 256 fibres.

    Source: vitextech.com, H100 SuperPOD optics: a 256 GPU fabric case study, table 1.
    """
    changes = {"server: dgx_h100_8": "server: hgx_h100_8"}
    rows = list_cabling(plan_of(copy_inventory("rail-1k", tmp_path / "fabric", changes)))
    unit = [row for row in rows if str(row["a"]).startswith("gpu-u001")]
    assert (len(unit), sum(len(ends_of(row)) for row in unit)) == (128, 256)
    assert sum(int(row["transceivers"]) for row in unit) == 256 + 128


def test_cages_of_a_dgx_are_those_of_its_guide() -> None:
    """Source: NVIDIA DGX H100/H200 User Guide, network modules: port, and default name with the bus of the NIC."""
    guide = {
        "OSFP1/1": "ibp220s0", "OSFP1/2": "ibp154s0", "OSFP2/1": "ibp206s0", "OSFP2/2": "ibp192s0",
        "OSFP3/1": "ibp79s0", "OSFP3/2": "ibp64s0", "OSFP4/1": "ibp94s0", "OSFP4/2": "ibp24s0",
    }  # fmt: skip
    names = ("dgx_h100_8", "dgx_h200_8", "dgx_h100_8_nvl256")
    catalog = load_catalog(switches={}, nics={}, servers=dict.fromkeys(names, ()), bag=Bag())
    for name in names:
        rails = catalog.servers[name].rails
        assert {rail.cage: f"ibp{int(rail.nic_bdf[5:7], 16)}s0" for rail in rails} == guide


def test_what_is_listed_is_what_was_sized(tmp_path: Path) -> None:
    size = ["--gpus", "1024", "--server", "dgx_h100_8", "--switch", "dell_z9864f"]
    run_here("init", tmp_path / "fabric", *size).exits(0)
    cables = json.loads(run_here("size", *size, "--format", "json").exits(0).stdout)["cables"]
    rows = json.loads(run_here("show", tmp_path / "fabric", "cabling", "--format", "json").exits(0).stdout)
    assert sum(row["transceivers"] for row in rows) == sum(each["optics"] for each in cables)


def test_a_split_cable_is_one_assembly_and_a_drain_of_one_link_does_not_divide_it() -> None:
    rows = list(list_cabling(plan_of(INVENTORIES / "irregular")))
    (storage,) = [row for row in rows if row["a"] == "storage-u001-h01"]
    assert (storage["assembly"], storage["a_port"], storage["b_cage"]) == ("breakout", "rail0p0 rail0p1", "13/1 13/2")
    (drained,) = [row for row in rows if row["state"] == "drained"]
    assert (drained["b_cage"], drained["a_cage"], drained["reason"]) == ("6/1 6/2", "63/1 63/2", "bit errors")
    racks = Counter(row["assembly"] for row in list_cabling(plan_of(INVENTORIES / "dual-tor")))
    assert racks == {"breakout": 32, "2 fibres": 32}
