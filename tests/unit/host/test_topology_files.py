"""NCCL's topology file: none unless asked for, and then one that NCCL takes and that its ranks read alike."""

from __future__ import annotations

import random
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from host_fixture import NCCL, TOPOLOGY, compiled, error_codes, host, host_class, render, render_hosts, without_places

from fabricgen.device.model import HostClass
from fabricgen.plan.model.topology import NO_SWITCH
from fabricgen.platforms.mlx5.view import cpu_masks
from tests.sampling import EVERYTHING
from tests.unit.judged import findings

SERVERS = Path(__file__).parents[3] / "fabricgen" / "catalog" / "data" / "servers"
FORMS = ("pci", "rails")


def asked(form: str, cls: HostClass | None = None) -> HostClass:
    cls = cls or host_class()
    return replace(cls, collectives=replace(cls.collectives, topology_file=form))


def faults(text: str) -> list[str]:
    """Return the nodes that NCCL would read in two ways or not at all."""
    return [node.tag for node in ET.fromstring(text).iter() if node.tag == "gpu" or not all(node.attrib.values())]


def catalog_servers() -> dict[str, list[dict[str, object]]]:
    """Servers of the catalog for NVIDIA's libraries of which every PCI address is public, with their rails."""
    found = {}
    for path in sorted(SERVERS.glob("*.yaml")):
        s = yaml.safe_load(path.read_text())
        if s.get("gpu_vendor") == "nvidia" and all({"nic", "gpu", "switch", "numa"} <= set(r) for r in s["rails"]):
            found[path.stem] = s["rails"]
    return found


def topology(server: str, form: str, tmp_path: Path) -> tuple[str, list[str]]:
    """The topology file of the first host of a fabric of these servers, and the codes of errors."""
    more = f"\nhosts: {{server: {server}, nic: connectx7_400g, per_unit: 2}}\ncollectives: {{topology_file: {form}}}\n"
    made, bag = compiled(tmp_path, more)
    if found := error_codes(bag):
        return "", found
    return next(render_hosts(made))[1].get(TOPOLOGY, ""), []


@pytest.mark.parametrize("form", FORMS)
def test_a_file_that_is_asked_for_is_named_and_taken(form: str, tmp_path: Path) -> None:
    rendered = render(host(asked(form)))
    assert f"NCCL_TOPO_FILE=/{TOPOLOGY}\n" in rendered[NCCL]
    assert faults(rendered[TOPOLOGY]) == []
    assert findings(rendered, tmp_path, "nccl", kind="hosts") == []


def test_addresses_alone_leave_nics_and_gpus_to_nccl() -> None:
    root = ET.fromstring(render(host(asked("pci")))[TOPOLOGY])
    assert {node.tag for node in root.iter()} == {"system", "cpu", "pci"}
    for rail in host_class().rails:
        cpu = next(node for node in root if node.get("numaid") == str(rail.place.numa))
        switch = next(node for node in cpu if node.get("busid") == rail.place.switch_bdf)
        assert (switch.get("link_speed"), switch.get("link_width")) == ("32.0 GT/s PCIe", "16")
        assert [node.attrib for node in switch] == [
            {"busid": rail.nic_bdf, "class": "0x020000"},
            {"busid": rail.place.gpu_bdf, "class": "0x030200"},
        ]


def test_rails_stand_at_their_nics_with_all_that_nccl_reads_above() -> None:
    root = ET.fromstring(render(host(asked("rails")))[TOPOLOGY])
    places = {net.get("name"): (pci.get("busid"), net.get("rail"), net.get("plane"))
              for pci in root.iter("pci") for net in pci.findall("nic/net")}  # fmt: skip
    assert places == {rail.rdma: (rail.nic_bdf, str(rail.place.rail), None) for rail in host_class().rails}
    assert {cpu.get("affinity") for cpu in root} == {
        "00000000,000000ff,ffffffff,ffff0000,00000000,00ffffff,ffffffff",
        "ffffffff,ffffff00,00000000,0000ffff,ffffffff,ff000000,00000000",
    }


def test_a_plane_stands_where_each_port_has_one() -> None:
    cls = asked("rails", host_class(1))
    ports = [replace(cls.rails[0], rdma=f"roce_r0p{p}", nic_bdf=f"0000:18:00.{p}", plane=p) for p in (0, 1)]
    root = ET.fromstring(render(host(replace(cls, rails=tuple(ports))))[TOPOLOGY])
    assert [net.attrib for net in root.iter("net")] == [
        {"name": "roce_r0p0", "rail": "0", "plane": "0"},
        {"name": "roce_r0p1", "rail": "0", "plane": "1"},
    ]


