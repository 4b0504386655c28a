"""The view: the contract in the words of the NIC, where each field comes from, and the table of DCQCN parameters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from host_fixture import contract, host_class, reference

from fabricgen.plan.model.contract import TrafficClass
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.mlx5.view import class_view

MANIFEST = template_root() / "nic" / "mlx5" / "platform.yaml"


def parameters() -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = yaml.safe_load(MANIFEST.read_text())["parameters"]
    return found


def test_strict_classes_take_no_bandwidth() -> None:
    storage = TrafficClass("storage", (10,), 4, 4, True, False, 30)
    roce = TrafficClass("roce", (26,), 3, 3, True, False, 65)
    seen = class_view(replace(host_class(), contract=contract(storage=storage, roce=roce)))
    assert seen.pfc == (0, 0, 0, 1, 1, 0, 0, 0)
    assert seen.tsa == ("ets",) * 6 + ("strict",) * 2
    assert seen.tc_bw == (5, 0, 0, 65, 30, 0, 0, 0)
    assert sum(seen.tc_bw) == 100
    assert seen.dcqcn_priorities == "3 4"
    assert seen.cc_mask == 0b11000
    named = {26: 3, 10: 4, 46: 6, 48: 7, 56: 7}
    mapped = {point.dscp: point.priority for row in seen.dscp_rows for point in row}
    assert mapped == {dscp: named.get(dscp, 0) for dscp in range(64)}


def test_two_classes_on_one_priority_share_it() -> None:
    more = TrafficClass("more", (30,), 3, 3, True, False, 20)
    roce = TrafficClass("roce", (26,), 3, 3, True, False, 75)
    seen = class_view(replace(host_class(), contract=contract(more=more, roce=roce)))
    assert seen.tc_bw == (5, 0, 0, 95, 0, 0, 0, 0)
    assert seen.dcqcn_priorities == "3"


def test_a_contract_without_cnp_marks_none() -> None:
    classes = tuple(cls for cls in contract().classes if cls.name != "cnp")
    seen = class_view(replace(host_class(), contract=replace(contract(), classes=classes)))
    assert not any("cnp_dscp" in knob.sysfs for knob in seen.knobs)


@pytest.mark.parametrize(("metres", "whole"), [(2.5, 3), (3.0, 3), (30.0, 30), (0.5, 1)])
def test_cables_are_rounded_up_to_whole_metres(metres: float, whole: int) -> None:
    cls = host_class(1)
    seen = class_view(replace(cls, rails=tuple(replace(rail, length_m=metres) for rail in cls.rails)))
    assert seen.rails[0].whole_m == whole


def test_the_view_names_files_and_keys_as_the_reference_does() -> None:
    known = {entry["mlxconfig"]: entry for entry in reference("dcqcn_params.yaml")["params"]}
    cls = host_class(1)
    seen = class_view(replace(cls, collectives=replace(cls.collectives, dcqcn=tuple((n, 1) for n in parameters()))))
    for name, knob in zip(parameters(), seen.knobs, strict=False):
        said = known[name.upper()]
        assert said["ofed_sysfs"] == f"/sys/class/net/<if>/ecn/{knob.sysfs}"
        assert said["mainline_debugfs"] == f"/sys/kernel/debug/mlx5/<pci_bdf>/cc_params/{knob.debugfs}"
    assert {f"{name.upper()}_P1" for name in parameters()} <= {setting.key for setting in seen.firmware}


def test_the_table_says_what_the_reference_says() -> None:
    by_contract = {"ROCE_CC_PRIO_MASK", "CNP_DSCP", "CNP_802P_PRIO", "CNP_RES_PRIO_MODE", "CNP_DSCP_MODE"}
    by_contract.add("ROCE_RTT_RESP_DSCP")
    known = {entry["mlxconfig"]: entry for entry in reference("dcqcn_params.yaml")["params"]}
    assert {name.upper() for name in parameters()} == known.keys() - by_contract
    for name, entry in parameters().items():
        said = known[name.upper()]
        assert (entry["default"], entry["min"]) == (said["default"], said["min"]), name
        assert str(entry["max"]) == str(said["max"]).partition(" if 32-bit-rate capability else ")[0], name


def test_the_contract_decides_the_cnp_files_as_the_reference_names_them() -> None:
    known = {entry["mlxconfig"]: entry for entry in reference("dcqcn_params.yaml")["params"]}
    cnp = {knob.sysfs: knob for knob in class_view(host_class(1)).knobs if knob.sysfs.startswith("roce_np/cnp")}
    for key in ("CNP_DSCP", "CNP_802P_PRIO"):
        knob = cnp[f"roce_np/{key.lower()}"]
        assert Path(known[key]["ofed_sysfs"]).name == Path(knob.sysfs).name
        assert Path(known[key]["mainline_debugfs"]).name == knob.debugfs
