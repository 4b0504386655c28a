"""Fabrics that guides of other makers describe come out with the numbers and classes that these print."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from tests.acceptance.run import copy_inventory, render_here
from tests.command_line import run_here
from tests.judges.crossread import judge, read_tree
from tests.judges.crossread.proofs.case import Expectation

REPORTED = Path(__file__).parent / "reported"
RAIL_LEAFS = (REPORTED / "rail_leafs.yaml").read_text()
"""64 nodes of four GPUs, rail N on leaf N, four leafs and two spines of 64 x 800G: Asterfusion, CX864E-N, deployment
guide of a 256-GPU backend. Another box of the same ports stands in the place of theirs."""
RAIL_STRIPES = (REPORTED / "rail_stripes.yaml").read_text()
"""Stripes of eight leafs, GPU N on leaf N; the links of a server are numbered in a row, 10.200.0.0/24 for stripe 1 and
10.200.1.0/24 for stripe 2; an AS number for each spine. Juniper, AI data center multitenancy with EVPN/VXLAN,
appendix A (IPv4 overlay over IPv6 underlay), IPv4 addresses of GPU servers; Juniper/jvd 005ab344,
aiml_multitenancy_backend, whose own AS numbers, 108 to 111 for the spines, are not private."""
STORAGE = (REPORTED / "storage.yaml").read_text()
"""Storage as a second lossless class on the same leafs, as NVIDIA's and Juniper's guides of AI fabrics have it."""


def test_a_leaf_for_each_rail_has_the_counts_of_its_guide(tmp_path: Path) -> None:
    (tmp_path / "fabric.yaml").write_text(RAIL_LEAFS)
    found = json.loads(run_here("show", tmp_path, "devices", "--format", "json").exits(0).stdout)
    assert [sum(row["tier"] == tier for row in found) for tier in ("leaf", "spine")] == [4, 2]
    links = json.loads(run_here("show", tmp_path, "links", "--format", "json").exits(0).stdout)
    assert sum("leaf" in row["a"] and "spine" in row["b"] for row in links) == 4 * 2 * 16
    assert "256 GPUs, 64 hosts, 6 switches" in run_here("validate", tmp_path).exits(0).stderr


@pytest.mark.parametrize("platform", ["eos", "sonic", "frr", "cumulus_nvue"])
def test_servers_are_numbered_before_rails(platform: str, tmp_path: Path) -> None:
    """Each leaf announces its links, since they count between those of the other leafs; the reader finds no fault."""
    text = RAIL_STRIPES.replace("platform: eos", f"platform: {platform}")
    box = "nvidia_sn5600" if platform == "cumulus_nvue" else "arista_7060x6_64pe"
    (tmp_path / "fabric.yaml").write_text(text.replace("arista_7060x6_64pe", box))
    assert render_here(tmp_path, tmp_path / "out") == []
    assert judge(tmp_path / "out", Expectation(host_links=16)) == []
    fabric = read_tree(tmp_path / "out")
    for stripe, server, gpu in product((1, 2), (1, 2), range(8)):
        leaf, host = fabric.devices[f"leaf-u{stripe:03}-r{gpu}"], fabric.devices[f"gpu-u{stripe:03}-h{server:02}"]
        (nic,) = host.interfaces[f"rail{gpu}"].addresses
        number = 16 * (server - 1) + 2 * gpu
        assert nic.text == f"10.200.{stripe - 1}.{number + 1}"
        assert f"10.200.{stripe - 1}.{number}" in [a.text for i in leaf.interfaces.values() for a in i.addresses]
    speakers = [fabric.devices[f"spine-{n:02}"].bgp for n in range(1, 5)]
    # The block of a stripe is announced by all of its eight leafs.
    assert [(bgp.asn, bgp.max_paths) for bgp in speakers if bgp] == [(64900 + n, 8) for n in range(1, 5)]


def test_storage_is_a_second_lossless_class(tmp_path: Path) -> None:
    fabric = copy_inventory("quickstart", tmp_path / "fabric")
    (fabric / "overlays/storage.yaml").write_text(STORAGE)
    assert render_here(fabric, tmp_path / "out", overlays=["eos", "storage"]) == []
    for switch in read_tree(tmp_path / "out").switches():
        lossless = [port.qos for port in switch.interfaces.values() if port.qos.pfc]
        assert lossless, switch.name
        for qos in lossless:
            assert (sorted(qos.pfc), qos.scheduler[3], qos.scheduler[4]) == ([3, 4], 60, 30), switch.name
