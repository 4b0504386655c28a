"""startup.yaml to a tree: what saving it on a switch changes is no difference, everything else is."""

from __future__ import annotations

import pytest
import yaml
from nvue_render import settings, startup_texts

from fabricgen.platforms.cumulus_nvue import reader
from fabricgen.platforms.reading.reader import ReadFault

LEAF = "leaf-p1-u01-r0"


@pytest.fixture(scope="module")
def text() -> str:
    return startup_texts()[LEAF]


def test_layout_order_and_header_mean_nothing(text: str) -> None:
    header = {"header": {"model": "SN5600", "nvue-api-version": "nvue_v1", "version": "Cumulus Linux 5.15.0"}}
    saved = yaml.safe_dump([header, {"set": settings(text)}], default_flow_style=False, sort_keys=True)
    assert reader.read(saved) == reader.read(text)


def test_another_value_is_one_changed_path(text: str) -> None:
    changed = reader.read(text.replace("mtu: 9100", "mtu: 9000", 1))["interface"]
    regular = reader.read(text)["interface"]
    assert [name for name in regular if regular[name] != changed[name]] == ["swp1s0"]
    assert changed["swp1s0"]["link"]["mtu"] == "9000"


def test_a_file_tells_its_device(text: str) -> None:
    assert reader.hostname(reader.read(text)) == LEAF


@pytest.mark.parametrize(
    "path", ["vrf > default > router > bgp > router-id", "router > bgp > router-id", "vrf", "vrf > x"]
)
def test_a_path_is_found_where_it_stands(path: str, text: str) -> None:
    line = text.split("\n")[reader.locate(text, path.split(" > ")) - 1]
    assert line.strip().startswith(
        {"vrf > default > router > bgp > router-id": "bgp:", "router > bgp > router-id": "router-id:"}.get(path, "vrf:")
    )


@pytest.mark.parametrize(
    "fault", ["set: {}\n", "- set: {}\n- set: {}\n", "- sets: {}\n", "- set: 3\n", "- set: {a: 1\n"]
)
def test_what_is_no_nvue_file_is_a_fault(fault: str) -> None:
    with pytest.raises(ReadFault):
        reader.read(fault)