@pytest.mark.parametrize("form", FORMS)
def test_rails_that_share_a_switch_share_its_node(form: str) -> None:
    cls = asked(form, host_class(4))
    shared = tuple(
        replace(rail, place=rail.place._replace(switch_bdf=cls.rails[rail.place.rail // 2 * 2].place.switch_bdf))
        for rail in cls.rails
    )
    switches = ET.fromstring(render(host(replace(cls, rails=shared)))[TOPOLOGY]).findall("cpu/pci")
    assert [len(switch) for switch in switches] == [4, 4]
    for switch in switches:
        addresses = [node.get("busid", "") for node in switch]
        assert addresses == sorted(addresses)


def test_without_switch_nics_and_gpus_hang_on_the_cpu(tmp_path: Path) -> None:
    cls = asked("rails", host_class(2))
    rails = tuple(replace(rail, place=rail.place._replace(switch_bdf=NO_SWITCH)) for rail in cls.rails)
    box = replace(cls.group.hardware, cpu_arch="arm64", cpu_vendor="NVIDIA", cpu_family=0, cpu_model=0, switch_ids=())
    text = render(host(replace(cls, group=replace(cls.group, hardware=box), rails=rails)))[TOPOLOGY]
    assert faults(text) == []
    assert [pci.get("busid") for pci in ET.fromstring(text).findall("cpu/pci")] == [
        "0000:18:00.0", "0000:1b:00.0", "0000:40:00.0", "0000:43:00.0",
    ]  # fmt: skip
    assert findings({TOPOLOGY: text}, tmp_path, "nccl", kind="hosts") == []


def test_a_place_nobody_knows_never_reaches_a_file() -> None:
    cls = without_places(asked("rails"), 5)
    assert TOPOLOGY not in render(host(cls))
    assert "NCCL_TOPO_FILE" not in render(host(cls))[NCCL]


def test_masks_are_words_of_32_cpus_the_highest_first() -> None:
    assert cpu_masks(()) == ()
    assert cpu_masks(("0-71", "72-143")) == (
        "00000000,00000000,000000ff,ffffffff,ffffffff", "0000ffff,ffffffff,ffffff00,00000000,00000000",
    )  # fmt: skip
    assert cpu_masks(("0,2", "1,3")) == ("00000005", "0000000a")


def test_nccl_takes_a_file_of_every_server_of_the_catalog(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    servers = catalog_servers()
    assert len(servers) >= 3, "the catalog has lost its PCI maps"
    texts = {}
    for server, rails in servers.items():
        for form in FORMS:
            text, errors = topology(server, form, tmp_path)
            assert errors == []
            assert faults(text) == [], f"{server} {form}"
            root = ET.fromstring(text)
            assert {str(r[key]) for r in rails for key in ("nic", "gpu")} <= {p.get("busid") for p in root.iter("pci")}
            assert len(root.findall(".//net")) == (len(rails) if form == "rails" else 0)
            texts[f"{server} {form}"] = text
    with capsys.disabled():
        sys.stdout.write(f" [{len(texts)} topology files of {', '.join(servers)}] ")
    assert len(texts) == 2 * len(servers)
    # Where the judge is not there, all that stands above is held all the same.
    for name, text in texts.items():
        assert findings({TOPOLOGY: text}, tmp_path, "nccl", kind="hosts") == [], name


@pytest.mark.parametrize("seed", range(20 if EVERYTHING else 2))
def test_nccl_takes_a_file_of_any_server_of_a_users_own(seed: int, tmp_path: Path) -> None:
    """PCI addresses by lot, each rail below a switch of its own or of two or four rails."""
    rng = random.Random(seed)
    (made := tmp_path / "catalog/servers").mkdir(parents=True)
    text = yaml.safe_load((SERVERS / "dgx_h100_8.yaml").read_text())
    buses = rng.sample(range(4, 250), 24)
    shared = rng.choice([1, 2, 4])
    for number, rail in enumerate(text["rails"]):
        rail |= {"nic": f"0000:{buses[number]:02x}:00.0", "gpu": f"0000:{buses[8 + number]:02x}:00.0"}
        rail |= {"switch": f"0000:{buses[16 + number // shared]:02x}:00.0", "numa": number // 4}
    (made / "own.yaml").write_text(yaml.safe_dump(text | {"id": "own"}))
    for form in FORMS:
        found, errors = topology("own", form, tmp_path)
        assert errors == []
        assert findings({TOPOLOGY: found}, tmp_path / "out", "nccl", kind="hosts") == []


@pytest.mark.parametrize("server", ["dgx_a100_8"])
@pytest.mark.parametrize("form", FORMS)
def test_what_the_catalog_does_not_know_is_an_error(server: str, form: str, tmp_path: Path) -> None:
    assert topology(server, form, tmp_path) == ("", ["FG-HST-040"])


@pytest.mark.parametrize("gpu", ["a100", "h100", "h200"])
def test_a_board_of_any_maker_has_no_addresses_and_leads_to_the_server_that_has(gpu: str, tmp_path: Path) -> None:
    board, server = (yaml.safe_load((SERVERS / f"{maker}_{gpu}_8.yaml").read_text()) for maker in ("hgx", "dgx"))
    assert not any({"nic", "gpu", "switch"} & set(rail) for rail in board["rails"])
    assert all({"nic", "gpu"} <= set(rail) for rail in server["rails"])
    _, bag = compiled(tmp_path, f"\nhosts: {{server: hgx_{gpu}_8, nic: connectx7_400g, per_unit: 2}}\n")
    (said,) = [item for item in bag if item.code == "FG-HST-004"]
    assert said.severity.value == "error"
    assert f"dgx_{gpu}_8" in said.hint
